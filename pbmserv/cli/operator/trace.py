"""`pbmserv trace`: show the whole history of an email."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from pbmserv.cli import json_output
from pbmserv.cli.json_output import moment
from pbmserv.cli.operator_commands import home_there
from pbmserv.cli.terminal_output import folded

if TYPE_CHECKING:  # importing SQLAlchemy costs 0.3 s: `--help` must not pay for it
    from pbmserv.maintenance.message_trace import Row, Trace


@click.command("trace")
@click.argument("what", metavar="MESSAGE-ID|BOARD|ADDRESS|USERID|NAME")
@click.option("--most", default=20, show_default=True, help="How many of each to show, the newest.")
@json_output.json_option
@click.pass_context
def command(context: click.Context, what: str, most: int, as_json: bool) -> None:
    """Trace an email: who sent it, what it did, and where its letters went.

    Actions on a board or a player (annulled, banned, blocked …) come first.  The word emergency
    shows when that state was switched on and off.

    A Message-ID names one email, or one letter of ours.  A board's number names all emails and
    letters about it.  An address names those from it and to it.  A USERID means the confirmed
    addresses of that player.  A NAME, such as in3, is an entry of the queue.  Bounces and
    complaints about a letter are shown with it.  The newest comes last.  Secrets are never shown.

    The keys of --json are actions, emails, letters, older_actions, older_emails and older_letters.
    The last three are how many more match, but are left out: --most shows them.  An action has at,
    who, what, about, board and why.  An email has name, received, message_id, transport, sender,
    envelope_sender, recipient, state, tries and outcome.  A letter has name, written, kind,
    address, board, cause (the email that caused it), state, due, sent, outcome and attempts.  An
    attempt failed: it has first, last, count and answer.
    """
    from pbmserv.maintenance import message_trace
    from pbmserv.server.app import opened

    with opened(home_there(context), after_restore="look") as app:
        if as_json:
            json_output.write(_document(message_trace.found(app.engine, what, most)))
            return
        lines = message_trace.traced(app.engine, what, most)
    click.echo("\n".join(map(folded, lines)).rstrip())


def _document(trace: Trace) -> dict[str, object]:
    return {
        "actions": [
            {
                "at": moment(each["at"]),
                "who": each["who"],
                "what": each["what"],
                "about": each["about"] or None,
                "board": each["board"] or None,
                "why": each["why"] or None,
            }
            for each in trace.acts
        ],
        "emails": list(map(_email, trace.mails)),
        "letters": [_letter(each, trace.tries[each["id"]]) for each in trace.letters],
        "older_actions": trace.older_acts,
        "older_emails": trace.older_mails,
        "older_letters": trace.older_letters,
    }


def _email(row: Row) -> dict[str, object]:
    from pbmserv.maintenance.message_trace import without_token
    from pbmserv.security.tokens import blanked

    return {
        "name": f"in{row['id']}",
        "received": moment(row["received_at"]),
        "message_id": without_token(row["message_id"]),
        "transport": row["transport"],
        "sender": row["sender"],
        "envelope_sender": row["envelope_sender"],
        "recipient": blanked(row["recipient"]),
        "state": row["state"],
        "tries": row["tries"],
        "outcome": row["reason"],
    }


def _letter(row: Row, tries: Sequence[Row]) -> dict[str, object]:
    from pbmserv.database.models import states

    was_sent = row["state"] in {states.SENT, states.RETURNED}
    return {
        "name": f"out{row['id']}",
        "written": moment(row["written_at"]),
        "kind": row["kind"],
        "address": row["address"],
        "board": row["board_id"],
        "cause": f"in{row['mail']}" if row["mail"] is not None else None,
        "state": row["state"],
        "due": moment(row["due_at"]) if row["state"] == states.DUE else None,
        "sent": moment(row["due_at"]) if was_sent else None,
        "outcome": row["reason"],
        "attempts": [
            {
                "first": moment(each["first_at"]),
                "last": moment(each["last_at"]),
                "count": each["count"],
                "answer": each["answer"],
            }
            for each in tries
        ],
    }
