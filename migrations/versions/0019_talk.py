"""Blocks between players, muted boards, and a log of the messages at boards."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "blocks",
        sa.Column("player_id", NUMBER, nullable=False),
        sa.Column("blocked_id", NUMBER, nullable=False),
        sa.ForeignKeyConstraint(
            ["blocked_id"], ["players.id"], name=op.f("fk_blocks_blocked_id_players")
        ),
        sa.ForeignKeyConstraint(
            ["player_id"], ["players.id"], name=op.f("fk_blocks_player_id_players")
        ),
        sa.PrimaryKeyConstraint("player_id", "blocked_id", name=op.f("pk_blocks")),
    )
    op.create_index(op.f("ix_blocks_blocked_id"), "blocks", ["blocked_id"])
    op.create_table(
        "talk",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("board_id", NUMBER, nullable=False),
        sa.Column("userid", sa.String(20), nullable=False),
        sa.Column("at", NUMBER, nullable=False),
        sa.Column("reported", sa.Boolean(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["board_id"], ["boards.id"], name=op.f("fk_talk_board_id_boards")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_talk")),
    )
    op.create_index(op.f("ix_talk_board_id"), "talk", ["board_id"])
    op.create_index(op.f("ix_talk_at"), "talk", ["at"])
    with op.batch_alter_table("seats") as seats:
        seats.add_column(
            sa.Column("muted", sa.Boolean(), nullable=False, server_default=sa.false())
        )
    with op.batch_alter_table("seats") as seats:
        seats.alter_column("muted", existing_type=sa.Boolean(), server_default=None)


def downgrade() -> None:
    with op.batch_alter_table("seats") as seats:
        seats.drop_column("muted")
    op.drop_table("talk")
    op.drop_table("blocks")
