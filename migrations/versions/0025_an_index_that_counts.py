"""An index alone answers the count of one `who`, independent of all others' counts."""

from __future__ import annotations

from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_index("ix_attempts_what_who", "attempts")
    op.create_index("ix_attempts_counted", "attempts", ["what", "who", "since", "count"])


def downgrade() -> None:
    op.drop_index("ix_attempts_counted", "attempts")
    op.create_index("ix_attempts_what_who", "attempts", ["what", "who"])
