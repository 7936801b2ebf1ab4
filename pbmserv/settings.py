"""Settings: what the operator has chosen in the home's `pbmserv.toml`, read once.

All of them are optional.  What is wrong with one is said in one line, as Misconfigured.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pbmserv.errors import Misconfigured, how_to_add
from pbmserv.numbers import whole

SETTINGS_FILE = "pbmserv.toml"
HIGHEST_PORT = 65535


def _one_of(*choices: str) -> Callable[[Any], str]:
    allowed = ", ".join(f'"{choice}"' for choice in choices)
    return lambda value: "" if value in choices else f"must be one of {allowed}"


def _between(least: int, most: int) -> Callable[[Any], str]:
    return lambda value: "" if least <= value <= most else f"must be from {least} to {most}"


def _is_address(value: str) -> str:
    local, at, domain = value.partition("@")
    plain = value.isascii() and value.isprintable() and not set(value) & set(' <>,;:"()[]\\')
    if at and local and domain and "@" not in domain and plain:
        return ""
    return 'must be a mail address such as "perudo@example.org"'


def _is_own_address(value: str) -> str:
    if "+" in value:  # letters put their tokens behind one, and the doors look in front of it
        return 'must have no plus: answers to letters come to "perudo+TOKEN@example.org"'
    return _is_address(value)


def place(value: str) -> tuple[str, int] | None:
    """`127.0.0.1:8025` or `[::1]:24` as a host and a port; None for what is no place.

    An empty host is none, not even in brackets: a door there would be open to everybody.
    """
    host, _, digits = value.rpartition(":")
    host, port = host.removeprefix("[").removesuffix("]").strip(), whole(digits, HIGHEST_PORT)
    return (host, port) if host and port is not None else None


def _is_place(value: str) -> str:
    return "" if place(value) else 'must be HOST:PORT such as "127.0.0.1:8025"'


def _is_socket_or_place(value: str) -> str:
    if value.startswith("unix:") and len(value) > len("unix:"):
        return ""
    return _is_place(value) and 'must be HOST:PORT or "unix:/path/of/a/socket"'


def _or_empty(check: Callable[[str], str]) -> Callable[[str], str]:
    return lambda value: check(value) and f'{check(value)}, or ""' if value else ""


def _is_folder(value: str) -> str:
    if value and value.isprintable() and not set(value) & set('%*"\\'):
        return ""
    return "must be the name of a folder"


def _is_one_line(value: str) -> str:
    return "" if value and value.isprintable() else "must be one line of text"


def _is_word(value: str) -> str:
    plain = value.isascii() and value.isprintable() and not set(value) & set(' ;()"')
    return "" if plain else 'must be one word such as "mx.example.org"'


def _setting(
    default: str | int,
    about: str,
    wrong: Callable[[Any], str] = lambda value: "",
    *,
    secret: bool = False,
) -> Any:
    # `wrong(value)` says what is wrong with a value, "" if nothing is.
    return field(default=default, repr=not secret, metadata={"about": about, "wrong": wrong})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the operator has chosen.  Every field but `home` is a key of pbmserv.toml."""

    home: Path
    database: str = _setting(
        "",
        "SQLAlchemy URL of the database, SQLite or PostgreSQL (for that one "
        f"{how_to_add('postgresql')}), such as postgresql+psycopg://localhost/pbmserv. "
        "A relative SQLite path is meant from the home. Default: pbmserv.sqlite in the home.",
        secret=True,  # it may hold a password
    )
    address: str = _setting(
        "perudo@localhost", "The server's own mail address: players write here.", _is_own_address
    )
    name: str = _setting(
        "Perudo game server", "The name that stands before the address.", _is_one_line
    )
    replies: str = _setting(
        "plus",
        'Where answers to letters go: "plus" to address+TOKEN, "plain" to the address alone, for '
        "providers without plus addresses; the token then comes back in the headers of the answer.",
        _one_of("plus", "plain"),
    )
    smtp: str = _setting(
        "127.0.0.1:8025",
        'HOST:PORT where mail comes in by SMTP; "": nowhere.',
        _or_empty(_is_place),
    )
    lmtp: str = _setting(
        "",
        'HOST:PORT or unix:PATH where a mail server hands mail over by LMTP; "": nowhere.',
        _or_empty(_is_socket_or_place),
    )
    imap: str = _setting(
        "",
        "HOST:PORT of a mailbox at a provider that mail is fetched from by IMAP (for that "
        f'{how_to_add("imap")}); "": none.',
        _or_empty(_is_place),
    )
    imap_security: str = _setting(
        "tls",
        'Encryption to the mailbox: "tls", "starttls", or "none" on this machine.',
        _one_of("tls", "starttls", "none"),
    )
    imap_user: str = _setting("", "User name of the mailbox.", _or_empty(_is_one_line))
    imap_password: str = _setting(
        "", "Password of the mailbox.", _or_empty(_is_one_line), secret=True
    )
    imap_folder: str = _setting(
        "INBOX",
        "Folder whose unread mails are taken in; a / in it parts folders, at every provider.",
        _is_folder,
    )
    imap_done: str = _setting(
        "pbmserv-done",
        'Folder that mails are moved to when they are done; "": they stay, marked as read.',
        _or_empty(_is_folder),
    )
    imap_odd: str = _setting(
        "pbmserv-odd",
        "Folder that mails are moved to when they are too large or cannot be read.",
        _is_folder,
    )
    imap_seconds: int = _setting(
        60,
        "Seconds between looks into the mailbox where its server does not tell of new mail.",
        _between(1, 3600),
    )
    maildir: str = _setting(
        "",
        'Maildir whose new mails are taken in; a relative path is meant from the home. "": none.',
        _or_empty(_is_one_line),
    )
    delivery: str = _setting(
        "maildir",
        'How letters leave: "maildir" into mail/ADDRESS/ in the home, "smtp" to the relay.',
        _one_of("maildir", "smtp"),
    )
    relay: str = _setting(
        "127.0.0.1:25", "HOST:PORT of the mail server that takes our letters.", _is_place
    )
    relay_security: str = _setting(
        "none",
        'Encryption to the relay: "none", "starttls" or "tls".',
        _one_of("none", "starttls", "tls"),
    )
    relay_user: str = _setting("", 'User name at the relay; "": no login.')
    relay_password: str = _setting("", "Password at the relay.", secret=True)
    envelope: str = _setting(
        "stamped",
        'Envelope sender of our letters: "stamped", an address of each letter\'s own such as '
        'perudo+b-STAMP@example.org, so that a bounce says which one comes back, or "plain", the '
        "address above, for a relay that takes no other.",
        _one_of("stamped", "plain"),
    )
    largest_mail: int = _setting(
        262_144,
        "Largest mail that is taken in, in bytes; a larger one is refused at the door.",
        _between(4096, 10_485_760),
    )
    authserv_id: str = _setting(
        "",
        "Name (authserv-id) under which your own mail server writes Authentication-Results. A "
        "move from a player's address that this server has proven needs no password. It must "
        'take off headers of other people that claim its name; "": no sender counts as proven.',
        _or_empty(_is_word),
    )
    answers_daily: int = _setting(
        200,
        "Answers that one address gets in a day, a quarter of them at once; then they wait for "
        "their turn. Letters about moves are no answers.",
        _between(4, 10_000),
    )
    all_answers_daily: int = _setting(
        20_000,
        "Answers that the whole server gives in a day, a quarter of them at once; then they wait "
        "for their turn.",
        _between(4, 10_000_000),
    )
    challenges: str = _setting(
        "start",
        'What a challenge does to players who have not said: "start" seats them, "ask" invites '
        'them first, "off" refuses.',
        _one_of("start", "ask", "off"),
    )
    challenges_daily: int = _setting(
        20,
        "Challenges that one player, and one address, may make in a day.",
        _between(1, 10_000),
    )
    messages_daily: int = _setting(
        200,
        "Letters that one player, and one address, may cause in a day by messages and chats.",
        _between(0, 10_000),
    )
    broadcasts_daily: int = _setting(
        1, "Letters to all players that one player may send in a day; 0: none.", _between(0, 100)
    )
    vacation_days: int = _setting(
        30, "Days of vacation that a player may take in a year.", _between(0, 365)
    )
    seek_days: int = _setting(
        30,
        "Days after which a search for boards lapses that its player has not repeated.",
        _between(1, 3650),
    )
    keep_days: int = _setting(
        30,
        "Days after which mails that were dealt with or set aside, and letters that left or "
        "failed, are forgotten. Boards and their records are kept for ever.",
        _between(7, 3650),
    )
    operator: str = _setting(
        "", 'Address that is told when something breaks; "": nobody.', _or_empty(_is_address)
    )
    log_level: str = _setting(
        "info",
        'What is logged: "debug", "info", "warning" or "error" and worse.',
        _one_of("debug", "info", "warning", "error"),
    )


def read_settings(home: Path) -> Settings:
    """The settings in the home's pbmserv.toml, or the defaults; raises Misconfigured."""
    file = home / SETTINGS_FILE
    try:
        written = tomllib.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        written = {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Misconfigured(f"{file}: not TOML: {error}") from error
    except OSError as error:
        raise Misconfigured(f"{file}: cannot be read: {error.strerror}") from error
    known = {each.name: each for each in _keys()}
    for key, value in written.items():
        problem = _problem(known, key, value)
        if problem:
            raise Misconfigured(f"{file}: {problem}")
    return Settings(home=home, **written)


def _keys() -> list[Field[Any]]:
    return [each for each in fields(Settings) if each.default is not MISSING]


def _problem(known: Mapping[str, Field[Any]], key: str, value: object) -> str:
    if key not in known:
        near = get_close_matches(key, known, 1, 0.5)
        hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
        return f"unknown setting {key}; {hint}"
    wanted = type(known[key].default)
    if type(value) is not wanted:  # exactly: True is no number here
        return f"{key} must be {'a whole number' if wanted is int else 'text in quotes'}"
    wrong: str = known[key].metadata["wrong"](value)
    return f"{key} {wrong}" if wrong else ""


def settings_manual() -> list[tuple[str, str, str]]:
    """Every setting: its key, its default as written in TOML, and what it means."""
    return [
        (each.name, f'"{each.default}"' if each.type == "str" else str(each.default), about)
        for each in _keys()
        for about in [each.metadata["about"]]
    ]
