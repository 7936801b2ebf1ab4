"""A keyed digest of each mailbox that a player gave up is kept for a time, for the ratings."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "former_mailboxes",
        sa.Column("player_id", NUMBER, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("given_up_at", NUMBER, nullable=False),
        sa.ForeignKeyConstraint(
            ["player_id"], ["players.id"], name=op.f("fk_former_mailboxes_player_id_players")
        ),
        sa.PrimaryKeyConstraint("player_id", "digest", name=op.f("pk_former_mailboxes")),
    )
    op.create_index(op.f("ix_former_mailboxes_given_up_at"), "former_mailboxes", ["given_up_at"])


def downgrade() -> None:
    op.drop_table("former_mailboxes")
