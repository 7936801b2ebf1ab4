"""Former players of a seat get a row with their moves; seats know when they changed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "sittings",
        sa.Column("board_id", NUMBER, nullable=False),
        sa.Column("seat", NUMBER, nullable=False),
        sa.Column("player_id", NUMBER, nullable=False),
        sa.Column("moves", NUMBER, nullable=False),
        sa.Column("late", NUMBER, nullable=False),
        sa.ForeignKeyConstraint(
            ["board_id"], ["boards.id"], name=op.f("fk_sittings_board_id_boards")
        ),
        sa.ForeignKeyConstraint(
            ["player_id"], ["players.id"], name=op.f("fk_sittings_player_id_players")
        ),
        sa.PrimaryKeyConstraint("board_id", "seat", "player_id", name=op.f("pk_sittings")),
    )
    op.create_index(op.f("ix_sittings_player_id"), "sittings", ["player_id"])
    with op.batch_alter_table("seats") as seats:
        seats.add_column(sa.Column("handed_over", NUMBER, nullable=True))
    _remember()
    with op.batch_alter_table("seats") as seats:
        seats.drop_column("former")


def _remember() -> None:
    """Copy the former players; a running board's seats are assumed to have changed now."""
    connection = op.get_bind()
    seats = sa.table(
        "seats", *(sa.column(name) for name in ("board_id", "seat", "former", "handed_over"))
    )
    sittings = sa.table(
        "sittings",
        *(sa.column(name) for name in ("board_id", "seat", "player_id", "moves", "late")),
    )
    known = sa.select(seats.c.board_id, seats.c.seat, seats.c.former).where(seats.c.former != "")
    rows = [
        {"board_id": board, "seat": seat, "player_id": int(player), "moves": 0, "late": 0}
        for board, seat, former in connection.execute(known).all()
        for player in dict.fromkeys(former.split())
    ]
    if rows:
        connection.execute(sa.insert(sittings), rows)
    connection.execute(
        sa.text(
            "update seats set handed_over = (select lines - 1 from boards where id = board_id)"
            " where (standin_id is not null or player_id <> first_id)"
            " and board_id in (select id from boards where state = 'playing')"
        )
    )


def downgrade() -> None:
    with op.batch_alter_table("seats") as seats:
        seats.add_column(sa.Column("former", sa.Text(), nullable=False, server_default=""))
        seats.drop_column("handed_over")
    with op.batch_alter_table("seats") as seats:
        seats.alter_column("former", server_default=None)
    op.drop_table("sittings")
