"""Rematches: a player of a finished board challenges the same players again.

Players who left it early are invited only if the challenger names them.
The new board has the rules and the times of the finished one.  Everything else is as for a
challenge by that player: `lobby/challenges.py`, `lobby/challenge_start.py`.  While that board waits
or runs, it is the only rematch.  A player who asks for one as well accepts it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from sqlalchemy import Connection, select

from pbmserv.boards import challenge_answers, rematch_players, seating
from pbmserv.boards.board import INVITED, PLAYING, Board, load_board
from pbmserv.boards.deadlines import Terms
from pbmserv.context import Context, elsewhere
from pbmserv.database import models
from pbmserv.errors import Fact, Refused
from pbmserv.fast_dataclasses import dataclass, replace
from pbmserv.letters.payloads import boards as payloads
from pbmserv.letters.payloads.letter import Letter
from pbmserv.lobby import challenge_start, challenges, invitations
from pbmserv.lobby.challenges import Plan, Problems
from pbmserv.players import account_suspension, accounts

_ANSWERS = {payloads.TAKEN.name, payloads.INVITATION_ANSWER.name}


@dataclass(frozen=True, slots=True)
class _Former:
    """A seat of the finished board: who began there, and whether somebody else played on.

    `early`: the player left while the others played on.
    """

    userid: str
    replaced: bool
    early: bool


def asker(context: Context, number: int, userid: str, password: str) -> int:
    """The player who gives a password, or answers the board's last letter from their own address.

    Raises Refused as `Context.authenticate`, `elsewhere` for a letter of another board, or as
    `seating.writer`.
    """
    identity = context.authenticate(userid, password)
    if identity.board not in {None, number}:
        raise elsewhere(identity, password)
    return seating.writer(context, userid, password).player


def asked_for(context: Context, number: int, player: int, also: Sequence[str] = ()) -> list[Letter]:
    """Challenge the players of a finished board again, as this player of it, and `also` others.

    If one of them has done so, and that board is not over, the player accepts it.  So does a player
    who names that very board, in reply to its first letter.

    Raises Refused `account_suspended`, `not_on_board`, `rematch_too_early`, `signed_off`, as
    `load_board`, as `_joined`, or as `challenges.weighed_again`.  `players_replaced` is one of its
    reasons.
    """
    account_suspension.check_player(context.connection, player, context.now)
    board = load_board(context.connection, number)
    formers = _formers(context.connection, number, player)
    if board.table.winner is None and _may_join(context.connection, board, player):
        return challenge_answers.accepted(context, board, board.seat_of(player))
    if board.table.winner is None:
        raise _too_early(context, board, player, [each.userid for each in formers])
    if rematch := _asked_before(context.connection, number, player):
        return _joined(context, rematch, number, player)
    problems = Problems()
    challenger = accounts.named(context.connection, [player])[0]
    named = {userid.lower() for userid in (*also, challenger.userid)}
    formers = [each for each in formers if not each.early or each.userid.lower() in named]
    if replaced := [each.userid for each in formers if each.replaced]:
        problems.add("players_replaced", board=number, names=replaced)
    plan = _plan(context.connection, board)
    again = {each.userid.lower() for each in formers}
    userids = [each.userid for each in formers]
    userids += [userid for userid in also if userid.lower() not in again]
    _check_all_here(context.connection, userids)
    # A password may come in an email with any From: what it asks for is not a count of others.
    there = accounts.players_of_address(context.connection, context.sender)
    if there and player not in [each.id for each in there]:
        context = replace(context, sender="")
    candidates = challenges.weighed_again(context, problems, challenger, userids, plan)
    challenges.note_daily(context, challenger)
    return challenge_start.begun_or_asked(context, challenger, plan, candidates)


def _may_join(connection: Connection, board: Board, player: int) -> bool:
    """Whether a running board is a rematch in which the player has not taken the seat yet."""
    query = select(models.Board.asked).where(models.Board.id == board.id)
    asked = connection.execute(query).scalar_one()
    is_rematch = bool(asked) and bool(json.loads(asked).get("again"))
    return is_rematch and any(each.player == player and seating.takes(each) for each in board.seats)


def _too_early(context: Context, board: Board, player: int, userids: Sequence[str]) -> Refused:
    """The refusal of a rematch before the end of the first game.

    `reply` is which letter starts it after the end, for a player who has replied to one: the letter
    of the end, or the answer to who has left.  It is "" for none.  Who has left may challenge the
    others again at once.
    """
    seats = zip(board.seats, board.table.cups, strict=True)
    mine = next(((each, cup) for each, cup in seats if each.player == player), None)
    facts: dict[str, Fact] = {"board": board.id, "turn": board.on_turn.userid}
    if mine is None:
        return Refused("rematch_too_early", **facts)
    seated, cup = mine
    answered = context.answered
    is_reply = answered is not None and answered.board == board.id and player in context.owners
    if not seated.leaving:
        facts["reply"] = "end" if is_reply else ""
    elif not cup:
        facts |= {"reply": "this" if is_reply else "", "names": [*userids]}
    return Refused("rematch_too_early", **facts)


def _check_all_here(connection: Connection, userids: Sequence[str]) -> None:
    """Raise Refused `signed_off` if a player has left the server, with the players who are here."""
    who = models.Player
    query = select(who.userid).where(who.userid.in_(userids), who.left_at.is_not(None))
    gone = set(connection.execute(query).scalars())
    if gone:
        names: list[Fact] = [each for each in userids if each in gone]
        others: list[Fact] = [each for each in userids if each not in gone]
        raise Refused("signed_off", names=names, others=others)


def _asked_before(connection: Connection, number: int, player: int) -> int | None:
    """The board with this player that plays a finished board again, and is not over itself."""
    board, seat = models.Board, models.Seat
    query = (
        select(board.id, board.asked)
        .join(seat, seat.board_id == board.id)
        .where(seat.player_id == player, board.state.in_((PLAYING, INVITED)), board.asked != "")
        .order_by(board.id)
    )
    rows = connection.execute(query)
    return next((row.id for row in rows if json.loads(row.asked).get("again") == number), None)


def _joined(context: Context, rematch: int, number: int, player: int) -> list[Letter]:
    """Accept the rematch of a board; the answer says which board it is.

    Raises Refused as `invitations.answer`, or as `challenge_answers.accepted`.
    """
    if invitation := invitations.load(context.connection, rematch):
        letters = invitations.answer(context, invitation, player, accepts=True)
    else:
        board = load_board(context.connection, rematch)
        letters = challenge_answers.accepted(context, board, board.seat_of(player))
    return [
        replace(each, payload={**each.payload, "again": number}) if each.kind in _ANSWERS else each
        for each in letters
    ]


def _formers(connection: Connection, number: int, player: int) -> list[_Former]:
    """The seats of a board in their order; raises Refused `not_on_board`."""
    seat, who = models.Seat, models.Player
    query = (
        select(who.userid, seat.first_id, seat.player_id, seat.standin_id)
        .join(who, who.id == seat.first_id)
        .where(seat.board_id == number)
        .order_by(seat.seat)
    )
    rows = connection.execute(query).all()
    if all(player not in {row.first_id, row.player_id} for row in rows):
        raise Refused("not_on_board", board=number)
    early = rematch_players.early_seats(connection, number)
    return [
        _Former(
            row.userid, row.player_id != row.first_id or row.standin_id is not None, seat in early
        )
        for seat, row in enumerate(rows)
    ]


def _plan(connection: Connection, board: Board) -> Plan:
    """What the challenge to a board asked for.

    The board itself does not say whether it was to be rated: a draw ends unrated.  Players who
    sought a board have asked for a rated one, in any order.  An older version kept nothing of a
    challenge that began at once.  Then the order is not known.  A board that ended unrated stays
    unrated, because nobody's rating may change without that player's consent.
    """
    query = select(models.Board.asked).where(models.Board.id == board.id)
    if not (asked := connection.execute(query).scalar_one()):
        rated = board.clock.terms.rated or board.challenger is None
        return Plan(board.table.rules, replace(board.clock.terms, rated=rated), again=board.id)
    kept = json.loads(asked)
    return Plan(board.table.rules, Terms(*kept["terms"]), kept["inorder"], board.id)
