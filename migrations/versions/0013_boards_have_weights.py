"""A board has a weight for each player's rating; finished ones count in full."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("seats") as seats:
        seats.add_column(sa.Column("weight", sa.Double(), nullable=False, server_default="1"))
    with op.batch_alter_table("seats") as seats:
        seats.alter_column("weight", server_default=None)
    with op.batch_alter_table("ratings") as ratings:
        ratings.add_column(sa.Column("weight", sa.Double(), nullable=False, server_default="0"))
    op.execute("update ratings set weight = games")
    with op.batch_alter_table("ratings") as ratings:
        ratings.alter_column("weight", server_default=None)


def downgrade() -> None:
    with op.batch_alter_table("ratings") as ratings:
        ratings.drop_column("weight")
    with op.batch_alter_table("seats") as seats:
        seats.drop_column("weight")
