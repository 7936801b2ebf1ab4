"""Payloads about boards: how they begin, and what one player does at one.

The letters of the game itself are in `perudo.py`.
"""

from collections.abc import Sequence
from typing import Literal, NotRequired, TypeAlias, TypedDict

from pbmserv.letters.payloads.letter import Kind

RatingOf: TypeAlias = Literal["rated", "unrated", "ask"]
"""Whether a new board counts for ratings; `ask`: it would if the challenge had -rated."""


class OfBoard(TypedDict):
    """A letter about a board that needs only its number."""

    board: int


RESIGN_CANCELLED = Kind("resign_cancelled", OfBoard)


class ResignPending(OfBoard):
    """A player has resigned or declined, and leaves the board when the turn comes."""

    unsaid: bool  # the message for the others was not sent to anybody
    reply: NotRequired[bool]  # a reply to this letter is understood


RESIGN_PENDING = Kind("resign_pending", ResignPending)


DECLINED = Kind("declined", ResignPending)


class OnTurn(TypedDict):
    """What the player on turn needs for a move, for an answer to an own address of that player."""

    dice: Sequence[int]  # of the own cup
    bid: str  # the bid to beat, as 4-2s; "" if nobody has bid in this round
    by: str  # the userid of its player
    left: NotRequired[Sequence[str]]  # each player with the number of dice, for a question
    forfeit: NotRequired[int]  # when who is on turn leaves the game without a move


class Taken(OfBoard):
    """A player has accepted a running board."""

    waiting: Sequence[str]  # players who have not answered yet
    rated: bool  # the result counts for ratings when all have accepted
    again: NotRequired[int]  # the finished board that this one plays again, if that was asked for
    seated: NotRequired[bool]  # the seat was taken before
    turn: NotRequired[str]  # the userid on turn; not while a call waits for the beacon
    beacon: NotRequired[int]  # the round of the beacon for which a call waits
    opens: NotRequired[int]  # when the cups open then
    on_turn: NotRequired[OnTurn]  # the reader is on turn, and a reply can be a move
    moves: NotRequired[Sequence[str]]  # some of those that are legal then


TAKEN = Kind("taken", Taken)


class Queued(OfBoard):
    """The moves that wait for a player's turn."""

    moves: Sequence[str]
    unsaid: bool  # as in `ResignPending`
    salted: NotRequired[bool]  # words of the player's own are mixed into the dice
    reply: NotRequired[bool]  # as in `ResignPending`


QUEUED = Kind("queued", Queued)


class ChatSent(OfBoard):
    """The receipt for the writer of a chat."""

    to: Sequence[str]
    yours: NotRequired[bool]  # it is still the writer's turn
    over: NotRequired[bool]  # the game is over, and a reply can ask for a rematch
    last: NotRequired[int]  # a newcomer's limit a day, if this was the last message of it
    stays: NotRequired[bool]  # the words want to take back the last bid, which cannot be done


CHAT_SENT = Kind("chat_sent", ChatSent)


class ChatLate(OfBoard):
    """A chat came with the token of a letter from before the last move."""

    userid: str
    reply: bool  # a reply to this letter with the words sends them to the others


CHAT_LATE = Kind("chat_late", ChatLate)

PlayerWords = TypedDict("PlayerWords", {"from": str, "text": str})
"""A player's words; `from` is a userid."""


class Made(TypedDict):
    """A move that was made before another one was received; `mine`: by the reader."""

    number: int
    by: str
    what: str  # a bid, dudo, calza, pacao or resign
    mine: bool
    left: NotRequired[str]  # why its player left: "resigned", "declined" or "time"; "": unknown
    at: NotRequired[int]  # when the player left, in seconds since 1970


class AlreadyPlayed(OfBoard):
    """A reply to a move that is already made; `stale_moves.overtaken` raises it as a refusal."""

    move: int  # the number of the next move
    turn: str | None  # the player on turn; None: the game is over
    yours: bool  # the reader is on turn
    made: Made | None  # None: the letter was an invitation
    ends: NotRequired[bool]  # the reply was to leave the game, or to offer a draw
    words_below: NotRequired[str]  # the move: "sent", "unsent", or "" for none
    reply: NotRequired[bool]  # a reply to this letter sends them to the others
    stays: NotRequired[bool]  # its other words take the move back, which cannot be done


ALREADY_PLAYED = Kind("already_played", AlreadyPlayed)
NO_ERRORS = frozenset({ALREADY_PLAYED.name, CHAT_LATE.name})
"""Refusals with a letter of their own kind, because the sender has done nothing wrong."""


class Preview(OfBoard):
    """Whether a bid would be legal; if not, `code` and `facts` are the refusal."""

    bid: str
    legal: bool
    code: str
    facts: object
    following: Sequence[str]  # the smallest bids that could follow


PREVIEW = Kind("preview", Preview)


class Watching(TypedDict):
    """Which boards a player watches from now on."""

    what: str  # watching, ended, ending, everywhere or nowhere
    boards: Sequence[int]


WATCHING = Kind("watching", Watching)


class Challenged(OfBoard):
    """Told to a challenger who does not play: the board has begun."""

    names: Sequence[str]  # in order of play
    rules: str
    held: str  # the challenger, if the opening message waits for proof of its sender, else ""
    turn: NotRequired[str]  # whose turn it is, at a shell; "" where that is a bot
    bids: NotRequired[Sequence[tuple[str, str]]]  # of bots that began: name, 2-3s
    bid: NotRequired[str]  # only in older letters: the last of these bids
    bidder: NotRequired[str]
    rating: NotRequired[RatingOf]  # not in older letters
    why_unrated: NotRequired[str]  # "asked", or as `rating_eligibility.why_unrated`
    line: NotRequired[str]  # the challenge with the reader as a player; "" if all seats are taken


CHALLENGED = Kind("challenged", Challenged)


Utterance = TypedDict("Utterance", {"from": str, "at": int, "text": str})
"""What a player (`from`, a userid) said at a board, and when, in seconds since 1970."""


class Muted(OfBoard):
    """A player has muted the others at a board, or hears them again."""

    on: bool
    reply: NotRequired[bool]  # as in `ResignPending`


MUTED = Kind("muted", Muted)


class Reported(OfBoard):
    """A board was reported, with so many messages."""

    count: int
    unread: NotRequired[bool]  # the operator was not told by letter


REPORTED = Kind("reported", Reported)


class Annulled(OfBoard):
    """The operator has decided whether a board counts for ratings."""

    why: str  # the operator's words, or ""
    counts: bool  # it counts again; else no longer


ANNULLED = Kind("annulled", Annulled)


class Planned(TypedDict):
    """The rules and time limits of a board; times are whole hours."""

    rules: str
    options: Sequence[str]  # as players write them, without the dash
    nag: int
    forfeit: int
    total: int  # 0: no limit
    standin: bool  # a bot takes the seat of a late player
    rated: bool


class Waiting(OfBoard):
    """A board to which players are invited."""

    names: Sequence[str]  # all players
    waiting: Sequence[str]  # players who have not answered yet


class Invited(Waiting):
    """Told to the challenger: the players who were asked."""

    challenger: str  # "" for a shell of the server
    until: int  # when the invitation is withdrawn


class Inviting(Invited):
    """The same, with values only for the challenger."""

    held: bool  # the opening message waits for proof from the challenger
    must: bool  # a player is asked because of strangers, or of a short time to move
    guests: NotRequired[int]  # how many were invited by address
    reply: NotRequired[bool]  # a reply to this letter can call the invitation off
    rating: NotRequired[RatingOf]  # not in older letters
    why_unrated: NotRequired[str]  # as `rating_eligibility.why_unrated`
    without: NotRequired[Sequence[str]]  # who left the board of a rematch early; not invited


INVITED = Kind("invited", Inviting)


class Invitation(Invited, Planned):
    """An invitation for its player; without a reader for any other player who looks at it."""

    inorder: bool  # the seats are in the order written
    message: PlayerWords | None
    reader: str  # a userid, or ""
    reply: bool  # a reply to this letter answers the invitation
    commitment: NotRequired[str]  # SHA-256 of the seed of round 1, in hex; "" if it has none


INVITATION = Kind("invitation", Invitation)


class InvitationAnswer(Waiting):
    """An answer to an invitation, or its end."""

    kind: str  # accepted, rejected, called_off, expired, left or wrote
    who: str  # the player who did it; "" if nobody did
    reader: str
    message: PlayerWords | None
    again: NotRequired[int]  # as in `Taken`
    reply: NotRequired[bool]  # a reply to this letter answers the invitation
    line: NotRequired[str]  # the challenge without who rejected, for those who are left


INVITATION_ANSWER = Kind("invitation_answer", InvitationAnswer)


class Consent(TypedDict):
    """What challenges to a player do from now on."""

    userid: str
    challenges: str  # "start" or "off"
    asked: Sequence[int]  # the boards to which the player is still invited


CONSENT = Kind("consent", Consent)


class Limit(TypedDict):
    """How many boards at once a player wants."""

    most: int | None  # None: no limit
    boards: int  # the present number
    changed: bool


LIMIT = Kind("limit", Limit)


class Wish(TypedDict):
    """What a player seeks: so many boards of so many players."""

    wanted: int
    players: int
    rules: str
    options: Sequence[str]  # as in `Planned`


class OwnWish(Wish):
    """A wish, as its owner sees it."""

    there: int  # how many players seek it, with the owner
    until: NotRequired[int]  # when it expires; older letters do not have it


class Seeking(TypedDict):
    """All wishes of a player."""

    userid: str
    seeks: Sequence[OwnWish]
    begun: Sequence[int]  # the reader's boards that begin with this wish


SEEKING = Kind("seeking", Seeking)


class SeekLapsed(TypedDict):
    """The wishes of a player that have expired."""

    userid: str
    seeks: Sequence[Wish]


SEEK_LAPSED = Kind("seek_lapsed", SeekLapsed)


class MovedAway(TypedDict):
    """A vacation of a player, as an outage has moved it."""

    userid: str
    begins: int
    ends: int
    mine: bool  # the reader's own


class Outage(TypedDict):
    """The server was away, or its clock was ahead: all deadlines were moved."""

    boards: Sequence[int]  # the reader's
    since: int
    until: int
    hours: int  # the gap; negative if the clock was ahead
    away: Sequence[MovedAway]


OUTAGE = Kind("outage", Outage)


class OpenedCup(TypedDict):
    """A player's cup of a finished round."""

    name: str
    dice: Sequence[int]


class AdvisedMove(TypedDict):
    """A bid or a call of a finished round, with chances in percent."""

    name: str
    move: str
    chance: int  # that the bid was true or the call right, as the player could know it
    right: bool  # it was
    house: str  # what a bot does most often with this cup; "" for a calza out of turn
    share: int  # how often


class AdvisedRound(TypedDict):
    """A finished round with its moves in order."""

    round: int
    cups: Sequence[OpenedCup]  # of the players with dice
    moves: Sequence[AdvisedMove]


class Advice(OfBoard):
    """The moves of finished rounds and their chances."""

    rounds: Sequence[AdvisedRound]  # one at least
    left_out: int  # how many earlier rounds are not shown


ADVICE = Kind("advice", Advice)
