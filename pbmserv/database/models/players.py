"""People and house players, how to reach them, what they set, how strong they are."""

from __future__ import annotations

from sqlalchemy import Double, ForeignKey, Index, String, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from pbmserv.database.models.base import Base


class Player(Base):
    """Somebody with a userid.  `userid_key` is the userid in lower case: it is unique.

    So is `skeleton`, by which look-alikes are known; None where an account is older than that
    rule and looks like another one, for house players, and for who has left the name.

    From `timezone` on a column is what `set` and its cousins keep: `challenges` is start, ask,
    off or "" for the server's default, `digest` off or daily, `letters` all or games, `endings`
    whether a letter comes when a board of somebody else ends, `most_boards` the limit of boards
    at once or None.  `level` is a house player's, "" for people.  `left_at` is when somebody
    signed off, or the operator has `closed` the account; `suspended_until` when the player may
    act again.
    """

    __tablename__ = "players"

    id: Mapped[int] = mapped_column(primary_key=True)
    userid: Mapped[str] = mapped_column(String(20))
    userid_key: Mapped[str] = mapped_column(String(20), unique=True)
    skeleton: Mapped[str | None] = mapped_column(String(20), unique=True)
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
    suspended_until: Mapped[int | None]
    closed: Mapped[bool] = mapped_column(default=False)


class Address(Base):
    """An address of a player; it counts once `confirmed_at` is set.

    `replaces`: when it is confirmed, the player's older addresses are forgotten.  No letters go
    there since `paused_at`, because they came back ("bounced": `paused_reason` is what the other
    side said) or because somebody there "asked" for it; `told`: the player knows.  Letters have
    failed for a while, the address perhaps not at fault, since `failing_since`, the last time at
    `failed_at`.  What comes back of letters written before `woken_at` says nothing any more.
    """

    __tablename__ = "addresses"
    __table_args__ = (
        UniqueConstraint("player_id", "address"),
        Index(
            "ix_addresses_unconfirmed",
            "player_id",
            sqlite_where=text("confirmed_at IS NULL"),
            postgresql_where=text("confirmed_at IS NULL"),
        ),
    )

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


class FormerMailbox(Base):
    """A mailbox that a player had confirmed and gave up at a moment.  See `mailboxes`."""

    __tablename__ = "former_mailboxes"

    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"), primary_key=True)
    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    given_up_at: Mapped[int] = mapped_column(index=True)


class Confirmation(Base):
    """Something a letter asked to be confirmed.  `digest` is the SHA-256 of its token.

    `purpose` says what: an `address`, or a `reset` or `signoff` of the player's account.
    `proven`: whoever asked has proven to read the address, so that any reply is a yes.
    """

    __tablename__ = "confirmations"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    address_id: Mapped[int | None] = mapped_column(ForeignKey("addresses.id"), index=True)
    player_id: Mapped[int | None] = mapped_column(ForeignKey("players.id"), index=True)
    purpose: Mapped[str] = mapped_column(String(10), default="address")
    proven: Mapped[bool] = mapped_column(default=False)
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

    `mu` and `sigma` are openskill's, `weight` is how much the games counted, all in all.
    Everything here follows from the records and the weights of the seats.
    """

    __tablename__ = "ratings"

    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"), primary_key=True)
    rules: Mapped[str] = mapped_column(String(20), primary_key=True)
    mu: Mapped[float] = mapped_column(Double)
    sigma: Mapped[float] = mapped_column(Double)
    games: Mapped[int]
    won: Mapped[int]
    weight: Mapped[float] = mapped_column(Double)


class Attempt(Base):
    """That something limited happened, `count` times: failures, replies to strangers."""

    __tablename__ = "attempts"
    __table_args__ = (
        Index("ix_attempts_since", "what", "since"),
        Index("ix_attempts_counted", "what", "who", "since", "count"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    what: Mapped[str] = mapped_column(String(20))
    who: Mapped[str] = mapped_column(String(320))
    since: Mapped[int]
    count: Mapped[int]


class Ban(Base):
    """An address, a domain or a pattern (`is_pattern`) that is not listened to.  See `bans`."""

    __tablename__ = "bans"

    pattern: Mapped[str] = mapped_column(String(320), primary_key=True)
    is_pattern: Mapped[bool] = mapped_column(index=True)
    until: Mapped[int | None]


class Block(Base):
    """A player (`player_id`) who wants nothing to do with another one.  See `blocks`."""

    __tablename__ = "blocks"

    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"), primary_key=True)
    blocked_id: Mapped[int] = mapped_column(ForeignKey("players.id"), primary_key=True, index=True)
