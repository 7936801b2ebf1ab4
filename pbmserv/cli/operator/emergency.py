"""`pbmserv emergency`: accept no new accounts, and do not answer strangers, while it is on."""

from __future__ import annotations

import click

from pbmserv.cli.operator_commands import home_there, reason_option


@click.command("emergency")
@click.argument("state", type=click.Choice(["on", "off"]), required=False)
@reason_option("A note for yourself: trace shows it.")
@click.pass_context
def command(context: click.Context, state: str | None, why: str) -> None:
    """Switch the state of emergency on or off; without a word, show it.

    While it is on, nobody can sign up by email, and strangers get no answer.  Players play as
    usual, and signup at a shell of the server still works.  You need not restart the server.
    """
    from pbmserv.database.engine import reading, writing
    from pbmserv.monitoring import action_log
    from pbmserv.server.app import opened

    with opened(home_there(context)) as app:
        with reading(app.engine) as connection:
            was = action_log.ON if action_log.is_emergency(connection) else action_log.OFF
        if state and state != was:
            with writing(app.engine) as connection:
                now = app.processor.clock()
                action_log.note(connection, action_log.EMERGENCY, now, about=state, why=why)
    is_on = (state or was) == action_log.ON
    already = " already; nothing has changed" if state == was else ""
    click.echo(f"The state of emergency is {state or was}{already}.")
    if is_on:
        click.echo("Nobody can sign up by email; `pbmserv signup` at a shell still works.")
