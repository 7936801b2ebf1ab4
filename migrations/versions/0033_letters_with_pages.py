"""Letters have a text and a page; players who want only text set format=text."""

from __future__ import annotations

from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # The column cannot tell who chose the old default, text, so all players get the new one.
    op.execute("UPDATE players SET format = 'both'")


def downgrade() -> None:
    op.execute("UPDATE players SET format = 'html' WHERE format = 'both'")
