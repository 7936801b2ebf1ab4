"""Figure 9: the speed of the rules, compared with OpenSpiel's liars_dice driven from Python.

Both play rounds of two players with five dice each, with random choices from the game's legal
actions.  Ours continues with the next round until a player has won; OpenSpiel's game is one round.
A move is a bid or a call.

OpenSpiel rolls its dice one by one as chance nodes.  They are drawn as its interface says, by the
probabilities of `chance_outcomes()`.  A second figure drives them faster, by taking any of
`legal_actions()`.  This is only right while all outcomes are equally likely.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

from pbmserv.games.perudo.rules import rules_named, with_options
from pbmserv.games.perudo.table import (
    Cups,
    PlainDice,
    after_all,
    legal_actions,
    new_table,
    play,
    start,
)

SECONDS = 0.4  # of each run; runs alternate so that a busy machine slows both
RUNS = 7
FACES = range(1, 7)
GOAL = 1.2

Game = Callable[[], int]
"""Play one game; returns its number of moves."""


def figures(quick: bool = False) -> list[dict[str, Any]]:
    """The figures of target 9, as `scripts/bench` prints them."""
    found = []
    for what, drawn in (
        ("dice drawn by chance_outcomes()", _by_outcome),
        ("dice drawn by legal_actions()", _by_action),
    ):
        try:
            theirs = _open_spiel(drawn)
        except ImportError as problem:
            skipped = f"skipped: {problem} (pip install open_spiel)"
            found.append(_figure(what, skipped, None, strict=drawn is _by_action))
            continue
        ratio = statistics.median(
            _ratios(_ours(), theirs, *((1, 0.01) if quick else (RUNS, SECONDS)))
        )
        found.append(_figure(what, round(ratio, 2), ratio >= GOAL, strict=drawn is _by_action))
    return found


def _figure(what: str, figure: float | str, met: bool | None, *, strict: bool) -> dict[str, Any]:
    return {
        "target": 9,
        "what": f"rules: our moves/s to those of OpenSpiel's liars_dice, its {what}",
        "figure": figure,
        "goal": "for comparison" if strict else f">= {GOAL}",
        "met": None if strict else met,
    }


def _ratios(ours: Game, theirs: Game, runs: int, seconds: float) -> Iterator[float]:
    for _ in range(runs):
        yield _moves_per_second(ours, seconds) / _moves_per_second(theirs, seconds)


def _moves_per_second(game: Game, seconds: float) -> float:
    moves = 0
    began = time.perf_counter()
    while (spent := time.perf_counter() - began) < seconds:
        moves += game()
    return moves / spent


def _ours() -> Game:
    """Our rules with OpenSpiel's raise: more dice of any face, or as many of a higher one."""
    rules = with_options(rules_named("pbmserv"), {"raise": "quantity"})
    choose, roll = random.choice, random.choices

    def cups(counts: tuple[int, ...], faces: int) -> Cups:
        return tuple([tuple(roll(FACES, k=count)) for count in counts])

    dice = PlainDice(cups)

    def game() -> int:
        table = new_table(rules, 2)
        table = after_all(table, start(table, dice))
        while table.winner is None:
            action = choose(legal_actions(table))
            table = after_all(table, play(table, table.turn, action, dice))
        return table.move - 1

    return game


def _by_outcome(state: Any) -> int:
    actions, probabilities = zip(*state.chance_outcomes(), strict=True)
    return int(random.choices(actions, probabilities)[0])


def _by_action(state: Any) -> int:
    return int(random.choice(state.legal_actions()))


def _open_spiel(drawn: Callable[[Any], int]) -> Game:
    """OpenSpiel's round of liars_dice.  Raises ImportError where it is not installed."""
    import pyspiel  # type: ignore[import-not-found, unused-ignore]  # noqa: PLC0415 - an extra that may be missing

    liars_dice = pyspiel.load_game("liars_dice(players=2,numdice=5)")
    choose = random.choice

    def game() -> int:
        moves = 0
        state = liars_dice.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(drawn(state))
            else:
                state.apply_action(choose(state.legal_actions()))
                moves += 1
        return moves

    return game
