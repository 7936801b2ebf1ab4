"""Inviting: a challenge begins its board, or asks those first who want to be asked.

What becomes of an invitation stands in `invitations.py`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import astuple

from sqlalchemy import insert

from pbmserv import challenges, models, playing, strangers, telling
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
    strangers.note_challenge(desk, guests)
    asked = [guest.id for guest in guests if guest.challenges == ASK and guest.id != own]
    if asked:
        return _invite(desk, challenger, plan, guests, asked)
    held = "" if own is None or desk.proves(own) else desk.message
    number = playing.new_board(desk, challenger_id=own, opening=held)
    seats = [(guest.id, guest.userid) for guest in guests]
    taken = [each.id for each in guests if _takes_seat(desk, each, own)]
    played = challenges.begin(desk, number, plan, seats, taken)
    letters = telling.of_start(desk, played, challenger.userid if challenger else "")
    if own in dict(seats):
        return letters
    return [*letters, facts.CHALLENGED.to(None, challenges.told(played, challenger))]


def _takes_seat(desk: Desk, guest: Guest, own: int | None) -> bool:
    """Whether the challenge itself takes the seat: of the house, and of who proves to have made it.

    `own` is the challenger.
    """
    return guest.level != "" or (guest.id == own and desk.proves(guest.id))


def _invite(
    desk: Desk,
    challenger: Player | None,
    plan: Plan,
    guests: Sequence[Guest],
    asked: Sequence[int],
) -> list[Letter]:
    own = challenger.id if challenger else None
    until = desk.now + LIFETIME
    kept = {
        "rules": write_rules(plan.rules),
        "inorder": plan.inorder,
        "terms": astuple(plan.terms),
        "message": desk.message,
        "held": desk.message != "" and own is not None and not desk.proves(own),
    }
    number = playing.new_board(
        desk,
        state=INVITED,
        challenger_id=own,
        asked=json.dumps(kept, ensure_ascii=False),
        due_at=until,
    )
    seats = tuple(
        Invited(each.id, each.userid, each.id not in asked, _takes_seat(desk, each, own))
        for each in guests
    )
    _seat(desk, number, seats)
    held = bool(kept["held"])
    invitation = Invitation(number, plan, desk.message, challenger, seats, until, held)
    letters = [
        facts.INVITATION.to(each.player, invitation.told(each.userid), number, MOVE)
        for each in seats
        if not each.accepted
    ]
    told: facts.Inviting = {
        "board": number,
        "names": invitation.names,
        "waiting": invitation.waiting,
        "challenger": invitation.inviting,
        "until": until,
        "held": held,
        "must": any(guest.must for guest in guests),
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
            "taken_at": desk.now if each.taken else None,
        }
        for place, each in enumerate(seats)
    ]
    desk.connection.execute(insert(models.Seat), rows)
