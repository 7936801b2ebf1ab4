"""Attempts and buckets are rows of one table, so one statement writes all counters of an answer."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "counters",
        sa.Column("what", sa.String(20), nullable=False),
        sa.Column("who", sa.String(320), nullable=False),
        sa.Column("since", NUMBER, nullable=False),
        sa.Column("count", NUMBER, nullable=False),
        sa.PrimaryKeyConstraint("what", "who", "since", name=op.f("pk_counters")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_counters_since", "counters", ["what", "since"])
    op.execute(
        "INSERT INTO counters (what, who, since, count)"
        " SELECT what, who, since, sum(count) FROM attempts GROUP BY what, who, since"
    )
    op.execute(
        "INSERT INTO counters (what, who, since, count)"
        " SELECT 'bucket', name, 0, full_at FROM buckets"
    )
    op.drop_table("attempts")
    op.drop_table("buckets")


def downgrade() -> None:
    op.create_table(
        "attempts",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("what", sa.String(20), nullable=False),
        sa.Column("who", sa.String(320), nullable=False),
        sa.Column("since", NUMBER, nullable=False),
        sa.Column("count", NUMBER, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attempts")),
    )
    op.create_index("ix_attempts_since", "attempts", ["what", "since"])
    op.create_index("ix_attempts_counted", "attempts", ["what", "who", "since", "count"])
    op.create_table(
        "buckets",
        sa.Column("name", sa.String(320), nullable=False),
        sa.Column("full_at", NUMBER, nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_buckets")),
    )
    op.create_index("ix_buckets_full_at", "buckets", ["full_at"])
    op.execute(
        "INSERT INTO attempts (what, who, since, count)"
        " SELECT what, who, since, count FROM counters WHERE what <> 'bucket'"
        " ORDER BY what, who, since"
    )
    op.execute(
        "INSERT INTO buckets (name, full_at) SELECT who, count FROM counters WHERE what = 'bucket'"
    )
    op.drop_table("counters")
