"""Many rounds of two at once, for the training of their networks: bids, legal actions and inputs.

The inputs are those of `bots.network_inputs`, with a row for each round.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pbmserv.games.perudo.bots.network import STEPS
from pbmserv.games.perudo.bots.network_inputs import (
    ACTIONS,
    BIDS,
    COLUMNS,
    CUP,
    DOUBT,
    FACES,
    HEARD,
    INPUTS,
    LEAST_NEED,
    MADE,
    MOST_COUNTED,
    MOST_DICE,
    MOST_HEARD,
    MOST_MADE,
    MOST_NEED,
    NEED,
    NUMBER,
    OTHER,
    OTHER_CALL,
    OWN,
    PALIFICO,
    ROWS,
    WIDTH,
)
from pbmserv.games.perudo.bots.network_inputs import FACE as FACE_INPUTS
from pbmserv.games.perudo.bots.network_inputs import QUANTITY as QUANTITY_INPUTS
from scripts.training import networks
from scripts.training.input_arrays import put, put_up_to
from scripts.training.layers import Flags, Numbers, Small, Values
from scripts.training.two_player_rules import FACE, NONE, QUANTITY, Kind

MOST_BIDS = 24  # of a round; then the player on turn must call
_HIGHEST = 2 * MOST_DICE  # quantity
_QUANTITIES = np.arange(1, _HIGHEST + 1, dtype=np.int8)[:, None]
# How often a player has 1, 2, ... 5 dice; a pair has the product of both.
_OFTEN = np.array([1, 1.2, 1.6, 2, 2.6])
# The bid's dice beside both cups, for the critic.
_LEAST_MISSING, _MISSING = -4, 10
CRITIC_INPUTS = INPUTS + FACES * MOST_DICE + _MISSING


def quantity_of(bids: Numbers) -> Numbers:
    """The quantities of bids."""
    found: Numbers = QUANTITY[bids]
    return found


def face_of(bids: Numbers) -> Numbers:
    """The faces of bids, from 0."""
    found: Numbers = FACE[bids]
    return found


def _most(bids: Flags) -> Small:
    """The most dice of each face in the bids."""
    found = np.zeros((len(bids), FACES), np.int8)
    for quantity in range(1, _HIGHEST + 1):  # faster than the maximum of products
        found[bids[:, (quantity - 1) * FACES : quantity * FACES]] = quantity
    return found


@dataclass(frozen=True, slots=True)
class Seen:
    """The position of the players on turn in some rounds."""

    kind: Kind
    palifico: Flags
    counts: Numbers  # own, other
    cup: Numbers
    other_cup: Numbers
    made: Flags
    heard: Flags
    last: Numbers
    number: int

    @property
    def bid(self) -> tuple[Numbers, Numbers]:
        """Quantity and face (from 0) of the last bid; 0 where there is none."""
        is_bid = self.last != NONE
        return np.where(is_bid, QUANTITY[self.last], 0), np.where(is_bid, FACE[self.last], 0)

    def _need(self, cup: Numbers) -> Numbers:
        quantity, face = self.bid
        need: Numbers = quantity - cup[np.arange(len(cup)), face]
        return need

    def inputs(self) -> Values:
        """The inputs of the network."""
        found = np.zeros((len(self.last), INPUTS), np.float32)
        (quantity, face), is_bid = self.bid, self.last != NONE
        need = np.clip(self._need(self.cup), LEAST_NEED, MOST_NEED) - LEAST_NEED
        put(found, OWN, self.counts[:, 0] - 1, MOST_DICE)
        put(found, OTHER, self.counts[:, 1] - 1, MOST_DICE)
        put(found, FACE_INPUTS, np.where(is_bid, face, NONE), FACES)
        put_up_to(found, QUANTITY_INPUTS, quantity, _HIGHEST)
        found[:, MADE:HEARD], found[:, HEARD:MOST_MADE] = self.made, self.heard
        put_up_to(found, MOST_MADE, _most(self.made), MOST_DICE)
        put_up_to(found, MOST_HEARD, _most(self.heard), MOST_DICE)
        found[:, NUMBER : NUMBER + min(self.number, MOST_COUNTED)] = 1
        put_up_to(found, CUP, self.cup, MOST_DICE)
        put(found, NEED, np.where(is_bid, need, NONE), PALIFICO - NEED)
        found[:, PALIFICO] = self.palifico
        return found

    def critic_inputs(self, inputs: Values) -> Values:
        """Those of the critic: also the other cup, and the dice that the last bid lacks."""
        found = np.zeros((len(inputs), CRITIC_INPUTS), np.float32)
        found[:, :INPUTS] = inputs
        lacks = np.clip(self._need(self.cup + self.other_cup) - _LEAST_MISSING, 0, _MISSING - 1)
        put_up_to(found, INPUTS, self.other_cup, MOST_DICE)
        first = CRITIC_INPUTS - _MISSING
        put(found, first, np.where(self.last != NONE, lacks, NONE), _MISSING)
        return found

    def called(self) -> Values:
        """What the doubt and the other call are worth in dice; 0 where there is no bid."""
        found = self.kind.called(self._need(self.cup + self.other_cup), self.counts[:, 0])
        return np.where(self.last[:, None] != NONE, found, 0).astype(np.float32)

    def cells(self) -> Numbers:
        """The place of each raise in the table of the network."""
        need = (_QUANTITIES - self.cup.astype(np.int8)[:, None]).reshape(-1, BIDS)
        claimed = np.tile(_most(self.heard), (1, _HIGHEST))
        beyond = np.clip(need - claimed, *COLUMNS) - COLUMNS[0]
        found: Numbers = ((np.clip(need, *ROWS) - ROWS[0]) * WIDTH + beyond).astype(np.int64)
        return found[:, :, None]

    def legal(self) -> Flags:
        """The actions that are considered: the calls, and the least raises of each face."""
        dice = self.counts[:, 0]
        found = np.zeros((len(self.last), ACTIONS), bool)
        found[:, DOUBT] = self.last != NONE
        found[:, OTHER_CALL] = found[:, DOUBT] & self.kind.has_other_call(dice)
        if self.number < MOST_BIDS:
            frozen = self.kind.frozen(dice, self.palifico).astype(int)
            raises = self.kind.follows[frozen, self.last] & ~(self.made | self.heard)
            raises &= self.counts.sum(axis=1)[:, None] >= QUANTITY
            by_face = raises.reshape(-1, _HIGHEST, FACES)
            step = by_face.cumsum(axis=1, dtype=np.int8).reshape(raises.shape)
            found[:, :BIDS] = raises & (step <= STEPS)
        return found


def pairs(least: int, most: int) -> Values:
    """How often each pair of numbers of dice is played, with so many dice of both players."""
    both = np.add.outer(np.arange(1, MOST_DICE + 1), np.arange(1, MOST_DICE + 1))
    found = np.outer(_OFTEN, _OFTEN) * ((both >= least) & (both <= most))
    shares: Values = (found / found.sum()).ravel()
    return shares


class Rounds:
    """Rounds that begin together, with dice by chance; seat 0 begins.

    `often` is the chance of each pair of numbers of dice.
    """

    def __init__(self, kind: Kind, chance: np.random.Generator, number: int, often: Values) -> None:
        self.kind = kind
        pairs = chance.choice(len(often), number, p=often)
        self.counts = np.stack([pairs // MOST_DICE + 1, pairs % MOST_DICE + 1], axis=1)
        rolled = chance.integers(0, FACES, (number, 2, MOST_DICE))
        is_there = np.arange(MOST_DICE) < self.counts[:, :, None]
        self.cups = np.stack([((rolled == f) & is_there).sum(axis=2) for f in range(FACES)], axis=2)
        self.palifico = (self.counts.min(axis=1) == 1) & (chance.random(number) < kind.palifico)
        self.cups[:, :, 1:] += self.cups[:, :, :1] * kind.is_wild(self.palifico)[:, None, None]
        self.last, self.number = np.full(number, NONE), 0  # the last bid, and how many were made
        self.bids = np.zeros((number, 2, BIDS), bool)

    def views(self, rows: Numbers) -> Seen:
        """What the player on turn sees in these rounds."""
        turn = self.number % 2
        other = 1 - turn
        return Seen(
            kind=self.kind,
            palifico=self.palifico[rows],
            counts=self.counts[rows][:, [turn, other]],
            cup=self.cups[rows, turn],
            other_cup=self.cups[rows, other],
            made=self.bids[rows, turn],
            heard=self.bids[rows, other],
            last=self.last[rows],
            number=self.number,
        )

    def seen(self, rows: Numbers) -> networks.Seen:
        """The same, for the training."""
        views, turn = self.views(rows), self.number % 2
        inputs, called = views.inputs(), views.called()
        by_seat = [called, -called] if turn == 0 else [-called, called]
        return networks.Seen(
            own=np.full(len(rows), turn),
            inputs=inputs,
            critic_inputs=views.critic_inputs(inputs),
            legal=views.legal(),
            cells=views.cells(),
            called=np.stack(by_seat, axis=2),
        )

    def bid(self, rows: Numbers, actions: Numbers) -> None:
        """Make these bids in these rounds; it is the other's turn."""
        self.last[rows] = actions
        self.bids[rows, self.number % 2, actions] = True
        self.number += 1
