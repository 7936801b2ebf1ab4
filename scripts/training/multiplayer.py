"""Train the networks of three and four players (`bots.multiplayer_network`)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pbmserv.games.perudo.bots import multiplayer_network
from pbmserv.games.perudo.bots.multiplayer_inputs import layout
from pbmserv.games.perudo.bots.multiplayer_network import ACTIONS
from scripts.training.layers import new
from scripts.training.multiplayer_arrays import Rounds
from scripts.training.multiplayer_reader import against_reader
from scripts.training.multiplayer_rounds import critic_inputs, dealt
from scripts.training.networks import Phase, Training
from scripts.training.turns import Played

ITERATIONS, SEED = 8_000, 1
PHASES = (
    Phase(0.9, (0.2, 0.045), (2e-3, 1e-4), 256, 0, 1000),
    Phase(0.1, (0.045, 0.04), (5e-4, 5e-5), 128, 12, 300),
)


class TrainingOfSeveral(Training):
    """The training with rounds of some rules (`multiplayer_inputs.KINDS`)."""

    most_reached, read_turns = 4.0, 2.5

    def __init__(self, kind: str, players: int, seed: int) -> None:
        chance = np.random.default_rng(seed)
        of = layout(players)
        policy = new(chance, of.inputs, ACTIONS, of.tables)
        super().__init__(players, chance, policy, new(chance, critic_inputs(players), players))
        self.kind = kind

    def dealt(self, number: int) -> Rounds:
        """So many rounds that begin."""
        return Rounds(self.chance, self.kind, self.players, number)

    def read(self) -> Played:
        """A round against a reader."""
        played = dealt(self.chance, self.kind, self.players)
        return against_reader(self.policy.parts, self.critic.parts, self.chance, played)


def file(
    name: str,
    iterations: int = ITERATIONS,
    seed: int = SEED,
    phases: Sequence[Phase] = PHASES,
) -> bytes:
    """The file of this name (`multiplayer_network.NAMES`) after so many iterations."""
    return TrainingOfSeveral(*multiplayer_network.NAMES[name], seed).file(phases, iterations)
