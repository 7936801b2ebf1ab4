"""Train the networks of three players (`bots.three`)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pbmserv.games.perudo.bots import three
from pbmserv.games.perudo.bots.three import ACTIONS
from pbmserv.games.perudo.bots.three_inputs import INPUTS, PLAYERS, TABLES
from scripts.training.layers import new
from scripts.training.networks import Phase, Training
from scripts.training.three_reader import against_reader
from scripts.training.three_rounds import CRITIC_INPUTS, Rounds, dealt
from scripts.training.turns import Played

ITERATIONS, SEED = 8_000, 1
PHASES = (
    Phase(0.9, (0.2, 0.045), (2e-3, 1e-4), 256, 0, 1000),
    Phase(0.1, (0.045, 0.04), (5e-4, 5e-5), 128, 12, 300),
)


class TrainingOfThree(Training):
    """The training with rounds of some rules (`three_inputs.KINDS`)."""

    players, most_reached, read_turns = PLAYERS, 4.0, 2.5

    def __init__(self, kind: str, seed: int) -> None:
        chance = np.random.default_rng(seed)
        policy = new(chance, INPUTS, ACTIONS, TABLES)
        super().__init__(chance, policy, new(chance, CRITIC_INPUTS, PLAYERS))
        self.kind = kind

    def dealt(self, number: int) -> Rounds:
        """So many rounds that begin."""
        return Rounds([dealt(self.chance, self.kind) for _ in range(number)])

    def read(self) -> Played:
        """A round against a reader."""
        played = dealt(self.chance, self.kind)
        return against_reader(self.policy.parts, self.critic.parts, self.chance, played)


def file(
    name: str,
    iterations: int = ITERATIONS,
    seed: int = SEED,
    phases: Sequence[Phase] = PHASES,
) -> bytes:
    """The file of this name (`three.NAMES`) after so many iterations."""
    return TrainingOfThree(three.NAMES[name], seed).file(phases, iterations)
