"""The input of a command (`Context`) and of a job (`UnitOfWork`), and a command's `Outcome`.

A command reads its context, decides, writes rows on the context's connection and returns letters.
It never sends or words letters, and never commits.  It catches only an error that it answers
itself.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import field
from typing import TYPE_CHECKING, Any

import click

from pbmserv.errors import Refused
from pbmserv.fast_dataclasses import dataclass
from pbmserv.letters.payloads.boards import OnTurn
from pbmserv.letters.payloads.letter import Letter
from pbmserv.mail.writer_facts import Writer
from pbmserv.security.credentials import BY_ADDRESS, COMMAND, Credentials, Identity, words_without

if TYPE_CHECKING:  # importing SQLAlchemy costs 0.3 s: `--help` must not pay for it
    from random import Random

    from sqlalchemy import Connection

    from pbmserv.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitOfWork:
    """One transaction, with the time and the random numbers that it may use.

    Jobs of the scheduler and of the operator get this; a command gets a `Context`.  `now` is in
    seconds since 1970.  `seed()` gives 32 fresh secret bytes, and `chance` shuffles seats.
    `keyed(text)` is a digest that only the home's key can make.  `confirmation()` is a fresh random
    token, which a letter asks to be sent back.

    `recipients` are the readers of letters that were read with something else, by their ids: see
    `outbox/recipients.py`.  `unshunned` are userids by the number of their
    board, as it was last read: see `boards/board.py`.
    """

    connection: Connection
    now: int
    settings: Settings
    seed: Callable[[], bytes]
    chance: Random
    keyed: Callable[[str], str]
    confirmation: Callable[[], str]
    recipients: dict[int | None, Any] = field(default_factory=dict)
    unshunned: dict[int, Set[str]] = field(default_factory=dict)

    @property
    def address(self) -> str:
        """The server's own email address."""
        return self.settings.address

    def without_passwords(self, text: str) -> str:
        """A stored text without the lines that have a password of the one who acts, if anybody."""
        return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Context(UnitOfWork):
    """All that one command may know and use: a unit of work, and who asks for what.

    `sender` is the email's address, `name` the name beside it; both are "" at a shell.  `message`
    is for other players, and `left_out` tells whether it has lost lines that they must not know.
    `kept_back` is why it has lost lines that may have a password.

    `credentials` are the passwords and tokens, checked before the transaction began.  `answered` is
    whose letter the email answers, and of which board and move.  `refuted`: the operator's mail
    server says that the sender did not write the email.  `proof`: a name of the proof that the
    sender did, "" without one.  `owners` are the players who have confirmed the address.
    `boards/seating.py` says what these prove of a player.

    `identifier` is the Message-ID of the email, or the random text of a shell.  The player's side
    adds it to the dice (`games/perudo/player_salts.py`).

    `writer` tells the language that the email or the shell shows, and the writer's clock.
    """

    sender: str
    at_shell: bool
    message: str
    credentials: Credentials
    left_out: bool = False
    kept_back: tuple[str, ...] = ()
    answered: Identity | None = None
    proof: str = ""
    refuted: bool = False
    owners: Set[int] = frozenset()
    name: str = ""
    writer: Writer = Writer()
    identifier: str = ""

    def without_passwords(self, text: str) -> str:
        """A stored text without the lines that have a password of this email or command."""
        return self.credentials.lines_without(text)

    def authenticate(self, userid: str, password: str) -> Identity:
        """The player who shows a password or a letter's token; raises the stored Refused.

        The token of a button is as good as the password for its own command.  For another one it
        raises Refused `button_elsewhere`.
        """
        identity = self.credentials.authenticate(userid, password)
        if not identity.only:
            return identity
        asking = click.get_current_context(silent=True)
        words = asking.meta.get(COMMAND, ()) if asking else ()
        if identity.only != words_without(words, password):
            raise Refused("button_elsewhere")
        return Identity(identity.player)

    def account(self, userid: str, password: str) -> int:
        """The number of the player who shows the password.

        A letter's token is valid for its board only: raises Refused as `elsewhere`.
        """
        identity = self.authenticate(userid, password)
        if identity.board is not None:
            raise elsewhere(identity, password)
        return identity.player

    def words(self) -> str:
        """The message to others.

        Raises Refused `no_message`, or `just_quoted` or `words_kept_back` where the text has lost
        all its lines.
        """
        if not self.message and self.kept_back and not self.left_out:
            raise Refused("words_kept_back", reasons=list(self.kept_back), rest=False)
        if not self.message:
            raise Refused("just_quoted" if self.left_out else "no_message")
        return self.message


def elsewhere(identity: Identity, password: str) -> Refused:
    """The refusal of a letter's token that is not valid for a command.

    The code is `wrong_password`, as for a wrong one, or `proves_one_board` if `-` replaces it.
    """
    if password != BY_ADDRESS:
        return Refused("wrong_password")
    return Refused("proves_one_board", letter_of=identity.board)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one line: its letters, or why it was refused.

    A refused move may have letters, too: those that bring the words below it.  `on_turn` is what
    its player, who is on turn, needs for another move.  `next` is the board, move and player of a
    reply.
    """

    shown: str
    letters: tuple[Letter, ...] = ()
    refusal: Refused | None = None
    on_turn: OnTurn | None = None
    next: tuple[int, int, int] | None = None
