"""Digests, seeds and salts of records are bytes beside their text; older rows stay as they are."""

from __future__ import annotations

import re

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None

MARKS = {
    "~": (" salt=", 4),
    "^": ("+", 4),
    "!": (" seed=", 32),
    "*": (" next=", 32),
    "#": (" ", 32),
}
MORE = sa.text(
    "SELECT board_id, number, line, digits FROM happenings WHERE digits IS NOT NULL"
    " ORDER BY board_id, number LIMIT 10000"
)
CHANGE = sa.text(
    "UPDATE happenings SET line = :line, digits = NULL WHERE board_id = :board AND number = :number"
)


def upgrade() -> None:
    op.add_column("happenings", sa.Column("digits", sa.LargeBinary, nullable=True))


def downgrade() -> None:
    connection = op.get_bind()
    while rows := connection.execute(MORE).all():
        connection.execute(
            CHANGE,
            [
                {"board": each.board_id, "number": each.number, "line": written(*each[2:])}
                for each in rows
            ],
        )
    op.drop_column("happenings", "digits")


def written(line: str, digits: bytes) -> str:
    """The line with its digits."""
    at = 0

    def one(found: re.Match[str]) -> str:
        nonlocal at
        before, size = MARKS[found[0]]
        at += size
        return before + bytes(digits[at - size : at]).hex()

    return re.sub(r"[~^!*#]", one, line)
