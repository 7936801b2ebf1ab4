"""Columns have the words of the code: transport, credentials and payload."""

from __future__ import annotations

from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None

RENAMED = (
    ("inbox", "door", "transport"),
    ("inbox", "vouched", "credentials"),
    ("outbox", "facts", "payload"),
)


def upgrade() -> None:
    # SQLite renames a column in place since 3.25; alembic would copy the table.
    for table, old, new in RENAMED:
        op.execute(f"ALTER TABLE {table} RENAME COLUMN {old} TO {new}")


def downgrade() -> None:
    for table, old, new in RENAMED:
        op.execute(f"ALTER TABLE {table} RENAME COLUMN {new} TO {old}")
