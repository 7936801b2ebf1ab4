"""A move changes one row less: its board's row counts the moves of all seats while it runs."""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("boards", sa.Column("counts", sa.Text, nullable=False, server_default=""))
    with op.batch_alter_table("boards") as boards:
        boards.alter_column("counts", server_default=None)


def downgrade() -> None:
    connection = op.get_bind()
    running = connection.execute(sa.text("SELECT id, counts FROM boards WHERE counts <> ''"))
    rows = [
        {"board": board, "seat": seat, "moves": moves, "late": late}
        for board, counts in running
        for seat, (moves, late) in enumerate(json.loads(counts))
    ]
    if rows:
        change = sa.text(
            "UPDATE seats SET moves = :moves, late = :late WHERE board_id = :board AND seat = :seat"
        )
        connection.execute(change, rows)
    op.drop_column("boards", "counts")
