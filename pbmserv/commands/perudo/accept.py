"""`accept`: accept an invitation or a draw, or all challenges from now on."""

from __future__ import annotations

import click

from pbmserv.commands.completion import boards
from pbmserv.commands.framework import (
    Secret,
    board_last,
    expected_move,
    message_option,
    player_command,
)
from pbmserv.context import Context, elsewhere
from pbmserv.errors import Refused
from pbmserv.letters.payloads.boards import CONSENT, Consent
from pbmserv.letters.payloads.letter import Letter

LETTERS = (
    "invitation_answer",
    "perudo/offer",
    "perudo/ended",
    "consent",
    "taken",
    "perudo/chat",
    "chat_sent",
)


@player_command(
    "accept",
    example="perudo accept bob secret 12",
    letters=("perudo/started", *LETTERS),
    ordered=board_last,
)
@click.argument("userid")
@click.argument("password", cls=Secret, by_button=True)
@click.argument("board", required=False, shell_complete=boards)
@message_option
def command(context: Context, userid: str, password: str, board: str | None) -> list[Letter]:
    """Accept an invitation, a seat or a proposed draw.

    At a running board you take your seat.  A board that you were invited to begins as soon as all
    have accepted.  The text below the command goes to the others.  You can also reply to the
    invitation, with the word accept on the first line.

    Without a board: challenges to you now start at once, without asking you first.
    """
    return answered_or_set(context, userid, password, board, accepts=True)


def answered_or_set(
    context: Context, userid: str, password: str, board: str | None, *, accepts: bool
) -> list[Letter]:
    """The answer to what is open on a board, or to all challenges from now on."""
    from pbmserv.lobby import eligibility, invitations
    from pbmserv.players import accounts

    if board is not None:
        expected = expected_move()
        return answered(context, board, userid, password, accepts=accepts, expected=expected)
    challenges = eligibility.START if accepts else eligibility.OFF
    player = accounts.named(context.connection, [context.account(userid, password)])[0]
    eligibility.change(context.connection, player.id, challenges)
    told: Consent = {
        "userid": player.userid,
        "challenges": challenges,
        "asked": invitations.asked(context.connection, player.id),
    }
    return [CONSENT.to(None, told)]


def answered(
    context: Context,
    number: str,
    userid: str,
    password: str,
    *,
    accepts: bool,
    expected: int | None = None,
) -> list[Letter]:
    """The answer to an invitation, on a running board to a challenge or to the offer of a draw."""
    from pbmserv.boards import challenge_answers, draw_offers, seating
    from pbmserv.boards.board import board_number
    from pbmserv.boards.seating import TokenUse
    from pbmserv.lobby import invitations
    from pbmserv.players import account_suspension

    wanted = board_number(number)
    if invitation := invitations.load(context.connection, wanted):
        identity = context.authenticate(userid, password)
        if (identity.board, identity.move) not in {(None, None), (wanted, invitations.MOVE)}:
            raise elsewhere(identity, password)
        seating.require_no_opponent(context, identity, wanted, invitation.players)
        account_suspension.check_player(context.connection, identity.player, context.now)
        if expected not in {None, invitations.MOVE}:
            raise Refused("wrong_move", board=wanted, expected=invitations.MOVE, given=expected)
        return invitations.answer(context, invitation, identity.player, accepts)
    if accepts and (
        letters := challenge_answers.release_message(
            context, wanted, context.authenticate(userid, password)
        )
    ):
        return letters
    draw_offers.require_newest(context, wanted, context.authenticate(userid, password))
    board, seat = seating.authorized(
        context, number, userid, password, TokenUse.CHALLENGE, expected=expected
    )
    if challenge_answers.asks(board, seat):
        return challenge_answers.answer(context, board, seat, accepts=accepts)
    return draw_offers.answer(context, board, seat, accepts=accepts)
