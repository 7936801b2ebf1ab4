"""Proofs: whether a mail as a whole proves to be a player's, whatever its lines ask for."""

from __future__ import annotations

from pbmserv import boards
from pbmserv.desk import Desk, Voucher
from pbmserv.reception import Opened
from pbmserv.tokens import Tokens


def proves(opened: Opened, desk: Desk, tokens: Tokens, player: int) -> bool:
    """Whether a mail proves to be this player's.

    The player's password does, wherever in the mail it was shown, the token of a letter that is
    still the player's latest of its board, and a proven From that is an address of the player's.
    """
    shown = [each for each in opened.vouchers.shown if each.player == player]
    answered = tokens.good(opened.token)
    if answered and answered.player == player:
        shown.append(Voucher(player, answered.board, answered.move))
    if any(boards.counts_still(desk.connection, each) for each in shown):
        return True
    return player in desk.owners and desk.proves_once()


def is_from(opened: Opened, desk: Desk, tokens: Tokens, player: int) -> bool:
    """Whether a mail is counted as this player's: it proves to be, or answers a letter of theirs.

    Any letter that went to the mail's address will do, if the player has confirmed the address.
    """
    answers = opened.vouchers.answers and player in desk.owners
    return answers or proves(opened, desk, tokens, player)
