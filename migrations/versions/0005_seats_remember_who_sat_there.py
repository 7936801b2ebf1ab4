"""Seats remember their former players: a player who saw a cup may not take over another seat."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("seats") as seats:
        seats.add_column(sa.Column("former", sa.Text(), nullable=False, server_default=""))
    with op.batch_alter_table("seats") as seats:
        seats.alter_column("former", server_default=None)


def downgrade() -> None:
    with op.batch_alter_table("seats") as seats:
        seats.drop_column("former")
