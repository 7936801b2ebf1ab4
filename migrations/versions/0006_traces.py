"""Traces of emails and letters: their links, and every try to deliver."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    with op.batch_alter_table("inbox") as inbox:
        inbox.add_column(sa.Column("board", NUMBER, nullable=True))
    with op.batch_alter_table("outbox") as outbox:
        outbox.add_column(sa.Column("mail", NUMBER, nullable=True))
    op.create_table(
        "tries",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("letter_id", NUMBER, nullable=False),
        sa.Column("first_at", NUMBER, nullable=False),
        sa.Column("last_at", NUMBER, nullable=False),
        sa.Column("count", NUMBER, nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["letter_id"], ["outbox.id"], name=op.f("fk_tries_letter_id_outbox")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tries")),
    )
    op.create_index(op.f("ix_tries_letter_id"), "tries", ["letter_id"])


def downgrade() -> None:
    op.drop_table("tries")
    with op.batch_alter_table("outbox") as outbox:
        outbox.drop_column("mail")
    with op.batch_alter_table("inbox") as inbox:
        inbox.drop_column("board")
