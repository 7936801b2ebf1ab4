"""A board has the same Subjects for everybody, so there is no preference for them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # SQLite drops a column in place since 3.35; alembic would copy the table.
    op.drop_column("players", "subject")


def downgrade() -> None:
    subject = sa.Column("subject", sa.String(10), server_default="board", nullable=False)
    op.add_column("players", subject)
    with op.batch_alter_table("players") as players:
        players.alter_column("subject", server_default=None)
