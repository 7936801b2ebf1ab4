"""A sent letter keeps its size, so that the operator sees who caused how many bytes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("outbox", sa.Column("size", NUMBER, nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("outbox") as outbox:
        outbox.drop_column("size")
