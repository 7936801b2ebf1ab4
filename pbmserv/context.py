"""The desk: what a command is given, and what it gives back.

A command reads what lies on its desk, decides, writes its rows on the desk's connection and
returns letters.  It never sends, words, commits or catches.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pbmserv.errors import Refused
from pbmserv.letters.payloads.letter import Letter

if TYPE_CHECKING:  # importing SQLAlchemy costs 0.3 s: `--help` must not pay for it
    from random import Random

    from sqlalchemy import Connection

    from pbmserv.settings import Settings


@dataclass(frozen=True, slots=True)
class Identity:
    """Who has shown a password or a token; a token counts for one board and one move."""

    player: int
    board: int | None = None
    move: int | None = None


def _proven(_: int) -> bool:
    """Who has no mail to prove anything by is believed: the post office asks the mails."""
    return True


@dataclass(frozen=True, slots=True)
class Context:
    """All that one command may know and use.

    `now` is in seconds since 1970.  `sender` is the mail's address, "" at a shell, and `proven`
    whether the operator's mail server has proven that it wrote the mail; `refuted` whether it says
    that it did not.  `message` is the text for other people, `number` the `#moveno` or None.
    `vouch(userid, password)` says who shows a password or a token, or refuses; it was tried before
    the transaction began.  `hash(password)` gives what may be kept of a password, `seed()` 32 fresh
    secret bytes; `chance` shuffles seats; `keyed(text)` is a digest that
    only the home's key can make.  `owners` are the players who have confirmed the mail's
    address, and `proves_once()` says whether it is proven in a mail that was not used for that
    before; `proves(player)` whether the mail as a whole proves to be that player's;
    `is_from(player)` whether it does, or answers a letter to that player: it is counted as theirs.
    `clear(text)` is a text without what its readers must not know; `left_out` is whether
    `message` has lost lines so.
    """

    connection: Connection
    now: int
    sender: str
    at_shell: bool
    message: str
    settings: Settings
    authenticate: Callable[[str, str], Identity]
    hash: Callable[[str], str]
    seed: Callable[[], bytes]
    chance: Random
    keyed: Callable[[str], str]
    proven: bool = False
    owners: Set[int] = frozenset()
    proves_once: Callable[[], bool] = lambda: False
    clear: Callable[[str], tuple[str, bool]] = lambda text: (text, False)
    left_out: bool = False
    proves: Callable[[int], bool] = _proven
    is_from: Callable[[int], bool] = _proven
    refuted: bool = False

    def account(self, userid: str, password: str) -> int:
        """The number of the player who shows the password.

        A letter's token is good for its board alone: Refused `wrong_password`, as for a wrong one.
        """
        identity = self.authenticate(userid, password)
        if identity.board is not None:
            raise Refused("wrong_password")
        return identity.player

    def words(self) -> str:
        """The text for others; raises Refused `no_message`, or `just_quoted` where it is lost."""
        if not self.message:
            raise Refused("just_quoted" if self.left_out else "no_message")
        return self.message

    @property
    def address(self) -> str:
        """The server's own mail address."""
        return self.settings.address


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one line: its letters, or why it was refused."""

    shown: str
    letters: tuple[Letter, ...] = ()
    refusal: Refused | None = None
