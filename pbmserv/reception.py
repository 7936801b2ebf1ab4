"""The reception: what a mail asks for and who asks, found out before any transaction.

Words are matched to commands, and passwords tried here, because an argon2 verification takes
longer than a hundred moves and nobody else should wait for it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import click
from sqlalchemy import Engine

from pbmserv import players
from pbmserv.commands import Secret, prepared, vocabulary
from pbmserv.database import reading
from pbmserv.desk import Voucher
from pbmserv.errors import Refused
from pbmserv.games.perudo.notation import read_action
from pbmserv.grammar import Order, Reading, Reply, Unknown, read_mail
from pbmserv.mail.arrival import Arrival
from pbmserv.mail.reading import Mail, read
from pbmserv.passwords import Passwords
from pbmserv.tokens import CONFIRMATION_TOKEN_LENGTH, Tokens

HOLDER = "*"  # stands for the userid where a letter's token says who writes


@dataclass(frozen=True, slots=True)
class Line:
    """One command of a mail: as it may be shown again, and its parsed words or a refusal."""

    shown: str
    context: click.Context | Refused


@dataclass
class Vouchers:
    """The passwords and tokens of one mail or shell command, tried beforehand.

    A `Refused` is kept as well, to be raised when the command asks.
    """

    tried: dict[tuple[str, str], Voucher | Refused] = field(default_factory=dict)
    hashes: dict[str, str] = field(default_factory=dict)
    player: int | None = None

    def vouch(self, userid: str, password: str) -> Voucher:
        """Who shows this password or token; raises the Refused that it earned."""
        outcome = self.tried[userid.lower(), password]
        if isinstance(outcome, Refused):
            raise outcome
        self.player = outcome.player
        return outcome


@dataclass(frozen=True, slots=True)
class Opened:
    """A mail that was read: what it asks for, line by line, and who vouches for it."""

    arrival: Arrival
    mail: Mail
    lines: tuple[Line, ...]
    message: str
    cut: str
    vouchers: Vouchers


@dataclass(frozen=True, slots=True)
class Reception:
    """Reads mails and tries passwords.  `address` is the server's own."""

    engine: Engine
    passwords: Passwords
    tokens: Tokens
    address: str

    def open(self, arrival: Arrival, now: int) -> Opened:
        """Read a mail and find out what it asks for; a machine's mail asks for nothing."""
        mail = self.read(arrival)
        vouchers = Vouchers()
        if mail.automatic:
            return Opened(arrival, mail, (), "", "", vouchers)
        asked = self._asked(mail)
        lines = tuple(_line(each) for each in asked.lines)
        for line in lines:
            self.try_password(line.context, vouchers, mail.sender, now)
        return Opened(arrival, mail, lines, asked.message, asked.cut, vouchers)

    def read(self, arrival: Arrival) -> Mail:
        """The mail in the bytes that arrived."""
        return read(
            arrival.raw,
            envelope_sender=arrival.envelope_sender,
            recipient=arrival.recipient,
            own=self.address,
        )

    def open_text(self, text: str, now: int, vouchers: Vouchers) -> tuple[Line, ...]:
        """The commands of a text typed at a shell, one a line."""
        asked = read_mail("multiple", text.splitlines(), None, vocabulary(), reads_as_move)
        lines = tuple(_line(each) for each in asked.lines)
        for line in lines:
            self.try_password(line.context, vouchers, "", now)
        return lines

    def _asked(self, mail: Mail) -> Reading:
        reply = None
        for token in mail.tokens:
            if found := self.tokens.read(token):
                reply = Reply(found.board, HOLDER, token)
                break
        asked = read_mail(mail.subject, mail.typed, reply, vocabulary(), reads_as_move)
        confirming = [each for each in mail.tokens if len(each) == CONFIRMATION_TOKEN_LENGTH]
        bare = Order("", "confirm", ())
        if confirming and all(isinstance(each, Unknown) or each == bare for each in asked.lines):
            # COMMANDS: "replying to the letter sent there" confirms, whatever the reply says.
            return Reading((Order("", "confirm", (confirming[0],)),), "")
        return asked

    def try_password(
        self, context: click.Context | Refused, vouchers: Vouchers, sender: str, now: int
    ) -> None:
        """Try the password of a parsed command, if it has one, and keep the outcome."""
        if isinstance(context, Refused) or "password" not in context.params:
            return
        userid, password = context.params["userid"], context.params["password"]
        if context.command.name == "signup":
            vouchers.hashes[password] = self.passwords.hash(password)
            return
        try:
            vouchers.tried[userid.lower(), password] = self._tried(userid, password, sender, now)
        except Refused as refusal:
            vouchers.tried[userid.lower(), password] = refusal

    def _tried(self, userid: str, password: str, sender: str, now: int) -> Voucher:
        """Who shows this password, or the token of a letter in its place."""
        if token := self.tokens.read(password):
            if userid != HOLDER:
                self._check_holder(userid, token.player)
            return Voucher(token.player, token.board, token.move)
        player = players.authenticate(self.engine, self.passwords, userid, password, sender, now)
        return Voucher(player.id)

    def _check_holder(self, userid: str, player: int) -> None:
        with reading(self.engine) as connection:
            found = players.find(connection, userid)
        if found is None or found.id != player:
            raise Refused("wrong_password")


def reads_as_move(text: str) -> bool:
    """True if the game can read the text as a move."""
    try:
        read_action(text.strip(" *.!"))
    except Refused:
        return False
    return True


def _line(asked: Order | Unknown) -> Line:
    """A line's command with its words parsed, and the line as it may be shown again."""
    if isinstance(asked, Unknown):
        refusal = Refused("unknown_command", word=asked.word, nearest=asked.nearest)
        return Line(asked.word, refusal)
    try:
        context = prepared(asked)
    except Refused as refusal:
        return Line(f"{asked.game} {asked.name}".strip(), refusal)
    return Line(shown(context, asked.game), context)


def shown(context: click.Context, game: str) -> str:
    """A command as it may be shown again: its words, without those that are secret."""
    words = [game, context.command.name or ""]
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        if isinstance(parameter, click.Argument) and not isinstance(parameter, Secret) and value:
            words += [value] if isinstance(value, str) else map(str, value)
    return " ".join(word for word in words if word not in {"", HOLDER})
