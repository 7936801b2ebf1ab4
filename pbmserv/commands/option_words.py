"""Find a command's options among the words that a person wrote, however they are written.

`-rules=bga`, `--rules=bga`, `--rules bga` and `rules=bga` are the same.  Names may be joined by
commas, `and` or `vs`.
"""

from __future__ import annotations

from collections.abc import Sequence

import click

_SWITCH = {"yes", "no"}  # of an option without a value
_JOINED_BY = frozenset({"and", "vs", "vs.", "versus", "&"})  # nobody may have such a userid


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


def named(words: list[str]) -> list[str]:
    """The userids in `ann, bob`, `ann and bob` or `ann vs bob`."""
    names = [name for word in words for name in word.split(",") if name]
    return [name for name in names if name.lower() not in _JOINED_BY]
