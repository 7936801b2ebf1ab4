"""Invitations by address: the letter to somebody who may not be a player, and the answer to it.

An address may belong to a player.  Until its reader says yes, nobody can see that.  The seat is "a
guest", and the answer to the inviter is the same.  If no letter was sent, no reason is told.  A yes
of a player takes the seat.  A yes of anybody else signs up, with the userid that they choose.  The
letter's token proves that they read that address.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, exists, insert, select

from pbmserv.boards.board import INVITED
from pbmserv.context import Context
from pbmserv.database import models
from pbmserv.errors import Refused
from pbmserv.fast_dataclasses import replace
from pbmserv.letters.payloads.guests import GUEST, GUEST_ANSWER, GUEST_INVITATION, GuestAnswer
from pbmserv.letters.payloads.letter import Letter
from pbmserv.lobby import address_checks, eligibility, invitations, invited_addresses
from pbmserv.lobby.challenges import Problems
from pbmserv.lobby.invitations import Invitation, InvitedPlayer
from pbmserv.lobby.invited_addresses import CLOSED, DOUBTFUL, JOINED, InvitedSeat
from pbmserv.monitoring import action_log
from pbmserv.players import account_suspension, accounts, bans, blocks, mailbox_owners, validation
from pbmserv.players.accounts import Player
from pbmserv.players.first_preferences import proposed
from pbmserv.players.userids import LONGEST_USERID
from pbmserv.text.unicode_forms import unmarked
from pbmserv.timeunits import HOUR

YES, NO, NEVER = "yes", "no", "never"
ANSWERS = (YES, NO, NEVER)
_NO_HASH = "-"  # no password has this hash: the owner chooses one by `reset`
_UNUSABLE = re.compile(r"[^A-Za-z0-9._-]")


def invite(
    context: Context, invitation: Invitation, inviter: Player, addresses: Mapping[int, str]
) -> list[Letter]:
    """Reserve the places of an invitation for these addresses, and write to those that may get it.

    The answer to the inviter does not depend on which addresses those are.
    """
    address_checks.note(context, inviter, list(addresses.values()))
    letters = []
    for place, written in addresses.items():
        # A player at another spelling of the mailbox is not asked to open a second account.
        known = mailbox_owners.confirmed_at(context.connection, written)
        address = known[0] if known else written
        players = accounts.players_of_address(context.connection, address)
        willing = _willing(context, invitation, inviter, players)
        may = invited_addresses.may_be_invited(context, address, is_player=bool(players))
        gets_it = may and (bool(willing) if players else _is_free(context, address))
        token = invited_addresses.reserve(
            context, invitation.board, place, address if gets_it else ""
        )
        if token:
            letters.append(_letter(context, invitation, inviter, address, token, willing))
    return letters


def _letter(
    context: Context,
    invitation: Invitation,
    inviter: Player,
    address: str,
    token: str,
    accounts_there: Sequence[Player],
) -> Letter:
    told = invitation.told(GUEST)
    return GUEST_INVITATION.to(
        address,
        {
            "board": invitation.board,
            "inviter": inviter.userid,
            "name": address_checks.shown_name(context.name),
            "others": [each for each in invitation.names if each not in {GUEST, inviter.userid}],
            "accounts": [each.userid for each in accounts_there],
            "rules": invitation.plan.rules.name,
            "dice": invitation.plan.rules.dice,
            "wild": invitation.plan.rules.wild,
            "forfeit": invitation.plan.terms.forfeit // HOUR,
            "until": invitation.until,
            "message": told["message"],
            "token": token,
            "server": context.address,
        },
        invitation.board,
        token=token,
    )


def _willing(
    context: Context, invitation: Invitation, inviter: Player, players: Sequence[Player]
) -> list[Player]:
    """Those of the players with an address who may be invited to this board by this player."""
    seated = {each.player: each.userid for each in invitation.seats if each.player}
    people = {**seated, inviter.id: inviter.userid}
    names = [each.userid for each in players]
    candidates = eligibility.candidates(context.connection, names, context.settings.challenges)
    found = []
    for player in players:
        everybody = {**people, player.id: player.userid}
        alone = {player.id: player.userid}
        refusals = [
            *blocks.check(context.connection, inviter.id, everybody),
            *account_suspension.unseated(context.connection, alone, context.now),
        ]
        wants = candidates[player.userid.lower()].challenges != eligibility.OFF
        if wants and not refusals and player.id not in people:
            found.append(player)
    return found


def _is_free(context: Context, address: str) -> bool:
    """Whether an address of no player may be invited: it has no closed account, and no ban."""
    row = models.Address
    known = row.address == address, row.confirmed_at.is_not(None)
    is_closed = context.connection.execute(select(exists().where(*known))).scalar()
    return not (is_closed or bans.covering(context.connection, [address], context.now))


def answer(context: Context, token: str, words: Sequence[str]) -> list[Letter]:
    """The answer to an invitation by its token: yes with a userid, no, or never again.

    Raises Refused `confirmation_unknown`, `invite_over`, or as `invitations.answer`.
    """
    seat = invited_addresses.of_token(context.connection, token)
    if seat is None:
        raise Refused("confirmation_unknown")
    answer = words[0].lower() if words else ""
    if answer not in ANSWERS and len(words) == 1:
        answer, words = YES, [YES, *words]
    invitation = _waiting(context, seat)
    if answer == NEVER:
        invited_addresses.never_again(context, seat.digest)
        return [*_declined(context, seat, invitation), _guest_answer(seat, token, NEVER)]
    if seat.state == JOINED:
        return [_guest_answer(seat, token, JOINED)]
    if invitation is None:
        raise Refused("invite_over")
    if answer not in ANSWERS:
        return [_guest_answer(seat, token, "unclear", _accounts(context.connection, seat))]
    if answer == NO:
        return [*_declined(context, seat, invitation), _guest_answer(seat, token, NO)]
    is_doubtful = list(words[2:]) == [DOUBTFUL]
    name = words[1] if is_doubtful else " ".join(words[1:])
    return _accepted(context, seat, invitation, token, name, is_doubtful=is_doubtful)


def _waiting(context: Context, seat: InvitedSeat) -> Invitation | None:
    """The invitation in which the seat still waits for an answer, if it does."""
    is_over = seat.state in {JOINED, CLOSED}
    return None if is_over else invitations.load(context.connection, seat.board)


def _declined(context: Context, seat: InvitedSeat, invitation: Invitation | None) -> list[Letter]:
    return invitations.declined_by_guest(context, invitation) if invitation else []


def _accounts(connection: Connection, seat: InvitedSeat) -> list[str]:
    return [each.userid for each in accounts.players_of_address(connection, seat.address)]


def _accepted(
    context: Context,
    seat: InvitedSeat,
    invitation: Invitation,
    token: str,
    name: str,
    *,
    is_doubtful: bool,
) -> list[Letter]:
    """Take the seat as a player of the address, or sign up as `name` and take it.

    A name that is like another player's is asked about once: "Yes, Anna!" may be said to `ann`.  So
    is a word that `is_doubtful`: "yes someday" is not an answer of a player's.
    Raises Refused `signups_closed` or `address_banned`, or as `_seated`.
    """
    players = accounts.players_of_address(context.connection, seat.address)
    if players:
        mine = [each for each in players if each.userid.lower() == name.lower()]
        if is_doubtful and not (mine or name[0].isupper()):
            return [_guest_answer(seat, token, "unclear", [each.userid for each in players])]
        if len(players) > 1 and not mine:
            names = [each.userid for each in players]
            return [_guest_answer(seat, token, "which", names)]
        return _seated(context, seat, invitation, token, (mine or players)[0], is_new=False)
    if action_log.is_emergency(context.connection):
        raise Refused("signups_closed")
    bans.check(context.connection, [seat.address], context.now)
    if not name:
        invited_addresses.ask_name(context.connection, seat)
        return [_guest_answer(seat, token, "name")]
    people = [each.userid for each in invitation.seats if each.player]
    is_asked = is_doubtful or any(_is_like(name, each) for each in people)
    if is_asked and not seat.named:
        invited_addresses.ask_name(context.connection, seat)
        return [_guest_answer(seat, token, "name", [name])]
    problems = Problems()
    problems.tried(None, accounts.check_free, context.connection, name, context.now)
    if problems.found:
        invited_addresses.ask_name(context.connection, seat)
        offered = _proposed(context, name)
        return [_guest_answer(seat, token, "name", offered, problems.found[0])]
    return _seated(context, seat, invitation, token, None, is_new=True, name=name)


def _is_like(name: str, userid: str) -> bool:
    """Whether a name begins with a userid, or a userid with it, and is not another one."""
    one, other = sorted((unmarked(name).lower(), unmarked(userid).lower()), key=len)
    return len(one) > len("an") and one != other and other.startswith(one)


def _proposed(context: Context, name: str) -> list[str]:
    """A free userid that is like a name; none if there is none."""
    bare = _UNUSABLE.sub("", unmarked(name[:LONGEST_USERID]))[: LONGEST_USERID - 2]
    for number in ("", *"23456789"):
        problems = Problems()
        problems.tried(None, accounts.check_free, context.connection, bare + number, context.now)
        if not problems.found:
            return [bare + number]
    return []


def _seated(
    context: Context,
    seat: InvitedSeat,
    invitation: Invitation,
    token: str,
    player: Player | None,
    *,
    is_new: bool,
    name: str = "",
) -> list[Letter]:
    """Seat a player, or sign one up and seat them; the last one who was awaited begins the board.

    All that can be refused is refused before anything is written.
    """
    people = {each.player: each.userid for each in invitation.seats if each.player}
    for refusal in account_suspension.unseated(context.connection, people, context.now):
        raise refusal
    if player and player.id in people:
        raise Refused("invite_seated", board=invitation.board)
    if player is None:
        inviter = invitation.challenger
        language = context.writer.language or (inviter.language if inviter else "")
        preferences = proposed(language, context.writer.offset, context.now)
        number, _ = accounts.sign_up(
            context.connection,
            name,
            _NO_HASH,
            [seat.address],
            confirmed=True,
            now=context.now,
            ours=validation.ours(context.settings),
            preferences=preferences,
        )
        player = Player(number, name, preferences["language"])
    mine = InvitedPlayer(player.id, player.userid, accepted=False, taken=False, place=seat.place)
    seats = (mine if each.place == seat.place else each for each in invitation.seats)
    invitation = replace(invitation, seats=tuple(seats))
    letters = invitations.answer(context, invitation, player.id, accepts=True)
    invited_addresses.join(context.connection, seat)
    _sit(context, seat, player)
    waiting = [each for each in invitation.waiting if each != player.userid]
    told = _guest_answer(seat, token, JOINED, [player.userid], is_new=is_new, waiting=waiting)
    return [told, *(each for each in letters if each.to is not None)]


def _sit(context: Context, seat: InvitedSeat, player: Player) -> None:
    """Keep the seat of a player who has accepted, if the board waits for others still."""
    row = models.Board
    state = context.connection.execute(select(row.state).where(row.id == seat.board)).scalar()
    if state == INVITED:
        values = {"board_id": seat.board, "seat": seat.place, "player_id": player.id}
        more = {"first_id": player.id, "accepted": True, "taken_at": context.now}
        context.connection.execute(insert(models.Seat).values({**values, **more}))


def _guest_answer(
    seat: InvitedSeat,
    token: str,
    kind: str,
    names: Sequence[str] = (),
    refusal: Refused | None = None,
    *,
    is_new: bool = False,
    waiting: Sequence[str] = (),
) -> Letter:
    told: GuestAnswer = {
        "board": seat.board,
        "kind": kind,
        "names": list(names),
        "code": refusal.code if refusal else "",
        "facts": dict(refusal.facts) if refusal else {},
        "is_new": is_new,
        "waiting": list(waiting),
    }
    return GUEST_ANSWER.to(None, told, token=token)
