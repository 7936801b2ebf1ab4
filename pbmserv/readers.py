"""Readers: in which language, time zone and style a player reads letters, and where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, bindparam, select

from pbmserv import models
from pbmserv.desk import Letter
from pbmserv.errors import Fact
from pbmserv.letters import DEFAULT_LANGUAGE
from pbmserv.tokens import Tokens

_READERS = (
    select(
        models.Player.id,
        models.Player.language,
        models.Player.timezone,
        models.Player.digest,
        models.Player.format,
        models.Player.subject,
        models.Address.address,
    )
    .join(models.Address, models.Address.player_id == models.Player.id)
    .where(
        models.Player.id.in_(bindparam("ids", expanding=True)),
        models.Address.confirmed_at.is_not(None),
    )
)


@dataclass(frozen=True, slots=True)
class Reader:
    """How a player reads letters; `addresses` are the confirmed ones, `style` are facts."""

    language: str
    timezone: str
    digest: str
    style: Mapping[str, Fact]
    addresses: list[str]


def readers_of(connection: Connection, ids: Set[int | None]) -> dict[int | None, Reader]:
    """The language and the confirmed addresses of these players."""
    found: dict[int | None, Reader] = {}
    rows = connection.execute(_READERS, {"ids": list(ids)}) if ids else ()
    for player, language, timezone, digest, form, subject, address in rows:
        if player not in found:
            found[player] = Reader(language, timezone, digest, _style(form, subject), [])
        found[player].addresses.append(address)
    return found


def seen_by(letter: Letter, reader: Reader | None, tokens: Tokens) -> Mapping[str, Fact]:
    """A letter's facts for its reader: dates in the reader's own time.

    A letter about several boards holds a token for each of them.
    """
    if reader is None:
        return letter.facts
    own: dict[str, Fact] = {"zone": reader.timezone, **reader.style}
    if letter.kind == "perudo/boards" and isinstance(letter.to, int):
        boards: Any = letter.facts["boards"]
        own["boards"] = [
            {**each, **own, "token": tokens.letter(each["board"], letter.to, each["move"])}
            for each in boards
        ]
    return {**letter.facts, **own}


def as_read(
    connection: Connection, letters: Sequence[Letter], player: int | None, tokens: Tokens
) -> tuple[list[Letter], str]:
    """Letters that a player reads at once, with dates in the player's time; and the language."""
    reader = readers_of(connection, {player}).get(player)
    if reader is None:
        return list(letters), DEFAULT_LANGUAGE
    return [replace(each, facts=seen_by(each, reader, tokens)) for each in letters], reader.language


def _style(form: str, subject: str) -> Mapping[str, Fact]:
    """How a letter shall look, as facts of it; most players want it plain."""
    style = {"as_page": form == "html", "one_thread": subject == "thread"}
    return {name: True for name, wanted in style.items() if wanted}
