"""The environment: an agent for each player, who acts in the order of the game."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper, TerminateIllegalWrapper

from pbmserv.env.encoding import PASS, Encoding, Vector
from pbmserv.games.perudo.dice import from_rolls
from pbmserv.games.perudo.notation import write_view
from pbmserv.games.perudo.rules import Rules, rules_named, with_options
from pbmserv.games.perudo.table import (
    Action,
    Call,
    after_all,
    legal_actions,
    legal_calls,
    new_table,
    play,
    start,
    view,
)

LONGEST_GAME = 10_000  # actions, after which a game is truncated: right calzas could go on for ever
_LARGEST = int(np.iinfo(np.int16).max)


def env(rules: str = "pbmserv", players: int = 2, *, out_of_turn: bool = True) -> Any:
    """The environment, with PettingZoo's checks: an illegal action ends the game and costs 1.

    `rules` are a rule set and its options, such as `bga,calza=yes,dice=3`; `players` are 2 to 6.
    `out_of_turn` is as in `PerudoEnv`.  Raises Refused as `rules_named`, `with_options` and
    `new_table`.
    """
    bare = PerudoEnv(rules, players, out_of_turn=out_of_turn)
    return OrderEnforcingWrapper(TerminateIllegalWrapper(bare, illegal_reward=-1))


def _rules(text: str) -> Rules:
    name, *options = text.split(",")
    chosen = {option: value for option, _, value in (each.partition("=") for each in options)}
    return with_options(rules_named(name), chosen)


class PerudoEnv(AECEnv):  # type: ignore[misc]  # PettingZoo has no types
    """A whole game of Perudo as PettingZoo's AEC environment, from the first deal to the winner.

    The agents are `player_0` and so on, in seat order.  An agent acts on its turn.  `out_of_turn`
    matters where everybody may call calza.  Then all others but the bidder are asked after each
    bid, in the order of play.  They call it or pass.  Nobody resigns.  The winner's reward is 1,
    that of each other player -1 / (players - 1), all at the end.

    An observation is what `games.perudo.view` shows to the agent.  The legal actions are in
    `infos[agent]["action_mask"]`, which is all zeros for agents that do not act.
    """

    metadata: Mapping[str, Any] = {
        "name": "perudo_v1",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
    }
    render_mode = "ansi"

    def __init__(
        self, rules: str = "pbmserv", players: int = 2, *, out_of_turn: bool = True
    ) -> None:
        super().__init__()
        self._begun = new_table(_rules(rules), players)
        self._encoding = Encoding(self._begun.rules, players)
        self._asks = out_of_turn and self._begun.rules.calza and self._begun.rules.calza_by_anyone
        self._nothing = self._encoding.mask((), may_pass=False)
        self._nothing.flags.writeable = False
        self._random = Random()  # noqa: S311 - dice of a game that no person plays
        self._dice = from_rolls(lambda faces: self._random.randrange(faces) + 1)
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self._seats = {name: seat for seat, name in enumerate(self.possible_agents)}
        self.observation_spaces = {
            name: Box(-1, _LARGEST, (self._encoding.length,), np.int16)
            for name in self.possible_agents
        }
        self.action_spaces = {
            name: Discrete(self._encoding.actions) for name in self.possible_agents
        }

    def __str__(self) -> str:
        """Its name and version, as PettingZoo has them."""
        return str(self.metadata["name"])

    def observation_space(self, agent: str) -> Box:
        """The space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """The space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game; a `seed` repeats the dice of all games that follow."""
        if seed is not None:
            self._random.seed(seed)
        self._table = after_all(self._begun, start(self._begun, self._dice))
        self._made = 0
        self._waiting: list[int] = []  # seats that are still asked about a calza
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {name: {} for name in self.agents}
        self._select()

    def observe(self, agent: str) -> Vector:
        """What an agent may know, as numbers."""
        return self._encoding.observation(view(self._table, self._seats[agent]))

    def step(self, action: int | np.integer[Any] | None) -> None:
        """The agent that is selected does an action; None for one whose game is over."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None or not self.infos[agent]["action_mask"][action]:
            raise ValueError(f"not legal now: {action}")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._made += 1
        self._do(self._seats[agent], int(action))
        self._accumulate_rewards()
        self._select()

    def _do(self, seat: int, action: int) -> None:
        if action == PASS:
            self._waiting.remove(seat)
            return
        events = play(self._table, seat, self._encoding.action_of(action), self._dice)
        self._table = after_all(self._table, events)
        winner = self._table.winner
        self._waiting = self._askable() if self._asks and winner is None else []
        if winner is not None:
            lost = -1 / (len(self.agents) - 1)
            for name, place in self._seats.items():
                self.rewards[name] = 1.0 if place == winner else lost
            self.terminations = dict.fromkeys(self.agents, True)
        elif self._made >= LONGEST_GAME:
            self.truncations = dict.fromkeys(self.agents, True)

    def _askable(self) -> list[int]:
        """The seats that may call calza out of turn now, in the order of play."""
        turn, players = self._table.turn, len(self.possible_agents)
        others = [(turn + place) % players for place in range(1, players)]
        return [seat for seat in others if legal_calls(self._table, seat)]

    def _select(self) -> None:
        """Select the agent that acts next, and tell it its legal actions."""
        seat = self._waiting[0] if self._waiting else self._table.turn
        self.agent_selection = self.possible_agents[seat]
        is_over = self.terminations[self.agent_selection] or self.truncations[self.agent_selection]
        legal: tuple[Action, ...] = legal_actions(self._table)
        if self._waiting:
            legal = (Call("calza"),)
        mask = self._encoding.mask(() if is_over else legal, may_pass=bool(self._waiting))
        for name in self.agents:
            self.infos[name] = {"action_mask": self._nothing}
        self.infos[self.agent_selection] = {"action_mask": mask}

    def render(self) -> str:
        """The position as spectators see it, in one line of docs/notation.md."""
        return write_view(view(self._table, None))

    def close(self) -> None:
        """Nothing has to be closed."""
