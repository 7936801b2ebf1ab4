"""Rounds of a network of two that learns against a reader, who knows it and all but its cup.

The reader is one of `reader`: after each bid it keeps the chance of each cup by Bayes' rule, and it
looks two raises ahead.

In such a round all cups of the network learn at once, each as much as the reader believes in it.
The network's raises are drawn by the chances that the reader gives them.  A call of the network
is not drawn: the round goes on with the chance that there was none.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from pbmserv.games.perudo.bots.hands import counting, hands
from pbmserv.games.perudo.bots.network_inputs import ACTIONS, BIDS, DOUBT, FACES
from scripts.training.layers import Flags, Numbers, Parts, Values, forward
from scripts.training.reader import LEAST_BELIEF, Reader, some_reader
from scripts.training.turns import Played, Turn, chances
from scripts.training.two_player_rounds import Seen, face_of, quantity_of
from scripts.training.two_player_rules import NONE, Kind

USUAL, MOST = Reader(0.1), Reader(0.3, 3, 0.15)
LEAST_REACH = 0.1  # below this probability that a round goes on, half of such rounds end
MOST_TURNS = 12  # of the network in a round
NETWORK = 1  # its player; the reader is player 0


@dataclass(slots=True)
class Round:
    """A round of a network (`policy`, `critic`) against a reader with a cup.

    `held` has the network's cups, a row for each; `believed` has their chances.
    """

    kind: Kind
    palifico: bool
    dice: tuple[int, int]  # of the reader, of the network
    policy: Parts
    critic: Parts
    chance: np.random.Generator
    reader: Reader
    cup: Numbers
    held: Numbers
    believed: Values
    bids: Flags  # of the reader, of the network
    last: int = NONE
    number: int = 0

    def _seen(self, bids: Numbers, kept: Numbers) -> Seen:
        """What the network sees after each of these bids of the reader, with each cup kept.

        `NONE` means no bid: then it is its turn.
        """
        rows, cups = len(bids), len(kept)
        is_made = bids != NONE
        heard = np.repeat(self.bids[None, 0], rows, axis=0)
        heard[is_made, bids[is_made]] = True
        return Seen(
            kind=self.kind,
            palifico=np.full(rows * cups, self.palifico),
            counts=np.tile(self.dice[::-1], (rows * cups, 1)),
            cup=np.tile(self.held[kept], (rows, 1)),
            other_cup=np.tile(self.cup, (rows * cups, 1)),
            made=np.tile(self.bids[1], (rows * cups, 1)),
            heard=np.repeat(heard, cups, axis=0),
            last=np.repeat(np.where(is_made, bids, self.last), cups),
            number=self.number + int(is_made.any()),
        )

    def _missing(self, bids: Numbers) -> Numbers:
        """The dice that each bid lacks, with each of the network's cups (rows)."""
        found: Numbers = quantity_of(bids) - self.held[:, face_of(bids)] - self.cup[face_of(bids)]
        return found

    def _holds(self, bids: Numbers) -> Flags:
        """Whether each bid is true, with each of the network's cups (rows)."""
        found: Flags = self._missing(bids) <= 0
        return found

    def _called(self, player: int, bids: Numbers) -> Values:
        """What the calls of a player (0: the reader) win, for each cup and bid."""
        return self.kind.called(self._missing(bids), np.array(self.dice[player]))

    def _raises(self) -> Numbers:
        """The reader's raises that are considered."""
        seen = Seen(
            kind=self.kind,
            palifico=np.array([self.palifico]),
            counts=np.array([self.dice]),
            cup=self.cup[None],
            other_cup=self.held[:1],
            made=self.bids[None, 0],
            heard=self.bids[None, 1],
            last=np.array([self.last]),
            number=self.number,
        )
        legal = seen.legal()[0, :BIDS].reshape(-1, FACES)
        return np.flatnonzero(legal & (legal.cumsum(axis=0) <= self.reader.steps))

    def replied(self) -> int:
        """The reader's best action."""
        bids, kept = self._raises(), np.flatnonzero(self.believed >= LEAST_BELIEF)
        found = np.full(ACTIONS, -np.inf)
        if self.last != NONE:
            calls = 1 + int(self.kind.has_other_call(np.array(self.dice[0])))
            worth = self.believed @ self._called(0, np.array([self.last]))[:, 0]
            found[DOUBT : DOUBT + calls] = worth[:calls]
        if len(bids):
            seen = self._seen(bids, kept)
            sums, _ = forward(self.policy, seen.inputs(), seen.cells())
            likely = chances(sums, seen.legal()).reshape(len(bids), len(kept), -1)
            likely *= self.believed[kept][:, None]
            loses = self._called(1, bids)[kept].transpose(1, 0, 2)
            raised = likely[:, :, :BIDS]
            total = raised.sum(axis=1)
            true = (raised * self._holds(np.arange(BIDS))[kept]).sum(axis=1)
            answered = np.maximum(total * self.reader.goes_on, total - 2 * true)
            found[bids] = answered.sum(axis=1) - (likely[:, :, DOUBT:] * loses).sum(axis=(1, 2))
            found[bids] += self.reader.wavers * self.chance.triangular(-1, 0, 1, len(bids))
        return int(found.argmax())

    def answered(self, reached: float, bid: int | None = None) -> tuple[Turn, float]:
        """The network's choice with each cup, and the chance that it raises.

        The raise is drawn where it is not given, and the reader's belief follows it.
        """
        kept = np.flatnonzero(self.believed >= LEAST_BELIEF)
        seen = self._seen(np.array([NONE]), kept)
        inputs, legal = seen.inputs(), seen.legal()
        sums, trace = forward(self.policy, inputs, seen.cells())
        found = chances(sums, legal)
        values, _ = forward(self.critic, seen.critic_inputs(inputs))
        believed = self.believed[kept]
        together = believed @ found
        raises = float(together[:BIDS].sum())
        action, likely = DOUBT, 1.0
        if raises > 0:
            drawn = self.chance.choice(BIDS, p=together[:BIDS] / raises)
            action = int(drawn) if bid is None else bid
            likely = together[action] / raises
        turn = Turn(
            rows=kept,
            own=np.zeros(len(kept), np.int64),
            reached=(believed * reached).astype(np.float32),
            chances=found,
            actions=np.full(len(kept), action),
            sampled=np.full(len(kept), likely, np.float32),
            called=seen.called()[:, :, None],
            raised=np.tanh(values),
            trace=trace,
        )
        if action != DOUBT:
            self.believed = np.zeros_like(self.believed)
            self.believed[kept] = believed * found[:, action]
            self.believed /= self.believed.sum()
        return turn, raises / float(together.sum())

    def bid(self, bid: int, *, by_network: bool) -> None:
        """Make a bid."""
        self.bids[int(by_network), bid] = True
        self.last, self.number = bid, self.number + 1

    def played(self, *, begins: bool) -> Played:
        """Play to the end: the network's choices, and what follows them, by cup."""
        turns: list[Turn] = []
        reached, is_reader = 1.0, begins
        while len(turns) < MOST_TURNS and reached > 0:
            if is_reader:
                action = self.replied()
                if action >= DOUBT:
                    called = self._called(0, np.array([self.last]))[:, 0, action - DOUBT]
                    return _played(turns, -called[:, None])
            else:
                turn, goes_on = self.answered(reached)
                turns.append(turn)
                action, reached = int(turn.actions[0]), reached * goes_on
                if action == DOUBT:
                    break
                if reached < LEAST_REACH:
                    reached *= 2 * self.chance.integers(2)
            self.bid(action, by_network=not is_reader)
            is_reader = not is_reader
        after = np.zeros((len(self.held), 1), np.float32)
        after[turns[-1].rows] = turns[-1].raised  # nothing else is known
        return _played(turns, after)


def _played(turns: Iterable[Turn], after: Values) -> Played:
    return Played([(NETWORK, turn) for turn in turns], {NETWORK: after})


def against_reader(
    kind: Kind, policy: Parts, critic: Parts, chance: np.random.Generator, dice: tuple[int, int]
) -> Played:
    """A round with these numbers of dice (the reader's, the network's)."""
    palifico = min(dice) == 1 and bool(chance.random() < kind.palifico)
    wild = kind.rules.counts_wild(2, palifico)
    known = hands(dice[1], FACES, wild).held
    rolled = [int(face) + 1 for face in chance.integers(0, FACES, dice[0])]
    round_ = Round(
        kind,
        palifico,
        dice,
        policy,
        critic,
        chance,
        some_reader(chance, USUAL, MOST),
        cup=np.array(counting(rolled, FACES, wild)),
        held=np.array([own for _, own, _ in known]),
        believed=np.array([part for _, _, part in known]),
        bids=np.zeros((2, BIDS), bool),
    )
    return round_.played(begins=bool(chance.integers(2)))
