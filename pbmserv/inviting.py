"""Inviting: a challenge begins its board, or asks those first who want to be asked.

What becomes of an invitation stands in `invitations.py`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import astuple

from sqlalchemy import insert

from pbmserv import challenges, models, playing, telling
from pbmserv.boards import INVITED
from pbmserv.challenges import Plan
from pbmserv.consent import ASK, Guest
from pbmserv.desk import Desk, Letter
from pbmserv.facts import boards as facts
from pbmserv.games.perudo.notation import write_rules
from pbmserv.invitations import LIFETIME, MOVE, Invitation, Invited
from pbmserv.players import Player


def begun_or_asked(
    desk: Desk, challenger: Player | None, plan: Plan, guests: Sequence[Guest]
) -> list[Letter]:
    """Begin the board of a challenge, or invite to it those who want to be asked."""
    own = challenger.id if challenger else None
    asked = [guest.id for guest in guests if guest.challenges == ASK and guest.id != own]
    if asked:
        return _invite(desk, challenger, plan, guests, asked)
    number = playing.new_board(desk, challenger_id=own)
    seats = [(guest.id, guest.userid) for guest in guests]
    played = challenges.begin(desk, number, plan, seats)
    letters = telling.of_start(desk, played, challenger.userid if challenger else "")
    if own in dict(seats):
        return letters
    return [*letters, facts.CHALLENGED.to(None, challenges.told(played))]


def _invite(
    desk: Desk,
    challenger: Player | None,
    plan: Plan,
    guests: Sequence[Guest],
    asked: Sequence[int],
) -> list[Letter]:
    until = desk.now + LIFETIME
    kept = {
        "rules": write_rules(plan.rules),
        "inorder": plan.inorder,
        "terms": astuple(plan.terms),
        "message": desk.message,
    }
    number = playing.new_board(
        desk,
        state=INVITED,
        challenger_id=challenger.id if challenger else None,
        asked=json.dumps(kept, ensure_ascii=False),
        due_at=until,
    )
    seats = tuple(Invited(each.id, each.userid, each.id not in asked) for each in guests)
    _seat(desk, number, seats)
    invitation = Invitation(number, plan, desk.message, challenger, seats, until)
    letters = [
        facts.INVITATION.to(each.player, invitation.told(each.userid), number, MOVE)
        for each in seats
        if not each.accepted
    ]
    told: facts.Invited = {
        "board": number,
        "names": invitation.names,
        "waiting": invitation.waiting,
        "challenger": invitation.inviting,
        "until": until,
    }
    return [*letters, facts.INVITED.to(None, told)]


def _seat(desk: Desk, number: int, seats: Sequence[Invited]) -> None:
    rows = [
        {
            "board_id": number,
            "seat": place,
            "player_id": each.player,
            "first_id": each.player,
            "accepted": each.accepted,
        }
        for place, each in enumerate(seats)
    ]
    desk.connection.execute(insert(models.Seat), rows)
