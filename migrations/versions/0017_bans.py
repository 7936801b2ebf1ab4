"""Bans of addresses, and accounts that the operator has suspended or closed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "bans",
        sa.Column("pattern", sa.String(320), nullable=False),
        sa.Column("is_pattern", sa.Boolean(), nullable=False),
        sa.Column("until", NUMBER, nullable=True),
        sa.PrimaryKeyConstraint("pattern", name=op.f("pk_bans")),
    )
    op.create_index(op.f("ix_bans_is_pattern"), "bans", ["is_pattern"])
    with op.batch_alter_table("players") as players:
        players.add_column(sa.Column("suspended_until", NUMBER, nullable=True))
        players.add_column(
            sa.Column("closed", sa.Boolean(), nullable=False, server_default=sa.false())
        )
    with op.batch_alter_table("players") as players:
        players.alter_column("closed", existing_type=sa.Boolean(), server_default=None)


def downgrade() -> None:
    with op.batch_alter_table("players") as players:
        players.drop_column("closed")
        players.drop_column("suspended_until")
    op.drop_table("bans")
