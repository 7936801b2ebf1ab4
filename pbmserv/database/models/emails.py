"""Incoming emails and outgoing letters."""

from __future__ import annotations

from sqlalchemy import ColumnClause, ForeignKey, Index, LargeBinary, String, Text, UniqueConstraint

from pbmserv.database.models.base import Base, column, partial_index


class InboxMail(Base):
    """An accepted email.  (sender, message_id) is unique: an email is executed once.

    `reason` is how it was read and with which result.  `board` is the board that it is about.
    `credentials` is what was checked, as JSON; its passwords are marks in `raw`.  `transport` names
    the transport that brought the email.  Its table is `inbox`.
    """

    __tablename__ = "inbox"
    __table_args__ = (
        UniqueConstraint("sender", "message_id"),
        Index("ix_inbox_waiting", "state", "id"),
    )

    id: ColumnClause[int] = column(primary_key=True)
    sender: ColumnClause[str] = column(String(320))
    message_id: ColumnClause[str] = column(String(998))
    envelope_sender: ColumnClause[str | None] = column(String(320))
    recipient: ColumnClause[str] = column(String(320))
    transport: ColumnClause[str] = column(String(20))
    raw: ColumnClause[bytes] = column(LargeBinary)
    received_at: ColumnClause[int]
    state: ColumnClause[str] = column(String(10))
    tries: ColumnClause[int] = column(default=0)
    reason: ColumnClause[str] = column(Text, default="")
    board: ColumnClause[int | None]
    credentials: ColumnClause[str] = column(Text, default="")


class OutboxLetter(Base):
    """An outgoing letter: a payload until it is sent, then only the data for a trace.

    `mail` is the inbox's email that it follows from, which may have expired.  It is None if the
    scheduler or a shell wrote it.  `reason` is the transport's last answer.  For a sent letter,
    `due_at` is when it was sent, and `size` its bytes.  `returned`: it bounced, and `reason` says
    why.  Its table is `outbox`.
    """

    __tablename__ = "outbox"
    __table_args__ = (
        Index("ix_outbox_due", "state", "due_at"),
        partial_index("ix_outbox_held", "player_id", "state = 'held'"),
        partial_index("ix_outbox_sent", "address", "state = 'sent'"),
    )

    id: ColumnClause[int] = column(primary_key=True)
    address: ColumnClause[str] = column(String(320))
    player_id: ColumnClause[int | None] = column(ForeignKey("players.id"))
    board_id: ColumnClause[int | None] = column(ForeignKey("boards.id"))
    kind: ColumnClause[str] = column(String(40))
    language: ColumnClause[str] = column(String(8))
    payload: ColumnClause[str] = column(Text)
    token: ColumnClause[str] = column(String(64), default="")
    answers: ColumnClause[str] = column(String(998), default="")
    written_at: ColumnClause[int]
    state: ColumnClause[str] = column(String(10))
    due_at: ColumnClause[int]
    tries: ColumnClause[int] = column(default=0)
    reason: ColumnClause[str] = column(Text, default="")
    mail: ColumnClause[int | None]
    lines: ColumnClause[bytes | None] = column(LargeBinary)  # see `disclosure/fingerprint.py`
    size: ColumnClause[int | None]


class DeliveryAttempt(Base):
    """Failed tries to deliver a letter, in succession and with the same answer.

    Its table is `tries`.
    """

    __tablename__ = "tries"

    id: ColumnClause[int] = column(primary_key=True)
    letter_id: ColumnClause[int] = column(ForeignKey("outbox.id"), index=True)
    first_at: ColumnClause[int]
    last_at: ColumnClause[int]
    count: ColumnClause[int]
    answer: ColumnClause[str] = column(Text)


class OperatorAlert(Base):
    """An incident that the operator must still be told; repetitions are counted.

    See `monitoring/operator_alerts.py`.  Its table is `incidents`.
    """

    __tablename__ = "incidents"

    kind: ColumnClause[str] = column(String(20), primary_key=True)
    about: ColumnClause[str] = column(String(200), primary_key=True)
    why: ColumnClause[str] = column(String(200))
    first_at: ColumnClause[int]
    last_at: ColumnClause[int]
    count: ColumnClause[int]


class Action(Base):
    """An act on a player, an address or a board.  See `monitoring/action_log.py`.

    `who` is a userid or "operator", `about` a userid, an address, a pattern or a word.  Its table
    is `acts`.
    """

    __tablename__ = "acts"
    __table_args__ = (Index("ix_acts_what", "what", "id"),)

    id: ColumnClause[int] = column(primary_key=True)
    at: ColumnClause[int]
    who: ColumnClause[str] = column(String(20))
    what: ColumnClause[str] = column(String(20))
    about: ColumnClause[str] = column(String(320), index=True)
    board: ColumnClause[int | None] = column(index=True)
    why: ColumnClause[str] = column(Text)
