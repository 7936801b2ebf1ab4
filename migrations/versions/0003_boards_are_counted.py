"""Won boards are numbered in the order of their ends, for the ratings."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    with op.batch_alter_table("boards") as boards:
        boards.add_column(sa.Column("counted", NUMBER, nullable=True))
        boards.create_unique_constraint(op.f("uq_boards_counted"), ["counted"])


def downgrade() -> None:
    with op.batch_alter_table("boards") as boards:
        boards.drop_constraint(op.f("uq_boards_counted"), type_="unique")
        boards.drop_column("counted")
