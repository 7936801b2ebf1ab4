"""People and house players, how to reach them, what they set, how strong they are."""

from __future__ import annotations

from sqlalchemy import Double, ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from pbmserv.models.base import Base


class Player(Base):
    """Somebody with a userid.  `userid_key` is the userid in lower case: it is unique.

    From `timezone` on a column is what `set` and its cousins keep: `challenges` is start, ask,
    off or "" for the server's default, `digest` off or daily, `letters` all or games, `endings`
    whether a letter comes when a board of somebody else ends, `most_boards` the limit of boards
    at once or None.  `level` is a house player's, "" for people.  `left_at` is when somebody
    signed off.
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
    letters: Mapped[str] = mapped_column(String(10), default="all")
    endings: Mapped[bool] = mapped_column(default=False)
    autovacation: Mapped[bool] = mapped_column(default=False)
    most_boards: Mapped[int | None]
    level: Mapped[str] = mapped_column(String(20), default="")
    left_at: Mapped[int | None]


class Address(Base):
    """An address of a player; it counts once `confirmed_at` is set.

    `replaces`: when it is confirmed, the player's older addresses are forgotten.  No letters go
    there since `paused_at`, because they came back ("bounced": `paused_reason` is what the other
    side said) or because somebody there "asked" for it; `told`: the player knows.  Letters have
    failed for a while, the address perhaps not at fault, since `failing_since`, the last time at
    `failed_at`.  What comes back of letters written before `woken_at` says nothing any more.
    """

    __tablename__ = "addresses"
    __table_args__ = (UniqueConstraint("player_id", "address"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"))
    address: Mapped[str] = mapped_column(String(320), index=True)
    confirmed_at: Mapped[int | None]
    replaces: Mapped[bool] = mapped_column(default=False)
    paused_at: Mapped[int | None]
    paused_by: Mapped[str] = mapped_column(String(10), default="")
    paused_reason: Mapped[str] = mapped_column(String(200), default="")
    told: Mapped[bool] = mapped_column(default=False)
    failing_since: Mapped[int | None]
    failed_at: Mapped[int | None]
    woken_at: Mapped[int | None]


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
    """Days on which a player's clock stands still, from one moment to another.

    `granted`: by the server, because letters did not reach the player; it is no vacation of his.
    """

    __tablename__ = "vacations"

    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"), primary_key=True)
    begins_at: Mapped[int] = mapped_column(primary_key=True)
    ends_at: Mapped[int]
    granted: Mapped[bool] = mapped_column(default=False)


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


class Attempt(Base):
    """How often something limited happened in a span of time: failures, replies to strangers."""

    __tablename__ = "attempts"
    __table_args__ = (Index("ix_attempts_since", "what", "since"),)

    what: Mapped[str] = mapped_column(String(20), primary_key=True)
    who: Mapped[str] = mapped_column(String(320), primary_key=True)
    since: Mapped[int]
    count: Mapped[int]
