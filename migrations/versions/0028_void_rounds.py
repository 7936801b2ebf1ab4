"""Rounds that must be rolled again after a restore are marked until that is done."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    void = sa.text("void_at IS NOT NULL")
    op.add_column("boards", sa.Column("void_at", NUMBER, nullable=True))
    op.create_index(
        "ix_boards_void", "boards", ["void_at"], sqlite_where=void, postgresql_where=void
    )


def downgrade() -> None:
    op.drop_index("ix_boards_void", "boards")
    with op.batch_alter_table("boards") as boards:
        boards.drop_column("void_at")
