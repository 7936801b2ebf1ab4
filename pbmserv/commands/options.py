"""Find a command's options among the words that a person wrote, however they are written.

`-rules=bga`, `--rules=bga`, `--rules bga` and `rules=bga` are the same.
"""

from __future__ import annotations

from collections.abc import Sequence

import click

from pbmserv.errors import Refused
from pbmserv.text.numbers import whole_of_any_script

_SWITCH = {"yes", "no"}  # of an option without a value


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


def with_options(
    context: click.Context, options: Sequence[click.Option], words: Sequence[str], after: int
) -> list[str]:
    """The words with each option in its own form, such as `-rules=bga`.

    A value that is a word of its own belongs to the option only if the option knows it.  Up to
    `after` words may be passwords, so an option in front of them has a dash.
    """
    known = {name.lstrip("-").lower(): each for each in options for name in each.opts}
    found: list[str] = []
    others = position = 0
    while position < len(words):
        word = words[position]
        position += 1
        name, equals, _ = word.lstrip("-").partition("=")
        option = known.get(name.lower())
        has_dash = word[:1] == "-" and not word.startswith("---")
        if option is None or not (has_dash or (equals and option.metavar and others >= after)):
            others += not has_dash
            found.append(word)
            continue
        value = word.partition("=")[2]
        following = words[position] if position < len(words) else ""
        if not equals and _knows(context, option, following):
            value, equals = following, "="
            position += 1
        found.append(f"{option.opts[0]}{equals}{value}")
    return found


def _knows(context: click.Context, option: click.Option, word: str) -> bool:
    """Whether a word can be the value of an option, and nothing else."""
    if option.metavar in {"N", "DAYS"}:
        return word[:1].isdigit()
    allowed = {each.value for each in option.shell_complete(context, "")}
    return word.lower() in allowed | (_SWITCH if option.metavar is None else set())
