"""Incoming emails and outgoing letters."""

from __future__ import annotations

from sqlalchemy import ForeignKey, Index, LargeBinary, String, Text, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from pbmserv.database.models.base import Base


class InboxMail(Base):
    """An accepted email.  (sender, message_id) is unique: an email is executed once.

    `reason` is how it was read and with which result.  `board` is the board that it is about.
    `credentials` is what was checked, as JSON; its passwords are marks in `raw`.  `transport` names
    the transport that brought the email.
    """

    __tablename__ = "inbox"
    __table_args__ = (
        UniqueConstraint("sender", "message_id"),
        Index("ix_inbox_waiting", "state", "id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    sender: Mapped[str] = mapped_column(String(320))
    message_id: Mapped[str] = mapped_column(String(998))
    envelope_sender: Mapped[str | None] = mapped_column(String(320))
    recipient: Mapped[str] = mapped_column(String(320))
    transport: Mapped[str] = mapped_column(String(20))
    raw: Mapped[bytes] = mapped_column(LargeBinary)
    received_at: Mapped[int]
    state: Mapped[str] = mapped_column(String(10))
    tries: Mapped[int] = mapped_column(default=0)
    reason: Mapped[str] = mapped_column(Text, default="")
    board: Mapped[int | None]
    credentials: Mapped[str] = mapped_column(Text, default="")


class OutboxLetter(Base):
    """An outgoing letter: a payload until it is sent, then only the data for a trace.

    `mail` is the inbox's email that it follows from, which may have expired.  It is None if the
    scheduler or a shell wrote it.  `reason` is the transport's last answer.  For a sent letter,
    `due_at` is when it was sent, and `size` its bytes.  `returned`: it bounced, and `reason` says
    why.
    """

    __tablename__ = "outbox"
    __table_args__ = (
        Index("ix_outbox_due", "state", "due_at"),
        Index(
            "ix_outbox_held",
            "player_id",
            sqlite_where=text("state = 'held'"),
            postgresql_where=text("state = 'held'"),
        ),
        Index(
            "ix_outbox_sent",
            "address",
            sqlite_where=text("state = 'sent'"),
            postgresql_where=text("state = 'sent'"),
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    address: Mapped[str] = mapped_column(String(320))
    player_id: Mapped[int | None] = mapped_column(ForeignKey("players.id"))
    board_id: Mapped[int | None] = mapped_column(ForeignKey("boards.id"))
    kind: Mapped[str] = mapped_column(String(40))
    language: Mapped[str] = mapped_column(String(8))
    payload: Mapped[str] = mapped_column(Text)
    token: Mapped[str] = mapped_column(String(64), default="")
    answers: Mapped[str] = mapped_column(String(998), default="")
    written_at: Mapped[int]
    state: Mapped[str] = mapped_column(String(10))
    due_at: Mapped[int]
    tries: Mapped[int] = mapped_column(default=0)
    reason: Mapped[str] = mapped_column(Text, default="")
    mail: Mapped[int | None]
    lines: Mapped[bytes | None] = mapped_column(LargeBinary)  # see `disclosure/fingerprint.py`
    size: Mapped[int | None]


class DeliveryAttempt(Base):
    """Failed tries to deliver a letter, in succession and with the same answer."""

    __tablename__ = "tries"

    id: Mapped[int] = mapped_column(primary_key=True)
    letter_id: Mapped[int] = mapped_column(ForeignKey("outbox.id"), index=True)
    first_at: Mapped[int]
    last_at: Mapped[int]
    count: Mapped[int]
    answer: Mapped[str] = mapped_column(Text)


class OperatorAlert(Base):
    """An incident that the operator must still be told; repetitions are counted.

    See `monitoring/operator_alerts.py`.
    """

    __tablename__ = "incidents"

    kind: Mapped[str] = mapped_column(String(20), primary_key=True)
    about: Mapped[str] = mapped_column(String(200), primary_key=True)
    why: Mapped[str] = mapped_column(String(200))
    first_at: Mapped[int]
    last_at: Mapped[int]
    count: Mapped[int]


class Action(Base):
    """An act on a player, an address or a board.  See `monitoring/action_log.py`.

    `who` is a userid or "operator", `about` a userid, an address, a pattern or a word.
    """

    __tablename__ = "acts"
    __table_args__ = (Index("ix_acts_what", "what", "id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[int]
    who: Mapped[str] = mapped_column(String(20))
    what: Mapped[str] = mapped_column(String(20))
    about: Mapped[str] = mapped_column(String(320), index=True)
    board: Mapped[int | None] = mapped_column(index=True)
    why: Mapped[str] = mapped_column(Text)


class Bucket(Base):
    """A token bucket: when it will be full again, in milliseconds.

    See `ratelimit/token_bucket.py`.
    """

    __tablename__ = "buckets"

    name: Mapped[str] = mapped_column(String(320), primary_key=True)
    full_at: Mapped[int] = mapped_column(index=True)
