"""An upgrade or downgrade keeps the rows of players, boards and seats, and what they mean."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, text

from pbmserv.boards import play
from pbmserv.boards.board import load_board
from pbmserv.boards.record import record_text
from pbmserv.boards.record_compression import stored
from pbmserv.database.engine import close, engine_for, reading, writing
from pbmserv.database.upgrade import open_database, upgrade
from pbmserv.games.perudo.notation import read_action
from pbmserv.home import DATABASE_FILE
from pbmserv.settings import Settings
from tests.boards.contexts import context_on, opened
from tests.database.revisions import REVISIONS, run
from tests.homes import home_with_tables

_REACHED: dict[str, bytes] = {}  # the file of a new database, by the revision that it was taken to


def engine_at(settings: Settings, revision: str) -> Engine:
    """A new database of an old revision.  The steps that led to an older one are not repeated."""
    file = settings.home / DATABASE_FILE
    if revision not in _REACHED:
        if before := [each for each in _REACHED if each < revision]:
            file.write_bytes(_REACHED[max(before)])
        engine = engine_for(settings)
        run(engine, "upgrade", revision)
        close(engine)
        _REACHED[revision] = file.read_bytes()
    file.write_bytes(_REACHED[revision])
    return engine_for(settings)


def test_the_migration_keeps_former_players_of_a_seat(settings: Settings) -> None:
    """Ann sat there twice; from now on bob is not rated for what becomes of cleo's moves."""
    engine = engine_at(settings, "0009")
    with writing(engine) as connection:
        for number, name in enumerate(("ann", "bob", "cleo"), 1):
            row = {"id": number, "userid": name, "userid_key": name, "created_at": 0}
            row |= {"password_hash": "", "language": "en"}
            _filled(connection, "players", row)
        board = {"id": 1, "game": "perudo", "state": "playing", "lines": 12}
        _filled(connection, "boards", board)
        seat = {"board_id": 1, "seat": 1, "player_id": 3, "first_id": 2, "former": "2 1 2"}
        _filled(connection, "seats", seat)
        _filled(connection, "seats", seat | {"seat": 2, "first_id": 3, "former": ""})
    upgrade(engine)
    with reading(engine) as connection:
        sittings = connection.exec_driver_sql("select * from sittings order by player_id").all()
        assert list(map(tuple, sittings)) == [(1, 1, 1, 0, 0, 0), (1, 1, 2, 0, 0, 0)]
        seats = connection.exec_driver_sql("select handed_over from seats order by seat").all()
        assert list(map(tuple, seats)) == [(11,), (None,)]
    close(engine)


def test_migrated_seats_are_taken_and_invitations_wait(settings: Settings) -> None:
    """Boards that run count as they did; who has not accepted an invitation has no seat."""
    engine = engine_at(settings, "0021")
    with writing(engine) as connection:
        for number, name in enumerate(("ann", "bob"), 1):
            _filled(connection, "players", {"id": number, "userid": name, "userid_key": name})
        for number, state in ((1, "playing"), (2, "invited")):
            _filled(connection, "boards", {"id": number, "state": state, "started_at": 7})
            for seat in (0, 1):
                row: dict[str, object] = {"board_id": number, "seat": seat, "player_id": seat + 1}
                accepted = seat == 0 or state == "playing"
                _filled(connection, "seats", row | {"first_id": seat + 1, "accepted": accepted})
    upgrade(engine)
    with reading(engine) as connection:
        found = "select taken_at from seats order by board_id, seat"
        assert [row[0] for row in connection.exec_driver_sql(found)] == [7, 7, 7, None]
    close(engine)


def test_players_with_the_old_default_get_fewer_letters(settings: Settings) -> None:
    """The column cannot tell who chose it; `games` was always a choice."""
    engine = engine_at(settings, "0031")
    with writing(engine) as connection:
        for number, letters in enumerate(("all", "games"), 1):
            row = {"id": number, "userid": letters, "userid_key": letters, "letters": letters}
            _filled(connection, "players", row)
    upgrade(engine)
    with reading(engine) as connection:
        found = connection.exec_driver_sql("select letters from players order by id").all()
        assert [row[0] for row in found] == ["turns", "games"]
    close(engine)


def test_the_counts_of_a_running_board_go_back_to_its_seats(settings: Settings) -> None:
    """Only its own row has them; a board without counts keeps those of its seats."""
    engine = engine_at(settings, "0036")
    with writing(engine) as connection:
        for number, name in enumerate(("ann", "bob"), 1):
            _filled(connection, "players", {"id": number, "userid": name, "userid_key": name})
        for number, counts in ((1, "[[3, 1], [2, 0]]"), (2, "")):
            _filled(connection, "boards", {"id": number, "counts": counts})
            for seat in (0, 1):
                row: dict[str, object] = {"board_id": number, "seat": seat, "player_id": seat + 1}
                _filled(connection, "seats", row | {"first_id": seat + 1, "moves": 7})
    run(engine, "downgrade", "0035")
    with reading(engine) as connection:
        made = "select moves, late from seats order by board_id, seat"
        found = connection.exec_driver_sql(made).all()
        assert list(map(tuple, found)) == [(3, 1), (2, 0), (7, 0), (7, 0)]
    close(engine)


def test_the_digits_of_records_go_back_to_their_lines(settings: Settings) -> None:
    """As text, as every older version wrote them; a row that has none stays as it is."""
    engine = engine_at(settings, "0037")
    lines = f"A dudo salt=60303ae2+9f86d081\nreveal 13/22 7 seed={'0f' * 32}\nrestored {'a1' * 32}"
    kept = stored(lines)
    with writing(engine) as connection:
        _filled(connection, "boards", {"id": 1})
        for number, (line, digits) in enumerate((kept, ("lose A", None), (lines, None))):
            row = {"board_id": 1, "number": number, "line": line, "digits": digits}
            _filled(connection, "happenings", row)
    run(engine, "downgrade", "0036")
    with reading(engine) as connection:
        found = connection.exec_driver_sql("select line from happenings order by number").scalars()
        assert list(found) == [lines, "lose A", lines]
    close(engine)


def test_a_running_board_survives_a_downgrade(any_home: Path) -> None:
    """Its record is text alone again, and its seats have the counts of their moves."""
    engine = open_database(home_with_tables(any_home))
    with writing(engine) as connection:
        context = context_on(connection)
        board = opened(context, ("ann", "bob"))
        for word in ("1-2s", "dudo"):
            action = replace(read_action(word), salt="60303ae2")
            board = play.move(context, board, board.table.turn, action).board
        text = record_text(connection, board.id)
    run(engine, "downgrade", "0035")
    with reading(engine) as connection:
        query = "select line from happenings order by number"
        lines = "\n".join(connection.exec_driver_sql(query).scalars())
        assert text.startswith(lines + "\nseal ")
        made = connection.exec_driver_sql("select moves from seats order by seat").scalars()
        assert list(made) == [1, 1]
    upgrade(engine)
    with reading(engine) as connection:
        assert record_text(connection, board.id) == text
        assert [each.moves for each in load_board(connection, board.id).seats] == [1, 1]
    close(engine)


KEPT = ("players", "addresses", "boards", "seats", "happenings")
"""Tables that every version has."""


def test_no_downgrade_forgets_a_board_that_waits_for_the_beacon(any_home: Path) -> None:
    """The database stays as it is until the cups are open."""
    engine = open_database(home_with_tables(any_home))
    with writing(engine) as connection:
        board = opened(context_on(connection), ("ann", "bob"))
        connection.execute(text("update boards set opens_at = 1800000000"))
    with pytest.raises(RuntimeError, match="Boards that wait for the beacon: 1"):
        run(engine, "downgrade", "0037")
    with writing(engine) as connection:
        assert connection.scalar(text("select opens_at from boards")) == 1800000000
        connection.execute(text("update boards set opens_at = null"))
    run(engine, "downgrade", "0037")
    upgrade(engine)
    with reading(engine) as connection:
        assert load_board(connection, board.id).lines == board.lines
    close(engine)


def test_every_step_down_and_up_keeps_the_rows(any_home: Path) -> None:
    """Step by step to the first version and back: all rows stay, and so does a running game."""
    engine = open_database(home_with_tables(any_home))
    with writing(engine) as connection:
        context = context_on(connection)
        board = opened(context, ("ann", "bob"))
        for word in ("1-2s", "dudo", "1-2s"):
            board = play.move(context, board, board.table.turn, read_action(word)).board
        text = record_text(connection, board.id)
    rows = _counted(engine)
    assert min(rows.values()) > 0
    down = sorted(REVISIONS)[-2::-1]
    for revision in down:
        run(engine, "downgrade", revision)
        assert _counted(engine) == rows, f"down to {revision}"
    for revision in sorted(REVISIONS)[1:]:
        run(engine, "upgrade", revision)
        assert _counted(engine) == rows, f"up to {revision}"
    with writing(engine) as connection:
        assert record_text(connection, board.id) == text
        same = load_board(connection, board.id)
        assert [each.userid for each in same.seats] == ["ann", "bob"]
        action = read_action("2-2s")
        assert play.move(context_on(connection), same, same.table.turn, action).board.lines
    close(engine)


def _counted(engine: Engine) -> dict[str, int]:
    with reading(engine) as connection:
        return {
            table: connection.exec_driver_sql(f"select count(*) from {table}").scalar_one()
            for table in KEPT
        }


def _filled(connection: Connection, table: str, row: dict[str, object]) -> None:
    """A row with a zero in every column that must have a value and is not given one."""
    columns = connection.exec_driver_sql(f"pragma table_info({table})").all()
    needed = {name for _, name, _, must, default, _ in columns if must and default is None}
    whole = dict.fromkeys(needed, 0) | row
    names = ", ".join(f":{name}" for name in whole)
    connection.execute(text(f"insert into {table} ({', '.join(whole)}) values ({names})"), whole)


def test_migrated_limits_go_on(settings: Settings) -> None:
    """Counts of the same moment, and the buckets, are rows of one table."""
    engine = engine_at(settings, "0033")
    with writing(engine) as connection:
        row = "insert into attempts (what, who, since, count) values ('reply', 'ann@x.org', 7, 2)"
        connection.execute(text(row))
        connection.execute(text(row))
        connection.execute(text("insert into buckets values ('player 1', 1800000000000)"))
    upgrade(engine)
    with reading(engine) as connection:
        rows = connection.execute(text("select * from counters order by what")).all()
    assert rows == [("bucket", "player 1", 0, 1_800_000_000_000), ("reply", "ann@x.org", 7, 4)]
    run(engine, "downgrade", "0033")
    with reading(engine) as connection:
        assert connection.execute(text("select * from attempts")).all() == [
            (1, "reply", "ann@x.org", 7, 4)
        ]
        assert connection.execute(text("select full_at from buckets")).scalar() == 1_800_000_000_000
    close(engine)
