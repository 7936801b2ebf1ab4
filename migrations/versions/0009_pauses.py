"""Suppressed addresses: letters bounced or were unsubscribed; clocks stop for that time."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENTS = ("paused_at", "failing_since", "failed_at", "woken_at")
COLUMNS = (
    ("addresses", "paused_by", sa.String(length=10), ""),
    ("addresses", "paused_reason", sa.String(length=200), ""),
    ("addresses", "told", sa.Boolean(), sa.false()),
    ("players", "letters", sa.String(length=10), "all"),
    ("vacations", "granted", sa.Boolean(), sa.false()),
)


def upgrade() -> None:
    with op.batch_alter_table("addresses") as addresses:
        for name in MOMENTS:
            addresses.add_column(sa.Column(name, NUMBER, nullable=True))
    for table, name, kind, value in COLUMNS:
        with op.batch_alter_table(table) as batch:
            batch.add_column(sa.Column(name, kind, nullable=False, server_default=value))
        with op.batch_alter_table(table) as batch:
            batch.alter_column(name, existing_type=kind, server_default=None)


def downgrade() -> None:
    for table, name, _, _ in COLUMNS:
        with op.batch_alter_table(table) as batch:
            batch.drop_column(name)
    with op.batch_alter_table("addresses") as addresses:
        for name in MOMENTS:
            addresses.drop_column(name)
