"""Limits count each moment in its own row, so that they hold in any span."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def counted() -> list[sa.Column[object]]:
    """The columns that stay."""
    return [
        sa.Column("what", sa.String(20), nullable=False),
        sa.Column("who", sa.String(320), nullable=False),
        sa.Column("since", NUMBER, nullable=False),
        sa.Column("count", NUMBER, nullable=False),
    ]


def upgrade() -> None:
    op.execute("CREATE TABLE attempts_before AS SELECT what, who, since, count FROM attempts")
    op.drop_table("attempts")
    op.create_table(
        "attempts",
        sa.Column("id", NUMBER, nullable=False),
        *counted(),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attempts")),
    )
    op.create_index("ix_attempts_since", "attempts", ["what", "since"])
    op.create_index("ix_attempts_what_who", "attempts", ["what", "who"])
    op.execute(
        "INSERT INTO attempts (what, who, since, count)"
        " SELECT what, who, since, count FROM attempts_before ORDER BY what, who"
    )
    op.drop_table("attempts_before")


def downgrade() -> None:
    op.execute(
        "CREATE TABLE attempts_before AS SELECT what, who, min(since) AS since,"
        " sum(count) AS count FROM attempts GROUP BY what, who"
    )
    op.drop_table("attempts")
    op.create_table(
        "attempts",
        *counted(),
        sa.PrimaryKeyConstraint("what", "who", name=op.f("pk_attempts")),
    )
    op.create_index("ix_attempts_since", "attempts", ["what", "since"])
    op.execute("INSERT INTO attempts SELECT what, who, since, count FROM attempts_before")
    op.drop_table("attempts_before")
