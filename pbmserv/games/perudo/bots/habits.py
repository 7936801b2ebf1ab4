"""Players who follow a fixed recipe: found by their moves in the rounds that were opened.

By stored policies the usual bot wins little from weak players.  It can win more from a player who
has made every move as a plain level makes it (`best_replies`).  To pass for one, a player must move
so in all rounds before, and lose to these replies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

from pbmserv.games.perudo.bots import expected
from pbmserv.games.perudo.bots.inference import PLAIN
from pbmserv.games.perudo.bots.plain_levels import Plain, Stand, answer, answers
from pbmserv.games.perudo.events import Action, Bade, Call, Raise
from pbmserv.games.perudo.opened_rounds import Opened
from pbmserv.games.perudo.view import View, view

LEAST_MOVES, LEAST_OF_SEVERAL = 3, 2
"""The moves that must be known of the only opponent, and of each of several.

With fewer, chance alone can make them look like a recipe's.  Chance does so less for several.
"""

ROUNDS, GROWTH = 5, 1.5
"""After so many rounds the bot makes nothing but best replies to its only opponent.

With each round before, they are so many times as probable.  An opponent may feign a recipe for some
rounds, and then win one from the bot, whose replies it knows.  That works once, because its cup
shows it.  So a best reply must not be much more probable than what the feigning has cost.
"""

MOST_JUDGED = 40
"""The rounds that are judged, one of each opponent: with several, only their latest ones.

So a move takes no longer in long games of many players, where a process begins anew.
"""

_EQUAL = 1e-9  # chances that differ less are equal


class Recipe(NamedTuple):
    """What a player does who follows it."""

    allows: Callable[[View, Action], bool]
    """Whether the player on turn, who reads this view, may do this."""
    answers: Callable[[Stand], Sequence[Action]]
    """What the player does with each hand, in the order of `hands_of`."""


def are_plain(seats: Sequence[int], opened: Iterable[Opened]) -> bool:
    """Whether each of these seats has followed one plain recipe, in enough moves."""
    return bool(recipes_of(seats, opened))


def is_plain(seat: int, opened: Iterable[Opened]) -> bool:
    """Whether the only opponent has followed one plain recipe, in enough moves."""
    return are_plain((seat,), opened)


def may_be_plain(seat: int, opened: Iterable[Opened]) -> bool:
    """Whether no move of a seat in these rounds differs from one of the plain recipes."""
    return bool(_followed(_of_seat(seat, each) for each in opened))


def recipes_of(
    seats: Sequence[int], opened: Iterable[Opened]
) -> Mapping[int, tuple[Recipe, ...]] | None:
    """The recipes that each of these seats may have followed; None if one has none.

    With too few moves of a seat it is None, too.
    """
    least, played = LEAST_MOVES if len(seats) == 1 else LEAST_OF_SEVERAL, _latest(seats, opened)
    moves = {seat: [_of_seat(seat, each) for each in played] for seat in seats}
    if any(sum(each.moves for each in made) < least for made in moves.values()):
        return None
    found = {seat: _followed(made) for seat, made in moves.items()}
    return found if all(found.values()) else None


def trust(seats: Sequence[int], opened: Iterable[Opened]) -> float:
    """The probability, from 0 to 1, that the bot makes a best reply to these plain players.

    Against a single one it grows with each opened round in which this player moved.
    """
    if len(seats) > 1:
        return 1.0
    rounds = sum(_of_seat(seats[0], each).moves > 0 for each in _latest(seats, opened))
    return min(1.0, GROWTH ** (rounds - ROUNDS))


def _latest(seats: Sequence[int], opened: Iterable[Opened]) -> Sequence[Opened]:
    """The rounds that are judged."""
    return [*opened][-(MOST_JUDGED // len(seats)) :]


class _Made(NamedTuple):
    """How many moves a seat made in a round, and the places of the recipes that allow all."""

    moves: int
    allowed_by: frozenset[int]


def _followed(rounds: Iterable[_Made]) -> tuple[Recipe, ...]:
    """The recipes that allow all moves of these rounds."""
    every = frozenset(range(len(RECIPES)))
    return tuple(
        RECIPES[place]
        for place in sorted(every.intersection(*(each.allowed_by for each in rounds)))
    )


@lru_cache(maxsize=256)  # rounds of the games that a process plays, most of them again and again
def _of_seat(seat: int, opened: Opened) -> _Made:
    """What a seat did on its turns in a round."""
    moves = [
        (
            view(table._replace(cups=opened.cups), seat),
            Raise(event.bid) if isinstance(event, Bade) else Call(event.call),
        )
        for table, event in opened.made
        if event.seat == seat == table.turn
    ]
    allowed = (
        place for place, each in enumerate(RECIPES) if all(each.allows(*move) for move in moves)
    )
    return _Made(len(moves), frozenset(allowed))


def _is_answer(seen: View, made: Action, plain: Plain) -> bool:
    """Whether a plain level makes this move."""
    found = answer(seen, plain)
    return made == (found if isinstance(found, Call) else Raise(found))


def _is_expected(seen: View, made: Action) -> bool:
    """Whether no action is more probably right."""
    found = expected.values(seen)
    return found.get(made, 0) >= max(found.values()) - _EQUAL


RECIPES = (
    *(Recipe(partial(_is_answer, plain=each), partial(answers, plain=each)) for each in PLAIN),
    Recipe(_is_expected, expected.answers),
)
"""The recipes of plain players, equally likely before a player has moved."""
