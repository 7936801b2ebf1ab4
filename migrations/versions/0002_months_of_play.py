"""Times, invitations, spectators, searches, ratings, and preferences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
NO, YES, NONE = sa.false(), sa.true(), "0"

# The values for existing rows: old boards get the times of the manual.
ADDRESSES = (("replaces", sa.Boolean(), NO),)
BOARDS = (
    ("state", sa.String(length=10), "playing"),
    ("asked", sa.Text(), ""),
    ("rated", sa.Boolean(), YES),
    ("standin", sa.Boolean(), NO),
    ("nag_seconds", NUMBER, str(7 * 86400)),
    ("forfeit_seconds", NUMBER, str(21 * 86400)),
    ("total_seconds", NUMBER, NONE),
    ("clock_at", NUMBER, NONE),
    ("reminded", NUMBER, NONE),
)
CONFIRMATIONS = (("purpose", sa.String(length=10), "address"),)
PLAYERS = (
    ("timezone", sa.String(length=40), "UTC"),
    ("format", sa.String(length=10), "text"),
    ("subject", sa.String(length=10), "board"),
    ("digest", sa.String(length=10), "off"),
    ("digested_at", NUMBER, NONE),
    ("challenges", sa.String(length=10), ""),
    ("broadcasts", sa.Boolean(), YES),
    ("endings", sa.Boolean(), NO),
    ("autovacation", sa.Boolean(), NO),
    ("level", sa.String(length=20), ""),
)
SEATS = (
    ("first_id", NUMBER, NONE),
    ("accepted", sa.Boolean(), YES),
    ("agrees", sa.Boolean(), NO),
    ("queued", sa.Text(), ""),
    ("moves", NUMBER, NONE),
    ("late", NUMBER, NONE),
)

Columns = Sequence[tuple[str, Any, Any]]


def upgrade() -> None:
    _make_tables()
    _add("addresses", ADDRESSES)
    _add("boards", BOARDS, "challenger_id", "due_at")
    _add("confirmations", CONFIRMATIONS, "player_id")
    _add("players", PLAYERS, "most_boards", "left_at")
    _add("seats", SEATS, "standin_id")
    op.execute("UPDATE seats SET first_id = player_id")
    op.execute("UPDATE boards SET state = 'won' WHERE ended_at IS NOT NULL")
    op.execute("UPDATE boards SET clock_at = moved_at")
    op.execute("UPDATE boards SET due_at = moved_at + nag_seconds WHERE ended_at IS NULL")
    with op.batch_alter_table("boards") as boards:
        boards.create_index("ix_boards_due", ["due_at"])
        _refer(boards, "boards", "challenger_id")
    with op.batch_alter_table("confirmations") as confirmations:
        confirmations.alter_column("address_id", existing_type=NUMBER, nullable=True)
        confirmations.create_index(op.f("ix_confirmations_player_id"), ["player_id"])
        _refer(confirmations, "confirmations", "player_id")
    with op.batch_alter_table("seats") as seats:
        seats.create_index(op.f("ix_seats_first_id"), ["first_id"])
        _refer(seats, "seats", "first_id")
        _refer(seats, "seats", "standin_id")


def _make_tables() -> None:
    op.create_table(
        "vacations",
        sa.Column("player_id", NUMBER, nullable=False),
        sa.Column("begins_at", NUMBER, nullable=False),
        sa.Column("ends_at", NUMBER, nullable=False),
        _players("vacations"),
        sa.PrimaryKeyConstraint("player_id", "begins_at", name=op.f("pk_vacations")),
    )
    op.create_table(
        "watchers",
        sa.Column("board_id", NUMBER, nullable=False),
        sa.Column("player_id", NUMBER, nullable=False),
        sa.Column("just_end", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["board_id"], ["boards.id"], name=op.f("fk_watchers_board_id_boards")
        ),
        _players("watchers"),
        sa.PrimaryKeyConstraint("board_id", "player_id", name=op.f("pk_watchers")),
    )
    op.create_index(op.f("ix_watchers_player_id"), "watchers", ["player_id"])
    op.create_table(
        "seeks",
        sa.Column("player_id", NUMBER, nullable=False),
        sa.Column("rules", sa.String(length=200), nullable=False),
        sa.Column("players", NUMBER, nullable=False),
        sa.Column("wanted", NUMBER, nullable=False),
        sa.Column("asked_at", NUMBER, nullable=False),
        _players("seeks"),
        sa.PrimaryKeyConstraint("player_id", "rules", "players", name=op.f("pk_seeks")),
    )
    op.create_table(
        "ratings",
        sa.Column("player_id", NUMBER, nullable=False),
        sa.Column("rules", sa.String(length=20), nullable=False),
        sa.Column("mu", sa.Double(), nullable=False),
        sa.Column("sigma", sa.Double(), nullable=False),
        sa.Column("games", NUMBER, nullable=False),
        sa.Column("won", NUMBER, nullable=False),
        _players("ratings"),
        sa.PrimaryKeyConstraint("player_id", "rules", name=op.f("pk_ratings")),
    )
    op.create_table(
        "ticks",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("ticked_at", NUMBER, nullable=False),
        sa.Column("holder", sa.String(length=80), nullable=False),
        sa.Column("held_until", NUMBER, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ticks")),
    )


def _players(table: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_player_id_players")
    return sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=name)


def _refer(batch: Any, table: str, column: str) -> None:
    name = op.f(f"fk_{table}_{column}_players")
    batch.create_foreign_key(name, "players", [column], ["id"])


def _add(table: str, columns: Columns, *numbers: str) -> None:
    """Add columns with values for existing rows, and nullable numbers."""
    with op.batch_alter_table(table) as batch:
        for name, kind, value in columns:
            batch.add_column(sa.Column(name, kind, nullable=False, server_default=value))
        for name in numbers:
            batch.add_column(sa.Column(name, NUMBER, nullable=True))
    with op.batch_alter_table(table) as batch:
        for name, kind, _ in columns:
            batch.alter_column(name, existing_type=kind, server_default=None)


def downgrade() -> None:
    for table in ("ticks", "ratings", "seeks", "watchers", "vacations"):
        op.drop_table(table)
    with op.batch_alter_table("seats") as seats:
        seats.drop_constraint(op.f("fk_seats_first_id_players"), type_="foreignkey")
        seats.drop_constraint(op.f("fk_seats_standin_id_players"), type_="foreignkey")
        seats.drop_index(op.f("ix_seats_first_id"))
        seats.drop_column("standin_id")
    op.execute("DELETE FROM confirmations WHERE address_id IS NULL")
    with op.batch_alter_table("confirmations") as confirmations:
        confirmations.drop_constraint(
            op.f("fk_confirmations_player_id_players"), type_="foreignkey"
        )
        confirmations.drop_index(op.f("ix_confirmations_player_id"))
        confirmations.alter_column("address_id", existing_type=NUMBER, nullable=False)
        confirmations.drop_column("player_id")
    with op.batch_alter_table("boards") as boards:
        boards.drop_constraint(op.f("fk_boards_challenger_id_players"), type_="foreignkey")
        boards.drop_index("ix_boards_due")
        boards.drop_column("challenger_id")
        boards.drop_column("due_at")
    with op.batch_alter_table("players") as players:
        players.drop_column("most_boards")
        players.drop_column("left_at")
    for table, columns in (
        ("seats", SEATS),
        ("players", PLAYERS),
        ("confirmations", CONFIRMATIONS),
        ("boards", BOARDS),
        ("addresses", ADDRESSES),
    ):
        with op.batch_alter_table(table) as batch:
            for name, _, _ in columns:
                batch.drop_column(name)
