"""A letter as an HTML page, for players with `format=html`.

The page has the same words as the plain letter.  Lines are joined into paragraphs that a phone can
wrap again, and tables stay as they are.  The moves of a letter become links that open a reply.
Styles are few and inline, because mail programs ignore other styles.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import groupby, pairwise
from urllib.parse import quote

from pbmserv.letters.wrapping import WIDTH, columns_of

_BODY = "max-width:40em;font:16px/1.5 sans-serif"
_TABLE = "font:14px/1.4 monospace;white-space:pre-wrap"
_WORDS_OF_OTHERS = "margin:1em 0;padding-left:.8em;border-left:3px solid #999"
_MOVE = "display:inline-block;margin:0 .5em .5em 0;padding:.4em .9em;border:1px solid #666"
_DICE = re.compile("[⚀-⚅](?: [⚀-⚅])*")
_DICE_SIZE = "font-size:1.8em;line-height:1;letter-spacing:.1em"
_TOLD = "| "  # what `wrapping.told` puts before other people's words


def page(subject: str, text: str, moves: Sequence[str] = (), reply_to: str = "") -> str:
    """The page of a letter; with a `reply_to`, `moves` are links that open a reply.

    The links are below the reader's dice, where the plain letter lists the choices.
    """
    blocks = text.strip("\n").split("\n\n")
    parts = ["\n".join(_parts(block.split("\n"))) for block in blocks]
    if moves and reply_to:
        choices = next((i for i, block in enumerate(blocks) if _DICE.search(block)), -1)
        parts.insert(choices + 1, _links(subject, moves, reply_to))
    body = "\n".join(parts)
    return (
        "<!DOCTYPE html>\n"
        f"<html><head><meta charset=utf-8><title>{escape(subject)}</title></head>\n"
        f'<body style="{_BODY}">\n{body}\n</body></html>\n'
    )


def _links(subject: str, moves: Iterable[str], reply_to: str) -> str:
    mail = f"mailto:{quote(reply_to, safe='@+')}?subject={quote('Re: ' + subject)}"
    found = "\n".join(
        f'<a style="{_MOVE}" href="{escape(mail)}&amp;body={quote(move)}">{escape(move)}</a>'
        for move in moves
    )
    return f"<p>{found}</p>"


def _parts(lines: Sequence[str]) -> Iterator[str]:
    """A block of lines as HTML: paragraphs, tables and other people's words."""
    for kind, group in groupby(lines, _kind):
        found = list(group)
        if kind == "told":
            words = "<br>\n".join(escape(line.removeprefix("|").strip()) for line in found)
            yield f'<blockquote style="{_WORDS_OF_OTHERS}">{words}</blockquote>'
        elif kind == "table":
            table = escape("\n".join(found))
            yield f'<pre style="{_TABLE}">{table}</pre>'
        else:
            words = _enlarged(escape(_unwrapped(found))).replace("\n", "<br>\n")
            yield f"<p>{words}</p>"


def _kind(line: str) -> str:
    if line.startswith(_TOLD) or line == _TOLD.rstrip():
        return "told"
    is_set_in_columns = line.startswith(" ") or "  " in line.rstrip()
    return "table" if is_set_in_columns and not _DICE.search(line) else "words"


def _unwrapped(lines: Sequence[str]) -> str:
    """The lines joined again where they were broken only because the next word did not fit."""
    text = lines[0]
    for before, line in pairwise(lines):
        had_room = columns_of(f"{before} {line.split(' ')[0]}") <= WIDTH
        text += f"\n{line}" if had_room else f" {line}"
    return text


def _enlarged(text: str) -> str:
    """The text with pictures of dice large enough to read on a phone."""
    return _DICE.sub(lambda dice: f'<span style="{_DICE_SIZE}">{dice[0]}</span>', text)
