"""Which key the database belongs to, and which server works on it."""

from __future__ import annotations

from sqlalchemy import ColumnClause, String, Text

from pbmserv.database.models.base import Base, column


class Installation(Base):
    """One row.

    `fingerprint` is that of the home's key (see `database/installation.py`).  `holder` names the
    server that works on this database, or the last one, and `held_since` is when it began.
    `generation` only grows.  `restores` are the moments at which backups were restored, separated
    by commas (see `database/restore_detection.py`).
    """

    __tablename__ = "installation"

    id: ColumnClause[int] = column(primary_key=True)
    fingerprint: ColumnClause[str] = column(String(64))
    holder: ColumnClause[str] = column(String(200), default="")
    held_since: ColumnClause[int] = column(default=0)
    generation: ColumnClause[int] = column(default=0)
    restores: ColumnClause[str] = column(Text, default="")
