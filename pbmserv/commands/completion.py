"""Complete the words of a player's command at a shell.

A failure here completes nothing: `cli/operator/completion.py` sees to that.
"""

from __future__ import annotations

import os
from typing import Any

import click
from click.shell_completion import CompletionItem

_MOST_BOARDS = 40  # the newest ones


def subjects(context: click.Context, _: click.Parameter, begun: str) -> list[str]:
    """The subjects of the manual that begin with the given words."""
    from pbmserv.commands import manual

    return manual.subjects_after(" ".join(context.params.get("subject") or ()), begun)


def boards(context: click.Context, _: click.Parameter, begun: str) -> list[CompletionItem]:
    """The numbers of the player's running boards; a few commands complete others.

    The player is the one whom the command names before the board, else the account at the shell.
    Without boards of this player it is the boards of everybody, which `perudo games` shows, too.
    """
    return _numbers(context, begun, "active")


def finished_boards(context: click.Context, _: click.Parameter, begun: str) -> list[CompletionItem]:
    """As `boards`, but of boards that are over."""
    return _numbers(context, begun, "inactive")


def all_boards(context: click.Context, _: click.Parameter, begun: str) -> list[CompletionItem]:
    """As `boards`, but of all boards."""
    return _numbers(context, begun, "all")


def boards_and_files(
    context: click.Context, _: click.Parameter, begun: str
) -> list[CompletionItem]:
    """As `all_boards`; where none fits, files, which a shell completes by itself."""
    # bash forgets what came before the mark for files.
    return [CompletionItem(begun, type="file"), *_numbers(context, begun, "all")]


def preferences(_: click.Context, __: click.Parameter, begun: str) -> list[str]:
    """The preferences with their values; after `digest=` its values alone."""
    from pbmserv.players.preferences import PREFERENCES

    name, equals, value = begun.partition("=")
    if equals:
        known = PREFERENCES.get(name)
        words = known.words() or [known.example] if known else []
        return [word for word in words if word.startswith(value)]
    return [
        f"{name}={word}"
        for name, known in PREFERENCES.items()
        for word in known.words() or [known.example]
        if name.startswith(begun)
    ]


def _numbers(context: click.Context, begun: str, status: str) -> list[CompletionItem]:
    from pbmserv.boards import listing
    from pbmserv.database.engine import engine_for, reading
    from pbmserv.home import DATABASE_FILE, find_home
    from pbmserv.settings import read_settings

    home = find_home(context.find_root().params.get("home"), os.environ)
    settings = read_settings(home)
    if not (settings.database or (home / DATABASE_FILE).exists()):
        return []  # to look makes no database
    engine = engine_for(settings)
    try:
        with reading(engine) as connection:
            names = listing.seated(connection, [_player(context)])
            rows = listing.rows(connection, names, status, _MOST_BOARDS)
    finally:
        engine.dispose()
    return [
        CompletionItem(number, help=" ".join(seat["name"] for seat in row["seats"]))
        for row in rows
        if (number := str(row["board"])).startswith(begun)
    ]


def _player(context: click.Context) -> str:
    """The userid that is written before the board, else the name of the account at the shell."""
    import getpass

    written: Any = context.params.get("userid")
    return written if isinstance(written, str) and written else getpass.getuser()
