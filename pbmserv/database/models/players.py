"""Players and house players: their addresses, preferences, ratings and limits."""

from __future__ import annotations

from sqlalchemy import Double, ForeignKey, Index, String, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from pbmserv.database.models.base import Base


class Player(Base):
    """A player with a userid.  `userid_key` is the userid in lower case: it is unique.

    `skeleton`, which identifies look-alike userids, is unique, too.  It is None for house players,
    and for players who have given up the name.  It is also None for an account that is older than
    that rule and looks like another one.

    The columns from `timezone` on are preferences.  `challenges` is start, ask, off or "" for the
    server's default, `digest` off or daily, `letters` turns, all or games.  `endings` is whether a
    letter reports the end of others' boards, `most_boards` the limit of boards at once or None.
    `level` is a house player's, "" for people.  `left_at` is when the player signed off, or the
    operator `closed` the account.  The player may not act until `suspended_until`.
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
    digest: Mapped[str] = mapped_column(String(10), default="off")
    digested_at: Mapped[int] = mapped_column(default=0)
    challenges: Mapped[str] = mapped_column(String(10), default="")
    broadcasts: Mapped[bool] = mapped_column(default=True)
    letters: Mapped[str] = mapped_column(String(10), default="turns")
    endings: Mapped[bool] = mapped_column(default=False)
    autovacation: Mapped[bool] = mapped_column(default=False)
    most_boards: Mapped[int | None]
    level: Mapped[str] = mapped_column(String(20), default="")
    left_at: Mapped[int | None]
    suspended_until: Mapped[int | None]
    closed: Mapped[bool] = mapped_column(default=False)


class Address(Base):
    """An address of a player; it is used once `confirmed_at` is set.

    `replaces`: its confirmation deletes the player's older addresses.  It gets no letters since
    `paused_at`.  Either they bounced (`bounced`; `paused_reason` has the other server's words), or
    its reader unsubscribed (`asked`).  `told`: the player knows.  `failing_since` is when letters
    began to fail, perhaps not because of the address, and `failed_at` the last failure.  Bounces of
    letters written before `woken_at` are ignored.
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
    """A confirmed mailbox that a player gave up, and when.  See `players/mailboxes.py`."""

    __tablename__ = "former_mailboxes"

    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"), primary_key=True)
    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    given_up_at: Mapped[int] = mapped_column(index=True)


class InvitedAddress(Base):
    """The keyed digest of an address that was invited, and when; `never`: not again.

    See `lobby/invited_addresses.py`.
    """

    __tablename__ = "invited_addresses"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    invited_at: Mapped[int] = mapped_column(index=True)
    never: Mapped[bool] = mapped_column(default=False)


class Confirmation(Base):
    """A pending confirmation.  `digest` is the SHA-256 of its token.

    `purpose` is an `address`, or a `reset` or `signoff` of the player's account.  `proven`: the
    asker has proven to read the address, so any reply confirms.
    """

    __tablename__ = "confirmations"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    address_id: Mapped[int | None] = mapped_column(ForeignKey("addresses.id"), index=True)
    player_id: Mapped[int | None] = mapped_column(ForeignKey("players.id"), index=True)
    purpose: Mapped[str] = mapped_column(String(10), default="address")
    proven: Mapped[bool] = mapped_column(default=False)
    asked_at: Mapped[int]


class Vacation(Base):
    """A period in which a player's clock is stopped.

    `granted`: the server granted it, because letters did not reach the player; it does not count as
    the player's vacation.
    """

    __tablename__ = "vacations"

    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"), primary_key=True)
    begins_at: Mapped[int] = mapped_column(primary_key=True)
    ends_at: Mapped[int]
    granted: Mapped[bool] = mapped_column(default=False)


class Rating(Base):
    """A player's rating by one rule set's finished boards, or ("") by all of them.

    `mu` and `sigma` are openskill's, `weight` is the sum of the games' weights.  All of this can be
    computed again from the records and the weights of the seats.
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
    """A limited event that happened `count` times: failures, replies to strangers."""

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
    """A banned address, domain or pattern (`is_pattern`).  See `players/bans.py`."""

    __tablename__ = "bans"

    pattern: Mapped[str] = mapped_column(String(320), primary_key=True)
    is_pattern: Mapped[bool] = mapped_column(index=True)
    until: Mapped[int | None]


class Block(Base):
    """A player (`player_id`) who has blocked another one.  See `players/blocks.py`."""

    __tablename__ = "blocks"

    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"), primary_key=True)
    blocked_id: Mapped[int] = mapped_column(ForeignKey("players.id"), primary_key=True, index=True)
