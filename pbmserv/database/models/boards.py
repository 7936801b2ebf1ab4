"""Boards, their players and spectators, and their records."""

from __future__ import annotations

from sqlalchemy import Double, ForeignKey, Index, LargeBinary, String, Text, text
from sqlalchemy.orm import Mapped, mapped_column

from pbmserv.database.models.base import Base

_TO_COUNT = "ended_at IS NOT NULL AND tallied_at IS NULL"
_VOID = "void_at IS NOT NULL"


class Board(Base):
    """One game being played.

    `position` is the whole table in one line of notation, cups included: it is secret while the
    round runs.  `seed` and `next_seed` are the secrets of the running round and of the next one
    (committed already).  `chain` is the digest over all public lines so far, `recent` the public
    lines of the last finished rounds.  `move` and `turn` repeat parts of the position, for queries
    over many boards.

    `state` is invited (not begun), playing, won, drawn, withdrawn (never begun), or declined (it
    ended before all players had taken their seats).  `asked` is what the challenge asked for, as
    JSON ("" for players who sought a board).  A rematch asks for it again.  `opening` is an opening
    message that waits until the challenger proves to have written it.  `nag_seconds`,
    `forfeit_seconds` and `total_seconds` are the board's times.  `clock_at` is when the wait for
    the player on turn began.  `due_at` is when the next deadline is due, and `reminded` how often
    the player was reminded since the clock began.  `counted` numbers the won boards, in order of
    their ends.  `tallied_at` is when statistics were made of a finished board.  `void_at` is when a
    backup was restored, if the running round must still be rolled again.  Until then the board is
    blocked.
    """

    __tablename__ = "boards"
    __table_args__ = (
        Index("ix_boards_due", "due_at"),
        Index(
            "ix_boards_to_count",
            "ended_at",
            sqlite_where=text(_TO_COUNT),
            postgresql_where=text(_TO_COUNT),
        ),
        Index(
            "ix_boards_void",
            "void_at",
            sqlite_where=text(_VOID),
            postgresql_where=text(_VOID),
        ),
    )

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
    opening: Mapped[str] = mapped_column(Text, default="")
    rated: Mapped[bool] = mapped_column(default=True)
    standin: Mapped[bool] = mapped_column(default=False)
    nag_seconds: Mapped[int] = mapped_column(default=0)
    forfeit_seconds: Mapped[int] = mapped_column(default=0)
    total_seconds: Mapped[int] = mapped_column(default=0)
    clock_at: Mapped[int] = mapped_column(default=0)
    reminded: Mapped[int] = mapped_column(default=0)
    due_at: Mapped[int | None]
    counted: Mapped[int | None] = mapped_column(unique=True)
    tallied_at: Mapped[int | None]
    void_at: Mapped[int | None]


class Seat(Base):
    """A seat and its player.  `leaving` is a resignation that waits for the player's turn.

    `first_id` is the player at the beginning of the board.  This player is rated, but only for the
    time before a substitution.  The substitution happened after `handed_over` events of the record
    (None: no substitution).  `accepted` is whether an invitation was accepted.  `taken_at` is when
    its player first acted at the board (`boards/seating.py`; None: not yet, or the player has
    declined).  `agrees` says whether the player agrees to a draw, `queued` the moves to try when
    the turn comes (JSON).  `standin_id` is the house player that plays for an absent player.
    `muted`: gets no messages of the others.  `moves` counts the player's moves, `late` those made
    after the nag time.  `weight` is how much the board counts for the rating of `first_id`, from 0
    to 1.
    """

    __tablename__ = "seats"

    board_id: Mapped[int] = mapped_column(ForeignKey("boards.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"), index=True)
    leaving: Mapped[bool] = mapped_column(default=False)
    first_id: Mapped[int] = mapped_column(ForeignKey("players.id"), index=True)
    accepted: Mapped[bool] = mapped_column(default=True)
    taken_at: Mapped[int | None]
    agrees: Mapped[bool] = mapped_column(default=False)
    queued: Mapped[str] = mapped_column(Text, default="")
    standin_id: Mapped[int | None] = mapped_column(ForeignKey("players.id"))
    handed_over: Mapped[int | None]
    muted: Mapped[bool] = mapped_column(default=False)
    moves: Mapped[int] = mapped_column(default=0)
    late: Mapped[int] = mapped_column(default=0)
    weight: Mapped[float] = mapped_column(Double, default=1.0)


class AddressInvitation(Base):
    """A seat of an invited board for somebody who was invited by address.

    `state` is open, joined or closed.  `token` is the SHA-256 of the token in the letter, "" if no
    letter was sent.  `address` is known only while the invitation is open and a letter was sent;
    `digest` is its keyed digest.  `named`: its reader said yes, and was asked for a userid.
    """

    __tablename__ = "address_invitations"

    board_id: Mapped[int] = mapped_column(ForeignKey("boards.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True)
    state: Mapped[str] = mapped_column(String(10))
    token: Mapped[str] = mapped_column(String(64), default="", index=True)
    address: Mapped[str] = mapped_column(String(320), default="")
    digest: Mapped[str] = mapped_column(String(64), default="", index=True)
    named: Mapped[bool] = mapped_column(default=False)
    invited_at: Mapped[int] = mapped_column(index=True)


class Talk(Base):
    """A message of a player at a board; `reported` ones are kept longer.

    See `boards/chat_log.py`.
    """

    __tablename__ = "talk"

    id: Mapped[int] = mapped_column(primary_key=True)
    board_id: Mapped[int] = mapped_column(ForeignKey("boards.id"), index=True)
    userid: Mapped[str] = mapped_column(String(20))
    at: Mapped[int] = mapped_column(index=True)
    reported: Mapped[bool]
    text: Mapped[str] = mapped_column(Text)


class Sitting(Base):
    """A former player of a seat, who saw its dice; `moves` and `late` as in `Seat`.

    `round` is the running round at the substitution: the last whose dice that player saw.
    """

    __tablename__ = "sittings"

    board_id: Mapped[int] = mapped_column(ForeignKey("boards.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"), primary_key=True, index=True)
    moves: Mapped[int]
    late: Mapped[int]
    round: Mapped[int] = mapped_column(default=0)


class Watcher(Base):
    """A spectator, who gets every letter of a board, or one when it ends."""

    __tablename__ = "watchers"

    board_id: Mapped[int] = mapped_column(ForeignKey("boards.id"), primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"), primary_key=True, index=True)
    just_end: Mapped[bool] = mapped_column(default=False)


class Seek(Base):
    """A search for `wanted` more boards of one kind: rules in the game's notation, and a size.

    It expires at `lapses_at`, unless the player repeats it.
    """

    __tablename__ = "seeks"

    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"), primary_key=True)
    rules: Mapped[str] = mapped_column(String(200), primary_key=True)
    players: Mapped[int] = mapped_column(primary_key=True)
    wanted: Mapped[int]
    asked_at: Mapped[int]
    lapses_at: Mapped[int]


class BoardEvent(Base):
    """One public line of a board's record; only ever added.  The key is also the lock."""

    __tablename__ = "happenings"
    __table_args__ = ({"sqlite_with_rowid": False},)

    board_id: Mapped[int] = mapped_column(ForeignKey("boards.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    line: Mapped[str] = mapped_column(Text)


class Tally(Base):
    """The statistics of a seat at a finished board: `games/perudo/statistics.Counts`."""

    __tablename__ = "tallies"

    board_id: Mapped[int] = mapped_column(ForeignKey("boards.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True)
    bids: Mapped[int]
    true_bids: Mapped[int]
    expected_true: Mapped[float] = mapped_column(Double)
    bluffs: Mapped[int]
    calls: Mapped[int]
    right_calls: Mapped[int]
    expected_right: Mapped[float] = mapped_column(Double)
    right_variance: Mapped[float] = mapped_column(Double)
    matches: Mapped[float] = mapped_column(Double)
    matches_variance: Mapped[float] = mapped_column(Double)


class Tick(Base):
    """One row: when the scheduler last ran, and which process runs it until when."""

    __tablename__ = "ticks"

    id: Mapped[int] = mapped_column(primary_key=True)
    ticked_at: Mapped[int]
    holder: Mapped[str] = mapped_column(String(80), default="")
    held_until: Mapped[int] = mapped_column(default=0)
