"""Invitations to a board: answered, and withdrawn or begun.

`lobby/challenge_start.py` sends them.

An invitation is a board's row in the state `invited`.  `asked` holds the board's plan as JSON, and
a seat's `accepted` says whether that player agrees.  The board begins when all have agreed.  After
one refusal, or 14 days, the invitation is withdrawn.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from sqlalchemy import Connection, bindparam, or_, select, update

from pbmserv.boards import notices, opening_seeds
from pbmserv.boards.board import INVITED
from pbmserv.boards.deadlines import Terms
from pbmserv.context import Context, UnitOfWork
from pbmserv.database import models
from pbmserv.errors import Refused
from pbmserv.fast_dataclasses import dataclass, replace
from pbmserv.games.perudo.commitments import commitment
from pbmserv.games.perudo.notation import read_rules
from pbmserv.games.perudo.player_salts import salt_of
from pbmserv.games.perudo.rules import FEWEST_PLAYERS
from pbmserv.letters.payloads import boards as payloads
from pbmserv.letters.payloads.guests import GUEST
from pbmserv.letters.payloads.letter import Letter
from pbmserv.lobby import bots, challenges, eligibility, invited_addresses
from pbmserv.lobby.challenge_lines import challenge_line
from pbmserv.lobby.challenges import Plan
from pbmserv.players import account_suspension, accounts, blocks
from pbmserv.players.accounts import Player
from pbmserv.timeunits import DAY

WITHDRAWN = "withdrawn"
LIFETIME = 14 * DAY  # seconds that an invitation waits for answers
ACCEPTED, REJECTED, CALLED_OFF = "accepted", "rejected", "called_off"
EXPIRED, LEFT, WROTE = "expired", "left", "wrote"
_OPEN = {ACCEPTED, WROTE}  # letters about an invitation that can still be answered
MOVE = 0  # the move for which an invitation's token is valid: before the first one
# Built once, because each tick runs it.
_OVER = models.Board.state == INVITED, models.Board.due_at <= bindparam("now")
DUE_BOARDS = select(models.Board.id).where(*_OVER).order_by(models.Board.due_at)


@dataclass(frozen=True, slots=True)
class InvitedPlayer:
    """A player of an invitation, and whether that player agrees.

    Players who are not asked have `accepted`.  `taken`: the player has said yes, or is a bot.
    `player` is 0 for somebody who was invited by address.  `place` counts the seats as written.
    """

    player: int
    userid: str
    accepted: bool
    taken: bool
    place: int = 0


@dataclass(frozen=True, slots=True)
class Invitation:
    """An invitation that waits for answers: its board, its plan, and its players as written.

    `until` is when it is withdrawn.  `challenger` is None for a shell of the server.  While the
    invitation is `held`, the message waits until the challenger proves to be its sender
    (`boards/opening_messages.py`).  `commitment` is the SHA-256, in hex, of the seed of its first
    round; "" in invitations of older versions.
    """

    board: int
    plan: Plan
    message: str
    challenger: Player | None
    seats: tuple[InvitedPlayer, ...]
    until: int
    held: bool = False
    commitment: str = ""

    @property
    def waiting(self) -> list[str]:
        """The userids of the players who have not answered yet."""
        return [each.userid for each in self.seats if not each.accepted]

    @property
    def names(self) -> list[str]:
        """The userids of all players."""
        return [each.userid for each in self.seats]

    @property
    def players(self) -> list[int]:
        """The ids of the players with an account, and of the challenger."""
        challenger = [self.challenger.id] if self.challenger else []
        return [*challenger, *(each.player for each in self.seats if each.player)]

    @property
    def inviting(self) -> str:
        """The userid of the challenger, "" for a shell of the server."""
        return self.challenger.userid if self.challenger else ""

    def told(self, reader: str) -> payloads.Invitation:
        """The payload for a player who is asked; for a spectator ("") without words and reply."""
        words = "" if self.held else self.message
        return {
            "board": self.board,
            "challenger": self.inviting,
            "names": self.names,
            "waiting": self.waiting,
            "inorder": self.plan.inorder,
            "until": self.until,
            "message": notices.said(self.inviting, words) if reader else None,
            "reader": reader,
            "reply": bool(reader),
            "commitment": self.commitment,
            **self.plan.described(),
        }


def load(connection: Connection, number: int) -> Invitation | None:
    """The invitation with this board's number; None if no such invitation waits for an answer."""
    row = models.Board
    query = select(row.asked, row.challenger_id, row.due_at, row.next_seed)
    found = connection.execute(query.where(row.id == number, row.state == INVITED)).first()
    if found is None:
        return None
    kept = json.loads(found.asked)
    plan = Plan(
        read_rules(kept["rules"]), Terms(*kept["terms"]), kept["inorder"], kept.get("again", 0)
    )
    challenger = None
    if found.challenger_id is not None:
        challenger = accounts.named(connection, [found.challenger_id])[0]
    who, seat = models.Player, models.Seat
    seats = select(seat.seat, who.id, who.userid, seat.accepted, seat.taken_at.is_not(None))
    seats = seats.join(who, who.id == seat.player_id).where(seat.board_id == number)
    placed = {each[0]: InvitedPlayer(*each[1:], each[0]) for each in connection.execute(seats)}
    for place in invited_addresses.seats_of(connection, number):
        placed[place] = InvitedPlayer(0, GUEST, accepted=False, taken=False, place=place)
    seated = tuple(placed[place] for place in sorted(placed))
    held = kept.get("held", False)  # older invitations have no `held`
    committed = commitment(found.next_seed) if found.next_seed else ""
    words = kept["message"]
    return Invitation(number, plan, words, challenger, seated, found.due_at, held, committed)


def shown(invitation: Invitation) -> Letter:
    """The invitation as a spectator sees it, without its message, for the sender of the command."""
    return payloads.INVITATION.to(None, invitation.told(""))


def answer(context: Context, invitation: Invitation, player: int, accepts: bool) -> list[Letter]:
    """Accept or reject an invitation; the challenger and players who accepted can still reject it.

    Raises Refused `not_on_board`, or `limit_reached` if the player plays enough boards, or as
    `blocks.check`.  The last yes raises `suspended` if another player is suspended.
    """
    mine = next((each for each in invitation.seats if each.player == player), None)
    own = invitation.challenger is not None and invitation.challenger.id == player
    if own and accepts and (invitation.held or (mine and not mine.taken)):
        return _proven(context, invitation, player)
    if mine is None and (accepts or not own):
        raise Refused("not_on_board", board=invitation.board)
    if not accepts:
        who = accounts.named(context.connection, [player])[0].userid
        kind = CALLED_OFF if own else REJECTED
        told = _withdrawn(context, invitation, kind, who, player, context.message)
        return [*told, _answer(None, invitation, kind, who, who)]
    _check_blocks(context, invitation, player)
    assert mine is not None  # the check above leaves only players with a seat
    if mine.accepted:
        return [_receipt(context, invitation, mine.player, mine.userid)]
    _check_limit(context, mine)
    return _accepted(context, invitation, mine)


def _proven(context: Context, invitation: Invitation, player: int) -> list[Letter]:
    """The challenger now proves to have invited: send the message that was held."""
    row = models.Seat
    place = row.board_id == invitation.board, row.player_id == player
    context.connection.execute(update(row).where(*place).values(taken_at=context.now))
    who = invitation.inviting
    answer = _receipt(context, invitation, player, who)
    if not invitation.held:
        return [answer]
    board = models.Board
    mine = board.id == invitation.board
    kept = json.loads(context.connection.execute(select(board.asked).where(mine)).scalar_one())
    asked = json.dumps({**kept, "held": False}, ensure_ascii=False)
    context.connection.execute(update(board).where(mine).values(asked=asked))
    words = notices.said(who, invitation.message)
    return [*_to_all(invitation, WROTE, who, player, words), answer]


def _check_limit(work: UnitOfWork, mine: InvitedPlayer) -> None:
    candidates = eligibility.candidates(work.connection, [mine.userid], work.settings.challenges)
    for candidate in eligibility.overbooked(work.connection, list(candidates.values())):
        playing = eligibility.boards_at_once(work.connection, [candidate.id])[candidate.id]
        raise Refused("limit_reached", most=candidate.most, playing=playing)


def _accepted(context: Context, invitation: Invitation, mine: InvitedPlayer) -> list[Letter]:
    """Store a yes; the last one begins the board."""
    yes = replace(mine, accepted=True, taken=True)
    seats = [yes if each is mine else each for each in invitation.seats]
    invitation = replace(invitation, seats=tuple(seats))
    if not invitation.waiting:
        return _begun(context, invitation, mine)
    row = models.Seat
    place = row.board_id == invitation.board, row.player_id == mine.player
    yes_now = {"accepted": True, "taken_at": context.now, "salt": salt_of(context.identifier)}
    context.connection.execute(update(row).where(*place).values(yes_now))
    letters = [_receipt(context, invitation, mine.player, mine.userid)]
    if context.message:
        words = notices.said(mine.userid, context.message)
        letters += _to_all(invitation, ACCEPTED, mine.userid, mine.player, words)
    return letters


def _begun(context: Context, invitation: Invitation, last: InvitedPlayer) -> list[Letter]:
    """Begin the board; the message of the last player goes to the others as a chat."""
    challenger = invitation.challenger
    seats = [(each.player, each.userid) for each in invitation.seats]
    for refusal in account_suspension.unseated(context.connection, dict(seats), context.now):
        raise refusal
    taken = [each.player for each in invitation.seats if each.taken]
    if invitation.held:
        row = models.Board
        board = update(row).where(row.id == invitation.board)
        context.connection.execute(board.values(opening=invitation.message))
    opening = opening_seeds.of_invitation(context, invitation.board)
    opening = opening.with_salt(last.player, salt_of(context.identifier))
    plan = invitation.plan
    played = challenges.begin(context, invitation.board, plan, seats, taken, opening)
    letters = notices.of_start(
        context, played, invitation.inviting, invitation.message, invitation.plan.again
    )
    if challenger and challenger.id not in dict(seats):
        told = challenges.told(context, played, challenger)
        letters.append(payloads.CHALLENGED.to(challenger.id, told))
    if context.message:
        seat = played.board.seat_of(last.player)
        letters += notices.of_chat(context, played.board, seat, context.message)
    return letters


def declined_by_guest(context: Context, invitation: Invitation) -> list[Letter]:
    """Withdraw an invitation because somebody invited by address says no."""
    return _withdrawn(context, invitation, REJECTED, GUEST, None, context.message)


def _check_blocks(work: UnitOfWork, invitation: Invitation, asker: int) -> None:
    """Check that none of these players has blocked another; raises Refused as `blocks.check`."""
    people = {each.player: each.userid for each in invitation.seats if each.player}
    if challenger := invitation.challenger:
        people.setdefault(challenger.id, challenger.userid)
    for refusal in blocks.check(work.connection, asker, people):
        raise refusal


def asked(connection: Connection, player: int) -> list[int]:
    """The boards to which this player is invited and has not answered."""
    query = select(models.Board.id).join(models.Seat, models.Seat.board_id == models.Board.id)
    query = query.where(models.Seat.player_id == player, models.Seat.accepted.is_(False))
    found = query.where(models.Board.state == INVITED).order_by(models.Board.id)
    return list(connection.execute(found).scalars())


def due(connection: Connection, now: int) -> list[int]:
    """The invitations whose time is over, the oldest first."""
    return list(connection.execute(DUE_BOARDS, {"now": now}).scalars())


def expire(work: UnitOfWork, number: int) -> list[Letter]:
    """Withdraw an invitation whose time is over; its players and the challenger are told."""
    invitation = load(work.connection, number)
    return _withdrawn(work, invitation, EXPIRED, "", None) if invitation else []


def leave(work: UnitOfWork, player: int) -> list[Letter]:
    """Withdraw the invitations of a player who signs off; the other players are told."""
    row = models.Board
    seated = select(models.Seat.board_id).where(models.Seat.player_id == player)
    mine = or_(row.challenger_id == player, row.id.in_(seated))
    query = select(row.id).where(row.state == INVITED, mine).order_by(row.id)
    who = accounts.named(work.connection, [player])[0].userid
    return [
        letter
        for number in list(work.connection.execute(query).scalars())
        if (invitation := load(work.connection, number))
        for letter in _withdrawn(work, invitation, LEFT, who, player)
    ]


def _withdrawn(
    work: UnitOfWork,
    invitation: Invitation,
    kind: str,
    who: str,
    player: int | None,
    words: str = "",
) -> list[Letter]:
    """Withdraw an invitation; the challenger and all players but `player` are told."""
    row = models.Board
    over = {"state": WITHDRAWN, "ended_at": work.now, "due_at": None}
    work.connection.execute(update(row).where(row.id == invitation.board).values(over))
    invited_addresses.close(work.connection, invitation.board)
    return list(_to_all(invitation, kind, who, player, notices.said(who, words)))


def _to_all(
    invitation: Invitation, kind: str, who: str, but: int | None, words: payloads.PlayerWords | None
) -> Iterable[Letter]:
    """Letters to the challenger and to the players concerned, except to `but`.

    A yes concerns those who have accepted; the end of an invitation concerns every player.
    """
    seats = [each for each in invitation.seats if each.player]
    told = {each.player: each.userid for each in seats if each.accepted or kind != ACCEPTED}
    if invitation.challenger:
        told.setdefault(invitation.challenger.id, invitation.challenger.userid)
    for player, userid in told.items():
        if player != but:
            yield _answer(player, invitation, kind, who, userid, words, reply=kind in _OPEN)


def _receipt(context: Context, invitation: Invitation, player: int, userid: str) -> Letter:
    """Tells a player that their yes is stored; the player can reply to it."""
    own = player if player in context.owners else None
    letter = _answer(None, invitation, ACCEPTED, userid, userid, reply=own is not None)
    return replace(letter, player=own)


def _answer(
    to: int | None,
    invitation: Invitation,
    kind: str,
    who: str,
    reader: str,
    words: payloads.PlayerWords | None = None,
    *,
    reply: bool = False,
) -> Letter:
    answer: payloads.InvitationAnswer = {
        "board": invitation.board,
        "names": invitation.names,
        "waiting": invitation.waiting,
        "kind": kind,
        "who": who,
        "reader": reader,
        "message": words,
        "reply": reply,
    }
    if kind == REJECTED and reader != who and (line := _without(invitation, who)):
        answer["line"] = line
    move = MOVE if reply else None
    return payloads.INVITATION_ANSWER.to(to, answer, invitation.board, move)


def _without(invitation: Invitation, who: str) -> str:
    """The challenge for the same game without who has rejected it; "" if too few are known by name.

    Guests have no name that a challenge could have.
    """
    left = [each.userid for each in invitation.seats if each.userid != who]
    is_guest = who == GUEST or any(not each.player for each in invitation.seats)
    if is_guest or len(left) < FEWEST_PLAYERS or all(map(bots.is_bot, left)):
        return ""
    plan = invitation.plan
    return challenge_line(plan.rules, plan.terms, left, inorder=plan.inorder)
