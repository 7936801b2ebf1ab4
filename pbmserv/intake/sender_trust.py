"""What an email proves about the address of its sender.

A From address can be forged.  So an email counts as a player's only with a proof.  Proofs are the
player's password, a token, and the id of a letter that was sent to this address.  The operator's
mail server can also prove the address.  `intake/answering/answer_limits.py` decides
which answers each kind of sender gets.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from enum import Enum
from typing import TYPE_CHECKING

import click
from sqlalchemy import Connection

from pbmserv.boards import authorship
from pbmserv.fast_dataclasses import dataclass
from pbmserv.intake.request import Request
from pbmserv.mail.addresses import mailbox
from pbmserv.players import confirmations
from pbmserv.players.accounts import Player
from pbmserv.players.confirmations import Confirmation
from pbmserv.security.credentials import Identity

if TYPE_CHECKING:  # a shell command reads no email
    from pbmserv.mail.reading import Mail

_CONFIRMS = "confirm"


class Trust(Enum):
    """Whose address it is, and whether the email proves that it comes from there."""

    PROVEN = "a player's, and proven"
    CLAIMED = "a player's, not proven"
    ELSEWHERE = "no player's, but the mail proves which player writes"
    STRANGER = "no player's"


@dataclass(frozen=True, slots=True)
class Sender:
    """The sender of an email: the address, its players, and the player who has proven to write."""

    address: str
    trust: Trust
    players: tuple[int, ...] = ()
    writer: int | None = None
    by_old_letter: bool = False  # the only proof is an older letter, which others may have, too

    @property
    def mailbox(self) -> str:
        """The mailbox for which letters to the address are counted."""
        return mailbox(self.address)

    @property
    def reader(self) -> int | None:
        """The player in whose language the answer is rendered, if there is one."""
        return self.writer if self.writer is not None else next(iter(self.players), None)

    @property
    def is_one(self) -> bool:
        """Whether only the `reader` can be the sender."""
        return self.writer is not None or len(self.players) <= 1

    @property
    def account(self) -> str:
        """The name under which answers to a proven sender are counted: one for all addresses."""
        return self.mailbox if self.reader is None else f"player {self.reader}"


def of_mail(mail: Mail, players: Iterable[Player]) -> Sender:
    """The sender of an email; `players` are those who confirmed the address."""
    mine = tuple(each.id for each in players)
    trust = Trust.CLAIMED if mine else Trust.STRANGER
    if mine and mail.authenticated:
        trust = Trust.PROVEN
    return Sender(mail.sender, trust, mine)


def confirming(connection: Connection, request: Request, now: int) -> list[Confirmation]:
    """What the tokens in its lines confirm, before the lines are executed."""
    found = (
        confirmations.known(connection, str(line.parsed.params["token"]), now)
        for line in request.lines
        if line.trace == _CONFIRMS and isinstance(line.parsed, click.Context)
    )
    return [each for each in found if each]


def of_request(
    connection: Connection,
    request: Request,
    players: Iterable[Player],
    now: int,
    confirmed: Sequence[Confirmation] = (),
    owners: Set[int] = frozenset(),
) -> Sender:
    """The sender of an email; `players` are those who have confirmed the address now.

    `confirmed` is the result of `confirming`, and `owners` are the players who had the address
    before the lines were executed.  A token proves only its own player, because anybody may have
    one.
    """
    found = of_mail(request.mail, players)
    writers = [*_writers(request), *(each.player for each in confirmed)]
    mine = next((each for each in writers if each in {*found.players, *owners}), None)
    known = mine is not None or (bool(found.players) and request.credentials.answers)
    known = known or request.credentials.invited
    if known or found.trust is Trust.PROVEN:
        is_sure = found.trust is Trust.PROVEN or any(each.player == mine for each in confirmed)
        is_sure = is_sure or _is_sure(connection, request, now, {*found.players, *owners})
        return Sender(found.address, Trust.PROVEN, found.players, mine, not is_sure)
    if writers and not found.players:
        return Sender(found.address, Trust.ELSEWHERE, (), writers[0])
    return Sender(found.address, found.trust, found.players, next(iter(writers), None))


def proves_something(request: Request) -> bool:
    """Whether an email has a proof of any kind; to know whose it is needs queries.

    A token in a line that confirms something does not count here: `confirming` finds those.
    """
    credentials = request.credentials
    shown = any(isinstance(each, Identity) for each in credentials.tried.values())
    return (
        shown
        or credentials.answers
        or credentials.invited
        or request.mail.authenticated
        or bool(request.token or request.unconfirmed)
    )


def _is_sure(connection: Connection, request: Request, now: int, owners: Set[int]) -> bool:
    """Whether an email has the password of one of these players, or a valid token of theirs.

    The passwords and tokens of other players prove nothing here, because everybody has some.
    """
    shown = [each for each in request.credentials.tried.values() if isinstance(each, Identity)]
    if request.answered and not request.answered.is_void:
        shown.append(request.answered)
    mine = [each for each in shown if each.player in owners]
    return any(authorship.counts_still(connection, each, now, owners) for each in mine)


def _writers(request: Request) -> list[int]:
    """The players whose password or token is in the email, including spent and restored tokens.

    Such tokens allow nothing, but they tell whose letter is answered, so that its reader is told
    why.
    """
    shown = [
        each.player for each in request.credentials.tried.values() if isinstance(each, Identity)
    ]
    return [*shown, *([request.answered.player] if request.answered else [])]
