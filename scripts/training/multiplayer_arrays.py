"""Many rounds of three or four players at once, in arrays: bids, legal actions and inputs.

The inputs are those of `bots.multiplayer_inputs`, with a row for each round.  All rounds have the
same number of bids.
"""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np

from pbmserv.games.perudo import bidding
from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.bots.multiplayer_inputs import (
    BEYOND,
    CLAIMED,
    CLAIMS,
    COLUMNS,
    FACES,
    FIRST_QUANTITY,
    KINDS,
    LATEST_QUANTITY,
    LEAST_HIDDEN,
    MOST_DICE,
    MOST_QUANTITY,
    NEEDS,
    PLAYERS,
    ROWS,
    SECOND,
    layout,
)
from pbmserv.games.perudo.bots.multiplayer_network import ACTIONS, DOUBT
from pbmserv.games.perudo.bots.network import STEPS
from pbmserv.games.perudo.rules import Rules
from scripts.training import networks
from scripts.training.input_arrays import put, put_up_to
from scripts.training.layers import Flags, Numbers, Values
from scripts.training.multiplayer_rounds import (
    LEAST_MISSING,
    MOST_BIDS,
    MOST_MISSING,
    OFTEN,
    PALIFICO,
    critic_inputs,
    missing_inputs,
    payoffs,
)

NONE = -1  # in place of a bid
_HIGHEST = max(PLAYERS) * MOST_DICE  # quantity
_BIDS = _HIGHEST * FACES
_QUANTITY, _FACE = np.arange(_BIDS) // FACES + 1, np.arange(_BIDS) % FACES


@cache
def _follows(rules: Rules) -> Flags:
    """Whether a bid may follow: by whether the face is kept, the last bid (or none), the bid."""
    bids = [
        Bid(int(quantity), int(face) + 1) for quantity, face in zip(_QUANTITY, _FACE, strict=True)
    ]
    found = [
        not bidding.objection(rules, _HIGHEST, frozen, last, bid)
        for frozen, last, bid in product((False, True), (*bids, None), bids)
    ]
    return np.array(found).reshape(2, _BIDS + 1, _BIDS)


class Rounds:
    """Rounds that begin together, with dice by chance; whose Palifico it is begins."""

    def __init__(self, chance: np.random.Generator, kind: str, players: int, number: int) -> None:
        self.rules, self.players, self.at = KINDS[kind], players, layout(players)
        self.starts, every = chance.integers(0, players, number), np.arange(number)
        self.dice = chance.choice(MOST_DICE, (number, players), p=OFTEN / OFTEN.sum()) + 1
        has_palifico = self.rules.palifico in {"every", "first"}
        self.palifico = (chance.random(number) < PALIFICO) & has_palifico
        self.dice[every, self.starts] = np.where(self.palifico, 1, self.dice[every, self.starts])
        rolled = chance.integers(0, FACES, (number, players, MOST_DICE))
        is_there = np.arange(MOST_DICE) < self.dice[:, :, None]
        self.cups = np.stack([((rolled == f) & is_there).sum(axis=2) for f in range(FACES)], axis=2)
        wild = [self.rules.counts_wild(2, each) for each in (False, True)]
        self.wild = np.array(wild)[self.palifico.astype(int)]
        self.cups[:, :, 1:] += self.cups[:, :, :1] * self.wild[:, None, None]
        self.number = 0  # of bids in each round
        self.last = np.full(number, NONE)
        self.first = np.full((number, players), NONE)
        self.latest = np.full((number, players), NONE)
        self.most = np.zeros((number, players, FACES), np.int64)
        self.made = np.zeros((number, _BIDS), bool)
        self.raises = np.full((number, DOUBT), NONE)  # the bid of each raise, where it is legal

    def around(self, rows: Numbers) -> Numbers:
        """The seats from the one on turn on."""
        turn = self.starts[rows] + self.number
        found: Numbers = (turn[:, None] + np.arange(self.players)) % self.players
        return found

    def expected(self, rows: Numbers, hidden: Numbers) -> Numbers:
        """The dice that are expected of the others to count for each face, rounded."""
        faces = np.ones((len(rows), FACES), np.int64)
        faces[:, 1:] += self.wild[rows, None]
        found: Numbers = (2 * faces * hidden[:, None] + FACES) // (2 * FACES)
        return found

    def _public(self, rows: Numbers, seats: Numbers, inputs: Values) -> None:
        """The inputs that are the same with each cup."""
        at, one = self.at, rows[:, None]
        dice, first, latest = self.dice[one, seats], self.first[one, seats], self.latest[one, seats]
        for place in range(self.players):
            put(inputs, at.dice + place * MOST_DICE, dice[:, place] - 1, MOST_DICE)
            begin = at.first + place * (FACES + FIRST_QUANTITY)
            self._bid(inputs, begin, first[:, place], FIRST_QUANTITY)
            if place < self.players - 1:  # the latest bid of the player before is the last one
                begin = at.latest + place * (FACES + LATEST_QUANTITY)
                self._bid(inputs, begin, latest[:, place], LATEST_QUANTITY)
        most = self.most[one, seats].reshape(len(rows), -1)
        end = at.most + most.shape[1] * MOST_QUANTITY
        by_face = most[:, :, None] > np.arange(MOST_QUANTITY)
        inputs[:, at.most : end] = by_face.reshape(len(rows), -1)
        hidden = dice[:, 1:].sum(axis=1)
        put_up_to(inputs, at.many, hidden - LEAST_HIDDEN + 1, at.face - at.many)
        self._bid(inputs, at.face, self.last[rows], at.first - at.face - FACES)
        put_up_to(inputs, at.number, np.full(len(rows), self.number), at.palifico - at.number)
        inputs[:, at.palifico] = self.palifico[rows]

    @staticmethod
    def _bid(inputs: Values, first: int, bids: Numbers, length: int) -> None:
        """The inputs of a face and its quantity; none where there is no bid."""
        is_bid = bids != NONE
        put(inputs, first, np.where(is_bid, _FACE[bids], NONE), FACES)
        put_up_to(inputs, first + FACES, np.where(is_bid, _QUANTITY[bids], 0), length)

    def _own(self, rows: Numbers, own: Numbers, hidden: Numbers, inputs: Values) -> None:
        """The inputs of the cup."""
        at, last = self.at, self.last[rows]
        up_to = own[:, :, None] > np.arange(MOST_DICE)
        inputs[:, at.cup : at.need] = up_to.reshape(len(rows), -1)
        every = np.arange(len(rows))
        need = _QUANTITY[last] - own[every, _FACE[last]]
        beyond = need - self.expected(rows, hidden)[every, _FACE[last]]
        for begin, end, number, limits in (
            (at.need, at.over, need, NEEDS),
            (at.over, at.inputs, beyond, BEYOND),
        ):
            place = np.clip(number, *limits) - limits[0]
            put(inputs, begin, np.where(last != NONE, place, NONE), end - begin)

    def _legal(self, rows: Numbers, own_dice: Numbers, total: Numbers) -> Flags:
        """The actions that are considered; the raises are noted with their bids."""
        legal = np.zeros((len(rows), ACTIONS), bool)
        legal[:, DOUBT] = self.last[rows] != NONE
        self.raises[rows] = NONE
        if self.number < MOST_BIDS:
            frozen = self.palifico[rows] | ((self.rules.palifico == "own") & (own_dice == 1))
            may = _follows(self.rules)[frozen.astype(int), self.last[rows]]
            may = may & (total[:, None] >= _QUANTITY)
            if self.rules.never_repeats:
                may &= ~self.made[rows]
            by_face = may.reshape(len(rows), _HIGHEST, FACES)
            steps = by_face.cumsum(axis=1)
            for step in range(STEPS):
                is_step = by_face & (steps == step + 1)
                there, quantity = is_step.any(axis=1), is_step.argmax(axis=1)
                bids = np.where(there, quantity * FACES + np.arange(FACES), NONE)
                self.raises[rows[:, None], np.arange(FACES) * STEPS + step] = bids
            legal[:, :DOUBT] = self.raises[rows] != NONE
        return legal

    def _cells(self, rows: Numbers, own: Numbers, hidden: Numbers, seats: Numbers) -> Numbers:
        """The places of each raise in both tables; 0 where it is not legal."""
        bids, every = self.raises[rows], np.arange(len(rows))[:, None]
        face = np.arange(DOUBT) // STEPS
        claims = self.most[rows[:, None], seats[:, 1:]]
        claimed, claimants = claims.max(axis=1)[:, face], (claims > 0).sum(axis=1)[:, face]
        need = _QUANTITY[bids] - own[every, face]
        column = np.minimum(self.expected(rows, hidden)[:, face], COLUMNS - 1)
        first = (np.clip(need, *ROWS) - ROWS[0]) * COLUMNS + column
        second = SECOND + claimants * CLAIMS + np.clip(need - claimed, *CLAIMED) - CLAIMED[0]
        found = np.stack([first, second], axis=2)
        cells: Numbers = np.where(bids[:, :, None] != NONE, found, 0)
        return cells

    def seen(self, rows: Numbers) -> networks.Seen:
        """The positions of the players on turn in these rounds."""
        seats, one = self.around(rows), rows[:, None]
        cups, dice = self.cups[one, seats], self.dice[one, seats]
        hidden, own = dice[:, 1:].sum(axis=1), cups[:, 0]
        inputs = np.zeros((len(rows), critic_inputs(self.players)), np.float32)
        self._public(rows, seats, inputs)
        self._own(rows, own, hidden, inputs)
        legal = self._legal(rows, dice[:, 0], hidden + dice[:, 0])
        policy_inputs = inputs[:, : self.at.inputs].copy()
        first, last = missing_inputs(self.players), self.last[rows]
        others = cups[:, 1:, :, None] > np.arange(MOST_DICE)
        inputs[:, self.at.inputs : first] = others.reshape(len(rows), -1)
        held = cups.sum(axis=1)[np.arange(len(rows)), _FACE[last]]
        missing = np.where(last != NONE, _QUANTITY[last] - held, 0)
        lacks = np.clip(missing, LEAST_MISSING, MOST_MISSING) - LEAST_MISSING
        length = MOST_MISSING - LEAST_MISSING + 1
        put(inputs, first, np.where(last != NONE, lacks, NONE), length)
        called = payoffs(self.players, seats[:, 0], (missing > 0).astype(np.float32))
        called[last == NONE] = 0
        cells = self._cells(rows, own, hidden, seats)
        return networks.Seen(seats[:, 0], policy_inputs, inputs, legal, cells, called[:, None])

    def bid(self, rows: Numbers, actions: Numbers) -> None:
        """Make the bids with these numbers in these rounds."""
        bids, seats = self.raises[rows, actions], self.around(rows)[:, 0]
        is_first = self.first[rows, seats] == NONE
        self.first[rows, seats] = np.where(is_first, bids, self.first[rows, seats])
        self.latest[rows, seats], self.last[rows] = bids, bids
        most = self.most[rows, seats, _FACE[bids]]
        self.most[rows, seats, _FACE[bids]] = np.maximum(most, _QUANTITY[bids])
        self.made[rows, bids] = True
        self.number += 1
