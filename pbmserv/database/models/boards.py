"""Boards, their players and spectators, and their records."""

from __future__ import annotations

from types import MappingProxyType

from sqlalchemy import ColumnClause, Double, ForeignKey, Index, LargeBinary, String, Text

from pbmserv.database.models.base import Base, column, partial_index

_TO_COUNT = "ended_at IS NOT NULL AND tallied_at IS NULL"
_VOID = "void_at IS NOT NULL"
_CLOSED = "opens_at IS NOT NULL"


class Board(Base):
    """One game being played.

    `position` is the whole table in one line of notation, cups included: it is secret while the
    round runs.  `seed` and `next_seed` are the secrets of the running round and of the next one
    (committed already).  `chain` is the digest over all public lines so far, `recent` the public
    lines of the last finished rounds.  `move` and `turn` repeat parts of the position, for queries
    over many boards.

    `state` is invited (not begun), playing, won, drawn, withdrawn (never begun) or declined.  A
    declined board ended before all players had taken their seats.  `asked` is what the challenge
    asked for, as JSON ("" for players who sought a board).  A rematch asks for it again.  `opening`
    is an opening message that waits until the challenger proves to have written it.  `nag_seconds`,
    `forfeit_seconds` and `total_seconds` are the board's times.  `clock_at` is when the wait for
    the player on turn began.  `due_at` is when the next deadline is due, and `reminded` how often
    the player was reminded since the clock began.  `counted` numbers the won boards, in order of
    their ends.  `counts` are the moves of each seat's player and how many of them were late, as
    JSON.  If it is "", the rows of the seats have them.  `tallied_at` is when statistics were made
    of a finished board.  `void_at` is when a backup was restored, if the running round must still
    be rolled again.  Until then the board is blocked.  `opens_at` is when the beacon opens the cups
    of the running round, if a call waits for it.  Then nobody is on turn: `turn` is -1.
    """

    __tablename__ = "boards"
    __table_args__ = (
        Index("ix_boards_due", "due_at"),
        partial_index("ix_boards_to_count", "ended_at", _TO_COUNT),
        partial_index("ix_boards_void", "void_at", _VOID),
        partial_index("ix_boards_opens", "opens_at", _CLOSED),
    )

    id: ColumnClause[int] = column(primary_key=True)
    game: ColumnClause[str] = column(String(20))
    position: ColumnClause[str] = column(Text)
    move: ColumnClause[int]
    turn: ColumnClause[int]
    lines: ColumnClause[int]
    chain: ColumnClause[bytes] = column(LargeBinary(32))
    seed: ColumnClause[bytes | None] = column(LargeBinary(32))
    next_seed: ColumnClause[bytes | None] = column(LargeBinary(32))
    recent: ColumnClause[str] = column(Text, default="")
    started_at: ColumnClause[int]
    moved_at: ColumnClause[int]
    ended_at: ColumnClause[int | None]
    state: ColumnClause[str] = column(String(10), default="playing")
    asked: ColumnClause[str] = column(Text, default="")
    challenger_id: ColumnClause[int | None] = column(ForeignKey("players.id"))
    opening: ColumnClause[str] = column(Text, default="")
    rated: ColumnClause[bool] = column(default=True)
    standin: ColumnClause[bool] = column(default=False)
    nag_seconds: ColumnClause[int] = column(default=0)
    forfeit_seconds: ColumnClause[int] = column(default=0)
    total_seconds: ColumnClause[int] = column(default=0)
    clock_at: ColumnClause[int] = column(default=0)
    reminded: ColumnClause[int] = column(default=0)
    due_at: ColumnClause[int | None]
    counts: ColumnClause[str] = column(Text, default="")
    counted: ColumnClause[int | None] = column(unique=True)
    tallied_at: ColumnClause[int | None]
    void_at: ColumnClause[int | None]
    opens_at: ColumnClause[int | None]


class Seat(Base):
    """A seat and its player.  `leaving` is a resignation that waits for the player's turn.

    `first_id` is the player at the beginning of the board.  This player is rated, but only for the
    time before a substitution.  The substitution happened after `handed_over` events of the record
    (None: no substitution).  `accepted` is whether an invitation was accepted.  `taken_at` is when
    its player first acted at the board (`boards/seating.py`; None: not yet, or the player has
    declined).  `agrees` says whether the player agrees to a draw, `queued` the moves to try when
    the turn comes (JSON).  `standin_id` is the bot that plays for an absent player.
    `salt` is that of the email which accepted the invitation or queued the moves.  `muted`: gets no
    messages of the others.  `moves` counts the player's moves, `late` those made after the nag
    time; while a board runs, `Board.counts` has both.  `weight` is how much the board counts for
    the rating of `first_id`, from 0 to 1.  `resigned_at` is when the player resigned or declined,
    `forfeited_at` when the time to move was over.  Seats that were left before revision 0039 have
    neither.
    """

    __tablename__ = "seats"

    board_id: ColumnClause[int] = column(ForeignKey("boards.id"), primary_key=True)
    seat: ColumnClause[int] = column(primary_key=True)
    player_id: ColumnClause[int] = column(ForeignKey("players.id"), index=True)
    leaving: ColumnClause[bool] = column(default=False)
    first_id: ColumnClause[int] = column(ForeignKey("players.id"), index=True)
    accepted: ColumnClause[bool] = column(default=True)
    taken_at: ColumnClause[int | None]
    agrees: ColumnClause[bool] = column(default=False)
    queued: ColumnClause[str] = column(Text, default="")
    salt: ColumnClause[str] = column(String(17), default="")
    standin_id: ColumnClause[int | None] = column(ForeignKey("players.id"))
    handed_over: ColumnClause[int | None]
    muted: ColumnClause[bool] = column(default=False)
    moves: ColumnClause[int] = column(default=0)
    late: ColumnClause[int] = column(default=0)
    weight: ColumnClause[float] = column(Double, default=1.0)
    resigned_at: ColumnClause[int | None]
    forfeited_at: ColumnClause[int | None]


class AddressInvitation(Base):
    """A seat of an invited board for somebody who was invited by address.

    `state` is open, joined or closed.  `token` is the SHA-256 of the token in the letter, "" if no
    letter was sent.  `address` is known only while the invitation is open and a letter was sent;
    `digest` is its keyed digest.  `named`: its reader said yes, and was asked for a userid.
    """

    __tablename__ = "address_invitations"

    board_id: ColumnClause[int] = column(ForeignKey("boards.id"), primary_key=True)
    seat: ColumnClause[int] = column(primary_key=True)
    state: ColumnClause[str] = column(String(10))
    token: ColumnClause[str] = column(String(64), default="", index=True)
    address: ColumnClause[str] = column(String(320), default="")
    digest: ColumnClause[str] = column(String(64), default="", index=True)
    named: ColumnClause[bool] = column(default=False)
    invited_at: ColumnClause[int] = column(index=True)


class Talk(Base):
    """A message of a player at a board; `reported` ones are kept longer.

    See `boards/chat_log.py`.
    """

    __tablename__ = "talk"

    id: ColumnClause[int] = column(primary_key=True)
    board_id: ColumnClause[int] = column(ForeignKey("boards.id"), index=True)
    userid: ColumnClause[str] = column(String(20))
    at: ColumnClause[int] = column(index=True)
    reported: ColumnClause[bool]
    text: ColumnClause[str] = column(Text)


class Sitting(Base):
    """A former player of a seat, who saw its dice; `moves` and `late` as in `Seat`.

    `round` is the running round at the substitution: the last whose dice that player saw.
    """

    __tablename__ = "sittings"

    board_id: ColumnClause[int] = column(ForeignKey("boards.id"), primary_key=True)
    seat: ColumnClause[int] = column(primary_key=True)
    player_id: ColumnClause[int] = column(ForeignKey("players.id"), primary_key=True, index=True)
    moves: ColumnClause[int]
    late: ColumnClause[int]
    round: ColumnClause[int] = column(default=0)


class Watcher(Base):
    """A spectator, who gets every letter of a board, or one when it ends."""

    __tablename__ = "watchers"

    board_id: ColumnClause[int] = column(ForeignKey("boards.id"), primary_key=True)
    player_id: ColumnClause[int] = column(ForeignKey("players.id"), primary_key=True, index=True)
    just_end: ColumnClause[bool] = column(default=False)


class Seek(Base):
    """A search for `wanted` more boards of one kind: rules in the game's notation, and a size.

    It expires at `lapses_at`, unless the player repeats it.
    """

    __tablename__ = "seeks"

    player_id: ColumnClause[int] = column(ForeignKey("players.id"), primary_key=True)
    rules: ColumnClause[str] = column(String(200), primary_key=True)
    players: ColumnClause[int] = column(primary_key=True)
    wanted: ColumnClause[int]
    asked_at: ColumnClause[int]
    lapses_at: ColumnClause[int]


class BoardEvent(Base):
    """The public lines of a board's record that one move added; only ever added.

    `number` counts the lines before them; the header counts as one.  `digits` are the bytes of the
    hexadecimal numbers in the lines (`boards/record_compression.py`).  Older versions wrote a row
    for each line, with all digits in it.  The key is also the lock.  Its table is `happenings`.
    """

    __tablename__ = "happenings"
    __table_options__ = MappingProxyType({"sqlite_with_rowid": False})

    board_id: ColumnClause[int] = column(ForeignKey("boards.id"), primary_key=True)
    number: ColumnClause[int] = column(primary_key=True)
    line: ColumnClause[str] = column(Text)
    digits: ColumnClause[bytes | None] = column(LargeBinary)


class Tally(Base):
    """The statistics of a seat at a finished board: `games/perudo/statistics.Counts`.

    Its table is `tallies`.
    """

    __tablename__ = "tallies"

    board_id: ColumnClause[int] = column(ForeignKey("boards.id"), primary_key=True)
    seat: ColumnClause[int] = column(primary_key=True)
    bids: ColumnClause[int]
    true_bids: ColumnClause[int]
    expected_true: ColumnClause[float] = column(Double)
    bluffs: ColumnClause[int]
    calls: ColumnClause[int]
    right_calls: ColumnClause[int]
    expected_right: ColumnClause[float] = column(Double)
    right_variance: ColumnClause[float] = column(Double)
    matches: ColumnClause[float] = column(Double)
    matches_variance: ColumnClause[float] = column(Double)


class Tick(Base):
    """One row: when the scheduler last ran, and which process runs it until when."""

    __tablename__ = "ticks"

    id: ColumnClause[int] = column(primary_key=True)
    ticked_at: ColumnClause[int]
    holder: ColumnClause[str] = column(String(80), default="")
    held_until: ColumnClause[int] = column(default=0)
