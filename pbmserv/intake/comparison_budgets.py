"""Budgets of comparisons: how many words of a player's texts are compared with the password.

A comparison takes a tenth of a second of the processor.  It also tells a forger whether a guess is
right: a line with the password is left out.  Such a forger has one of the player's letters, and
writes under the player's From.  So without a proof of the sender, each move of a board has a budget
for an hour: the letter of one move allows no more guesses.  A player of a fast game has the letter
of the next move.  The guesses of a day are limited, too.

The operator's mail server may prove the From.  Then only the processor's time counts.  There are
other budgets for that, which nobody else can use up.
"""

from __future__ import annotations

from sqlalchemy import Connection

from pbmserv.fast_dataclasses import dataclass
from pbmserv.ratelimit import fixed_window, token_bucket
from pbmserv.ratelimit.token_bucket import Share
from pbmserv.security.credentials import Identity
from pbmserv.timeunits import DAY

HOUR = 3600  # seconds
MOST_OF_A_MOVE, MOST_OF_A_DAY = 20, 200  # words of first and last lines; of a move, in an hour
MOST_PROVEN = 100  # the same in an hour, of a sender who is proven
BESIDE_DAILY = 40  # other words of a player in a day
SPELLINGS_DAILY = 40  # words of a player in a day that are compared in other spellings, too
LONG_DAILY = 20  # of these, plain words of long lines
ALL_BESIDE_DAILY = 4000  # those of all players, a quarter of them at once, as in every bucket
_OF_ALL = Share("words beside, of all", ALL_BESIDE_DAILY)  # no address has a blank
_SPELLINGS_OF_ALL = Share("spellings, of all", ALL_BESIDE_DAILY)
_SPELLINGS_OF_ALL_PROVEN = Share("spellings, of all who are proven", ALL_BESIDE_DAILY)
_OF_ALL_PROVEN = Share("words beside, of all who are proven", ALL_BESIDE_DAILY)


@dataclass(frozen=True, slots=True)
class ComparisonLimit:
    """How many words are compared in a span of seconds: of a player, or of a move of a board."""

    what: str
    most: int
    seconds: int
    of_move: bool = False

    def who(self, shown: Identity) -> str:
        """Who is counted for a letter's token or a proven address."""
        one = shown.player, shown.board, shown.move
        return " ".join(map(str, one)) if self.of_move else str(shown.player)


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of some comparisons; all of them must have room, and so must shared buckets."""

    limits: tuple[ComparisonLimit, ...]
    shared: tuple[Share, ...] = ()

    def is_left(self, connection: Connection, shown: Identity, now: int) -> bool:
        """Whether a word may be compared for the player of a token or of a proven address."""
        is_own = all(
            fixed_window.allowed(
                connection, each.what, each.who(shown), each.most, each.seconds, now
            )
            for each in self.limits
        )
        return is_own and not (self.shared and token_bucket.waiting(connection, self.shared, now))

    def is_spent(self, connection: Connection, shown: Identity, now: int) -> bool:
        """Whether a word is compared; counts it."""
        if not self.is_left(connection, shown, now):
            return False
        for each in self.limits:
            fixed_window.note(connection, each.what, each.who(shown), each.seconds, now)
        if self.shared:
            token_bucket.turn(connection, self.shared, now, patience=0)
        return True


FIRST_LINES = Budget(
    (
        ComparisonLimit("first lines", MOST_OF_A_MOVE, HOUR, of_move=True),
        ComparisonLimit("first lines of a day", MOST_OF_A_DAY, DAY),
    )
)
PROVEN_LINES = Budget((ComparisonLimit("first lines, proven", MOST_PROVEN, HOUR),))
_BESIDE = ComparisonLimit("words beside", BESIDE_DAILY, DAY)
_BESIDE_PROVEN = ComparisonLimit("words beside, proven", BESIDE_DAILY, DAY)
BESIDE = Budget((_BESIDE,), (_OF_ALL,))
LONG_LINES = Budget((_BESIDE, ComparisonLimit("words of long lines", LONG_DAILY, DAY)), (_OF_ALL,))
SPELLINGS = Budget((ComparisonLimit("spellings", SPELLINGS_DAILY, DAY),), (_SPELLINGS_OF_ALL,))
PROVEN_BESIDE = Budget((_BESIDE_PROVEN,), (_OF_ALL_PROVEN,))
PROVEN_LONG_LINES = Budget(
    (_BESIDE_PROVEN, ComparisonLimit("words of long lines, proven", LONG_DAILY, DAY)),
    (_OF_ALL_PROVEN,),
)
PROVEN_SPELLINGS = Budget(
    (ComparisonLimit("spellings, proven", SPELLINGS_DAILY, DAY),), (_SPELLINGS_OF_ALL_PROVEN,)
)
