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


def mixed(one: Policy, other: Policy, share: float) -> Policy:
    """The first policy with a probability of `share` (from 0 to 1), otherwise the other one."""
    if share == 1:
        return one

    def mixture(own: Counting) -> Mixture:
        found = {action: share * part for action, part in one(own).items()}
        for action, part in other(own).items():
            found[action] = found.get(action, 0.0) + (1 - share) * part
        return found

    return mixture


def drawn(mixture: Mixture, chance: float) -> Action:
    """The action at this place of the mixture; `chance` is from 0 to 1 (1 excluded)."""
    *others, last = mixture
    for action in others:
        chance -= mixture[action]
        if chance < 0:
            return action
    return last
