"""Dice also follow from what players send: a committed seed for each, the salts of seats."""

from __future__ import annotations

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("players", sa.Column("opening_seed", sa.LargeBinary(32), nullable=True))
    op.add_column("players", sa.Column("opening_after", NUMBER, nullable=False, server_default="0"))
    with op.batch_alter_table("players") as players:
        players.alter_column("opening_after", server_default=None)
    op.add_column("seats", sa.Column("salt", sa.String(17), nullable=False, server_default=""))
    with op.batch_alter_table("seats") as seats:
        seats.alter_column("salt", server_default=None)
    connection = op.get_bind()
    people = connection.execute(sa.text("SELECT id FROM players WHERE level = ''")).scalars()
    seeds = [{"player": each, "seed": secrets.token_bytes(32)} for each in people]
    if seeds:
        change = sa.text(
            "UPDATE players SET opening_seed = :seed,"
            " opening_after = (SELECT coalesce(max(id), 0) FROM outbox) WHERE id = :player"
        )
        connection.execute(change, seeds)


def downgrade() -> None:
    with op.batch_alter_table("seats") as seats:
        seats.drop_column("salt")
    with op.batch_alter_table("players") as players:
        players.drop_column("opening_after")
        players.drop_column("opening_seed")
