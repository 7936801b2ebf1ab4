"""Test the round trip: a letter to the operator, and the reply back in.

Only this shows that players' email arrives and ours reaches them.  A reply of any kind confirms, as
for any letter that asks for it.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from sqlalchemy import select

from pbmserv.database.engine import reading, writing
from pbmserv.database.models import OutboxLetter, states
from pbmserv.letters.payloads.mails import DOCTOR
from pbmserv.maintenance.doctor.finding import Finding, ill, well
from pbmserv.outbox import queue
from pbmserv.players import confirmations
from pbmserv.server.app import App

PAUSE = 1.0  # seconds between two checks


def round_trip(app: App, patience: float, progress: Callable[[str], None]) -> Finding:
    """Write to the operator and wait `patience` seconds for the answer.

    `progress` receives, about once a second, the state of the letter.
    """
    token, letter = _write(app)
    until = time.monotonic() + patience
    state, reason = states.DUE, ""
    while time.monotonic() < until:
        app.deliver()
        with reading(app.engine) as connection:
            row = connection.execute(
                select(OutboxLetter.state, OutboxLetter.reason).where(OutboxLetter.id == letter)
            ).one()
            answered = confirmations.known(connection, token, app.processor.clock()) is None
        state, reason = row.state, row.reason
        if answered:
            return well("letter", f"went to {app.settings.operator} and was answered")
        if state == states.FAILED:
            return ill("letter", f"not delivered: {reason}", "See `letters` above, and the reason.")
        progress(f"{state} {reason}, waiting for your answer: {until - time.monotonic():.0f} s")
        time.sleep(PAUSE)
    if state != states.SENT:
        return ill("letter", f"was not sent: {reason}", "See `letters` above, and the reason.")
    remedy = f"Answer it; if you did: `pbmserv trace {app.settings.operator}` and the relay's log."
    return ill("letter", f"was sent ({reason}), but no answer came", remedy)


def _write(app: App) -> tuple[str, int]:
    """A letter to the operator: its token, and its number in the outbox."""
    settings = app.settings
    with writing(app.engine) as connection:
        work = app.transactions.unit_of_work(connection)
        token = confirmations.ask(work, None, confirmations.DOCTOR)
        letter = DOCTOR.to(settings.operator, {"address": settings.address}, token=token)
        queue.put(connection, [letter], app.processor.tokens, work.now)
        number = connection.execute(
            select(OutboxLetter.id).where(OutboxLetter.token == token)
        ).scalar_one()
    return token, number
