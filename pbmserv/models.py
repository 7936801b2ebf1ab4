"""The tables: what the database remembers.

Moments are whole seconds since 1970, UTC.  Seats count from 0.  Secrets are never in clear:
a password is an argon2id hash, a token is kept as its SHA-256.
"""

from __future__ import annotations

from typing import ClassVar

from sqlalchemy import (
    BigInteger,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Text,
    UniqueConstraint,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    """All tables, with names for every constraint so that a migration can find them again."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    # A moment outgrows 32 bits in 2038.  SQLite's INTEGER has 64, and only that name makes a key.
    type_annotation_map: ClassVar = {int: BigInteger().with_variant(Integer(), "sqlite")}


class Player(Base):
    """Somebody with a userid.  `userid_key` is the userid in lower case: it is unique.

    From `timezone` on a column is what `set` and its cousins keep: `challenges` is start, ask,
    off or "" for the server's default, `digest` off or daily, `endings` whether a letter comes
    when a board of somebody else ends, `most_boards` the limit of boards at once or None.
    `level` is a house player's, "" for people.  `left_at` is when somebody signed off.
    """

    __tablename__ = "players"

    id: Mapped[int] = mapped_column(primary_key=True)
    userid: Mapped[str] = mapped_column(String(20))
    userid_key: Mapped[str] = mapped_column(String(20), unique=True)
    password_hash: Mapped[str] = mapped_column(String(200))
    language: Mapped[str] = mapped_column(String(8), default="en")
    created_at: Mapped[int]
    timezone: Mapped[str] = mapped_column(String(40), default="UTC")
    format: Mapped[str] = mapped_column(String(10), default="text")
    subject: Mapped[str] = mapped_column(String(10), default="board")
    digest: Mapped[str] = mapped_column(String(10), default="off")
    digested_at: Mapped[int] = mapped_column(default=0)
    challenges: Mapped[str] = mapped_column(String(10), default="")
    broadcasts: Mapped[bool] = mapped_column(default=True)
    endings: Mapped[bool] = mapped_column(default=False)
    autovacation: Mapped[bool] = mapped_column(default=False)
    most_boards: Mapped[int | None]
    level: Mapped[str] = mapped_column(String(20), default="")
    left_at: Mapped[int | None]


class Address(Base):
    """An address of a player; it counts once `confirmed_at` is set.

    `replaces`: when it is confirmed, the player's older addresses are forgotten.
    """

    __tablename__ = "addresses"
    __table_args__ = (UniqueConstraint("player_id", "address"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"))
    address: Mapped[str] = mapped_column(String(320), index=True)
    confirmed_at: Mapped[int | None]
    replaces: Mapped[bool] = mapped_column(default=False)


class Confirmation(Base):
    """Something a letter asked to be confirmed.  `digest` is the SHA-256 of its token.

    `purpose` says what: an `address`, or a `reset` or `signoff` of the player's account.
    """

    __tablename__ = "confirmations"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    address_id: Mapped[int | None] = mapped_column(ForeignKey("addresses.id"), index=True)
    player_id: Mapped[int | None] = mapped_column(ForeignKey("players.id"), index=True)
    purpose: Mapped[str] = mapped_column(String(10), default="address")
    asked_at: Mapped[int]


class Vacation(Base):
    """Days on which a player's clock stands still, from one moment to another."""

    __tablename__ = "vacations"

    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"), primary_key=True)
    begins_at: Mapped[int] = mapped_column(primary_key=True)
    ends_at: Mapped[int]


class Board(Base):
    """One game being played.

    `position` is the whole table in one line of notation, cups included: it is secret while
    the round runs.  `seed` and `next_seed` are the secrets of the running round and of the
    next one (committed already), `chain` the digest over all public lines so far, `recent`
    the public lines of the last finished rounds.  `move` and `turn` repeat what the position
    says, for questions over many boards.

    `state` is invited (not begun: `asked` says what for, as JSON), playing, won, drawn or
    withdrawn.  `nag_seconds`, `forfeit_seconds` and `total_seconds` are the board's times;
    `clock_at` is when the wait for the player on turn began, `due_at` when something falls due
    next, `reminded` how often the player was reminded since the clock began.  `counted` numbers
    the boards that were won, in the order in which that happened.
    """

    __tablename__ = "boards"
    __table_args__ = (Index("ix_boards_due", "due_at"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    game: Mapped[str] = mapped_column(String(20))
    position: Mapped[str] = mapped_column(Text)
    move: Mapped[int]
    turn: Mapped[int]
    lines: Mapped[int]
    chain: Mapped[bytes] = mapped_column(LargeBinary(32))
    seed: Mapped[bytes | None] = mapped_column(LargeBinary(32))
    next_seed: Mapped[bytes | None] = mapped_column(LargeBinary(32))
    recent: Mapped[str] = mapped_column(Text, default="")
    started_at: Mapped[int]
    moved_at: Mapped[int]
    ended_at: Mapped[int | None]
    state: Mapped[str] = mapped_column(String(10), default="playing")
    asked: Mapped[str] = mapped_column(Text, default="")
    challenger_id: Mapped[int | None] = mapped_column(ForeignKey("players.id"))
    rated: Mapped[bool] = mapped_column(default=True)
    standin: Mapped[bool] = mapped_column(default=False)
    nag_seconds: Mapped[int] = mapped_column(default=0)
    forfeit_seconds: Mapped[int] = mapped_column(default=0)
    total_seconds: Mapped[int] = mapped_column(default=0)
    clock_at: Mapped[int] = mapped_column(default=0)
    reminded: Mapped[int] = mapped_column(default=0)
    due_at: Mapped[int | None]
    counted: Mapped[int | None] = mapped_column(unique=True)


class Seat(Base):
    """Who sits where.  `leaving` is a resignation that waits for the player's turn.

    `first_id` is who sat down when the board began: the one who is rated.  `accepted` is whether
    an invitation was taken, `agrees` whether the player would call the game a draw, `queued` the
    moves to try when the turn comes (JSON).  `standin_id` is the house player who plays for an
    absent one.  `moves` counts the player's moves, `late` those made after the nag time.
    """

    __tablename__ = "seats"

    board_id: Mapped[int] = mapped_column(ForeignKey("boards.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"), index=True)
    leaving: Mapped[bool] = mapped_column(default=False)
    first_id: Mapped[int] = mapped_column(ForeignKey("players.id"), index=True)
    accepted: Mapped[bool] = mapped_column(default=True)
    agrees: Mapped[bool] = mapped_column(default=False)
    queued: Mapped[str] = mapped_column(Text, default="")
    standin_id: Mapped[int | None] = mapped_column(ForeignKey("players.id"))
    moves: Mapped[int] = mapped_column(default=0)
    late: Mapped[int] = mapped_column(default=0)


class Watcher(Base):
    """Somebody who looks on: gets every letter of a board, or one when it ends."""

    __tablename__ = "watchers"

    board_id: Mapped[int] = mapped_column(ForeignKey("boards.id"), primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"), primary_key=True, index=True)
    just_end: Mapped[bool] = mapped_column(default=False)


class Seek(Base):
    """A wish for `wanted` more boards of one kind: rules as notation writes them, and a size."""

    __tablename__ = "seeks"

    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"), primary_key=True)
    rules: Mapped[str] = mapped_column(String(200), primary_key=True)
    players: Mapped[int] = mapped_column(primary_key=True)
    wanted: Mapped[int]
    asked_at: Mapped[int]


class Rating(Base):
    """How strong a player is by one rule set's finished boards, or ("") by all of them.

    `mu` and `sigma` are openskill's; everything here follows from the records.
    """

    __tablename__ = "ratings"

    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"), primary_key=True)
    rules: Mapped[str] = mapped_column(String(20), primary_key=True)
    mu: Mapped[float] = mapped_column(Double)
    sigma: Mapped[float] = mapped_column(Double)
    games: Mapped[int]
    won: Mapped[int]


class Tick(Base):
    """One row: when the clock was last looked at, and by which process until when."""

    __tablename__ = "ticks"

    id: Mapped[int] = mapped_column(primary_key=True)
    ticked_at: Mapped[int]
    holder: Mapped[str] = mapped_column(String(80), default="")
    held_until: Mapped[int] = mapped_column(default=0)


class Happening(Base):
    """One public line of a board's record; only ever added.  The key is also the lock."""

    __tablename__ = "happenings"
    __table_args__ = {"sqlite_with_rowid": False}

    board_id: Mapped[int] = mapped_column(ForeignKey("boards.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    line: Mapped[str] = mapped_column(Text)


class InboxMail(Base):
    """A mail that a door accepted.  (sender, message_id) is unique: a mail acts once."""

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
    door: Mapped[str] = mapped_column(String(20))
    raw: Mapped[bytes] = mapped_column(LargeBinary)
    received_at: Mapped[int]
    state: Mapped[str] = mapped_column(String(10))
    tries: Mapped[int] = mapped_column(default=0)
    reason: Mapped[str] = mapped_column(Text, default="")


class OutboxLetter(Base):
    """A letter that is to go out: facts until it is sent, then only what a trace needs."""

    __tablename__ = "outbox"
    __table_args__ = (Index("ix_outbox_due", "state", "due_at"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    address: Mapped[str] = mapped_column(String(320))
    player_id: Mapped[int | None] = mapped_column(ForeignKey("players.id"))
    board_id: Mapped[int | None] = mapped_column(ForeignKey("boards.id"))
    kind: Mapped[str] = mapped_column(String(40))
    language: Mapped[str] = mapped_column(String(8))
    facts: Mapped[str] = mapped_column(Text)
    token: Mapped[str] = mapped_column(String(64), default="")
    answers: Mapped[str] = mapped_column(String(998), default="")
    written_at: Mapped[int]
    state: Mapped[str] = mapped_column(String(10))
    due_at: Mapped[int]
    tries: Mapped[int] = mapped_column(default=0)
    reason: Mapped[str] = mapped_column(Text, default="")


class Attempt(Base):
    """How often something limited happened in a span of time: failures, replies to strangers."""

    __tablename__ = "attempts"
    __table_args__ = (Index("ix_attempts_since", "what", "since"),)

    what: Mapped[str] = mapped_column(String(20), primary_key=True)
    who: Mapped[str] = mapped_column(String(320), primary_key=True)
    since: Mapped[int]
    count: Mapped[int]
