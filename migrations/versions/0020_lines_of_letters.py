"""Fingerprints of letters' lines detect quotations that would reveal them to others."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("outbox", sa.Column("lines", sa.LargeBinary(), nullable=True))
    sent = sa.text("state = 'sent'")
    op.create_index(
        "ix_outbox_sent", "outbox", ["address"], sqlite_where=sent, postgresql_where=sent
    )


def downgrade() -> None:
    op.drop_index("ix_outbox_sent", "outbox")
    with op.batch_alter_table("outbox") as outbox:
        outbox.drop_column("lines")
