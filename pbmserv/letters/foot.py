"""The foot of a letter to a player: why it comes, and how to get fewer letters."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache

from pbmserv.letters.payloads.boards import INVITATION
from pbmserv.letters.payloads.perudo import BOARDS, ENDED, SHOW
from pbmserv.letters.render import DEFAULT_LANGUAGE, Payload, folder, spoken


def foot(language: str) -> str:
    """The lines below every letter to a player, which say how to get fewer."""
    return _words(language)["fewer"]


def reason(kind: str, payload: Payload, language: str) -> str:
    """The sentence that says why a player gets a letter of this kind."""
    return _words(language)[_why(kind, payload)].format(board=payload.get("board", ""))


def _why(kind: str, payload: Payload) -> str:
    is_player = payload.get("reader") is not None
    if kind == INVITATION.name and is_player:
        return "is_invited"
    # Who asked to see a board may be anybody.
    if (
        not kind.startswith("perudo/")
        or kind == BOARDS.name
        or not (is_player or kind != SHOW.name)
    ):
        return "has_account"
    if is_player:
        return "plays"
    return "awaits_end" if kind == ENDED.name else "watches"


@cache
def _words(language: str) -> Mapping[str, str]:
    """The words of a language's foot, or the English ones if it has none."""
    for each in (spoken(language), DEFAULT_LANGUAGE):
        file = folder(each) / "foot.toml"
        if file.is_file():
            break
    return tomllib.loads(file.read_text("utf-8"))
