"""What a caller of the server's process for shells asks for, read from the bytes of its client."""

from __future__ import annotations

import codecs
from collections.abc import Mapping

from pbmserv.cli import client
from pbmserv.fast_dataclasses import dataclass

PROGRAMS = ("perudo", "pbmserv")
STANDARD_FILES = 3
NO_REQUEST = "no request of a client"
_FACTS = 3  # of a standard file: its encoding, how it writes what that has not, "1" for a terminal
_TRIAL = "..\n"  # "hex", "undefined" and "idna" cannot encode it; every encoding of texts can


@dataclass(frozen=True, slots=True)
class StandardFile:
    """How a caller's Python opened a standard file; instead of a terminal there may be a pipe."""

    encoding: str
    errors: str
    is_terminal: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """What a caller asks for."""

    program: str
    words: tuple[str, ...]
    files: tuple[StandardFile, ...]
    variables: Mapping[str, str]


def read(request: bytes) -> Asked:
    """What a client has encoded; raises ValueError for anything else."""
    try:
        text = request.decode("utf-8", "surrogatepass")
        text.encode("utf-8", "surrogateescape")  # a shell passes no other surrogates
        program, count, *fields = text.split("\0")
        words, rest = fields[: int(count)], fields[int(count) :]
        facts, variables = rest[: _FACTS * STANDARD_FILES], rest[_FACTS * STANDARD_FILES :]
        named = dict(each.split("=", 1) for each in variables)
    except ValueError:
        raise ValueError(NO_REQUEST) from None
    is_whole = len(words) == int(count) > 0 and len(facts) == _FACTS * STANDARD_FILES
    if program not in PROGRAMS or not is_whole or not named.keys() <= {*client.VARIABLES}:
        raise ValueError(NO_REQUEST)
    try:
        for encoding, errors in zip(facts[::_FACTS], facts[1::_FACTS], strict=True):
            _TRIAL.encode(encoding)
            codecs.lookup_error(errors)
    except (LookupError, ValueError):
        raise ValueError(NO_REQUEST) from None
    each = zip(facts[::_FACTS], facts[1::_FACTS], facts[2::_FACTS], strict=True)
    files = tuple(StandardFile(name, errors, terminal == "1") for name, errors, terminal in each)
    return Asked(program, tuple(words), files, named)
