"""What players say to each other at boards: who receives it, and how long it is kept.

Messages are kept for `keep_days` (a setting), so that a player can report a board.  Reported
messages are kept for a year.  Passwords and tokens are removed first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from sqlalchemy import Connection, bindparam, delete, func, insert, select, union_all, update

from pbmserv.boards.board import Board
from pbmserv.context import UnitOfWork
from pbmserv.database.models import Block, Player, Seat, Talk
from pbmserv.database.prepared_statements import Prepared
from pbmserv.fast_dataclasses import replace
from pbmserv.letters.payloads.boards import Utterance
from pbmserv.letters.payloads.letter import Letter
from pbmserv.letters.payloads.mails import MESSAGE
from pbmserv.letters.payloads.perudo import CHAT
from pbmserv.timeunits import DAY

REPORTED_KEPT = 365 * DAY  # seconds
ANSWERED_FOR = 7 * DAY  # seconds
MOST_TOLD = 100  # messages in one report, the latest
MOST_DAILY = 30  # words of a player at a board in 24 hours; then a reply needs the word `chat`
LONGEST_TOLD = 500  # characters of each
_OLD = Prepared(
    select(Talk.id)
    .where(Talk.at < bindparam("before"), Talk.reported == bindparam("told"))
    .limit(bindparam("most"))
)
_Said: TypeAlias = tuple[str, str, int | None]
_WRITER = Player.userid_key == bindparam("writer")
_DEAF = union_all(
    select(Block.player_id).join(Player, Player.id == Block.blocked_id).where(_WRITER),
    select(Seat.player_id)
    .where(Seat.board_id == bindparam("board"), Seat.muted.is_(True))
    .where(Seat.player_id != select(Player.id).where(_WRITER).scalar_subquery()),
)
_ADD = Prepared(insert(Talk))


def heard(work: UnitOfWork, letters: Sequence[Letter], blank: Callable[[str], str]) -> list[Letter]:
    """Remove the writer's words for players who do not want them; returns the remaining letters.

    Those players have blocked the writer or muted the board.  The text said at a board is stored,
    with its secrets removed by `blank`.
    """
    said = {found: None for each in letters if (found := _said(each))}
    deaf: dict[_Said, set[int]] = {}
    for writer, text, board in said:
        if board is not None:
            values = {"board_id": board, "userid": writer, "at": work.now, "text": blank(text)}
            _ADD.run(work.connection, {**values, "reported": False})
        if board is None or writer not in work.unshunned.get(board, ()):
            deaf[writer, text, board] = deaf_to(work.connection, writer, board)
    return [left for each in letters if (left := _to_its_reader(each, deaf))]


def wrote_after_leaving(work: UnitOfWork, board: Board) -> set[int]:
    """The seats whose players have left the game and wrote to the others, then or since.

    They get answers for ANSWERED_FOR after their last message.
    """
    left = {seat for seat, each in enumerate(board.seats) if each.leaving}
    left -= {seat for seat, cup in enumerate(board.table.cups) if cup}
    if not left:
        return set()
    since = func.coalesce(Seat.resigned_at, Seat.forfeited_at, work.now + 1)
    query = select(Seat.seat).join(Player, Player.id == Seat.player_id)
    query = query.join(Talk, Talk.board_id == Seat.board_id)
    query = query.where(func.lower(Talk.userid) == Player.userid_key, Talk.at >= since)
    query = query.where(Seat.board_id == board.id, Talk.at > work.now - ANSWERED_FOR)
    return left.intersection(work.connection.execute(query).scalars())


def deaf_to(connection: Connection, writer: str, board: int | None) -> set[int]:
    """The ids of the players who have blocked this writer or muted this board."""
    said = {"writer": writer.lower(), "board": board}
    return set(connection.execute(_DEAF, said).scalars())


def _to_its_reader(letter: Letter, deaf: Mapping[_Said, set[int]]) -> Letter | None:
    said = _said(letter)
    return _unsaid(letter) if said and letter.to in deaf.get(said, ()) else letter


def _said(letter: Letter) -> _Said | None:
    """Return who says what, at which board; None for a letter without a player's words."""
    if letter.kind == MESSAGE.name:
        return str(letter.payload["from"]), "", None
    said = letter.payload.get("message")
    if isinstance(said, dict) and letter.to is not None:
        return str(said["from"]), str(said["text"]), letter.board
    return None


def _unsaid(letter: Letter) -> Letter | None:
    """Return a letter without the words in it; None for a letter that has only words."""
    if letter.kind in {MESSAGE.name, CHAT.name}:
        return None
    if "message" not in letter.payload:
        return letter
    return replace(letter, payload={**letter.payload, "message": None})


def mute(work: UnitOfWork, board: int, player: int, *, on: bool) -> bool:
    """Mute or unmute the other players at a board for a player; returns whether that is new."""
    seat = Seat.board_id == board, Seat.player_id == player, Seat.muted.is_not(on)
    return work.connection.execute(update(Seat).where(*seat).values(muted=on)).rowcount > 0


def reported(connection: Connection, board: int) -> list[Utterance]:
    """Return the latest messages at a board, oldest first, and keep them for a year."""
    connection.execute(update(Talk).where(Talk.board_id == board).values(reported=True))
    return of_board(connection, board)


def of_board(connection: Connection, board: int) -> list[Utterance]:
    """The latest stored messages at a board, oldest first."""
    query = select(Talk.userid, Talk.at, Talk.text).where(Talk.board_id == board)
    rows = connection.execute(query.order_by(Talk.id.desc()).limit(MOST_TOLD)).all()
    return [{"from": who, "at": at, "text": text[:LONGEST_TOLD]} for who, at, text in rows[::-1]]


def expire(connection: Connection, before: int, now: int, most: int) -> bool:
    """Delete up to `most` messages from before a moment, and as many reported ones after a year.

    Returns whether there were any.
    """
    found = []
    for is_reported, moment in ((False, before), (True, now - REPORTED_KEPT)):
        asked = {"before": moment, "told": is_reported, "most": most}
        if ids := [row.id for row in _OLD.rows(connection, asked)]:
            connection.execute(delete(Talk).where(Talk.id.in_(ids)))
        found.append(bool(ids))
    return any(found)


def limit_ends(connection: Connection, board: int, player: int, now: int) -> int:
    """When a player who has written MOST_DAILY messages at a board may write more; 0: now.

    In seconds since 1970.
    """
    row = Talk
    mine = select(Player.userid).where(Player.id == player)
    theirs = row.board_id == board, row.userid == mine.scalar_subquery(), row.at > now - DAY
    query = select(row.at).where(*theirs).order_by(row.at.desc())
    oldest = connection.execute(query.offset(MOST_DAILY - 1).limit(1)).scalar()
    return 0 if oldest is None else int(oldest) + DAY
