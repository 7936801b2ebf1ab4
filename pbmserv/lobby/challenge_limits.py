"""Limits on how many challenges of strangers a player receives.

Strangers are players who have never both made a move at one board.  A challenge of a stranger
begins at once until three boards of strangers wait for the player's first action
(`boards/seating.py`).  After that the player is invited, and at most three invitations of strangers
wait for an answer.  The daily limit of challenges by one player also limits the challenges by all
strangers to one player.  A challenge from a shell of the server counts for none of this.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import BindParameter, Connection, Select, and_, bindparam, or_, select

from pbmserv.boards.board import INVITED, PLAYING
from pbmserv.context import UnitOfWork
from pbmserv.database import models
from pbmserv.errors import Fact, Refused
from pbmserv.fast_dataclasses import dataclass, replace
from pbmserv.lobby.eligibility import ASK, START, Candidate
from pbmserv.ratelimit import fixed_window
from pbmserv.timeunits import DAY

MOST_UNANSWERED = 3  # boards, and invitations, of strangers
SHORTEST_FORFEIT = 2 * DAY  # with a shorter time to move, every player is asked first
_CHALLENGED = "challenged"  # what `fixed_window` counts: by strangers
_PLAYERS: BindParameter[int] = bindparam("players", expanding=True)


def _waiting_statement() -> Select[int, int | None, str]:
    seat, board = models.Seat, models.Board
    invited = and_(board.state == INVITED, seat.accepted.is_(False))
    return (
        select(seat.player_id, board.challenger_id, board.state)
        .join(board, board.id == seat.board_id)
        .where(seat.player_id.in_(_PLAYERS), seat.taken_at.is_(None), seat.leaving.is_(False))
        .where(or_(board.state == PLAYING, invited))
        .where(board.challenger_id.is_not(None), board.challenger_id != seat.player_id)
    )


def _boards_of_both() -> Select[Any]:
    board, mine, theirs = models.Board, models.Seat.aliased(), models.Seat.aliased()
    return (
        select(board.counts, mine.player_id, mine.seat, mine.moves)
        .add_columns(theirs.player_id.label("other"), theirs.seat.label("place"))
        .add_columns(theirs.moves.label("made"))
        .join(mine, mine.board_id == board.id)
        .join(theirs, theirs.board_id == board.id)
        .where(mine.player_id.in_(_PLAYERS))
        .where(theirs.player_id.in_(bindparam("others", expanding=True)))
    )


_WAITING, _BOARDS_OF_BOTH = _waiting_statement(), _boards_of_both()


@dataclass(frozen=True, slots=True)
class UnansweredChallenges:
    """How many boards and invitations of strangers wait for a first answer of a player."""

    boards: int = 0
    invitations: int = 0


def unanswered(
    connection: Connection, challenger: int | None, candidates: Sequence[Candidate]
) -> dict[int, UnansweredChallenges]:
    """What waits for each of these candidates who is a stranger to the challenger.

    `challenger` is None for a shell.
    """
    people = [each.id for each in candidates if not each.level and each.id != challenger]
    if challenger is None or not people:
        return {}
    rows = _waiting(connection, people)
    known = _have_played(connection, people, {challenger, *(who for _, who, _ in rows)})
    found = {}
    for candidate in people:
        if (candidate, challenger) not in known:
            states = [
                state
                for player, who, state in rows
                if player == candidate and (player, who) not in known
            ]
            found[candidate] = UnansweredChallenges(states.count(PLAYING), states.count(INVITED))
    return found


def asked(
    candidate: Candidate, waiting: Mapping[int, UnansweredChallenges], *, short: bool
) -> Candidate:
    """Set whether a candidate of another player's challenge is a stranger, and must be asked first.

    `waiting` is the result of `unanswered`; its keys are the strangers to the challenger.  `short`:
    the time to move is so short that every player must agree to it.
    """
    candidate = replace(candidate, strange=candidate.id in waiting)
    is_full = waiting.get(candidate.id, UnansweredChallenges()).boards >= MOST_UNANSWERED
    if candidate.challenges == START and not candidate.level and (short or is_full):
        return replace(candidate, challenges=ASK, must=True)
    return candidate


def objections(
    work: UnitOfWork, candidates: Sequence[Candidate], waiting: Mapping[int, UnansweredChallenges]
) -> Iterator[Refused]:
    """Why strangers cannot challenge some of these candidates now.

    These candidates have too many unanswered invitations, or were challenged too often today.
    `waiting` is the result of `unanswered`.
    """
    strange = [each for each in candidates if each.strange]
    full: list[Fact] = [
        each.userid
        for each in strange
        if each.challenges == ASK and waiting[each.id].invitations >= MOST_UNANSWERED
    ]
    if full:
        yield Refused("invited_enough", names=full, most=MOST_UNANSWERED)
    most = work.settings.challenges_daily
    today: list[Fact] = [
        each.userid
        for each in strange
        if not fixed_window.allowed(work.connection, _CHALLENGED, str(each.id), most, DAY, work.now)
    ]
    if today:
        yield Refused("challenged_enough", names=today, most=most)


def note_challenge(work: UnitOfWork, candidates: Sequence[Candidate]) -> None:
    """Count a challenge for each candidate who is a stranger to the challenger."""
    for candidate in candidates:
        if candidate.strange:
            fixed_window.note(work.connection, _CHALLENGED, str(candidate.id), DAY, work.now)


def _waiting(connection: Connection, players: Collection[int]) -> list[tuple[int, int, str]]:
    """What waits for a first answer of these players: the player, the challenger, and the state."""
    rows = connection.execute(_WAITING, {"players": [*players]})
    return [(player, who or 0, state) for player, who, state in rows]


def _have_played(
    connection: Connection, players: Collection[int], others: Collection[int]
) -> set[tuple[int, int]]:
    """The pairs of these players and `others` who have both made a move at one board."""
    found = set()
    for row in connection.execute(_BOARDS_OF_BOTH, {"players": [*players], "others": [*others]}):
        counts = json.loads(row.counts) if row.counts else None
        made = (counts[row.seat][0], counts[row.place][0]) if counts else (row.moves, row.made)
        if all(made):
            found.add((row.player_id, row.other))
    return found
