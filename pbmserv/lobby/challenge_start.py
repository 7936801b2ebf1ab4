"""The beginning of a challenge: its board begins, or players are invited to it first.

`lobby/challenges.py` has checked the challenge.  `lobby/invitations.py` handles the answers.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from sqlalchemy import insert

from pbmserv.boards import authorship, notices, opening_seeds, play, rating_eligibility
from pbmserv.boards.board import INVITED
from pbmserv.boards.opening_seeds import Opening
from pbmserv.boards.rematch_players import left_out
from pbmserv.context import Context, UnitOfWork
from pbmserv.database import models
from pbmserv.games.perudo.commitments import commitment
from pbmserv.games.perudo.notation import write_rules
from pbmserv.letters.payloads import boards as payloads
from pbmserv.letters.payloads.letter import Letter
from pbmserv.lobby import address_invitations, challenge_limits, challenges
from pbmserv.lobby.challenges import Plan
from pbmserv.lobby.eligibility import ASK, Candidate
from pbmserv.lobby.invitations import LIFETIME, MOVE, Invitation, InvitedPlayer
from pbmserv.players.accounts import Player


def begun_or_asked(
    context: Context, challenger: Player | None, plan: Plan, candidates: Sequence[Candidate]
) -> list[Letter]:
    """Begin the board of a challenge, or invite the players who want to be asked first."""
    own = challenger.id if challenger else None
    challenge_limits.note_challenge(context, candidates)
    asked = [
        candidate.id
        for candidate in candidates
        if candidate.challenges == ASK and candidate.id != own
    ]
    if asked:
        return _invite(context, challenger, plan, candidates, asked)
    held = "" if own is None or authorship.proves(context, own) else context.message
    kept = json.dumps(plan.kept())
    number = play.new_board(context, challenger_id=own, opening=held, asked=kept)
    seats = [(candidate.id, candidate.userid) for candidate in candidates]
    taken = [each.id for each in candidates if _takes_seat(context, each, own)]
    opening = opening_seeds.of_command(context, own)
    played = challenges.begin(context, number, plan, seats, taken, opening)
    userid = challenger.userid if challenger else ""
    letters = notices.of_start(context, played, userid, context.message, plan.again)
    if own in dict(seats):
        return letters
    return [*letters, payloads.CHALLENGED.to(None, challenges.told(context, played, challenger))]


def _takes_seat(context: Context, candidate: Candidate, own: int | None) -> bool:
    """Whether the challenge takes this seat: of a bot, or of `own`, the challenger, with proof."""
    return candidate.level != "" or (
        candidate.id == own and authorship.proves(context, candidate.id)
    )


def _invite(
    context: Context,
    challenger: Player | None,
    plan: Plan,
    candidates: Sequence[Candidate],
    asked: Sequence[int],
) -> list[Letter]:
    own, until = challenger.id if challenger else None, context.now + LIFETIME
    kept = {
        "rules": write_rules(plan.rules),
        **plan.kept(),
        "message": context.message,
        "held": context.message != "" and own is not None and not authorship.proves(context, own),
    }
    opening = opening_seeds.of_command(context, own)
    number = play.new_board(
        context,
        state=INVITED,
        next_seed=opening.seed,
        challenger_id=own,
        asked=json.dumps(kept, ensure_ascii=False),
        due_at=until,
    )
    seats = _places(context, candidates, asked, own)
    _seat(context, number, seats, opening)
    held, committed = bool(kept["held"]), commitment(opening.seed)
    words = context.message
    invitation = Invitation(number, plan, words, challenger, seats, until, held, committed)
    letters = _letters(context, invitation, candidates)
    told: payloads.Inviting = {
        "board": number,
        "names": invitation.names,
        "waiting": invitation.waiting,
        "challenger": invitation.inviting,
        "until": until,
        "held": held,
        "must": any(candidate.must for candidate in candidates),
        "guests": len([candidate for candidate in candidates if candidate.address]),
        "reply": own in context.owners,
        "rating": _rating(plan, candidates),
        "why_unrated": _why_unrated(context, plan, candidates),
        "without": left_out(context.connection, plan.again, invitation.names),
    }
    mine = own if own in context.owners else None
    return [*letters, payloads.INVITED.to(None, told, number, MOVE, player=mine)]


def _rating(plan: Plan, candidates: Sequence[Candidate]) -> payloads.RatingOf:
    bots = [candidate for candidate in candidates if candidate.level]
    return rating_eligibility.rating_word(plan.rules, plan.terms, len(bots))


def _why_unrated(context: Context, plan: Plan, candidates: Sequence[Candidate]) -> str:
    """Why the board cannot count for ratings; "" if it can, or if the challenge is unrated."""
    players = [candidate.id for candidate in candidates if candidate.id]
    return rating_eligibility.why_unrated(context, plan.rules, players)


def _places(
    context: Context, candidates: Sequence[Candidate], asked: Sequence[int], own: int | None
) -> tuple[InvitedPlayer, ...]:
    return tuple(
        InvitedPlayer(
            each.id, each.userid, each.id not in asked, _takes_seat(context, each, own), place
        )
        for place, each in enumerate(candidates)
    )


def _letters(
    context: Context, invitation: Invitation, candidates: Sequence[Candidate]
) -> list[Letter]:
    """The letters to players who are asked, and to addresses that are invited."""
    letters = [
        payloads.INVITATION.to(each.player, invitation.told(each.userid), invitation.board, MOVE)
        for each in invitation.seats
        if each.player and not each.accepted
    ]
    if addresses := {place: each.address for place, each in enumerate(candidates) if each.address}:
        inviter = challenges.inviting(invitation.challenger, candidates)
        assert inviter  # `address_checks.objections` refuses addresses without one
        letters += address_invitations.invite(context, invitation, inviter, addresses)
    return letters


def _seat(work: UnitOfWork, number: int, seats: Sequence[InvitedPlayer], opening: Opening) -> None:
    rows = [
        {
            "board_id": number,
            "seat": place,
            "player_id": each.player,
            "first_id": each.player,
            "accepted": each.accepted,
            "taken_at": work.now if each.taken else None,
            "salt": opening.salts.get(each.player, ""),
        }
        for place, each in enumerate(seats)
        if each.player
    ]
    if rows:
        work.connection.execute(insert(models.Seat), rows)
