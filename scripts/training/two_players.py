"""Train the networks of two players (`bots.network`)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pbmserv.games.perudo.bots import network
from pbmserv.games.perudo.bots.endgames import TWO_PLAYERS
from pbmserv.games.perudo.bots.network_inputs import ACTIONS, INPUTS, MOST_DICE, TABLE
from scripts.training.layers import Values, new
from scripts.training.networks import Phase, Training
from scripts.training.turns import Played
from scripts.training.two_player_reader import against_reader
from scripts.training.two_player_rounds import CRITIC_INPUTS, Rounds, pairs
from scripts.training.two_player_rules import Kind, kind

ITERATIONS, SEED = 20_000, 1
PHASES = (
    Phase(0.97, (0.2, 0.06), (2e-3, 1e-4), 512, 0, 2000),
    Phase(0.03, (0.06, 0.045), (7e-4, 5e-5), 256, 16, 500),
)
DICE = {"least": (2, 4), "few": (4, 8), "many": (9, 2 * MOST_DICE)}
"""The least and most dice of both players, by the sizes of the networks."""
NOT_READ = {"least"}
"""The sizes without the second phase: with so few dice they lose more to a best responder."""


class TrainingOfTwo(Training):
    """The training with rounds of some rules; `often` is the chance of each pair of dice."""

    most_reached, read_turns = np.inf, 2.5

    def __init__(self, kind: Kind, seed: int, often: Values) -> None:
        chance = np.random.default_rng(seed)
        policy = new(chance, INPUTS, ACTIONS, TABLE)
        super().__init__(TWO_PLAYERS, chance, policy, new(chance, CRITIC_INPUTS, 1))
        self.kind, self.often = kind, often

    def dealt(self, number: int) -> Rounds:
        """So many rounds that begin."""
        return Rounds(self.kind, self.chance, number, self.often)

    def read(self) -> Played:
        """A round against a reader."""
        pair = int(self.chance.choice(len(self.often), p=self.often))
        counts = pair // MOST_DICE + 1, pair % MOST_DICE + 1
        return against_reader(self.kind, self.policy.parts, self.critic.parts, self.chance, counts)


def file(
    name: str,
    iterations: int = ITERATIONS,
    seed: int = SEED,
    phases: Sequence[Phase] = PHASES,
) -> bytes:
    """The file of this name (`network.NAMES`) after so many iterations."""
    rules, size = network.NAMES[name]
    training = TrainingOfTwo(kind(rules), seed, pairs(*DICE[size]))
    return training.file(phases[:1] if size in NOT_READ else phases, iterations)
