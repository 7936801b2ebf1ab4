"""Look-alike userids are refused; unconfirmed accounts and addresses are deleted."""

from __future__ import annotations

import re

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("players") as players:
        players.add_column(sa.Column("skeleton", sa.String(length=20), nullable=True))
        players.create_unique_constraint(op.f("uq_players_skeleton"), ["skeleton"])
    with op.batch_alter_table("confirmations") as asked:
        asked.add_column(
            sa.Column("proven", sa.Boolean(), nullable=False, server_default=sa.false())
        )
    with op.batch_alter_table("confirmations") as asked:
        asked.alter_column("proven", existing_type=sa.Boolean(), server_default=None)
    waiting = sa.text("confirmed_at IS NULL")
    op.create_index(
        "ix_addresses_unconfirmed",
        "addresses",
        ["player_id"],
        sqlite_where=waiting,
        postgresql_where=waiting,
    )
    _fill()


def _fill() -> None:
    """Add the skeletons of existing userids; among look-alikes the oldest keeps it."""
    rows = sa.table("players", sa.column("id"), sa.column("userid"), sa.column("level"))
    rows.append_column(sa.column("skeleton"))
    connection = op.get_bind()
    people = sa.select(rows.c.id, rows.c.userid).where(rows.c.level == "").order_by(rows.c.id)
    oldest: dict[str, int] = {}
    for number, userid in connection.execute(people):
        oldest.setdefault(_skeleton(userid), number)
    if oldest:
        change = sa.update(rows).where(rows.c.id == sa.bindparam("number"))
        found = [{"number": number, "like": like} for like, number in oldest.items()]
        connection.execute(change.values(skeleton=sa.bindparam("like")), found)


def _skeleton(userid: str) -> str:
    bare = re.sub(r"[._-]", "", userid.lower()).translate(str.maketrans("10i", "lol"))
    return bare.replace("rn", "m").replace("vv", "w")


def downgrade() -> None:
    op.drop_index("ix_addresses_unconfirmed", "addresses")
    with op.batch_alter_table("confirmations") as asked:
        asked.drop_column("proven")
    with op.batch_alter_table("players") as players:
        players.drop_constraint(op.f("uq_players_skeleton"), type_="unique")
        players.drop_column("skeleton")
