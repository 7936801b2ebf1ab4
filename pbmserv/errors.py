"""Exceptions, distinguished by who must act.

A refusal is for the player, a delay for the sending mail server, a misconfiguration for the
operator.  Any other exception that escapes is a bug of ours.  The words for a refusal are in
`letters/`; this module has codes and facts only.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import TypeAlias

Fact: TypeAlias = "str | int | bool | Sequence[Fact] | Mapping[str, Fact] | None"
"""A value that a letter may contain: anything that JSON can carry."""
SHORTAGES = {
    *(errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS)
}
"""The errors of a system that lacks open files, memory or disk space, or whose disk fails."""

_PACKAGE = __file__.removesuffix("errors.py")
_OURS = "pbmserv/"


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


def later(name: str, error: OSError) -> TryLater:
    """The exception for a failure of the disk at a file: no email is the cause of it."""
    return TryLater(f"{name}: {error.strerror}")


@contextmanager
def disk_may_fail(name: str) -> Iterator[None]:
    """Turn a failure of the disk at a file into TryLater."""
    try:
        yield
    except OSError as error:
        raise later(name, error) from error


def raise_if_passing(problem: Exception) -> None:
    """Raise TryLater if an exception is one, or a shortage of the system.

    Neither an email nor a board is the cause of it, so none may be set aside for it.
    """
    if isinstance(problem, TryLater):
        raise problem
    if isinstance(problem, OSError) and problem.errno in SHORTAGES:
        raise TryLater(str(problem.strerror)) from problem


def describe(problem: BaseException) -> str:
    """Where a bug occurred: its last place, then every place in pbmserv that led there.

    Its causes follow.  No word of a text that was read is in it, as there is in their messages.
    """
    found: list[str] = []
    seen: set[int] = set()
    each: BaseException | None = problem
    while each is not None and id(each) not in seen:
        seen.add(id(each))
        places = _places(each.__traceback__)
        ours = [place for place in places[1:] if place.startswith(_OURS)]
        through = f", called from {', '.join(ours)}" if ours else ""
        found.append(f"{type(each).__name__} at {places[0] if places else '?'}{through}")
        each = each.__cause__ or (None if each.__suppress_context__ else each.__context__)
    return "; caused by ".join(found)


def _places(traceback: TracebackType | None) -> list[str]:
    """The files and lines of a traceback, each once, the last one first."""
    found: list[str] = []
    while traceback:
        frame, line = traceback.tb_frame, traceback.tb_lineno
        file = frame.f_code.co_filename
        if template := frame.f_globals.get("__jinja_template__"):  # the code that Jinja made of it
            line = template.get_corresponding_lineno(line)
        if file.startswith(_PACKAGE):
            file = _OURS + file.removeprefix(_PACKAGE)
        elif not file.startswith(_OURS):  # as a template's begins
            file = "/".join(file.split("/")[-2:])
        found.append(f"{file}:{line}")
        traceback = traceback.tb_next
    return list(dict.fromkeys(reversed(found)))
