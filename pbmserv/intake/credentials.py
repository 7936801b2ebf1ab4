"""Vouchers: what a mail shows to prove who wrote it, tried before its transaction.

Three things count.  A password does for everything.  A letter's token does for what that letter
is about: its player, its board, its move.  And a From that the operator's mail server has proven
(`mail/authentication_results.py`), where it is a confirmed address of the player's, does where a
command says so: for a move.  `-`, too short for a password, then stands in its place.  Who may do
what with them is the commands' business.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import click
from sqlalchemy import Engine

from pbmserv.commands.framework import Secret
from pbmserv.context import Identity
from pbmserv.database.engine import reading, writing
from pbmserv.errors import Refused
from pbmserv.players import account_suspension, accounts, login_throttle
from pbmserv.players.login_throttle import Asker, Gate, everybody
from pbmserv.ratelimit import fixed_window
from pbmserv.security.passwords import Passwords
from pbmserv.security.tokens import Tokens
from pbmserv.timeunits import DAY

if TYPE_CHECKING:  # a shell command reads no mail
    from pbmserv.mail.reading import Mail

HOLDER = "*"  # stands for the userid where a token or an address says who writes
BY_ADDRESS = "-"  # stands for the password where the address is to vouch
ALLOWED = "by address"  # the same where the command allows it: nobody can write a word like this
BLANKED = "********"
# The number of a letter of ours that holds no token (`outbox.message.worded`).
_STAMPED = re.compile(r"<([0-9]{1,13})\.[0-9]{1,13}\.([A-Za-z2-7]{24})@")
MOST_NEW = 6  # new passwords of a proven player in a day that are hashed, whatever strangers do
_NEW = "new passwords"
MOST_PASSWORDS = 4  # that one mail may hold: hashing one takes a tenth of a second


@dataclass
class Credentials:
    """The passwords and tokens of one mail or shell command, tried beforehand.

    `proven` is whether the operator's mail server vouches for the From of the mail, `answers`
    whether it answers a letter that went there: it has the letter's number.  `readers` are the
    players whose game letters it answers: it has their tokens, good or spent.
    A `Refused` is kept as well, to be raised when the command asks; an empty hash stands for a
    password that was one too many.
    """

    proven: bool = False
    tried: dict[tuple[str, str], Identity | Refused] = field(default_factory=dict)
    hashes: dict[str, str] = field(default_factory=dict)
    player: int | None = None
    answers: bool = False
    readers: frozenset[int] = frozenset()

    def authenticate(self, userid: str, password: str) -> Identity:
        """Who shows this password or token; raises the Refused that it earned."""
        outcome = self.tried[userid.lower(), password]
        if isinstance(outcome, Refused):
            raise outcome
        self.player = outcome.player
        return outcome

    def shown_by(self, words: Mapping[str, Any]) -> Identity | Refused | None:
        """What the password or token among a command's words has earned; None: it has none."""
        return self.tried.get((str(words.get("userid")).lower(), str(words.get("password"))))

    def check(self, words: Mapping[str, Any]) -> None:
        """Raise the Refused that a wrong password or token among a command's words has earned."""
        outcome = self.shown_by(words)
        if isinstance(outcome, Refused):
            raise outcome

    @property
    def by_address(self) -> bool:
        """Whether anything here rests on the proven address alone."""
        return any(isinstance(self.tried[each], Identity) for each in self._of_the_address())

    def distrust_address(self) -> None:
        """Take back what the address alone has vouched for."""
        for each in self._of_the_address():
            self.tried[each] = Refused("address_not_proven")

    def _of_the_address(self) -> list[tuple[str, str]]:
        return [(userid, word) for userid, word in self.tried if word == ALLOWED]

    @property
    def shown(self) -> list[Identity]:
        """The passwords and tokens that were right."""
        return [
            each
            for (_, word), each in self.tried.items()
            if isinstance(each, Identity) and word != ALLOWED
        ]

    @property
    def account(self) -> int | None:
        """The player whose password was shown, not just a letter's token; None if nobody's was."""
        shown = (each for each in self.tried.values() if isinstance(each, Identity))
        return next((each.player for each in shown if each.board is None), None)

    def blank(self, text: str) -> str:
        """The text without the passwords that were tried, wherever they stand as a word."""
        secrets = {password for _, password in self.tried} | set(self.hashes)
        secrets.discard(BY_ADDRESS)
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

    def written(self, marks: Mapping[str, str]) -> str:
        """What these vouch for, with marks in place of passwords; `read` is the other way."""
        tried = [
            (userid, marks.get(password, password), _written(outcome))
            for (userid, password), outcome in self.tried.items()
        ]
        hashes = {marks.get(password, password): kept for password, kept in self.hashes.items()}
        known = {"proven": self.proven, "answers": self.answers}
        return json.dumps({**known, "tried": tried, "hashes": hashes})

    @classmethod
    def read(cls, text: str) -> Credentials:
        """The vouchers of a mail that was kept without its passwords."""
        kept = json.loads(text)
        tried: dict[tuple[str, str], Identity | Refused] = {
            (userid, mark): Refused(found["code"], **found["facts"])
            if "code" in found
            else Identity(**found)
            for userid, mark, found in kept["tried"]
        }
        return cls(kept["proven"], tried, kept["hashes"], answers=kept.get("answers", False))

    def are_full(self) -> bool:
        """True where a mail has tried as many passwords as it may."""
        return len(self.tried) + len(self.hashes) >= MOST_PASSWORDS


def _written(outcome: Identity | Refused) -> dict[str, object]:
    if isinstance(outcome, Refused):
        return {"code": outcome.code, "facts": dict(outcome.facts)}
    return asdict(outcome)


@dataclass(frozen=True, slots=True)
class CredentialCheck:
    """Tries what one mail or shell command shows, and keeps the outcome in its vouchers.

    `sender` is the mail's address, or says which shell.
    """

    engine: Engine
    passwords: Passwords
    tokens: Tokens
    credentials: Credentials
    sender: str
    now: int
    gate: Gate = everybody

    def all_of(self, parsed: click.Context) -> None:
        """Try the passwords of a parsed command, if it has any."""
        words = parsed.params
        for each in parsed.command.params:
            if not isinstance(each, Secret):
                continue
            if each.is_new and each.is_new(words):
                value = words[each.name or ""]
                for password in (value,) if isinstance(value, str) else value:
                    self._hash(password, words)
            elif each.name == "password":
                if each.by_address and words["password"] == BY_ADDRESS:
                    words["password"] = ALLOWED
                self._try(words["userid"], words["password"])

    def _hash(self, password: str, words: Mapping[str, Any]) -> None:
        if password in self.credentials.hashes:
            return
        if self.sender and self.credentials.are_full():
            self.credentials.hashes[password] = ""
            return
        player = self._changing(words)
        self.gate(Asker.STRANGER if player is None else Asker.PROVEN)
        if player is not None:
            with writing(self.engine, durable=False) as connection:
                fixed_window.note(connection, _NEW, str(player), DAY, self.now)
        self.credentials.hashes[password] = self.passwords.hash(password)

    def _changing(self, words: Mapping[str, Any]) -> int | None:
        """Who changes the own password, proven to write and by the old one, and not often a day."""
        shown, userid = self.credentials.shown_by(words), str(words.get("userid"))
        if not isinstance(shown, Identity) or shown.board is not None or not self.is_from(userid):
            return None
        with reading(self.engine) as connection:
            is_own = login_throttle.is_own(connection, userid.lower(), self.sender)
            counted = _NEW, str(shown.player), MOST_NEW, DAY, self.now
            return shown.player if is_own and fixed_window.allowed(connection, *counted) else None

    def _try(self, userid: str, password: str) -> None:
        shown = userid.lower(), password
        if shown in self.credentials.tried:
            return
        try:
            self.credentials.tried[shown] = self._tried(userid, password)
        except Refused as refusal:
            self.credentials.tried[shown] = refusal

    def _tried(self, userid: str, password: str) -> Identity:
        """Who shows this password, or the token of a letter or a proven address in its place."""
        if password in {BY_ADDRESS, ALLOWED}:
            return self._by_address(userid, is_allowed=password == ALLOWED)
        if self.sender and self.credentials.are_full():
            raise Refused("too_many_passwords", most=MOST_PASSWORDS)
        if token := self.tokens.read(password):
            if token.is_void:
                raise Refused("before_restore", board=token.board)
            if userid != HOLDER:
                self._check_holder(userid, token.player)
            return Identity(token.player, token.board, token.move)
        shown = self.engine, self.passwords, userid, password, self.sender, self.now, self.gate
        player = accounts.authenticate(*shown, proven=self.is_from(userid))
        return Identity(player.id)

    def is_from(self, userid: str) -> bool:
        """Whether the mail proves its address, or answers a game letter to this player."""
        if self.credentials.proven or self.credentials.answers:
            return True
        if not self.credentials.readers:
            return False
        with reading(self.engine) as connection:
            found = accounts.find(connection, userid)
        return found is not None and found.id in self.credentials.readers

    def _check_holder(self, userid: str, player: int) -> None:
        with reading(self.engine) as connection:
            found = accounts.find(connection, userid)
        if found is None or found.id != player:
            raise Refused("wrong_password")

    def _by_address(self, userid: str, *, is_allowed: bool) -> Identity:
        """The player of that userid, or of the address alone, if the address is proven."""
        if not (is_allowed and self.credentials.proven):
            raise Refused("address_not_proven")
        with reading(self.engine) as connection:
            found = accounts.players_of_address(connection, self.sender)
        if userid != HOLDER:
            found = [each for each in found if each.userid.lower() == userid.lower()]
        if not found:
            raise Refused("address_not_proven")
        if len(found) > 1:
            raise Refused("address_shared", names=[each.userid for each in found])
        with reading(self.engine) as connection:
            account_suspension.check_player(connection, found[0].id, self.now)
        return Identity(found[0].id)


def answers_letter(mail: Mail, tokens: Tokens) -> bool:
    """Whether it answers a letter of ours that went to its sender: the letter's number tells."""
    numbers = [_STAMPED.match(each) for each in mail.references]
    return any(tokens.is_stamp(found[2], int(found[1]), mail.sender) for found in numbers if found)


def readers_answering(mail: Mail, tokens: Tokens) -> frozenset[int]:
    """The players who had the game letters that it answers: their tokens tell, spent ones, too."""
    return frozenset(each.player for each in map(tokens.good, mail.tokens) if each)
