"""`pbmserv queue`: show, retry or drop waiting and failed emails and letters."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from pbmserv.cli import json_output
from pbmserv.cli.operator_commands import home_there
from pbmserv.cli.terminal_output import WIDTH, folded
from pbmserv.letters.wrapping import columns_of

if TYPE_CHECKING:  # importing SQLAlchemy costs 0.3 s: `--help` must not pay for it
    from pbmserv.maintenance.mail_queue import Entry

_HEADINGS = f"{'NAME':<8} {'STATE':<8} {'KIND':<16} ADDRESS  NEXT TRY; REASON"
COLOURS = {"aside": "red", "failed": "red", "due": "yellow", "waiting": "yellow"}


@click.group(
    "queue",
    invoke_without_command=True,
    epilog="For a player's queued moves, type: perudo help queue",
)
@click.pass_context
def command(context: click.Context) -> None:
    """Show the emails and letters that wait or failed, and retry or drop them.

    Without a command it does the same as `list`.  An email has a name such as in3, a letter such as
    out17.  Secrets are never shown.
    """
    if context.invoked_subcommand is None:
        context.invoke(list_, everything=False, as_json=False)


@command.command("list")
@click.option("--all", "everything", is_flag=True, help="Also those that are done or sent.")
@json_output.json_option
@click.pass_context
def list_(context: click.Context, everything: bool, as_json: bool) -> None:
    """List the emails and letters that wait or failed, with the reason.

    A letter that waits shows the time of its next try, in UTC.  The first line has the headings.
    Programs get the entries alone with --json.

    --json has the key entries.  Each entry has name, type (email or letter), state, tries and
    reason.  An email has sender, recipient, transport, message_id and received, too; a letter has
    address, kind, board, written and due.
    """
    from pbmserv.maintenance import mail_queue
    from pbmserv.server.app import opened

    with opened(home_there(context), after_restore="look") as app:
        found, now = mail_queue.listed(app.engine, everything=everything), app.processor.clock()
    if as_json:
        json_output.write({"entries": list(map(_facts, found))})
        return
    if found:
        click.echo(_HEADINGS)
    for entry in found:
        click.echo(_line(entry, now))
    if not found:
        click.echo("Nothing waits.")


def _facts(entry: Entry) -> dict[str, object]:
    """An entry with the keys that the help of the command names."""
    facts: dict[str, object] = {"type": "email" if "sender" in entry else "letter"}
    for key, value in entry.items():
        name = key.removesuffix("_at").removesuffix("_id") if key != "message_id" else key
        facts[name] = json_output.moment(value) if key.endswith("_at") else value
    return facts


def _line(entry: Entry, now: int) -> str:
    """An entry in a line of at most 80 columns; what has no room there is below it."""
    is_mail = "sender" in entry
    what, who = ("transport", "sender") if is_mail else ("kind", "address")
    name, state = f"{entry['name']:<8} ", f"{entry['state']:<8}"
    line = f"{name}{state} {entry[what]:<16} {entry[who]}"
    said = "; ".join(filter(None, (_next_try(entry, now), entry["reason"])))
    if columns_of(f"{line}  {said}") <= WIDTH:
        text = f"{line}  {said}".rstrip()
    else:
        reason = folded(f"{' ' * len(name)}{said}", hang=len(name))
        text = f"{folded(line, hang=len(name))}\n{reason}"
    coloured = click.style(state, fg=COLOURS.get(entry["state"]))
    return name + coloured + text.removeprefix(name + state)


def _next_try(entry: Entry, now: int) -> str:
    """When a letter that waits is sent or tried again, in UTC; "" for other entries."""
    from pbmserv.database.models.states import DUE

    if entry["state"] != DUE:
        return ""
    due = datetime.fromtimestamp(entry["due_at"], UTC)
    is_today = due.date() == datetime.fromtimestamp(now, UTC).date()
    at = f"{due:%H:%M} UTC" if is_today else f"{due:%-d %b %H:%M} UTC"
    return f"next try {at}" if entry["due_at"] > now else "next try now"


@command.command("show")
@click.argument("name")
@click.pass_context
def show(context: click.Context, name: str) -> None:
    """Show one email or letter, with its secrets hidden."""
    from pbmserv.maintenance import mail_queue
    from pbmserv.server.app import opened

    with opened(home_there(context), after_restore="look") as app:
        for line in mail_queue.shown(app.engine, name):
            click.echo(folded(line))


@command.command("retry")
@click.argument("names", nargs=-1, required=True)
@click.pass_context
def retry(context: click.Context, names: tuple[str, ...]) -> None:
    """Try emails or letters again now: all of them, or none if one does not exist."""
    from pbmserv.maintenance import mail_queue
    from pbmserv.server.app import opened

    with opened(home_there(context), after_restore="look") as app:
        mail_queue.retry(app.engine, names, app.processor.clock())
        app.work()
        app.deliver()
    click.echo(f"Tried again: {' '.join(names)}")


@command.command("drop")
@click.argument("names", nargs=-1, required=True)
@click.pass_context
def drop(context: click.Context, names: tuple[str, ...]) -> None:
    """Delete emails or letters from the queue, all or none, with their text."""
    from pbmserv.maintenance import mail_queue
    from pbmserv.server.app import opened

    with opened(home_there(context), after_restore="look") as app:
        mail_queue.drop(app.engine, names)
    click.echo(f"Dropped: {' '.join(names)}")
