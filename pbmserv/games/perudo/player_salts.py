"""Salts: what players add to the dice, so that the server alone cannot choose them.

The server commits the seed of a round one round ahead.  The dice of the round also follow from the
public lines before its deal.  A salt is a part of such a line that the server cannot know when it
commits.  It is the beginning of a digest of the email that made the move.
"""

from __future__ import annotations

import re
from hashlib import sha256

SALT = re.compile(r"[0-9a-f]{8}(?:\+[0-9a-f]{8})?")
"""A salt in a record: the part of the email, and that of the player's own words, if any."""
_LENGTH = 8  # hexadecimal digits: no seed suits 4 thousand million equally likely values


def part_of(text: str) -> str:
    """The first 8 hexadecimal digits of the SHA-256 of a text in UTF-8.

    The text is an email's Message-ID without its angle brackets, or a player's words.
    """
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:_LENGTH]


def is_salt(text: str) -> bool:
    """Whether a text is a salt as a record has it."""
    return SALT.fullmatch(text) is not None


def salt_of(identifier: str, words: str = "") -> str:
    """The salt of a move: `9f86d081`, or `9f86d081+2c26b46b` with words of the player.

    `identifier` is the Message-ID of its email, or the random text of a shell.  `words` is what the
    player wrote behind `salt`.  A move without an identifier comes from nobody: it has no salt.
    """
    if not identifier:
        return ""
    return "+".join(map(part_of, [bare(identifier), *([words] if words else [])]))


def bare(identifier: str) -> str:
    """A Message-ID without its angle brackets."""
    return identifier.strip().removeprefix("<").removesuffix(">")


def has_words(salt: str) -> bool:
    """Whether a salt has a part of a player's own words."""
    return "+" in salt


def has_part(salt: str, part: str) -> bool:
    """Whether a salt has this part."""
    return part in salt.split("+")
