"""What the inbox of a server has, for tests."""

from __future__ import annotations

from sqlalchemy import select

from pbmserv.database import models
from pbmserv.database.engine import reading
from pbmserv.intake.processor import Processor


def states(processor: Processor) -> list[str]:
    """The state of every email, oldest first."""
    query = select(models.InboxMail.state).order_by(models.InboxMail.id)
    with reading(processor.engine) as connection:
        return list(connection.execute(query).scalars())
