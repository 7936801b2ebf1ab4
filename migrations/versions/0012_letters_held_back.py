"""An index finds held letters by their reader, however many were sent."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    held = sa.text("state = 'held'")
    op.create_index(
        "ix_outbox_held", "outbox", ["player_id"], sqlite_where=held, postgresql_where=held
    )


def downgrade() -> None:
    op.drop_index("ix_outbox_held", "outbox")
