"""The Subjects of messages from player to player: how they are worded, and how they are read again.

Their words are in `text/phrases/`, for each language.
"""

from __future__ import annotations

import re
from functools import cache

from pbmserv.text.phrases import first_of, words_of
from pbmserv.text.subject_prefixes import bare_subject

_NAME = "{name}"


def of_message(name: str, language: str, *, to_all: bool = False) -> str:
    """The Subject of a message of the player with this userid; `to_all`: of one to all players."""
    to_one = first_of("message_subjects", language)
    said = first_of("message_subjects_to_all", language) if to_all else to_one
    return said.replace(_NAME, name)


def writer_of(subject: str) -> str:
    """The userid in such a Subject, in any language, behind marks such as "Re:"; "" for others."""
    found = _ours().fullmatch(bare_subject(subject))
    return next(filter(None, found.groups()), "") if found else ""


@cache
def _ours() -> re.Pattern[str]:
    every = (*words_of("message_subjects"), *words_of("message_subjects_to_all"))
    either = (re.escape(each).replace(re.escape(_NAME), r"([A-Za-z][\w.-]*)") for each in every)
    return re.compile("|".join(either), re.IGNORECASE)
