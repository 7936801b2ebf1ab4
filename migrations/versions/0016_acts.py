"""A log of acts: of the operator on players and boards, and of players on each other."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "acts",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("at", NUMBER, nullable=False),
        sa.Column("who", sa.String(20), nullable=False),
        sa.Column("what", sa.String(20), nullable=False),
        sa.Column("about", sa.String(320), nullable=False),
        sa.Column("board", NUMBER, nullable=True),
        sa.Column("why", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_acts")),
    )
    op.create_index(op.f("ix_acts_about"), "acts", ["about"])
    op.create_index(op.f("ix_acts_board"), "acts", ["board"])
    op.create_index("ix_acts_what", "acts", ["what", "id"])


def downgrade() -> None:
    op.drop_table("acts")
