"""Make many boards from a few: copy rows inside the database under new numbers.

A hundred thousand boards played move by move would take an hour.  Copies have other players and
Message-IDs; everything else is as it was played.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

_BOARD = "board_id + copy * :boards"
_PLAYER = "(player_id - 1 + copy * :apart) % :players + 1"  # each player has as many boards
_ANOTHER = {
    "boards": {"id": "id + copy * :boards"},
    "seats": {"board_id": _BOARD, "player_id": _PLAYER},
    "happenings": {"board_id": _BOARD},
    "inbox": {"id": "NULL", "message_id": "lower(hex(randomblob(16)))"},
    "outbox": {"id": "NULL", "board_id": _BOARD, "player_id": _PLAYER},
}
"""The differences of a copy, for each table; tables without moves stay unchanged."""


def multiply(home: Path, times: int) -> None:
    """Multiply each board of a home, whose database has no other users."""
    with sqlite3.connect(home / "pbmserv.sqlite") as database:
        database.execute("PRAGMA synchronous = OFF")
        numbers = {
            name: database.execute(f"SELECT count(*) FROM {name}").fetchone()[0]
            for name in ("boards", "players")
        }
        for table, changes in _ANOTHER.items():
            columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
            values = ", ".join(changes.get(name, name) for name in columns)
            database.execute(f"CREATE TEMP TABLE pattern AS SELECT * FROM main.{table}")
            database.execute(
                "WITH RECURSIVE copies(copy) AS"
                " (SELECT 1 UNION ALL SELECT copy + 1 FROM copies WHERE copy + 1 < :times)"
                f" INSERT INTO main.{table} SELECT {values} FROM copies CROSS JOIN pattern"
                " WHERE copy < :times",
                {"times": times, "apart": max(1, numbers["players"] // times), **numbers},
            )
            database.execute("DROP TABLE pattern")
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
