"""Checks for the values of settings.

A check takes a value and returns what is wrong with it, or "".
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import Any

from pbmserv.text.numbers import whole

HIGHEST_PORT = 65535

DELIVERIES = {
    "maildir": "to mail/ADDRESS/ in the home",
    "smtp": "to the relay",
    "sendmail": "to a program of this machine",
}
"""The outgoing transports: the word of each in the setting `delivery`, and where it sends letters.

The module `transports/NAME_out.py` has the functions of `mail.transport.Outgoing`.
"""


def one_of(*choices: str) -> Callable[[Any], str]:
    """A check: the value is one of these."""
    allowed = ", ".join(f'"{choice}"' for choice in choices)
    return lambda value: "" if value in choices else f"must be one of {allowed}"


def between(least: int, most: int) -> Callable[[Any], str]:
    """A check: the value is between these, both included."""
    return lambda value: "" if least <= value <= most else f"must be from {least} to {most}"


def is_address(value: str) -> str:
    """What is wrong with an email address."""
    local, at, domain = value.partition("@")
    plain = value.isascii() and value.isprintable() and not set(value) & set(' <>,;:"()[]\\')
    if at and local and domain and "@" not in domain and plain:
        return ""
    return 'must be an email address such as "perudo@example.org"'


def is_own_address(value: str) -> str:
    """What is wrong with the address of the server."""
    if "+" in value:  # letters put their tokens behind a "+"
        return 'must have no plus: replies to letters go to "perudo+TOKEN@example.org"'
    return is_address(value)


def place(value: str) -> tuple[str, int] | None:
    """The host and port of `127.0.0.1:8025` or `[::1]:24`; None for any other text.

    An empty host is refused, even in brackets: a transport there would be open to everybody.
    """
    host, _, digits = value.rpartition(":")
    host, port = host.removeprefix("[").removesuffix("]").strip(), whole(digits, HIGHEST_PORT)
    return (host, port) if host and port is not None else None


def is_place(value: str) -> str:
    """What is wrong with a HOST:PORT."""
    return "" if place(value) else 'must be HOST:PORT such as "127.0.0.1:8025"'


def is_socket_or_place(value: str) -> str:
    """What is wrong with a HOST:PORT or the path of a socket."""
    if value.startswith("unix:") and len(value) > len("unix:"):
        return ""
    return is_place(value) and 'must be HOST:PORT or "unix:/path/of/a/socket"'


def or_empty(check: Callable[[str], str]) -> Callable[[str], str]:
    """A check that passes "", too."""
    return lambda value: check(value) and f'{check(value)}, or ""' if value else ""


def is_folder(value: str) -> str:
    """What is wrong with the name of a folder in a mailbox."""
    if value and value.isprintable() and not set(value) & set('%*"\\'):
        return ""
    return "must be the name of a folder"


def is_command(value: str) -> str:
    """What is wrong with a command line: a program and its arguments, quoted as for a shell."""
    try:
        words = shlex.split(value)
    except ValueError:
        words = []
    return "" if words else 'must be a program with its arguments, such as "/usr/bin/beacon -q"'


def is_one_line(value: str) -> str:
    """What is wrong with a line of text."""
    return "" if value and value.isprintable() else "must be one line of text"


def is_program(value: str) -> str:
    """What is wrong with the path of a program."""
    plain = value.startswith("/") and not value.endswith("/") and value.isprintable()
    return "" if plain else 'must be a whole path such as "/usr/sbin/sendmail"'


def is_word(value: str) -> str:
    """What is wrong with a word."""
    plain = value.isascii() and value.isprintable() and not set(value) & set(' ;()"')
    return "" if plain else 'must be one word such as "mx.example.org"'


def are_userids(value: str) -> str:
    """What is wrong with a list of userids."""
    plain = all(c.isascii() and (c.isalnum() or c in "._-, ") for c in value)
    return "" if plain else 'must be userids separated by commas, such as "ann, bob"'
