"""The reception: what a mail asks for and who asks, found out before any transaction.

Words are matched to commands, and passwords tried here, because an argon2 verification takes
longer than a hundred moves and nobody else should wait for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click
from sqlalchemy import Engine

from pbmserv.boards.board import LARGEST_NUMBER
from pbmserv.commands.framework import Secret, prepared, vocabulary
from pbmserv.commands.parser import (
    CommandCall,
    ParsedText,
    Reply,
    Unknown,
    is_template,
    read_line,
    read_mail,
)
from pbmserv.context import Outcome
from pbmserv.database.engine import reading
from pbmserv.errors import Refused
from pbmserv.games.perudo.notation import bare_move, read_action
from pbmserv.intake.credentials import (
    BY_ADDRESS,
    HOLDER,
    CredentialCheck,
    Credentials,
    answers_letter,
    readers_answering,
)
from pbmserv.intake.redaction import move_shown, without_commands
from pbmserv.intake.stray_passwords import without_password
from pbmserv.mail.incoming import IncomingMail
from pbmserv.players import bans, confirmations
from pbmserv.players.login_throttle import Gate, everybody
from pbmserv.players.validation import SHORTEST_PASSWORD
from pbmserv.security.passwords import Passwords
from pbmserv.security.tokens import CONFIRMATION_TOKEN_LENGTH, Tokens
from pbmserv.settings import Settings
from pbmserv.text.normalize import bare_subject
from pbmserv.text.numbers import whole

if TYPE_CHECKING:  # a shell command reads no mail: `read` imports what it needs
    from pbmserv.mail.reading import Mail

ANSWERS = {"propose", "accept", "reject", "decline"}
_MOVES = {"bid", "move"}  # parameters of commands that hold one


@dataclass(frozen=True, slots=True)
class Line:
    """One command of a mail: as its writer is shown it again, and its parsed words or a refusal.

    `trace` is what is kept of it: the command's name alone, for a password may have slipped into
    any other word.
    """

    shown: str
    parsed: click.Context | Refused
    trace: str = ""


@dataclass(frozen=True, slots=True)
class Request:
    """A mail that was read: what it asks for, line by line, and who vouches for it.

    `found` are the first lines of it, as its writer may be shown them again; `token` is the
    letter's token that came with it, for a reply to our answer to bring it again; `unconfirmed`
    is the same of a letter that asked for a yes, where what was written is none.  `done` is what
    became of the first lines, where they were carried out before the mail's transaction.
    """

    incoming: IncomingMail
    mail: Mail
    lines: tuple[Line, ...]
    message: str
    cut: str
    credentials: Credentials
    found: tuple[str, ...] = ()
    token: str = ""
    unconfirmed: str = ""
    done: tuple[Outcome, ...] = ()


@dataclass(frozen=True, slots=True)
class RequestReader:
    """Reads mails, believing the mail server of the settings about senders, and tries passwords."""

    engine: Engine
    passwords: Passwords
    tokens: Tokens
    settings: Settings

    def open(self, incoming: IncomingMail, now: int, gate: Gate = everybody) -> Request:
        """Read a mail, find out what it asks for, and try its passwords."""
        return self.proven(self.understood(incoming, now), now, gate)

    def understood(self, incoming: IncomingMail, now: int) -> Request:
        """Read a mail and find out what it asks for; a machine's mail asks for nothing.

        Nobody vouches for it yet, and its lines may still hold passwords.
        """
        from pbmserv.intake.excerpt import lines_found  # noqa: PLC0415 - a shell command reads no email

        mail = self.read(incoming)
        kept = incoming.vouched
        credentials = Credentials.read(kept) if kept else Credentials(mail.authenticated)
        mail = self._unless_banned(mail, incoming, now)
        credentials.answers = credentials.answers or answers_letter(mail, self.tokens)
        credentials.readers = readers_answering(mail, self.tokens)
        if mail.automatic:
            return Request(incoming, mail, (), "", "", credentials)
        reply = self._reply(mail)
        asked, unconfirmed = self._confirming(mail, self._asked(mail, reply), now)
        lines = tuple(map(_line, asked.lines))
        message = without_commands(asked.message)
        not_understood = all(isinstance(each, Unknown) for each in asked.lines)
        written = mail.subject, mail.typed, vocabulary(), reads_as_move
        found = lines_found(*written) if not_understood else ()
        token = reply.token if reply and reply.token != BY_ADDRESS else ""
        return Request(
            incoming, mail, lines, message, asked.cut, credentials, found, token, unconfirmed
        )

    def _unless_banned(self, mail: Mail, incoming: IncomingMail, now: int) -> Mail:
        """The mail; one from a banned address counts as none that a person wrote."""
        if mail.automatic or not mail.sender:
            return mail
        with reading(self.engine) as connection:
            ban = bans.covering(connection, (mail.sender, incoming.envelope_sender), now)
        return replace(mail, automatic=f"banned: {ban}") if ban else mail

    def proven(self, request: Request, now: int, gate: Gate = everybody) -> Request:
        """The mail with every password tried; `gate` may put off a hash."""
        lines = self._proven(request.lines, request.credentials, request.mail.sender, now, gate)
        tried = self.engine, self.passwords, self.tokens, request.credentials
        message = without_password(
            CredentialCheck(*tried, request.mail.sender, now, gate), request.message
        )
        return replace(request, lines=lines, message=message)

    def _proven(
        self, lines: Sequence[Line], credentials: Credentials, sender: str, now: int, gate: Gate
    ) -> tuple[Line, ...]:
        for line in lines:
            self.try_password(line.parsed, credentials, sender, now, gate)
        return tuple(replace(line, shown=_shown(line, credentials)) for line in lines)

    def read(self, incoming: IncomingMail) -> Mail:
        """The mail in the bytes that arrived."""
        from pbmserv.mail.reading import read  # noqa: PLC0415 - a shell command reads no email

        chosen = self.settings
        return read(
            incoming.raw,
            envelope_sender=incoming.envelope_sender,
            recipient=incoming.recipient,
            own=chosen.address,
            authserv_id=chosen.authserv_id if incoming.door == chosen.authserv_door else "",
        )

    def glanced(self, incoming: IncomingMail) -> Mail:
        """The mail, to be noted down: never raises, whatever is wrong with our reading."""
        from pbmserv.mail.reading import unread  # noqa: PLC0415 - a shell command reads no email

        try:
            return self.read(incoming)
        except Exception:  # a bug of ours: the mail is kept all the same
            sender, recipient = incoming.envelope_sender, incoming.recipient
            return unread(incoming.raw, envelope_sender=sender, recipient=recipient)

    def open_text(self, text: str, now: int, credentials: Credentials) -> tuple[Line, ...]:
        """The commands of a text typed at a shell, one a line."""
        asked = read_mail("multiple", text.splitlines(), None, vocabulary(), reads_as_move)
        return self._proven(list(map(_line, asked.lines)), credentials, "", now, everybody)

    def _reply(self, mail: Mail) -> Reply | None:
        """Which seat the mail speaks for, by a letter's token or by a proven address."""
        for token in mail.tokens:
            if found := self.tokens.read(token):
                return Reply(found.board, HOLDER, token)
        return _reply_by_address(mail.subject) if mail.authenticated else None

    def _asked(self, mail: Mail, reply: Reply | None) -> ParsedText:
        from pbmserv.intake.greetings import read_greeted  # noqa: PLC0415 - a shell command reads no email

        asked = read_greeted(mail.subject, mail.typed, reply, vocabulary(), reads_as_move)
        if mail.authenticated:
            asked = replace(asked, lines=tuple(map(vouched_by_address, asked.lines)))
        return asked

    def _confirming(self, mail: Mail, asked: ParsedText, now: int) -> tuple[ParsedText, str]:
        """What a mail asks for, if it answers a letter that asks for a yes: to confirm, or nothing.

        A reply that says nothing is a yes only to what its writer has proven to have asked for.
        "I never asked for this!" is none, and the token is given back for the question whether
        it was one.  What a token does that is not known (any more), `confirm` says.
        """
        from pbmserv.intake.affirmation import may_be_yes, says_yes  # noqa: PLC0415 - a shell command reads no email

        token = next((each for each in mail.tokens if len(each) == CONFIRMATION_TOKEN_LENGTH), "")
        if not (token and all(map(may_be_yes, asked.lines))):
            return asked, ""
        with reading(self.engine) as connection:
            known = confirmations.known(connection, token, now)
        # Only a reply to a letter of ours that asks for a yes is searched for one.
        if known is None or known.purpose not in confirmations.ASK_FOR_A_YES:
            return ParsedText((CommandCall("", "confirm", (token,)),), ""), ""
        if says_yes(mail.typed, in_words=not (known.proven or known.is_done)):
            return ParsedText((CommandCall("", "confirm", (token,)),), ""), ""
        return ParsedText((Unknown("", ""),), ""), "" if known.is_done else token

    def try_password(
        self,
        parsed: click.Context | Refused,
        credentials: Credentials,
        sender: str,
        now: int,
        gate: Gate = everybody,
    ) -> None:
        """Try the passwords of a parsed command, if it has any, and keep the outcome."""
        if isinstance(parsed, click.Context):
            trying = CredentialCheck(
                self.engine, self.passwords, self.tokens, credentials, sender, now, gate
            )
            trying.all_of(parsed)


def reads_as_move(text: str) -> bool:
    """True if the game can read the text as a move, or it answers a draw or a challenge."""
    text = text.strip(" *.!")
    if bare_move(text) in ANSWERS:
        return True
    try:
        read_action(text)
    except Refused:
        return False
    return True


def _reply_by_address(subject: str) -> Reply | None:
    """What a reply without a token answers: the board that its Subject, a game letter's, names."""
    text = bare_subject(subject)
    order = read_line(text, vocabulary())
    if not isinstance(order, CommandCall) or order.name != "move" or not is_template(order, text):
        return None
    number = whole(order.words[0] if order.words else "", LARGEST_NUMBER)
    return None if number is None else Reply(number, HOLDER, BY_ADDRESS)


def vouched_by_address(asked: CommandCall | Unknown) -> CommandCall | Unknown:
    """A move without a password, with `-` put in its place: the writer's address is proven.

    No password is mistaken for a move: where the words after it read as a move by themselves, the
    first of them is the password, if it is long enough to be one.
    """
    if isinstance(asked, Unknown) or asked.name != "move":
        return asked
    board, userid, *rest = [word for word in asked.words if word != "**"] + [""] * 2
    words = [word for word in rest if word and not word.startswith("#")]
    if not words or not reads_as_move(" ".join(words)):
        return asked
    if len(words[0]) >= SHORTEST_PASSWORD and reads_as_move(" ".join(words[1:])):
        return asked
    return replace(asked, words=(board, userid, BY_ADDRESS, *filter(None, rest)))


def _line(asked: CommandCall | Unknown) -> Line:
    """A line's command with its words parsed."""
    if isinstance(asked, Unknown):
        refusal = Refused("unknown_command", word=asked.word, nearest=asked.nearest)
        return Line(asked.word, refusal, "unknown command")
    name = f"{asked.game} {asked.name}".strip()
    try:
        return Line(name, prepared(asked), name)
    except Refused as refusal:
        return Line(name, refusal, name)


def _shown(line: Line, credentials: Credentials) -> str:
    """A line as it may be shown again: its words, without those that are secret.

    Where the password was refused it may stand in another place: numbers alone are shown then.
    """
    parsed = line.parsed
    if isinstance(parsed, Refused):
        return line.shown
    words = [line.shown]
    tried = credentials.shown_by(parsed.params)
    for parameter in parsed.command.params:
        value = parsed.params.get(parameter.name or "")
        if isinstance(parameter, click.Argument) and not isinstance(parameter, Secret) and value:
            said = [value] if isinstance(value, str) else list(map(str, value))
            words += move_shown(said) if parameter.name in _MOVES else said
    if isinstance(tried, Refused):
        words = [line.shown, *(word for word in words if word.isdigit())]
    return credentials.blank(" ".join(word for word in words if word not in {"", HOLDER}))
