"""Rematches: a player of a finished board challenges the same players again.

The new board has the rules and the times of the finished one.  Everything else is as for a
challenge by that player: `lobby/challenges.py`, `lobby/invitations.py`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from sqlalchemy import Connection, select

from pbmserv.boards.board import Board, load_board
from pbmserv.boards.deadlines import Terms
from pbmserv.context import Context
from pbmserv.database import models
from pbmserv.errors import Refused
from pbmserv.letters.payloads.letter import Letter
from pbmserv.lobby import challenges, invitations
from pbmserv.lobby.challenges import Plan, Problems
from pbmserv.players import account_suspension, accounts


@dataclass(frozen=True, slots=True)
class _Former:
    """A seat of the finished board: who began there, and whether somebody else played on."""

    userid: str
    replaced: bool


def asked_for(context: Context, number: int, player: int) -> list[Letter]:
    """Challenge the players of a finished board again, as this player of it.

    Raises Refused `account_suspended`, `not_on_board`, `rematch_too_early`, as `load_board`, or
    as `challenges.weighed_again`.  `players_replaced` is one of its reasons.
    """
    account_suspension.check_player(context.connection, player, context.now)
    board = load_board(context.connection, number)
    formers = _formers(context.connection, number, player)
    if board.table.winner is None:
        raise Refused("rematch_too_early", board=number, turn=board.on_turn.userid)
    problems = Problems()
    if replaced := [each.userid for each in formers if each.replaced]:
        problems.add("players_replaced", board=number, names=replaced)
    plan = _plan(context.connection, board)
    challenger = accounts.named(context.connection, [player])[0]
    userids = [each.userid for each in formers]
    # A password may come in an email with any From: what it asks for is no count of others.
    there = accounts.players_of_address(context.connection, context.sender)
    if there and player not in [each.id for each in there]:
        context = replace(context, sender="")
    guests = challenges.weighed_again(context, problems, challenger, userids, plan)
    challenges.note_daily(context, challenger)
    return invitations.begun_or_asked(context, challenger, plan, guests)


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
    return [
        _Former(row.userid, row.player_id != row.first_id or row.standin_id is not None)
        for row in rows
    ]


def _plan(connection: Connection, board: Board) -> Plan:
    """What the challenge to a board asked for.

    The board itself does not say whether it was to be rated: a draw ends unrated.  Players who
    sought a board have asked for a rated one, in any order.
    """
    query = select(models.Board.asked).where(models.Board.id == board.id)
    if not (asked := connection.execute(query).scalar_one()):
        return Plan(board.table.rules, replace(board.clock.terms, rated=True))
    kept = json.loads(asked)
    return Plan(board.table.rules, Terms(*kept["terms"]), kept["inorder"])
