"""Payloads of listings: tables of boards and players, and the record of a board with its proof."""

from collections.abc import Sequence
from typing import NotRequired, TypedDict

from pbmserv.letters.payloads.boards import OfBoard, Wish
from pbmserv.letters.payloads.letter import Kind


class Seat(TypedDict):
    """A player at a board in a table; `dice` is None if their number is hidden."""

    name: str
    dice: int | None


class Row(OfBoard):
    """A board in a table; an invitation has nobody on turn, and its move is 0.

    While the cups wait for the beacon, nobody is on turn: `beacon` is its round.
    """

    move: int
    turn: str  # the player on turn, or the winner
    rules: str
    status: str  # invited, withdrawn, active, won, drawn or declined
    waiting: Sequence[str]  # players who have not accepted the invitation
    seats: Sequence[Seat]
    beacon: NotRequired[int]


class Games(TypedDict):
    """The boards that a command asked for; `everything`: all boards of all players."""

    rows: Sequence[Row]
    everything: NotRequired[bool]


GAMES = Kind("games", Games)


class Sought(Wish):
    """What one player seeks."""

    who: str


class OpenBoards(TypedDict):
    """The open boards, and the players who seek others."""

    rows: Sequence[Row]
    seeking: Sequence[Sought]


LIST = Kind("list", OpenBoards)


class Past(OfBoard):
    """A finished board."""

    names: Sequence[str]  # in order of play
    winner: str | None  # None: nobody won
    started: int
    ended: int


class History(TypedDict):
    """The finished boards, the latest first."""

    rows: Sequence[Past]


HISTORY = Kind("history", History)


class Rated(TypedDict):
    """A player's rating."""

    name: str
    rating: int
    provisional: bool  # based on too few games
    won: int
    lost: int
    playing: int  # boards
    seeking: bool
    on_time: int | None  # percent of the moves; None: no moves


class Standings(TypedDict):
    """The players by rating, the strongest first."""

    rules: str  # "" means all rule sets
    rows: Sequence[Rated]
    newcomers: Sequence[str]  # players who seek games and have no rating here


STANDINGS = Kind("standings", Standings)


class Luck(TypedDict):
    """A player's luck and bluffs; percent, None without bids or calls."""

    name: str
    on_time: int | None  # percent of the moves
    bids: int
    true: int | None
    expected_true: int | None
    bluffs: int | None
    calls: int
    right: int | None
    expected_right: int | None
    call_luck: str  # standard deviations with their sign, "-" for none
    dice_luck: str


class Stats(TypedDict):
    """Luck and bluffs of several players."""

    rows: Sequence[Luck]


STATS = Kind("stats", Stats)


class Record(OfBoard):
    """The whole public record of a board, which is attached as a file."""

    record: str


RECORD = Kind("record", Record)


class Proof(TypedDict):
    """The proof of a round; `why` is "running" or "plain" if not proven, else "restored" or "".

    It is that of all rounds from `round` to `last`, if that is given.  `alone`: no player has added
    to the dice, so the server could have chosen among seeds.
    """

    round: int
    proven: bool
    why: str
    last: NotRequired[int]
    alone: NotRequired[bool]


class Salted(TypedDict):
    """A move with a salt: its number (0: before the first one), its player, and its text."""

    move: int
    name: str
    what: str


class Drand(TypedDict):
    """A round that was rolled with the beacon: the beacon's round, and its value.

    The value is "" if none was mixed in.  It was `known` if an earlier call had named this round of
    the beacon, or a later one.  It was also `known` if it is `early`: from before
    the game.
    """

    round: int
    number: int
    value: str
    known: NotRequired[bool]
    early: NotRequired[bool]


class Verified(TypedDict):
    """The proofs of a board, or of a record in a file."""

    board: NotRequired[int]
    file: NotRequired[str]
    rounds: Sequence[Proof]
    over: NotRequired[bool]  # whether the game ended
    digest: NotRequired[str]  # that was asked about, or its beginning
    after: NotRequired[int | None]  # how many moves led to it; None if it is not of this game
    salt: NotRequired[str]  # that was asked about
    salted: NotRequired[Sequence[Salted]]
    salts: NotRequired[bool]  # whether a player has added to the dice of an opened round
    beacons: NotRequired[Sequence[Drand]]  # only of a game in which the beacon opened cups
    network: NotRequired[str]  # of the beacon
    unmixed: NotRequired[Sequence[str]]  # the rounds of such a game without a value


VERIFIED = Kind("verified", Verified)


def is_not_found(told: Verified) -> bool:
    """Whether the digest or the salt that was asked about is not of this game."""
    return told.get("after", 0) is None or not told.get("salted", True)


class Refereed(TypedDict):
    """The names of files whose games follow the rules.

    Those of `running` are not over.  Those of `plain` are records without any seed or commitment.
    """

    files: Sequence[str]
    running: NotRequired[Sequence[str]]
    plain: NotRequired[Sequence[str]]


REFEREED = Kind("refereed", Refereed)
