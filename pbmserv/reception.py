"""The reception: what a mail asks for and who asks, found out before any transaction.

Words are matched to commands, and passwords tried here, because an argon2 verification takes
longer than a hundred moves and nobody else should wait for it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import click
from sqlalchemy import Engine

from pbmserv import players
from pbmserv.commands import Secret, find, prepared, vocabulary
from pbmserv.database import reading
from pbmserv.desk import Voucher
from pbmserv.errors import Refused
from pbmserv.games.perudo.notation import read_action
from pbmserv.grammar import (
    LONGEST_LINE,
    Order,
    Reading,
    Reply,
    Unknown,
    bare_subject,
    is_addressed,
    read_line,
    read_mail,
)
from pbmserv.mail.arrival import Arrival
from pbmserv.mail.reading import Mail, read
from pbmserv.passwords import Passwords
from pbmserv.tokens import CONFIRMATION_TOKEN_LENGTH, Tokens

HOLDER = "*"  # stands for the userid where a letter's token says who writes
DRAW_WORDS = {"propose", "accept", "reject"}
BLANKED = "********"
MOST_PASSWORDS = 4  # that one mail may hold: hashing one takes a tenth of a second


@dataclass(frozen=True, slots=True)
class Line:
    """One command of a mail: as its writer is shown it again, and its parsed words or a refusal.

    `trace` is what is kept of it: the command's name alone, for a password may have slipped into
    any other word.
    """

    shown: str
    context: click.Context | Refused
    trace: str = ""


@dataclass
class Vouchers:
    """The passwords and tokens of one mail or shell command, tried beforehand.

    A `Refused` is kept as well, to be raised when the command asks; an empty hash stands for a
    password that was one too many.
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

    def blank(self, text: str) -> str:
        """The text without the passwords that were tried, wherever they stand as a word."""
        secrets = {password for _, password in self.tried} | set(self.hashes)
        return " ".join(BLANKED if word in secrets else word for word in text.split(" "))

    def blanked(self, refusal: Refused) -> Refused:
        """The refusal, its words blanked like any other text."""
        facts = {
            key: self.blank(fact) if isinstance(fact, str) else fact
            for key, fact in refusal.facts.items()
        }
        return Refused(refusal.code, **facts)

    def hash(self, password: str) -> str:
        """What may be kept of a signup's password; raises Refused `too_many_passwords`."""
        if not (found := self.hashes[password]):
            raise Refused("too_many_passwords", most=MOST_PASSWORDS)
        return found

    def are_full(self) -> bool:
        """True where a mail has tried as many passwords as it may."""
        return len(self.tried) + len(self.hashes) >= MOST_PASSWORDS


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
        lines = self._lines(asked, vouchers, mail.sender, now)
        return Opened(arrival, mail, lines, without_commands(asked.message), asked.cut, vouchers)

    def _lines(self, asked: Reading, vouchers: Vouchers, sender: str, now: int) -> tuple[Line, ...]:
        """What was asked for, line by line, with every password tried."""
        lines = [_line(each) for each in asked.lines]
        for line in lines:
            self.try_password(line.context, vouchers, sender, now)
        return tuple(replace(line, shown=_shown(line, vouchers)) for line in lines)

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
        return self._lines(asked, vouchers, "", now)

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
        """Try the passwords of a parsed command, if it has any, and keep the outcome."""
        if isinstance(context, Refused):
            return
        words = context.params
        for each in context.command.params:
            if isinstance(each, Secret) and each.is_new and each.is_new(words):
                value = words[each.name or ""]
                for password in (value,) if isinstance(value, str) else value:
                    self._hash(password, vouchers, sender)
            elif each.name == "password":
                self._try(words["userid"], words["password"], vouchers, sender, now)

    def _hash(self, password: str, vouchers: Vouchers, sender: str) -> None:
        if password not in vouchers.hashes:
            full = bool(sender) and vouchers.are_full()
            vouchers.hashes[password] = "" if full else self.passwords.hash(password)

    def _try(self, userid: str, password: str, vouchers: Vouchers, sender: str, now: int) -> None:
        shown = userid.lower(), password
        if shown in vouchers.tried:
            return
        try:
            if sender and vouchers.are_full():
                raise Refused("too_many_passwords", most=MOST_PASSWORDS)
            vouchers.tried[shown] = self._tried(userid, password, sender, now)
        except Refused as refusal:
            vouchers.tried[shown] = refusal

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
    """True if the game can read the text as a move, or it is about a draw."""
    text = text.strip(" *.!")
    if text.lower() in DRAW_WORDS:
        return True
    try:
        read_action(text)
    except Refused:
        return False
    return True


def without_commands(message: str) -> str:
    """A text for other people without the lines that were meant as commands: they hold passwords.

    Whoever writes `perudo move 12 ann secret 4-2s` below another command, misspelled or behind
    some prose, has not written it to the other players.
    """
    return "\n".join(line for line in message.split("\n") if not _is_command(line)).strip()


def _is_command(line: str) -> bool:
    text = bare_subject(line[:LONGEST_LINE].removeprefix("Subject:"))
    if not is_addressed(text, vocabulary()):
        # Prose may well begin with "set" or "add"; hardly with what makes a new password.
        return _begins_with_name(text) and _makes_password(read_line(text, vocabulary()))
    read = read_line(text, vocabulary())
    if isinstance(read, Order):
        return any(isinstance(each, Secret) for each in find(read).params)
    return isinstance(read, Unknown) and bool(read.nearest)


def _begins_with_name(text: str) -> bool:
    """True if the first word is a command's own name, in full."""
    first = text.lower().split(maxsplit=1)[:1]
    return any(spellings.get(word) == word for word in first for spellings in vocabulary().values())


def _makes_password(order: Order | Unknown | None) -> bool:
    """True for a whole command with a new password in it, such as `change password`."""
    if not isinstance(order, Order):
        return False
    try:
        context = prepared(order)
    except Refused:
        return False
    return any(
        isinstance(each, Secret) and each.is_new is not None and each.is_new(context.params)
        for each in find(order).params
    )


def _line(asked: Order | Unknown) -> Line:
    """A line's command with its words parsed."""
    if isinstance(asked, Unknown):
        refusal = Refused("unknown_command", word=asked.word, nearest=asked.nearest)
        return Line(asked.word, refusal, "unknown command")
    name = f"{asked.game} {asked.name}".strip()
    try:
        return Line(name, prepared(asked), name)
    except Refused as refusal:
        return Line(name, refusal, name)


def _shown(line: Line, vouchers: Vouchers) -> str:
    """A line as it may be shown again: its words, without those that are secret.

    Where the password was refused it may stand in another place: numbers alone are shown then.
    """
    context = line.context
    if isinstance(context, Refused):
        return line.shown
    words = [line.shown]
    tried = vouchers.tried.get(
        (str(context.params.get("userid")).lower(), str(context.params.get("password")))
    )
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        if isinstance(parameter, click.Argument) and not isinstance(parameter, Secret) and value:
            words += [value] if isinstance(value, str) else map(str, value)
    if isinstance(tried, Refused):
        words = [line.shown, *(word for word in words if word.isdigit())]
    return vouchers.blank(" ".join(word for word in words if word not in {"", HOLDER}))
