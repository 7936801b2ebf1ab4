"""The tick runs many jobs; a bug in one job stops no other."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event, select, text

from pbmserv.database import models
from pbmserv.database.engine import reading, writing
from pbmserv.errors import TryLater
from pbmserv.monitoring import operator_alerts
from pbmserv.schedule import outages, overdue_boards, tick
from pbmserv.schedule.tick_lease import take_lease
from tests.sql import heard
from tests.stories.town import PASSWORD, Town, town_at

pytestmark = pytest.mark.long

OPERATOR = "root@example.org"
DIGEST = "Perudo: your boards today, dan"
HEARD = {"Your turn: Perudo board 1", "Perudo board 3", DIGEST}  # a reminder, an invitation's end
GROWING = {"inbox", "outbox", "tries", "counters", "boards", "seats", "sittings", "happenings"}
# What the program never writes, and what the operator is told of it.
BROKEN = {
    "update boards set asked = 'x' where id = 2": "the clock of board 2",
    "insert into seeks values (1, 'x', 1, 1, 0, 9e9)": "the boards that players seek",
    "update players set digest = 'daily', digested_at = 'x' where userid = 'eve'": "the digests",
    "insert into incidents values ('paused', 'a', '', 0, 0, 'x')": "the letter to the operator",
}


@pytest.fixture
def town(home: Path) -> Iterator[Town]:
    """A board, two invitations, and a digest: all of them fall due."""
    with town_at(home, settings=f'operator = "{OPERATOR}"\n') as town:
        town.sign_up("ann", "bob", "cleo", "dan", "eve")
        for name, word in (("cleo", "challenges=ask"), ("dan", "digest=daily")):
            town.write(f"{name}@example.org", f"set {name} {PASSWORD} {word}")
        town.challenge("ann", "bob", options=["-inorder", "--nagtime=1", "--forfeittime=5"])
        town.challenge("ann", "cleo")
        town.challenge("bob", "cleo")
        town.challenge("dan", "bob")
        with writing(town.engine) as connection:
            due = text("update boards set due_at = :now where state = 'invited'")
            connection.execute(due, {"now": town.now})
        yield town


@pytest.mark.parametrize(("change", "about"), BROKEN.items(), ids=list(BROKEN.values()))
def test_a_failure_in_one_item_stops_no_other(town: Town, change: str, about: str) -> None:
    """Reminders, other invitations and digests are sent, and the operator is told."""
    with writing(town.engine) as connection:
        connection.execute(text(change))
    letters = town.waited(25)
    whole = HEARD - {DIGEST} if about == "the digests" else HEARD
    assert {each.subject for each in letters} >= whole
    row = models.OperatorAlert
    with reading(town.engine) as connection:
        noted = connection.execute(select(row.about).where(row.kind == "broken")).scalars().all()
    told = [each.text for each in letters if each.to == OPERATOR]
    assert any(about in each for each in [*noted, *told])


def test_a_shortage_of_the_system_postpones_no_item(engine: Engine) -> None:
    """It is tried at the next tick, and nobody is told of a bug."""

    def work(connection: Connection) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    def put_off(connection: Connection, why: str) -> None:
        pytest.fail("put off")

    with pytest.raises(TryLater, match="Too many open files"):
        tick.alone(engine, work, put_off)


def test_an_item_that_cannot_be_postponed_stops_only_its_job(town: Town) -> None:
    """The operator is told. A digest follows when the bug is fixed."""
    with writing(town.engine) as connection:
        connection.execute(
            text(
                "create trigger broken before update of digested_at on players"
                " begin select raise(abort, 'broken'); end"
            )
        )
    letters = town.waited(25)
    assert {each.subject for each in letters} >= HEARD - {DIGEST}
    assert any("the digests" in each.text for each in letters if each.to == OPERATOR)
    with writing(town.engine) as connection:
        connection.execute(text("drop trigger broken"))
    assert DIGEST in {each.subject for each in town.waited(24)}


def test_a_board_that_ended_since_it_was_found_due_counts_once(town: Town) -> None:
    """Somebody's last move may come in between."""
    town.move("ann", "1-2s")
    town.write("bob@example.org", f"perudo resign 1 bob {PASSWORD}")
    counted = select(models.Board.counted, models.Board.due_at).where(models.Board.id == 1)
    with reading(town.engine) as connection:
        before = connection.execute(counted).one()
    assert tuple(before) == (1, None)
    tick.alone(
        town.engine,
        lambda connection: town.app.transactions.execute(
            connection, lambda context: overdue_boards.attend(context, 1)
        ),
        tick.told_of("", town.now),
    )
    with reading(town.engine) as connection:
        assert connection.execute(counted).one() == before


def test_a_postponed_board_counts_as_handled(town: Town) -> None:
    """`pbmserv tick` counts what was due, and one that fails is due later."""
    with writing(town.engine) as connection:
        due = text("update boards set due_at = :now, position = 'x' where id = 1")
        connection.execute(due, {"now": town.now})
    assert town.app.tick("tester") == 1


def test_no_deadline_expires_before_an_outage_is_handled(
    town: Town,
) -> None:
    """Digests come meanwhile; repaired, the whole gap counts."""
    seeks = f"{town.now}, {town.now + 3 * 86400 + 3600}"
    with writing(town.engine) as connection:
        connection.execute(text("insert into vacations values (1, 0, 'x', false)"))
        connection.execute(text(f"insert into seeks values (1, 'classic', 4, 1, {seeks})"))
    town.now += 3 * 86400
    letters = town.waited(25)
    heard = {each.subject for each in letters}
    assert DIGEST in heard and not any("board 1" in each for each in heard)
    assert not any("search" in each for each in heard)
    told = [each.text for each in letters if each.to == OPERATOR]
    assert any("the deadlines after an outage" in each for each in told)
    with writing(town.engine) as connection:
        connection.execute(text("delete from vacations"))
    heard = {each.subject for each in town.waited(1)}
    assert "The game server was down" in heard and not any("Your turn" in each for each in heard)
    assert "Your turn: Perudo board 1" in {each.subject for each in town.waited(24)}
    assert "Your search for boards is over, ann" in {each.subject for each in town.waited(50)}


def test_no_tick_reads_a_whole_growing_table(
    town: Town,
) -> None:
    """This covers reminders, forfeits, invitations, digests, their letters, and deletions."""
    asked: dict[str, Any] = {}

    def note(sql: str, values: Any) -> None:
        if sql.startswith(("SELECT", "UPDATE", "DELETE", "WITH")):
            asked[sql] = values[0] if isinstance(values, list) else values

    with heard(town.engine, note):
        subjects = {each.subject for each in town.waited(24 * 7)}
    assert subjects >= HEARD
    with reading(town.engine) as connection:
        plans = {
            statement: [
                row[3]
                for row in connection.exec_driver_sql(f"explain query plan {statement}", parameters)
            ]
            for statement, parameters in asked.items()
        }
    assert {
        (statement, step)
        for statement, steps in plans.items()
        for step in steps
        if step.startswith("SCAN") and step.split()[1] in GROWING
    } == set()


def test_a_tick_with_nothing_to_do_takes_three_statements(home: Path) -> None:
    """One transaction: what is due for any job, the digests of this morning, and the lease."""
    with town_at(home) as town:
        town.sign_up("ann", "bob", "cleo")
        town.write("cleo@example.org", f"set cleo {PASSWORD} digest=daily")
        town.challenge("ann", "bob")
        town.waited(1)
        said: list[str] = []

        def note(sql: str, _: object) -> None:
            said.append(" ".join(sql.split()[:2]))

        def note_begin(_: Any) -> None:
            said.append("BEGIN")

        event.listen(town.engine, "begin", note_begin)
        town.now += 60
        with heard(town.engine, note):
            town.app.tick("town")
        event.remove(town.engine, "begin", note_begin)
    assert said == ["BEGIN", "SELECT ticks.id,", "SELECT players.id,", "UPDATE ticks"]


def test_each_job_is_in_the_order_and_says_what_waits_for_it() -> None:
    """`was_quiet` asks for the rows of all but two, and has another way for these."""
    named = [each for each in vars(tick).values() if isinstance(each, tick.Job)]
    assert sorted(each.about for each in named) == sorted(each.about for each in tick.JOBS)
    assert [each for each in tick.JOBS if each.waiting is None] == [tick.OUTAGES, tick.OPERATOR]


def test_a_tick_is_not_taken_from_another_process(town: Town) -> None:
    """Quiet or not: nothing is done, and the lease stays."""
    town.waited(1)
    assert tick.was_quiet(town.app.transactions, "town", town.now + 60)
    assert not tick.was_quiet(town.app.transactions, "another", town.now + 90)
    with writing(town.engine) as connection:
        assert not take_lease(connection, "another", town.now + 90)
        assert connection.execute(select(models.Tick.ticked_at)).scalar() == town.now + 60


def test_after_an_outage_or_a_jump_of_the_clock_no_tick_is_quiet(town: Town) -> None:
    """The deadlines are to be moved first."""
    town.waited(1)
    for now in (town.now - 1, town.now + outages.OUTAGE + 1):
        assert not tick.was_quiet(town.app.transactions, "town", now)
    assert tick.was_quiet(town.app.transactions, "town", town.now + outages.OUTAGE)


def test_an_incident_that_cannot_be_told_yet_does_not_keep_the_jobs_running(town: Town) -> None:
    """The operator gets one letter a day: until the next one the ticks are quiet."""
    transactions = town.app.transactions
    town.waited(1)
    with writing(town.engine) as connection:
        operator_alerts.note(connection, "broken", "a", "b", town.now)
    assert not tick.was_quiet(transactions, "town", town.now)
    town.waited(1)
    with writing(town.engine) as connection:
        operator_alerts.note(connection, "broken", "c", "d", town.now)
    assert tick.was_quiet(transactions, "town", town.now)
