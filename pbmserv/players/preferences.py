"""Preferences: what each player can set, one entry of the table below for each name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from sqlalchemy import Connection, select, update

from pbmserv.database import models
from pbmserv.errors import Fact, Refused
from pbmserv.fast_dataclasses import dataclass
from pbmserv.letters.catalogues import language_named, languages
from pbmserv.letters.zone_names import zone_meant, zones_of_namesakes
from pbmserv.text.phrases import words_of

ON, OFF = "on", "off"
# With the blanks around it, but not the one before another pair.
_EQUALS = re.compile(r" ?=(?: (?!\S*=))?")
_MOST_BEHIND = 2  # words of a city behind its first one: `Rio de Janeiro`
_QUOTES = "\"'«»“”„‘’"


@dataclass(frozen=True, slots=True)
class Preference:
    """A preference: its allowed words, or a function that returns the value of a free word.

    The function returns "" for a word that it cannot read.  `example` is shown if the words are too
    many to list.  The letter `preferences` explains each preference to players.
    """

    words: Callable[[], Sequence[str]] = tuple
    meant: Callable[[str], str] | None = None
    example: str = ""
    is_switch: bool = False


_SWITCH = Preference(lambda: (ON, OFF), is_switch=True)

PREFERENCES: Mapping[str, Preference] = {
    "letters": Preference(lambda: ("turns", "all", "games")),
    "digest": Preference(lambda: ("off", "daily")),
    "challenges": Preference(lambda: ("start", "ask", "off")),
    "autovacation": _SWITCH,
    "language": Preference(languages, language_named),
    "timezone": Preference(meant=zone_meant, example="Europe/Zurich"),
    "format": Preference(lambda: ("both", "text")),
    "broadcasts": _SWITCH,
}
"""Every preference by its name, which is also its column; what players change most is first."""


@cache
def _other_names() -> Mapping[str, str]:
    """The preference for each other word that names one."""
    return dict(each.split() for each in words_of("preference_words"))


def is_listed(word: str) -> bool:
    """Whether a word is `name=value` with one of the values that help shows for this preference.

    So it is public, and may be quoted.  A value of many, such as a time zone, is not listed.
    """
    name, equals, value = word.lower().partition("=")
    known = PREFERENCES.get(_other_names().get(name, name))
    return bool(equals) and known is not None and value in known.words()


def read(connection: Connection, player: int) -> dict[str, str]:
    """A player's preferences, in words."""
    columns = [getattr(models.Player, name) for name in PREFERENCES]
    row = connection.execute(select(*columns).where(models.Player.id == player)).one()
    return {
        name: (ON if value else OFF) if PREFERENCES[name].is_switch else str(value)
        for name, value in zip(PREFERENCES, row, strict=True)
    }


def _of_several_words(word: str, unread: list[str]) -> tuple[str, str]:
    """The words of a city such as `New York`, with its zone; they are taken from those behind it.

    Without such a city it is the word alone, and "".
    """
    for count in range(1, _MOST_BEHIND + 1):
        behind = unread[:count]
        several = " ".join([word, *behind])
        if len(behind) == count and (zone := zone_meant(several)):
            del unread[:count]
            return several, zone
    return word, ""


def change(connection: Connection, player: int, pairs: Sequence[str], now: int) -> Sequence[str]:
    """Set preferences from words `name=value`; returns their names.

    The first digest comes on the next day.

    Blanks around the sign and quotation marks around the value do no harm.  The name may be a word
    of another language.  Raises Refused `preferences`, which names every problem; then nothing is
    changed.
    """
    values: dict[str, object] = {}
    wanted: dict[str, str] = {}
    problems: list[Fact] = []
    unread = _EQUALS.sub("=", " ".join(" ".join(pairs).split())).split()
    while unread:
        name, equals, word = unread.pop(0).partition("=")
        name, word = name.lower(), word.strip(_QUOTES)
        name = _other_names().get(name, name)
        if name in PREFERENCES and not equals and unread and "=" not in unread[0]:
            value = unread.pop(0)
            problems.append({"kind": "blank", "name": name, "value": value[:40]})
            continue
        if name not in PREFERENCES or not equals:
            problems.append({"kind": "name", "name": name[:20], "allowed": list(PREFERENCES)})
            continue
        known = PREFERENCES[name]
        chosen = known.meant(word) if known.meant else word.lower()
        if name == "timezone" and not chosen:
            word, chosen = _of_several_words(word, unread)
        if not chosen or not (known.meant or chosen in known.words()):
            several = zones_of_namesakes(word) if name == "timezone" else ()
            allowed = list(known.words()) or [*several] or [known.example]
            wrong: Fact = {"kind": "value", "name": name, "value": word[:40], "allowed": allowed}
            problems.append(wrong)
        elif wanted.setdefault(name, chosen) != chosen:
            problems.append({"kind": "twice", "name": name})
        values[name] = chosen == ON if known.is_switch else chosen
    if problems:
        raise Refused("preferences", problems=problems)
    also = {"digested_at": now} if "digest" in values else {}
    changed = update(models.Player).where(models.Player.id == player)
    connection.execute(changed.values({**values, **also}))
    return [*values]
