"""The mixture: with which probability a bot chooses each action, and the draw from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from pbmserv.games.perudo.bots.hands import Counting
from pbmserv.games.perudo.events import Action

Mixture: TypeAlias = Mapping[Action, float]
"""Actions and their probabilities, which add up to 1."""

Policy: TypeAlias = Callable[[Counting], Mixture]
"""What a bot does in one public situation, for each hand that it may hold."""


def drawn(mixture: Mixture, chance: float) -> Action:
    """The action at this place of the mixture; `chance` is from 0 to 1 (1 excluded)."""
    *others, last = mixture
    for action in others:
        chance -= mixture[action]
        if chance < 0:
            return action
    return last
