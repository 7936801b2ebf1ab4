"""The line of a challenge that begins a game like another one."""

from __future__ import annotations

from collections.abc import Sequence

from pbmserv.boards.deadlines import STANDARD, Terms
from pbmserv.boards.rating_eligibility import is_standard
from pbmserv.games.perudo.rules import Rules, options_of
from pbmserv.lobby import bots
from pbmserv.timeunits import HOUR

DEFAULT_RULES = "pbmserv"


def challenge_line(
    rules: Rules, terms: Terms, userids: Sequence[str], *, inorder: bool = False
) -> str:
    """The challenge of these players, with all options that are not the usual ones."""
    words = [] if rules.name == DEFAULT_RULES else [f"-rules={rules.name}"]
    words += [f"-{option}={value}" for option, value in options_of(rules).items()]
    spans = (
        ("nagtime", terms.nag, STANDARD.nag),
        ("forfeittime", terms.forfeit, STANDARD.forfeit),
        ("totaltime", terms.total, STANDARD.total),
    )
    words += [f"--{name}={span // HOUR}h" for name, span, usual in spans if span != usual]
    with_bots = any(map(bots.is_bot, userids))  # unrated, unless the challenger wants a rated board
    may_be_rated = is_standard(rules) and not with_bots
    flags = (
        ("-inorder", inorder),
        ("--standin", terms.standin),
        ("-unrated", may_be_rated and not terms.rated),
        ("-rated", terms.rated and with_bots),
    )
    return " ".join(("perudo challenge", *words, *(flag for flag, on in flags if on), *userids))
