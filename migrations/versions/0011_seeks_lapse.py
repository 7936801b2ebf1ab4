"""Searches for boards expire; existing ones 30 days after the scheduler's last run."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
LIFETIME = 30 * 24 * 60 * 60


def upgrade() -> None:
    with op.batch_alter_table("seeks") as seeks:
        seeks.add_column(sa.Column("lapses_at", NUMBER, nullable=False, server_default="0"))
    op.get_bind().execute(
        sa.text(
            "update seeks set lapses_at ="
            " coalesce((select max(ticked_at) from ticks), asked_at) + :lifetime"
        ),
        {"lifetime": LIFETIME},
    )
    with op.batch_alter_table("seeks") as seeks:
        seeks.alter_column("lapses_at", existing_type=NUMBER, server_default=None)


def downgrade() -> None:
    with op.batch_alter_table("seeks") as seeks:
        seeks.drop_column("lapses_at")
