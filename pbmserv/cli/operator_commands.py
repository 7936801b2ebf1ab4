"""Load the operator's commands, one per file; emails cannot reach them."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any, TypeVar

import click

from pbmserv.text.printable import printable

if TYPE_CHECKING:  # importing SQLAlchemy costs 0.3 s: `--help` must not pay for it
    from pbmserv.context import UnitOfWork
    from pbmserv.letters.payloads.letter import Letter
    from pbmserv.outbox.transactions import Work
    from pbmserv.server.app import App

OPERATION = "pbmserv.cli.operator"
LARGEST_BOARD = 2**31 - 1  # as in `boards`, whose import takes long
LONGEST_REASON = 200  # characters, as in `action_log`
_SHOWN = 40  # characters of an invalid word
_Command = TypeVar("_Command", bound=Callable[..., Any])


@lru_cache
def operator_commands() -> Mapping[str, click.Command]:
    """Every command of the operator, by name."""
    found = {}
    package = importlib.import_module(OPERATION)
    for module in pkgutil.iter_modules(package.__path__):
        command = importlib.import_module(f"{OPERATION}.{module.name}").command
        found[command.name] = command
    return found


def home_of(context: click.Context) -> Path:
    """The home that the command line chose."""
    home: Path = context.find_root().obj.home
    return home


def home_there(context: click.Context) -> Path:
    """The home that the command line chose, for commands that need an existing one.

    Raises Misconfigured.
    """
    from pbmserv.home import check_home

    home = home_of(context)
    check_home(home)
    return home


def told(app: App, work: Work) -> str:
    """Run an action on a board; returns a clause that says whether its players are told."""
    from pbmserv.outbox import recipients

    unreached: list[str] = []

    def remembering(unit: UnitOfWork) -> list[Letter]:
        letters = work(unit)
        unreached.extend(recipients.unreached(unit.connection, letters))
        return letters

    app.transactions.run(remembering)
    others = f", except {', '.join(unreached)}: no letters go there now" if unreached else ""
    return f"its players are told{others}"


def _day(context: click.Context, parameter: click.Parameter, value: str | None) -> int | None:
    """The beginning of a day in UTC, in seconds since 1970; raises a usage error for other text."""
    if value is None:
        return None
    try:
        day = int(datetime.strptime(value, "%Y-%m-%d").replace(tzinfo=UTC).timestamp())
    except (ValueError, OverflowError):
        what = f"{value[:_SHOWN]!r} is not a day such as 2027-01-31."
        raise click.BadParameter(what, context, parameter) from None
    if day <= time():
        raise click.BadParameter(f"{value} has begun already.", context, parameter)
    return day


def _reason(context: click.Context, parameter: click.Parameter, value: str) -> str:
    """A reason on one line, without control characters; raises a usage error for a long one."""
    if len(value) > LONGEST_REASON:
        what = f"A reason has at most {LONGEST_REASON} characters."
        raise click.BadParameter(what, context, parameter)
    return printable(value, LONGEST_REASON)


class BoardNumber(click.IntRange):
    """The number of a board, within the database's range."""

    name = "board"

    def __init__(self) -> None:
        super().__init__(1, LARGEST_BOARD)

    def convert(
        self, value: Any, parameter: click.Parameter | None, context: click.Context | None
    ) -> int:
        """The number; raises a usage error with at most one line of an invalid text."""
        try:
            number = int(value)
        except ValueError:  # also for more digits than Python reads
            number = 0
        if not 1 <= number <= LARGEST_BOARD:
            self.fail(f"{str(value)[:_SHOWN]!r} is not the number of a board.", parameter, context)
        return number


day_option = click.option(
    "--until", metavar="DAY", callback=_day, help="Until this day begins (UTC), as 2027-01-31."
)


def reason_option(help_text: str) -> Callable[[_Command], _Command]:
    """The option `--why`, with a help text about its use."""
    return click.option("--why", metavar="TEXT", default="", callback=_reason, help=help_text)


why_option = reason_option("The reason, told to the player.")


def written_day(day: int | None) -> str:
    """The end of a period, as the operator reads it."""
    if day is None:
        return "until it is undone"
    return f"until {moment(day)}"


def moment(seconds: int) -> str:
    """A moment, as the operator reads it."""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"
