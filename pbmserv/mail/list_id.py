"""The List-Id of a board: mail programs file letters by it (RFC 2919)."""

from __future__ import annotations

import re
from functools import lru_cache

from pbmserv.mail.addresses import normal_domain

_LONGEST_LABEL = 63  # characters; the whole stays below 255 with any domain that has letters
_UNSAFE = re.compile(r"[^a-z0-9]+")
_BRACKETED = re.compile(r"<([^<>\s]{1,320})>")


def list_id(board: int, own: str) -> str:
    """`12.board.perudo.example.org` for board 12 of a server at perudo@example.org."""
    return f"{board}{_namespace(own)}"


def is_of_board(value: str, own: str) -> bool:
    """Whether the value of a List-Id names a board of ours, with any words in front of it."""
    named = _BRACKETED.findall(value.lower())
    number, space, rest = (named or [""])[-1].partition(_namespace(own))
    return len(named) == 1 and number.isdecimal() and bool(space) and not rest


@lru_cache(maxsize=8)
def _namespace(own: str) -> str:
    local, _, domain = own.rpartition("@")
    label = _UNSAFE.sub("-", local.lower()[:_LONGEST_LABEL]).strip("-")
    host = ".".join(
        filter(None, (_UNSAFE.sub("-", each) for each in normal_domain(domain).split(".")))
    )
    return f".board.{label or 'perudo'}.{host or 'invalid'}"
