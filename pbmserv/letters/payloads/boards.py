"""Boards: how they come about, and what one player does at one; the game's letters are others."""

from collections.abc import Sequence
from typing import NotRequired, TypedDict

from pbmserv.letters.payloads.letter import Kind


class OfBoard(TypedDict):
    """A letter about a board that needs no more than its number."""

    board: int


RESIGN_CANCELLED = Kind("resign_cancelled", OfBoard)


class ResignPending(OfBoard):
    """Somebody has resigned or declined, and leaves a board as soon as the turn comes."""

    unsaid: bool  # there was a text for the others, and it went to nobody


RESIGN_PENDING = Kind("resign_pending", ResignPending)


DECLINED = Kind("declined", ResignPending)


class Taken(OfBoard):
    """Somebody has accepted a running board."""

    waiting: Sequence[str]  # who has not answered yet
    rated: bool  # it counts for ratings as soon as all have


TAKEN = Kind("taken", Taken)


class Queued(OfBoard):
    """Which moves wait for a player's turn."""

    moves: Sequence[str]
    unsaid: bool  # as in `ResignPending`


QUEUED = Kind("queued", Queued)


class ChatSent(OfBoard):
    """What the writer of a chat is told."""

    to: Sequence[str]


CHAT_SENT = Kind("chat_sent", ChatSent)


class ChatLate(OfBoard):
    """Words for the others came with the token of a letter from before the last move."""

    userid: str
    reply: bool  # a reply to this letter, with the words, goes to the others


CHAT_LATE = Kind("chat_late", ChatLate)

Said = TypedDict("Said", {"from": str, "text": str})
"""A player's words; `from` is a userid."""


class Made(TypedDict):
    """A move that was made before another one came; `mine`: by the reader."""

    number: int
    by: str
    what: str  # a bid, dudo, calza, pacao or resign
    mine: bool


class AlreadyPlayed(OfBoard):
    """A move that was made already was answered; `stale_moves.overtaken` makes it, as a refusal."""

    move: int  # the one that is waited for
    turn: str | None  # who is on turn; None: the game is over
    yours: bool  # the reader is
    made: Made | None  # None: it was an invitation


ALREADY_PLAYED = Kind("already_played", AlreadyPlayed)


class Preview(OfBoard):
    """Whether a bid would be legal; if not, wording makes `why` of the code and its facts."""

    bid: str
    legal: bool
    code: str
    facts: object
    following: Sequence[str]  # the smallest bids that could come next


PREVIEW = Kind("preview", Preview)


class Watching(TypedDict):
    """What somebody who looks on will hear, and of which boards."""

    what: str  # watching, ended, ending, everywhere or nowhere
    boards: Sequence[int]


WATCHING = Kind("watching", Watching)


class Challenged(OfBoard):
    """A board has begun: for a challenger who does not play."""

    names: Sequence[str]  # in order of play
    rules: str
    held: str  # the challenger, whose opening message waits for a proof, or ""


CHALLENGED = Kind("challenged", Challenged)


Utterance = TypedDict("Utterance", {"from": str, "at": int, "text": str})
"""What somebody (`from`, a userid) said at a board, and when, in seconds since 1970."""


class Muted(OfBoard):
    """A player does not hear the others at a board any more, or hears them again."""

    on: bool


MUTED = Kind("muted", Muted)


class Reported(OfBoard):
    """A board was reported, with so many things that were said there."""

    count: int
    unread: NotRequired[bool]  # no letter tells the operator of it


REPORTED = Kind("reported", Reported)


class Annulled(OfBoard):
    """The operator has decided whether a board counts for ratings."""

    why: str  # the operator's words, or ""
    counts: bool  # again; else no longer


ANNULLED = Kind("annulled", Annulled)


class Planned(TypedDict):
    """What is to be played, and how fast; times are whole hours."""

    rules: str
    options: Sequence[str]  # as players write them, without the dash
    nag: int
    forfeit: int
    total: int  # 0: no end
    standin: bool  # a house player takes the seat of who is late
    rated: bool


class Waiting(OfBoard):
    """A board to which players are invited."""

    names: Sequence[str]  # everybody who is to play
    waiting: Sequence[str]  # who has not answered yet


class Invited(Waiting):
    """To the challenger: who was asked."""

    challenger: str  # "" for a shell of the server
    until: int  # when the invitation is withdrawn


class Inviting(Invited):
    """The same, as the challenger alone is told."""

    held: bool  # the opening message waits for a proof of the challenger's
    must: bool  # somebody is asked though not by their own wish: strangers, or a short time to move


INVITED = Kind("invited", Inviting)


class Invitation(Invited, Planned):
    """To who is asked; or, without a reader, to anybody who looks."""

    inorder: bool  # the seats are as written
    message: Said | None
    reader: str  # a userid, or ""
    reply: bool  # a reply to this letter answers it


INVITATION = Kind("invitation", Invitation)


class InvitationAnswer(Waiting):
    """What became of an invitation."""

    kind: str  # accepted, rejected, called_off, expired, left or wrote
    who: str  # did it; "" where nobody did
    reader: str
    message: Said | None


INVITATION_ANSWER = Kind("invitation_answer", InvitationAnswer)


class Consent(TypedDict):
    """What becomes of challenges to a player from now on."""

    userid: str
    challenges: str  # "start" or "off"
    asked: Sequence[int]  # the boards to which the player is invited still


CONSENT = Kind("consent", Consent)


class Limit(TypedDict):
    """At how many boards a player wants to sit."""

    most: int | None  # None: any number
    boards: int  # now
    changed: bool


LIMIT = Kind("limit", Limit)


class Wish(TypedDict):
    """What somebody seeks: so many boards of so many players."""

    wanted: int
    players: int
    rules: str
    options: Sequence[str]  # as in `Planned`


class OwnWish(Wish):
    """The same, as its owner sees it."""

    there: int  # how many seek it, the owner too
    until: NotRequired[int]  # when it lapses; older letters do not say


class Seeking(TypedDict):
    """All that a player seeks."""

    userid: str
    seeks: Sequence[OwnWish]


SEEKING = Kind("seeking", Seeking)


class SeekLapsed(TypedDict):
    """What a player has sought for too long."""

    userid: str
    seeks: Sequence[Wish]


SEEK_LAPSED = Kind("seek_lapsed", SeekLapsed)


class MovedAway(TypedDict):
    """A time in which no clock runs for a player, as an outage has moved it."""

    userid: str
    begins: int
    ends: int
    mine: bool  # the reader's own


class Outage(TypedDict):
    """The server was away, or its clock ahead: all deadlines were moved."""

    boards: Sequence[int]  # the reader's
    since: int
    until: int
    hours: int  # the gap; below zero where the clock was ahead
    away: Sequence[MovedAway]


OUTAGE = Kind("outage", Outage)
