"""The operator's settings from the home's `pbmserv.toml`, read once.

All of them are optional.  Every problem with one is one line, raised as Misconfigured.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pbmserv.errors import Misconfigured
from pbmserv.extras import how_to_add
from pbmserv.setting_checks import (
    DELIVERIES,
    are_userids,
    between,
    is_address,
    is_command,
    is_folder,
    is_one_line,
    is_own_address,
    is_place,
    is_program,
    is_socket_or_place,
    is_word,
    one_of,
    or_empty,
)

SETTINGS_FILE = "pbmserv.toml"
_RENAMED = {"authserv_door": "authserv_transport"}  # an older version's name, with today's
_LETTERS_GO = ", ".join(f'"{word}" {where}' for word, where in DELIVERIES.items())
_PASSWORD = re.compile(r"://[^/@]*:[^@]|[?&]password=")  # in the URL of a database


def _setting(
    default: str | int,
    about: str,
    wrong: Callable[[Any], str] = lambda value: "",
    *,
    secret: bool = False,
) -> Any:
    # `wrong(value)` returns what is wrong with a value, or "".
    return field(default=default, repr=not secret, metadata={"about": about, "wrong": wrong})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The operator's settings.  Every field but `home` is a key of pbmserv.toml."""

    home: Path
    database: str = _setting(
        "",
        "SQLAlchemy URL of the database, SQLite or PostgreSQL, such as "
        "postgresql+psycopg://localhost/pbmserv. A relative SQLite path starts at the home. "
        "Default: pbmserv.sqlite in the home. For PostgreSQL, "
        f"{how_to_add('postgresql')}.",
        secret=True,  # it may hold a password
    )
    address: str = _setting(
        "perudo@localhost", "The server's own email address: players write here.", is_own_address
    )
    name: str = _setting("Perudo game server", "The name shown before the address.", is_one_line)
    replies: str = _setting(
        "plus",
        'Where replies to letters go: "plus" to address+TOKEN, "plain" to the address alone, for '
        "providers without plus addresses; the token then comes back in the headers of the reply.",
        one_of("plus", "plain"),
    )
    smtp: str = _setting(
        "127.0.0.1:8025",
        'HOST:PORT where the server receives email by SMTP; "": not used.',
        or_empty(is_place),
    )
    lmtp: str = _setting(
        "",
        'HOST:PORT or unix:PATH where a mail server delivers email by LMTP; "": not used.',
        or_empty(is_socket_or_place),
    )
    lmtp_group: str = _setting(
        "",
        "Only members of this group may use the unix socket of lmtp, which then has the mode 0660; "
        '"": everybody on this machine.',
        or_empty(is_word),
    )
    shell_group: str = _setting(
        "",
        "Members of this group may use the commands of players at a shell, through a running "
        "server. The home must belong to the group and have the mode 0710, so that they can reach "
        'the socket there; "": only the user of the server and root.',
        or_empty(is_word),
    )
    imap: str = _setting(
        "",
        'HOST:PORT of a mailbox at a provider, to fetch email from by IMAP; "": none. '
        f"For IMAP, {how_to_add('imap')}.",
        or_empty(is_place),
    )
    imap_security: str = _setting(
        "tls",
        'Encryption to the mailbox: "tls", "starttls", or "none" on this machine.',
        one_of("tls", "starttls", "none"),
    )
    imap_user: str = _setting("", "User name of the mailbox.", or_empty(is_one_line))
    imap_password: str = _setting(
        "", "Password of the mailbox.", or_empty(is_one_line), secret=True
    )
    imap_folder: str = _setting(
        "INBOX",
        "Folder whose unread emails are fetched; / separates folders, at every provider.",
        is_folder,
    )
    imap_done: str = _setting(
        "pbmserv-done",
        'Folder for handled emails; "": they stay in place, marked as read.',
        or_empty(is_folder),
    )
    imap_odd: str = _setting(
        "pbmserv-odd",
        "Folder for emails that are too large or cannot be read.",
        is_folder,
    )
    imap_seconds: int = _setting(
        60,
        "Seconds between checks of the mailbox, if its server does not announce new email.",
        between(1, 3600),
    )
    maildir: str = _setting(
        "",
        'Maildir whose new emails are fetched; a relative path starts at the home. "": none.',
        or_empty(is_one_line),
    )
    delivery: str = _setting(
        "maildir",
        f"How letters are sent: {_LETTERS_GO}.",
        one_of(*DELIVERIES),
    )
    sendmail: str = _setting(
        "/usr/sbin/sendmail",
        'Path of the program that sends our letters, for delivery = "sendmail".',
        is_program,
    )
    relay: str = _setting(
        "127.0.0.1:25", "HOST:PORT of the mail server that sends our letters.", is_place
    )
    relay_security: str = _setting(
        "none",
        'Encryption to the relay: "none", "starttls" or "tls".',
        one_of("none", "starttls", "tls"),
    )
    relay_user: str = _setting("", 'User name at the relay; "": no login.')
    relay_password: str = _setting("", "Password at the relay.", secret=True)
    envelope: str = _setting(
        "stamped",
        'Envelope sender of our letters: "stamped", a separate address for each letter such as '
        'perudo+b-STAMP@example.org, so that a bounce says which letter it is about, or "plain", '
        "the address above, for a relay that accepts no other.",
        one_of("stamped", "plain"),
    )
    largest_mail: int = _setting(
        262_144,
        "Largest accepted email, in bytes; a larger one is refused.",
        between(4096, 10_485_760),
    )
    authserv_id: str = _setting(
        "",
        "Name (authserv-id) that your own mail server writes in Authentication-Results. If it has "
        "proven that a move comes from a player's address, the move needs no password. It must "
        'remove such headers from other senders; "": no sender counts as proven.',
        or_empty(is_word),
    )
    authserv_transport: str = _setting(
        "imap",
        'Where authserv_id is trusted: "imap", in emails from the mailbox at a provider, or '
        '"socket", in emails that come by LMTP at a unix socket with an lmtp_group. In other '
        "emails anybody on this machine could forge that header.",
        one_of("imap", "socket"),
    )
    answers_daily: int = _setting(
        200,
        "Answers to one player in a day, a quarter of them at once; further answers wait. Letters "
        "about moves do not count. The limit is also in kilobytes: 8 for each answer.",
        between(4, 10_000),
    )
    all_answers_daily: int = _setting(
        20_000,
        "Answers of the whole server in a day to emails with a proven sender, a quarter of them at "
        "once; further answers wait.",
        between(4, 10_000_000),
    )
    unproven_daily: int = _setting(
        3,
        "Letters to a player in a day in answer to unproven email: it comes from the player's "
        "address, but has no password or token, is no reply to a letter, and is not proven by "
        "authserv_id. The last of these letters is reserved for a request for a new password.",
        between(0, 10_000),
    )
    strangers_daily: int = _setting(
        1000,
        "Letters of the whole server in a day to addresses of strangers: one short answer for "
        "each, and letters that ask to confirm an address.",
        between(4, 10_000_000),
    )
    domain_daily: int = _setting(
        100,
        "Letters in a day that ask addresses of one domain for confirmation.",
        between(4, 10_000_000),
    )
    challenges: str = _setting(
        "start",
        'What a challenge does for players who have not set it: "start" seats them, "ask" invites '
        'them first, "off" refuses it.',
        one_of("start", "ask", "off"),
    )
    challenges_daily: int = _setting(
        20,
        "Challenges that one player, and one address, may make in a day.",
        between(1, 10_000),
    )
    invitations_daily: int = _setting(
        50,
        "Addresses without an account that all players together may invite to games in a day. "
        "0: nobody can.",
        between(0, 10_000),
    )
    messages_daily: int = _setting(
        200,
        "Letters that one player, and one address, may cause in a day by messages and chats.",
        between(0, 10_000),
    )
    newcomers_daily: int = _setting(
        3,
        "Boards that a newcomer may begin in a day, and messages that a newcomer may send. A "
        "newcomer has not yet finished a game with another person.",
        between(0, 10_000),
    )
    broadcasters: str = _setting(
        "",
        'Userids of the players who may write to all others (broadcast), separated by commas; "": '
        "nobody.",
        are_userids,
    )
    broadcasts_daily: int = _setting(
        1, "Letters to all players that one of them may send in a day; 0: none.", between(0, 100)
    )
    vacation_days: int = _setting(
        30, "Days of vacation that a player may take in a year.", between(0, 365)
    )
    seek_days: int = _setting(
        30,
        "Days after which a search for boards ends, unless the player repeats it.",
        between(1, 3650),
    )
    keep_days: int = _setting(
        30,
        "Days after which handled or set-aside emails, and sent or failed letters, are deleted. "
        "Boards and their records are kept for ever.",
        between(7, 3650),
    )
    beacon: str = _setting(
        "",
        'Public beacon that is mixed into the dice from round 2 on: "drand" (network quicknet). '
        "Each call then waits one to two minutes for a value. With it, not even the server and a "
        'player together can choose these dice. "": none.',
        one_of("", "drand"),
    )
    beacon_file: str = _setting(
        "",
        "File with the beacon's values, a line ROUND HEX for each round; a relative path starts at "
        'the home. "": none.',
        or_empty(is_one_line),
    )
    beacon_command: str = _setting(
        "",
        "Program that gets a round's number as its last argument, and prints the value or drand's "
        'JSON within 4 seconds. "": none.',
        or_empty(is_command),
    )
    operator: str = _setting(
        "", 'Address that is told about failures; "": nobody.', or_empty(is_address)
    )
    log_level: str = _setting(
        "info",
        'Lowest level that is logged: "debug", "info", "warning" or "error".',
        one_of("debug", "info", "warning", "error"),
    )


def read_settings(home: Path) -> Settings:
    """The settings in the home's pbmserv.toml, or the defaults; raises Misconfigured."""
    file = home / SETTINGS_FILE
    try:
        written = tomllib.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        written = {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        remedy = 'a setting is like smtp = "127.0.0.1:25", with quotation marks around a text'
        raise Misconfigured(f"{file}: not TOML: {error}; {remedy}") from error
    except OSError as error:
        raise Misconfigured(f"{file}: cannot be read: {error.strerror}") from error
    written = {_RENAMED.get(key, key): value for key, value in written.items()}
    known = {each.name: each for each in _keys()}
    for key, value in written.items():
        problem = _problem(known, key, value)
        if problem:
            raise Misconfigured(f"{file}: {problem}")
    settings = Settings(home=home, **written)
    if settings.beacon and not (settings.beacon_file or settings.beacon_command):
        raise Misconfigured(f"{file}: beacon is set, so beacon_file or beacon_command must be")
    return settings


def _keys() -> list[Field[Any]]:
    return [each for each in fields(Settings) if each.default is not MISSING]


def _problem(known: Mapping[str, Field[Any]], key: str, value: object) -> str:
    if key not in known:
        near = get_close_matches(key, known, 1, 0.6)
        hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
        return f"unknown setting {key}; {hint}"
    wanted = type(known[key].default)
    if type(value) is not wanted:  # an exact type: True is not a number here
        return f"{key} must be {'a whole number' if wanted is int else 'text in quotes'}"
    wrong: str = known[key].metadata["wrong"](value)
    return f"{key} {wrong}" if wrong else ""


def secrets_in(settings: Settings) -> list[str]:
    """The keys with secret values here: passwords, and the URL of a database with one in it."""
    held = [each.name for each in _keys() if not each.repr and getattr(settings, each.name)]
    return [each for each in held if each != "database" or _PASSWORD.search(settings.database)]


def settings_manual() -> list[tuple[str, str, str]]:
    """Every setting: its key, its default as written in TOML, and what it means."""
    return [
        (each.name, f'"{each.default}"' if each.type == "str" else str(each.default), about)
        for each in _keys()
        for about in [each.metadata["about"]]
    ]
