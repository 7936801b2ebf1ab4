"""Exceptions, distinguished by who must act.

A refusal is for the player, a delay for the sending mail server, a misconfiguration for the
operator.  Any other exception that escapes is a bug of ours.  The words for a refusal are in
`letters/`; this module has codes and facts only.
"""

from __future__ import annotations

import errno
from collections.abc import Mapping, Sequence
from typing import TypeAlias

Fact: TypeAlias = "str | int | bool | Sequence[Fact] | Mapping[str, Fact] | None"
"""A value that a letter may contain: anything that JSON can carry."""
SHORTAGES = {
    *(errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS)
}
"""The errors of a system that lacks open files, memory or disk space, or whose disk fails."""


class Refused(Exception):
    """The player must act: nothing was changed, and one clear letter says why.

    `code` names the reason (`letters/refusals.py` finds its words), `facts` fill its blanks.
    """

    def __init__(self, code: str, **facts: Fact) -> None:
        super().__init__(code)
        self.code = code
        self.facts: Mapping[str, Fact] = facts

    def __str__(self) -> str:
        return f"{self.code} {dict(self.facts)}" if self.facts else self.code


class TryLater(Exception):
    """The sending server must try again: 4xx from SMTP and LMTP, exit 75 from the pipe."""


class Misconfigured(Exception):
    """The operator must act: one line on stderr, exit 78."""


def raise_if_passing(problem: Exception) -> None:
    """Raise TryLater if an exception is one, or a shortage of the system.

    Neither an email nor a board is the cause of it, so none may be set aside for it.
    """
    if isinstance(problem, TryLater):
        raise problem
    if isinstance(problem, OSError) and problem.errno in SHORTAGES:
        raise TryLater(str(problem.strerror)) from problem


def describe(problem: Exception) -> str:
    """The place at which a bug occurred, without a word of the text that was read."""
    place = problem.__traceback__
    while place and place.tb_next:
        place = place.tb_next
    where = f"{place.tb_frame.f_code.co_filename}:{place.tb_lineno}" if place else "?"
    return f"{type(problem).__name__} at {where}"
