"""Players get a letter when they are needed, no longer one for each move."""

from __future__ import annotations

from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # The column cannot tell who chose the old default, so all players get the new one.
    op.execute("UPDATE players SET letters = 'turns' WHERE letters = 'all'")


def downgrade() -> None:
    op.execute("UPDATE players SET letters = 'all' WHERE letters = 'turns'")
