"""Emails that will be tried again are stored without their passwords."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("inbox") as inbox:
        inbox.add_column(sa.Column("vouched", sa.Text(), nullable=False, server_default=""))
    with op.batch_alter_table("inbox") as inbox:
        inbox.alter_column("vouched", server_default=None)


def downgrade() -> None:
    with op.batch_alter_table("inbox") as inbox:
        inbox.drop_column("vouched")
