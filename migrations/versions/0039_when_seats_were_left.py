"""Seats remember when their player left the game, and whether the time to move was over."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("seats", sa.Column("resigned_at", NUMBER, nullable=True))
    op.add_column("seats", sa.Column("forfeited_at", NUMBER, nullable=True))


def downgrade() -> None:
    op.drop_column("seats", "forfeited_at")
    op.drop_column("seats", "resigned_at")
