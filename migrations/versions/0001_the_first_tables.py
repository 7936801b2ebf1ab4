"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "attempts",
        sa.Column("what", sa.String(length=20), nullable=False),
        sa.Column("who", sa.String(length=320), nullable=False),
        sa.Column("since", NUMBER, nullable=False),
        sa.Column("count", NUMBER, nullable=False),
        sa.PrimaryKeyConstraint("what", "who", name=op.f("pk_attempts")),
    )
    op.create_index("ix_attempts_since", "attempts", ["what", "since"])
    op.create_table(
        "boards",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("game", sa.String(length=20), nullable=False),
        sa.Column("position", sa.Text(), nullable=False),
        sa.Column("move", NUMBER, nullable=False),
        sa.Column("turn", NUMBER, nullable=False),
        sa.Column("lines", NUMBER, nullable=False),
        sa.Column("chain", sa.LargeBinary(length=32), nullable=False),
        sa.Column("seed", sa.LargeBinary(length=32), nullable=True),
        sa.Column("next_seed", sa.LargeBinary(length=32), nullable=True),
        sa.Column("recent", sa.Text(), nullable=False),
        sa.Column("started_at", NUMBER, nullable=False),
        sa.Column("moved_at", NUMBER, nullable=False),
        sa.Column("ended_at", NUMBER, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_boards")),
    )
    op.create_table(
        "inbox",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("sender", sa.String(length=320), nullable=False),
        sa.Column("message_id", sa.String(length=998), nullable=False),
        sa.Column("envelope_sender", sa.String(length=320), nullable=True),
        sa.Column("recipient", sa.String(length=320), nullable=False),
        sa.Column("door", sa.String(length=20), nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=False),
        sa.Column("received_at", NUMBER, nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("tries", NUMBER, nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_inbox")),
        sa.UniqueConstraint("sender", "message_id", name=op.f("uq_inbox_sender_message_id")),
    )
    op.create_index("ix_inbox_waiting", "inbox", ["state", "id"])
    op.create_table(
        "players",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("userid", sa.String(length=20), nullable=False),
        sa.Column("userid_key", sa.String(length=20), nullable=False),
        sa.Column("password_hash", sa.String(length=200), nullable=False),
        sa.Column("language", sa.String(length=8), nullable=False),
        sa.Column("created_at", NUMBER, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_players")),
        sa.UniqueConstraint("userid_key", name=op.f("uq_players_userid_key")),
    )
    op.create_table(
        "addresses",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("player_id", NUMBER, nullable=False),
        sa.Column("address", sa.String(length=320), nullable=False),
        sa.Column("confirmed_at", NUMBER, nullable=True),
        sa.ForeignKeyConstraint(
            ["player_id"], ["players.id"], name=op.f("fk_addresses_player_id_players")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_addresses")),
        sa.UniqueConstraint("player_id", "address", name=op.f("uq_addresses_player_id_address")),
    )
    op.create_index("ix_addresses_address", "addresses", ["address"])
    op.create_table(
        "happenings",
        sa.Column("board_id", NUMBER, nullable=False),
        sa.Column("number", NUMBER, nullable=False),
        sa.Column("line", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["board_id"], ["boards.id"], name=op.f("fk_happenings_board_id_boards")
        ),
        sa.PrimaryKeyConstraint("board_id", "number", name=op.f("pk_happenings")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "outbox",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("address", sa.String(length=320), nullable=False),
        sa.Column("player_id", NUMBER, nullable=True),
        sa.Column("board_id", NUMBER, nullable=True),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("language", sa.String(length=8), nullable=False),
        sa.Column("facts", sa.Text(), nullable=False),
        sa.Column("token", sa.String(length=64), nullable=False),
        sa.Column("answers", sa.String(length=998), nullable=False),
        sa.Column("written_at", NUMBER, nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("due_at", NUMBER, nullable=False),
        sa.Column("tries", NUMBER, nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["board_id"], ["boards.id"], name=op.f("fk_outbox_board_id_boards")
        ),
        sa.ForeignKeyConstraint(
            ["player_id"], ["players.id"], name=op.f("fk_outbox_player_id_players")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
    )
    op.create_index("ix_outbox_due", "outbox", ["state", "due_at"])
    op.create_table(
        "seats",
        sa.Column("board_id", NUMBER, nullable=False),
        sa.Column("seat", NUMBER, nullable=False),
        sa.Column("player_id", NUMBER, nullable=False),
        sa.Column("leaving", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["board_id"], ["boards.id"], name=op.f("fk_seats_board_id_boards")),
        sa.ForeignKeyConstraint(
            ["player_id"], ["players.id"], name=op.f("fk_seats_player_id_players")
        ),
        sa.PrimaryKeyConstraint("board_id", "seat", name=op.f("pk_seats")),
    )
    op.create_index("ix_seats_player_id", "seats", ["player_id"])
    op.create_table(
        "confirmations",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("address_id", NUMBER, nullable=False),
        sa.Column("asked_at", NUMBER, nullable=False),
        sa.ForeignKeyConstraint(
            ["address_id"], ["addresses.id"], name=op.f("fk_confirmations_address_id_addresses")
        ),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_confirmations")),
    )
    op.create_index("ix_confirmations_address_id", "confirmations", ["address_id"])


def downgrade() -> None:
    op.drop_table("confirmations")
    op.drop_table("seats")
    op.drop_table("outbox")
    op.drop_table("happenings")
    op.drop_table("addresses")
    op.drop_table("players")
    op.drop_table("inbox")
    op.drop_table("boards")
    op.drop_table("attempts")
