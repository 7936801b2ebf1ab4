"""Check the scheduler and the queues: deadlines are handled, and nothing waits too long."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import Connection, Engine, func, select

from pbmserv.boards.board import PLAYING
from pbmserv.database import models
from pbmserv.database.engine import reading
from pbmserv.database.models import DeliveryAttempt, states
from pbmserv.games.perudo.beacon import EVERY, round_at
from pbmserv.home import SENT_JOURNAL_FILE
from pbmserv.intake.kept_emails import inbox
from pbmserv.maintenance.doctor.finding import Finding, ill, unseen, well
from pbmserv.monitoring import action_log, operator_alerts
from pbmserv.outbox import queue, sent_journal
from pbmserv.schedule.beacon_values import found
from pbmserv.schedule.outages import OUTAGE
from pbmserv.settings import Settings
from pbmserv.timeunits import DAY, HOUR

MINUTE = 60
BEFORE_US = 1_767_225_600  # 2026-01-01: the program did not exist before
MOST_REPORTS = 100  # that are counted
_BUDGET = "Type: pbmserv busy; it shows who asks. See answers_daily and all_answers_daily."
_QUEUE = "Type: pbmserv queue list; then pbmserv queue retry NAME, or drop NAME."


def clock(engine: Engine, now: int, *, is_served: bool) -> Finding:
    """Whether this machine's clock can be right, and the scheduler runs."""
    shown = f"{datetime.fromtimestamp(now, UTC):%Y-%m-%d %H:%M} UTC"
    with reading(engine) as connection:
        ticked_at = connection.execute(select(models.Tick.ticked_at)).scalar()
    if now < max(BEFORE_US, (ticked_at or 0) - MINUTE):
        remedy = "Set this machine's clock, and keep it synchronized (systemd-timesyncd, chrony)."
        return ill("clock", f"{shown}: the clock was already later than this", remedy)
    if ticked_at is None:
        return unseen("clock", f"{shown}; deadlines were never checked yet")
    age = now - ticked_at
    said = f"{shown}; deadlines checked {_span(age)} ago"
    if is_served and age > 5 * MINUTE:
        return ill("clock", said, "Read the server's log, and restart it.")
    if age > OUTAGE:
        remedy = "Start the server, or have cron call `pbmserv tick` every hour."
        return ill("clock", said, remedy)
    return well("clock", said)


def deadlines(engine: Engine, now: int) -> Finding:
    """Whether a deadline of a board has passed that nobody handled."""
    board = models.Board
    query = select(func.count(), func.min(board.due_at)).where(
        board.state == PLAYING, board.void_at.is_(None), board.due_at <= now - HOUR
    )
    with reading(engine) as connection:
        late, oldest = connection.execute(query).one()
    if oldest is None:
        return well("deadlines", "none has passed unhandled")
    said = f"boards whose deadline nobody handled: {late}, the oldest for {_span(now - oldest)}"
    return ill("deadlines", said, "Start the server, or type: pbmserv tick; then read its log.")


def queues(engine: Engine, now: int) -> Finding:
    """Whether emails were set aside, and letters leave in time."""
    letter = models.OutboxLetter
    is_due, is_budget = letter.state == states.DUE, letter.reason == queue.WAITS
    with reading(engine) as connection:
        aside = _count(connection, models.InboxMail, inbox.ASIDE)
        waiting = _count(connection, letter, states.DUE)
        tried = connection.execute(select(func.count()).where(is_due, letter.tries > 0)).scalar()
        failed, failed_at = connection.execute(
            select(func.count(letter.id.distinct()), func.max(DeliveryAttempt.last_at))
            .select_from(letter)
            .outerjoin(DeliveryAttempt, DeliveryAttempt.letter_id == letter.id)
            .where(letter.state == states.FAILED)
        ).one()
        held, until = connection.execute(
            select(func.count(), func.max(letter.due_at)).where(
                is_due, is_budget, letter.due_at > now
            )
        ).one()
        oldest = connection.execute(
            select(func.min(letter.written_at)).where(is_due, (letter.due_at <= now) | ~is_budget)
        ).scalar()
    if aside:
        return ill("queues", f"emails set aside: {aside}", _QUEUE)
    if oldest is not None and now - oldest > HOUR:
        said = f"letters waiting: {waiting}, the oldest for {_span(now - oldest)}"
        return ill("queues", said, "Type: pbmserv queue list; it shows the reason of each.")
    if failed and now - (failed_at or now) < DAY:
        said = f"letters that failed and were given up: {failed}, the last within a day"
        return ill("queues", said, _QUEUE)
    if held and until - now > HOUR:
        said = f"answers held back by a budget: {held}, the last for {_span(until - now)}"
        return ill("queues", said, _BUDGET)
    said = f"letters waiting: {waiting}"
    if tried:
        said += f", {tried} of them not delivered so far (pbmserv queue list shows why)"
    return well("queues", said + (f", failed and given up: {failed}" if failed else ""))


def sending(settings: Settings) -> Finding:
    """Whether letters are sent, or wait until the home and the database can be written."""
    remedy = "Free some disk space, or find out why it cannot be written; then sending goes on."
    try:
        stopped_at, noted = sent_journal.stopped(settings.home)
    except OSError as problem:
        return ill("sending", f"{SENT_JOURNAL_FILE}: {problem.strerror}", remedy)
    if not stopped_at:
        return well("sending", "sent letters can be recorded")
    since = f"{datetime.fromtimestamp(stopped_at, UTC):%Y-%m-%d %H:%M} UTC"
    said = f"stopped at {since}: nothing could be written; letters recorded: {noted}"
    return ill("sending", said, remedy)


def emergency(engine: Engine) -> Finding | None:
    """A reminder that the operator has switched the state of emergency on; None where it is off."""
    with reading(engine) as connection:
        if not action_log.is_emergency(connection):
            return None
    said = "the state of emergency is on: nobody can sign up by email, strangers get no answer"
    return ill("emergency", said, "When it is over, type: pbmserv emergency off")


def beacon(engine: Engine, settings: Settings, now: int) -> Finding | None:
    """Whether the values of the beacon come; None where no board waits and it is not used."""
    board = models.Board
    query = select(func.count(), func.min(board.opens_at), func.max(board.opens_at)).where(
        board.state == PLAYING, board.void_at.is_(None), board.opens_at.is_not(None)
    )
    with reading(engine) as connection:
        waiting, oldest, latest = connection.execute(query).one()
    if not (settings.beacon or waiting):
        return None
    if oldest is not None and now - oldest > HOUR:
        said = f"boards whose cups wait: {waiting}, the oldest for {_span(now - oldest)}"
        remedy = (
            "See that beacon_file or beacon_command gives the values. If drand is gone for good, "
            'set beacon = "": the cups open without it, and the proof says so.'
        )
        return ill("beacon", said, remedy)
    if latest is not None and latest - now > HOUR:
        said = f"a board waits for a value that comes in {_span(latest - now)}: the clock was wrong"
        remedy = 'Set beacon = "" and restart the server, once: the cups open without a value.'
        return ill("beacon", said, remedy)
    return well("beacon", f"boards whose cups wait for drand: {waiting}")


def beacon_values(settings: Settings, now: int) -> Finding | None:
    """Whether a value of two minutes ago is there; None where the beacon is not used.

    This reads beacon_file or calls beacon_command, as the server does.
    """
    if not settings.beacon:
        return None
    number = round_at(now - 2 * MINUTE) // EVERY * EVERY
    values, why = found(settings, {number})
    if number in values:
        return well("values", f"the value of round {number} of drand is there")
    remedy = "See docs/operating.md, Dice with a public beacon. Until it is there, calls wait."
    return ill("values", f"no value of round {number} of drand: {why}", remedy)


def operator(engine: Engine, settings: Settings) -> Finding:
    """Whether an operator is told of failures, and the unreported ones."""
    with reading(engine) as connection:
        count = len(operator_alerts.untold(connection))
        reports = len(action_log.reports(connection, MOST_REPORTS))
    noted = f"; recorded now: {count} kinds of incidents" if count else ""
    if settings.operator:
        return well("operator", f"{settings.operator} is told at most once a day{noted}")
    noted += f"; reports by players: {reports} (pbmserv talk --reports)" if reports else ""
    return unseen("operator", f"nobody is told about failures: set `operator`{noted}")


def _count(
    connection: Connection, model: type[models.InboxMail | models.OutboxLetter], state: str
) -> int:
    return connection.execute(
        select(func.count()).select_from(model).where(model.state == state)
    ).scalar_one()


def _span(seconds: int) -> str:
    if seconds < 2 * MINUTE:
        return f"{seconds} s"
    return f"{seconds // MINUTE} min" if seconds < 2 * HOUR else f"{seconds // HOUR} hours"
