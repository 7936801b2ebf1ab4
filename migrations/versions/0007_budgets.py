"""Token buckets for answers: one for each address and one for the whole server."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "buckets",
        sa.Column("name", sa.String(320), nullable=False),
        sa.Column("full_at", NUMBER, nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_buckets")),
    )
    op.create_index(op.f("ix_buckets_full_at"), "buckets", ["full_at"])


def downgrade() -> None:
    op.drop_table("buckets")
