"""Former players of a seat have their last round: they never saw later cups of that seat."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    with op.batch_alter_table("sittings") as sittings:
        sittings.add_column(sa.Column("round", NUMBER, nullable=False, server_default="0"))
    with op.batch_alter_table("sittings") as sittings:
        sittings.alter_column("round", existing_type=NUMBER, server_default=None)


def downgrade() -> None:
    with op.batch_alter_table("sittings") as sittings:
        sittings.drop_column("round")
