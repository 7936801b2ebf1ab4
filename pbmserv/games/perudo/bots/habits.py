"""Players who follow a fixed recipe: found by their moves in the rounds that were opened.

The usual bot plays an endgame by solved tables.  Nobody can beat them, and they win little from
weak players.  From a player who has made every move as a plain level makes it, there is more to
win.  To pass for one, a player must move so in all rounds before, and lose to the bot's best reply.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from pbmserv.games.perudo.bots import expected
from pbmserv.games.perudo.bots.inference import PLAIN
from pbmserv.games.perudo.bots.plain_levels import Plain, answer
from pbmserv.games.perudo.events import Action, Bade, Call, Raise
from pbmserv.games.perudo.opened_rounds import Opened
from pbmserv.games.perudo.view import View, view

LEAST_MOVES, LEAST_OF_SEVERAL = 3, 2
"""The moves that must be known of the only opponent, and of each of several.

With fewer, chance alone can make them look like a recipe's.  Chance does so less for several.
"""

_EQUAL = 1e-9  # chances that differ less are equal


def are_plain(seats: Sequence[int], opened: Iterable[Opened]) -> bool:
    """Whether each of these seats has followed one plain recipe, in enough moves."""
    least, played = LEAST_MOVES if len(seats) == 1 else LEAST_OF_SEVERAL, [*opened]
    return all(len(_moves(seat, played)) >= least for seat in seats) and all(
        may_be_plain(seat, played) for seat in seats
    )


def is_plain(seat: int, opened: Iterable[Opened]) -> bool:
    """Whether the only opponent has followed one plain recipe, in enough moves."""
    return are_plain((seat,), opened)


def may_be_plain(seat: int, opened: Iterable[Opened]) -> bool:
    """Whether no move of a seat in these rounds differs from one of the plain recipes."""
    moves = _moves(seat, opened)
    recipes: list[Callable[[View, Action], bool]] = [_is_expected]
    recipes += [partial(_is_answer, plain=plain) for plain in PLAIN]
    return any(all(recipe(*move) for move in moves) for recipe in recipes)


def _moves(seat: int, opened: Iterable[Opened]) -> list[tuple[View, Action]]:
    """What a seat did on its turns, and what it saw then."""
    return [
        (
            view(table._replace(cups=each.cups), seat),
            Raise(event.bid) if isinstance(event, Bade) else Call(event.call),
        )
        for each in opened
        for table, event in each.made
        if event.seat == seat == table.turn
    ]


def _is_answer(seen: View, made: Action, plain: Plain) -> bool:
    """Whether a plain level makes this move."""
    found = answer(seen, plain)
    return made == (found if isinstance(found, Call) else Raise(found))


def _is_expected(seen: View, made: Action) -> bool:
    """Whether no action is more probably right."""
    found = expected.values(seen)
    return found.get(made, 0) >= max(found.values()) - _EQUAL
