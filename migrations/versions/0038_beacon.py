"""Boards store when a public beacon opens their cups."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("boards", sa.Column("opens_at", NUMBER, nullable=True))
    op.create_index(
        "ix_boards_opens",
        "boards",
        ["opens_at"],
        sqlite_where=sa.text("opens_at IS NOT NULL"),
        postgresql_where=sa.text("opens_at IS NOT NULL"),
    )


def downgrade() -> None:
    """Raises RuntimeError while a board waits: without the column nothing would open its cups."""
    boards = sa.table("boards", sa.column("opens_at", NUMBER))
    waiting = sa.select(sa.func.count()).select_from(boards).where(boards.c.opens_at.is_not(None))
    if number := op.get_bind().scalar(waiting):
        raise RuntimeError(f"Boards that wait for the beacon: {number}. Let their cups open first.")
    op.drop_index("ix_boards_opens", table_name="boards")
    op.drop_column("boards", "opens_at")
