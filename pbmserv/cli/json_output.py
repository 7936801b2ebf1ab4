"""Print an answer as one JSON document, for programs: the option `--json`.

A document is an object in UTF-8.  Moments are written as in ISO 8601, in UTC.  A key keeps its name
and its meaning; new ones may come.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime

import click

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document, for programs."
)


def write(document: Mapping[str, object]) -> None:
    """Print a document on standard output."""
    click.echo(encoded(document))


def encoded(document: Mapping[str, object]) -> bytes:
    """A document in UTF-8, also at a terminal with another encoding.

    Characters that may change a terminal are written as escapes of JSON.
    """
    text = json.dumps(document, ensure_ascii=False, indent=2)
    shown = "".join(map(_escaped, text)) if not text.replace("\n", "").isprintable() else text
    return shown.encode("utf-8", "replace")


def _escaped(character: str) -> str:
    """A character of a document; one that cannot be printed as its escape."""
    if character.isprintable() or character == "\n":
        return character
    return json.dumps(character)[1:-1]


def moment(seconds: int | None) -> str | None:
    """A moment such as 2026-11-29T02:16:00Z; None for none."""
    if seconds is None:
        return None
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%SZ}"
