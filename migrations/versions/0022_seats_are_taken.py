"""A seat is taken by its player's first action; existing seats count as taken."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    with op.batch_alter_table("seats") as seats:
        seats.add_column(sa.Column("taken_at", NUMBER, nullable=True))
    op.get_bind().execute(
        sa.text(
            "update seats set taken_at ="
            " (select started_at from boards where boards.id = seats.board_id)"
            " where accepted"
        )
    )
    with op.batch_alter_table("boards") as boards:
        boards.add_column(sa.Column("opening", sa.Text(), nullable=False, server_default=""))
    with op.batch_alter_table("boards") as boards:
        boards.alter_column("opening", existing_type=sa.Text(), server_default=None)


def downgrade() -> None:
    with op.batch_alter_table("boards") as boards:
        boards.drop_column("opening")
    with op.batch_alter_table("seats") as seats:
        seats.drop_column("taken_at")
