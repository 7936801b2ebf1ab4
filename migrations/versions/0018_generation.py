"""The database counts its progress, so that a restored backup is noticed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
NEW = (("generation", NUMBER, "0"), ("restores", sa.Text(), ""))


def upgrade() -> None:
    with op.batch_alter_table("installation") as batch:
        for name, kind, value in NEW:
            batch.add_column(sa.Column(name, kind, nullable=False, server_default=value))
    with op.batch_alter_table("installation") as batch:
        for name, kind, _ in NEW:
            batch.alter_column(name, existing_type=kind, server_default=None)


def downgrade() -> None:
    with op.batch_alter_table("installation") as batch:
        for name, _, _ in NEW:
            batch.drop_column(name)
