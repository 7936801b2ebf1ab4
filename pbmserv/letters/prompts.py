"""The words with which a shell asks a player for something."""

from __future__ import annotations

from typing import NamedTuple

from pbmserv.letters.catalogues import catalogue
from pbmserv.letters.wrapping import BOUND


class Prompts(NamedTuple):
    """What a shell prints when it waits for a password, a new one, or the text of a message."""

    password: str
    new_password: str
    text: str


def prompts(language: str) -> Prompts:
    """The prompts in a language; raises `Untranslated`."""
    _ = catalogue(language).gettext
    words = (
        _("Password:"),
        _("New password:"),
        _("Write the text, and end it with Ctrl-D on a new line:"),
    )
    return Prompts(*(each.replace(BOUND, " ") for each in words))
