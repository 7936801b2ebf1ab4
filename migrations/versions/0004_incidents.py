"""Incidents of which the operator must be told."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "incidents",
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("about", sa.String(200), nullable=False),
        sa.Column("why", sa.String(200), nullable=False),
        sa.Column("first_at", NUMBER, nullable=False),
        sa.Column("last_at", NUMBER, nullable=False),
        sa.Column("count", NUMBER, nullable=False),
        sa.PrimaryKeyConstraint("kind", "about", name=op.f("pk_incidents")),
    )


def downgrade() -> None:
    op.drop_table("incidents")
