"""Seats of people invited by address, and keyed digests of the addresses that were invited."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "address_invitations",
        sa.Column("board_id", NUMBER, nullable=False),
        sa.Column("seat", NUMBER, nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("token", sa.String(64), nullable=False),
        sa.Column("address", sa.String(320), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("named", sa.Boolean(), nullable=False),
        sa.Column("invited_at", NUMBER, nullable=False),
        sa.ForeignKeyConstraint(
            ["board_id"], ["boards.id"], name=op.f("fk_address_invitations_board_id_boards")
        ),
        sa.PrimaryKeyConstraint("board_id", "seat", name=op.f("pk_address_invitations")),
    )
    for column in ("token", "digest", "invited_at"):
        op.create_index(op.f(f"ix_address_invitations_{column}"), "address_invitations", [column])
    op.create_table(
        "invited_addresses",
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("invited_at", NUMBER, nullable=False),
        sa.Column("never", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_invited_addresses")),
    )
    op.create_index(op.f("ix_invited_addresses_invited_at"), "invited_addresses", ["invited_at"])


def downgrade() -> None:
    op.drop_table("invited_addresses")
    op.drop_table("address_invitations")
