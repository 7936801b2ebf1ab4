"""Rows as named tuples."""

from __future__ import annotations

from sqlalchemy import create_engine, text

from pbmserv.database.rows import all_of


def test_rows_have_the_names_of_their_columns() -> None:
    with create_engine("sqlite://").connect() as connection:
        rows = all_of(
            connection.execute(text("select 1 as number, 'ann' as name union select 2, 'bob'"))
        )
    assert [(row.number, row.name) for row in rows] == [(1, "ann"), (2, "bob")]
    assert rows[0] == (1, "ann")
