"""Payloads of invitations by address, and of the answers to their readers."""

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict

from pbmserv.letters.payloads.boards import PlayerWords
from pbmserv.letters.payloads.letter import Kind

GUEST = "a guest"  # in place of a userid; nobody can have one with a blank.  Letters translate it


class GuestInvitation(TypedDict):
    """An invitation to an address; it has no address of anybody else."""

    board: int
    inviter: str  # a userid
    name: str  # the inviter's name, "" if unknown
    others: Sequence[str]  # userids of the other players
    accounts: Sequence[str]  # userids of the players with that address
    rules: str
    dice: int  # of each player at the start
    wild: bool  # ones count as any face
    forfeit: int  # hours until a player is out
    until: int  # when the invitation is withdrawn
    message: PlayerWords | None
    token: str
    server: str  # the server's own address


GUEST_INVITATION = Kind("guest_invitation", GuestInvitation)


class GuestAnswer(TypedDict):
    """What became of an answer to an invitation by address."""

    board: int
    kind: str  # joined, no, never, name, which or unclear
    names: Sequence[str]  # the new seat's userid; a proposed one; those to choose from
    code: str  # of the reason why a userid is refused, or ""
    facts: Mapping[str, object]  # of that reason
    is_new: bool  # an account was opened
    waiting: Sequence[str]  # who has not accepted yet
    asks: NotRequired[bool]  # an unclear reply asks about the game


GUEST_ANSWER = Kind("guest_answer", GuestAnswer)
