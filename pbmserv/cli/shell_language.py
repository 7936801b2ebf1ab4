"""The language of the shell, for commands whose player is not known."""

from __future__ import annotations

import os
from collections.abc import Mapping

_FIRST_SET = ("LC_ALL", "LC_MESSAGES", "LANG")  # POSIX: the first one that is set and not empty
_ANY_ALPHABET = {"utf-8", "utf8"}
_ENGLISH = {"", "c", "posix", "en"}


def shell_language(environ: Mapping[str, str] = os.environ) -> str:
    """The code of the language of messages, such as "fr" for fr_CH.UTF-8; "" for none.

    Only UTF-8 can show the letters of every language.
    """
    chosen = next(filter(None, (environ.get(name, "") for name in _FIRST_SET)), "")
    name, _, charset = chosen.partition("@")[0].lower().partition(".")
    return name.partition("_")[0] if charset in _ANY_ALPHABET else ""


def other_language() -> str:
    """The language of the shell if letters are written in it, but "" for English."""
    language = shell_language()
    if language in _ENGLISH:
        return ""
    from pbmserv.letters.catalogues import is_offered

    return language if is_offered(language) else ""
