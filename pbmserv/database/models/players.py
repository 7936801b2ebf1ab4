"""Players and bots: their addresses, preferences, ratings and limits."""

from __future__ import annotations

from types import MappingProxyType

from sqlalchemy import (
    ColumnClause,
    Double,
    ForeignKey,
    Index,
    LargeBinary,
    String,
    UniqueConstraint,
)

from pbmserv.database.models.base import Base, column, partial_index


class Player(Base):
    """A player with a userid.  `userid_key` is the userid in lower case: it is unique.

    `skeleton`, which identifies look-alike userids, is unique, too.  It is None for bots,
    and for players who have given up the name.  It is also None for an account that is older than
    that rule and looks like another one.

    The columns from `timezone` on are preferences.  `challenges` is start, ask, off or "" for the
    server's default, `digest` off or daily, `letters` turns, all or games.  `endings` is whether a
    letter reports the end of others' boards, `most_boards` the limit of boards at once or None.
    `level` is a bot's, "" for people.  `left_at` is when the player signed off, or the
    operator `closed` the account.  The player may not act until `suspended_until`.  `opening_seed`
    is the secret of round 1 of the next board that the player begins (`boards/opening_seeds.py`).
    Letters with a number above `opening_after` show its commitment.
    """

    __tablename__ = "players"

    id: ColumnClause[int] = column(primary_key=True)
    userid: ColumnClause[str] = column(String(20))
    userid_key: ColumnClause[str] = column(String(20), unique=True)
    skeleton: ColumnClause[str | None] = column(String(20), unique=True)
    password_hash: ColumnClause[str] = column(String(200))
    language: ColumnClause[str] = column(String(8), default="en")
    created_at: ColumnClause[int]
    timezone: ColumnClause[str] = column(String(40), default="UTC")
    format: ColumnClause[str] = column(String(10), default="both")
    digest: ColumnClause[str] = column(String(10), default="off")
    digested_at: ColumnClause[int] = column(default=0)
    challenges: ColumnClause[str] = column(String(10), default="")
    broadcasts: ColumnClause[bool] = column(default=True)
    letters: ColumnClause[str] = column(String(10), default="turns")
    endings: ColumnClause[bool] = column(default=False)
    autovacation: ColumnClause[bool] = column(default=False)
    most_boards: ColumnClause[int | None]
    level: ColumnClause[str] = column(String(20), default="")
    left_at: ColumnClause[int | None]
    suspended_until: ColumnClause[int | None]
    closed: ColumnClause[bool] = column(default=False)
    opening_seed: ColumnClause[bytes | None] = column(LargeBinary(32))
    opening_after: ColumnClause[int] = column(default=0)


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
        partial_index("ix_addresses_unconfirmed", "player_id", "confirmed_at IS NULL"),
    )

    id: ColumnClause[int] = column(primary_key=True)
    player_id: ColumnClause[int] = column(ForeignKey("players.id"))
    address: ColumnClause[str] = column(String(320), index=True)
    confirmed_at: ColumnClause[int | None]
    replaces: ColumnClause[bool] = column(default=False)
    paused_at: ColumnClause[int | None]
    paused_by: ColumnClause[str] = column(String(10), default="")
    paused_reason: ColumnClause[str] = column(String(200), default="")
    told: ColumnClause[bool] = column(default=False)
    failing_since: ColumnClause[int | None]
    failed_at: ColumnClause[int | None]
    woken_at: ColumnClause[int | None]


class FormerMailbox(Base):
    """A confirmed mailbox that a player gave up, and when.  See `players/mailbox_owners.py`."""

    __tablename__ = "former_mailboxes"

    player_id: ColumnClause[int] = column(ForeignKey("players.id"), primary_key=True)
    digest: ColumnClause[str] = column(String(64), primary_key=True)
    given_up_at: ColumnClause[int] = column(index=True)


class InvitedAddress(Base):
    """The keyed digest of an address that was invited, and when; `never`: not again.

    See `lobby/invited_addresses.py`.
    """

    __tablename__ = "invited_addresses"

    digest: ColumnClause[str] = column(String(64), primary_key=True)
    invited_at: ColumnClause[int] = column(index=True)
    never: ColumnClause[bool] = column(default=False)


class Confirmation(Base):
    """A pending confirmation.  `digest` is the SHA-256 of its token.

    `purpose` is an `address`, or a `reset` or `signoff` of the player's account.  `proven`: the
    asker has proven to read the address, so any reply confirms.
    """

    __tablename__ = "confirmations"

    digest: ColumnClause[str] = column(String(64), primary_key=True)
    address_id: ColumnClause[int | None] = column(ForeignKey("addresses.id"), index=True)
    player_id: ColumnClause[int | None] = column(ForeignKey("players.id"), index=True)
    purpose: ColumnClause[str] = column(String(10), default="address")
    proven: ColumnClause[bool] = column(default=False)
    asked_at: ColumnClause[int]


class Vacation(Base):
    """A period in which a player's clock is stopped.

    `granted`: the server granted it, because letters did not reach the player; it does not count as
    the player's vacation.
    """

    __tablename__ = "vacations"

    player_id: ColumnClause[int] = column(ForeignKey("players.id"), primary_key=True)
    begins_at: ColumnClause[int] = column(primary_key=True)
    ends_at: ColumnClause[int]
    granted: ColumnClause[bool] = column(default=False)


class Rating(Base):
    """A player's rating by one rule set's finished boards, or ("") by all of them.

    `mu` and `sigma` are openskill's, `weight` is the sum of the games' weights.  All of this can be
    computed again from the records and the weights of the seats.
    """

    __tablename__ = "ratings"

    player_id: ColumnClause[int] = column(ForeignKey("players.id"), primary_key=True)
    rules: ColumnClause[str] = column(String(20), primary_key=True)
    mu: ColumnClause[float] = column(Double)
    sigma: ColumnClause[float] = column(Double)
    games: ColumnClause[int]
    won: ColumnClause[int]
    weight: ColumnClause[float] = column(Double)


class Counter(Base):
    """How often something happened at a moment, to be limited: failures, answers to strangers.

    A token bucket has one row, with `since` 0.  `count` is the moment at which it will be full
    again, in milliseconds.  See `ratelimit/`.
    """

    __tablename__ = "counters"
    __table_args__ = (Index("ix_counters_since", "what", "since"),)
    __table_options__ = MappingProxyType({"sqlite_with_rowid": False})

    what: ColumnClause[str] = column(String(20), primary_key=True)
    who: ColumnClause[str] = column(String(320), primary_key=True)
    since: ColumnClause[int] = column(primary_key=True)
    count: ColumnClause[int]


class Ban(Base):
    """A banned address, domain or pattern (`is_pattern`).  See `players/bans.py`."""

    __tablename__ = "bans"

    pattern: ColumnClause[str] = column(String(320), primary_key=True)
    is_pattern: ColumnClause[bool] = column(index=True)
    until: ColumnClause[int | None]


class Block(Base):
    """A player (`player_id`) who has blocked another one.  See `players/blocks.py`."""

    __tablename__ = "blocks"

    player_id: ColumnClause[int] = column(ForeignKey("players.id"), primary_key=True)
    blocked_id: ColumnClause[int] = column(ForeignKey("players.id"), primary_key=True, index=True)
