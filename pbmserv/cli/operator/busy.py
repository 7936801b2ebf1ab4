"""`pbmserv busy`: show who caused how many letters and bytes."""

from __future__ import annotations

import click

from pbmserv.cli.operator_commands import home_there
from pbmserv.cli.terminal_output import folded

DAY = 24 * 60 * 60  # seconds


@click.command("busy")
@click.option(
    "--most",
    default=20,
    type=click.IntRange(1, 1_000_000),
    show_default=True,
    help="How many addresses to show, the busiest.",
)
@click.pass_context
def command(context: click.Context, most: int) -> None:
    """Show which addresses caused the most letters and bytes in the last 24 hours.

    A letter counts for the address whose email caused it; its bytes count once it was sent.
    """
    from pbmserv.database.engine import reading
    from pbmserv.maintenance import traffic
    from pbmserv.server.app import opened

    with opened(home_there(context), after_restore="look") as app:
        begin = app.processor.clock() - DAY
        with reading(app.engine) as connection:
            rows = traffic.since(connection, begin, most)
    click.echo(f"{'emails':>7} {'letters':>7} {'kilobytes':>9}  from")
    for row in rows:
        kilobytes = -(-row.size // 1024)
        line = f"{row.mails:7} {row.letters:7} {kilobytes:9}  {row.address}"
        click.echo(folded(line, hang=27))
