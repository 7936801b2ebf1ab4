"""Statistics of every seat at finished boards; old boards are counted step by step."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    to_count = sa.text("ended_at IS NOT NULL AND tallied_at IS NULL")
    op.add_column("boards", sa.Column("tallied_at", NUMBER, nullable=True))
    op.create_index(
        "ix_boards_to_count",
        "boards",
        ["ended_at"],
        sqlite_where=to_count,
        postgresql_where=to_count,
    )
    op.create_table(
        "tallies",
        sa.Column("board_id", NUMBER, nullable=False),
        sa.Column("seat", NUMBER, nullable=False),
        sa.Column("bids", NUMBER, nullable=False),
        sa.Column("true_bids", NUMBER, nullable=False),
        sa.Column("expected_true", sa.Double(), nullable=False),
        sa.Column("bluffs", NUMBER, nullable=False),
        sa.Column("calls", NUMBER, nullable=False),
        sa.Column("right_calls", NUMBER, nullable=False),
        sa.Column("expected_right", sa.Double(), nullable=False),
        sa.Column("right_variance", sa.Double(), nullable=False),
        sa.Column("matches", sa.Double(), nullable=False),
        sa.Column("matches_variance", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["board_id"], ["boards.id"], name=op.f("fk_tallies_board_id_boards")
        ),
        sa.PrimaryKeyConstraint("board_id", "seat", name=op.f("pk_tallies")),
    )


def downgrade() -> None:
    op.drop_table("tallies")
    op.drop_index("ix_boards_to_count", "boards")
    with op.batch_alter_table("boards") as boards:
        boards.drop_column("tallied_at")
