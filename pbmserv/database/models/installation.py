"""Which key the database belongs to, and which server works on it."""

from __future__ import annotations

from sqlalchemy import String, Text
from sqlalchemy.orm import Mapped, mapped_column

from pbmserv.database.models.base import Base


class Installation(Base):
    """One row.

    `fingerprint` is that of the home's key (see `database/installation.py`).  `holder` names the
    server that works on this database, or the last one, and `held_since` is when it began.
    `generation` only grows.  `restores` are the moments at which backups were restored, separated
    by commas (see `database/restore_detection.py`).
    """

    __tablename__ = "installation"

    id: Mapped[int] = mapped_column(primary_key=True)
    fingerprint: Mapped[str] = mapped_column(String(64))
    holder: Mapped[str] = mapped_column(String(200), default="")
    held_since: Mapped[int] = mapped_column(default=0)
    generation: Mapped[int] = mapped_column(default=0)
    restores: Mapped[str] = mapped_column(Text, default="")
