"""Split the words of a line into options, other words, and the number of a move."""

from __future__ import annotations

from collections.abc import Sequence

from pbmserv.errors import Refused
from pbmserv.text.whole_numbers import whole_of_any_script


def parted(words: Sequence[str]) -> tuple[list[str], list[str], int | None]:
    """Split a line's words into options, other words, and the `#moveno` or None.

    `-word` means `-word=`, so that an option never takes the next word as its value.  A dash before
    a digit is a mistyped move, not an option.  A lone `**` is ignored.  Raises Refused
    `unreadable_number` if `#` is not followed by a number.
    """
    parameters: list[str] = []
    others: list[str] = []
    for word in words:
        if len(word) > 1 and word[0] == "-" and word.lstrip("-")[:1].isalpha():
            name, _, value = word.partition("=")
            parameters.append(f"{name.lower()}={value}")
        elif word != "**":
            others.append(word)
    number = None
    if others and others[-1].startswith("#"):
        text = others.pop()[1:]
        if (number := whole_of_any_script(text, 999_999_999)) is None:
            raise Refused("unreadable_number", text=text[:80])
    return parameters, others, number
