"""`perudo --help` and `pbmserv --help` in another language than English.

English is click's own.  The sentences are in the catalogues of letters.  They are looked up in the
file directly: reading a whole catalogue takes ten times as long as the English help.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

import click

from pbmserv.letters.catalogues import CATALOGUE, folder

_ESCAPED = re.compile(r"\\(.)")
USAGE, WORDS = "Usage:", "[OPTIONS] COMMAND [WORDS]..."
VERSION, PAGE = "Show the version and exit.", "Show this page and exit."
OPTIONS = "Options:"
_OWN = (USAGE, WORDS, VERSION, PAGE, OPTIONS)
_OF_CLICK = {"--version": VERSION, "--help": PAGE}  # what click says in other words


def written(
    group: click.Group,
    context: click.Context,
    language: str,
    sections: Mapping[str, Sequence[tuple[str, str]]],
) -> str:
    """The help of a group; `sections` has its commands with their English help, by headings."""
    say = _catalogue(language)
    formatter = context.make_formatter()
    formatter.write_usage(context.command_path, say(WORDS), f"{say(USAGE)} ")
    for text in paragraphs(group):
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(say(text))
    options = [_row(each, context, say) for each in group.get_params(context)]
    with formatter.section(say(OPTIONS).rstrip(":")):
        formatter.write_dl(options)
    for heading, rows in sections.items():
        with formatter.section(say(f"{heading}:").rstrip(":")):
            formatter.write_dl([(name, say(about)) for name, about in rows])
    return formatter.getvalue().rstrip("\n")


def paragraphs(group: click.Group) -> Sequence[str]:
    """The paragraphs of what a group is for."""
    return (group.help or "").split("\n\n")


def messages(groups: Sequence[click.Group]) -> Iterator[str]:
    """What catalogues must have for the help of these groups, without that of their commands."""
    yield from _OWN
    for group in groups:
        yield from paragraphs(group)
        yield from (
            option.help or ""
            for option in group.params
            if isinstance(option, click.Option) and _OF_CLICK.keys().isdisjoint(option.opts)
        )


def _row(
    option: click.Parameter, context: click.Context, say: Callable[[str], str]
) -> tuple[str, str]:
    """An option with its help."""
    names, about = option.get_help_record(context) or ("", "")
    return names, say(next(filter(None, map(_OF_CLICK.get, option.opts)), about))


def _catalogue(language: str) -> Callable[[str], str]:
    """Translates sentences that have no plural; English for one that is missing."""
    text = folder(language).joinpath(CATALOGUE).read_text("utf-8")

    def say(message: str) -> str:
        quoted = message.replace("\\", "\\\\").replace('"', '\\"')
        _, found, rest = text.partition(f'\nmsgid "{quoted}"\nmsgstr "')
        own = rest[: rest.find('"\n')] if found else ""
        return _ESCAPED.sub(r"\1", own) or message

    return say
