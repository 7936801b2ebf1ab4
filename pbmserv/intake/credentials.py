"""Credentials: the proofs of its sender that an email has, checked before its transaction.

There are three kinds.  A password is valid for everything.  A letter's token is valid for that
letter's player, board and move.  The third is a From address that the operator's mail server has
proven (`mail/authentication_results.py`).  It is valid for a move, if it is a confirmed address of
the player's.  `-`, which is too short for a password, then replaces the password.  The commands
decide what each proof allows.
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

if TYPE_CHECKING:  # a shell command reads no email
    from pbmserv.mail.reading import Mail

HOLDER = "*"  # replaces the userid if a token or an address identifies the sender
BY_ADDRESS = "-"  # replaces the password if the address is to be the proof
ALLOWED = "by address"  # the same, in a command that allows it; nobody can type this word
BLANKED = "********"
# The id of a letter of ours without a token (`outbox.message.worded`).
_STAMPED = re.compile(r"<([0-9]{1,13})\.[0-9]{1,13}\.([A-Za-z2-7]{24})@")
MOST_NEW = 6  # new passwords a day of a proven player that are hashed, independent of strangers
_NEW = "new passwords"
MOST_PASSWORDS = 4  # in one email: hashing one takes a tenth of a second


@dataclass
class Credentials:
    """The passwords and tokens of one email or shell command, already checked.

    `proven`: the operator's mail server has proven the From of the email.  `answers`: the email has
    the id of a letter that was sent to that address.  `readers` are the players whose game letters
    it answers: it has their tokens, valid or spent.

    A `Refused` is stored, too, and raised when the command asks.  An empty hash stands for one
    password too many.
    """

    proven: bool = False
    tried: dict[tuple[str, str], Identity | Refused] = field(default_factory=dict)
    hashes: dict[str, str] = field(default_factory=dict)
    player: int | None = None
    answers: bool = False
    readers: frozenset[int] = frozenset()

    def authenticate(self, userid: str, password: str) -> Identity:
        """The player with this password or token; raises the Refused stored for it."""
        outcome = self.tried[userid.lower(), password]
        if isinstance(outcome, Refused):
            raise outcome
        self.player = outcome.player
        return outcome

    def shown_by(self, words: Mapping[str, Any]) -> Identity | Refused | None:
        """The result for the password or token in a command's words; None if it has none."""
        return self.tried.get((str(words.get("userid")).lower(), str(words.get("password"))))

    def check(self, words: Mapping[str, Any]) -> None:
        """Raise the Refused stored for the password or token in a command's words."""
        outcome = self.shown_by(words)
        if isinstance(outcome, Refused):
            raise outcome

    @property
    def by_address(self) -> bool:
        """Whether any of these credentials uses only the proven address."""
        return any(isinstance(self.tried[each], Identity) for each in self._of_the_address())

    def distrust_address(self) -> None:
        """Refuse all credentials that use only the address."""
        for each in self._of_the_address():
            self.tried[each] = Refused("address_not_proven")

    def _of_the_address(self) -> list[tuple[str, str]]:
        return [(userid, word) for userid, word in self.tried if word == ALLOWED]

    @property
    def shown(self) -> list[Identity]:
        """The identities of right passwords and tokens."""
        return [
            each
            for (_, word), each in self.tried.items()
            if isinstance(each, Identity) and word != ALLOWED
        ]

    @property
    def account(self) -> int | None:
        """The player whose password was given, not just a letter's token; None without one."""
        shown = (each for each in self.tried.values() if isinstance(each, Identity))
        return next((each.player for each in shown if each.board is None), None)

    def blank(self, text: str) -> str:
        """The text with every checked password replaced where it is a word."""
        secrets = {password for _, password in self.tried} | set(self.hashes)
        secrets.discard(BY_ADDRESS)
        return " ".join(BLANKED if word in secrets else word for word in text.split(" "))

    def blanked(self, refusal: Refused) -> Refused:
        """The refusal with passwords replaced in its texts."""
        facts = {
            key: self.blank(fact) if isinstance(fact, str) else fact
            for key, fact in refusal.facts.items()
        }
        return Refused(refusal.code, **facts)

    def hash(self, password: str) -> str:
        """The hash of a new password; raises Refused `too_many_passwords`."""
        if not (found := self.hashes[password]):
            raise Refused("too_many_passwords", most=MOST_PASSWORDS)
        return found

    def written(self, marks: Mapping[str, str]) -> str:
        """The credentials as JSON, with marks instead of passwords; `read` is the inverse."""
        tried = [
            (userid, marks.get(password, password), _written(outcome))
            for (userid, password), outcome in self.tried.items()
        ]
        hashes = {marks.get(password, password): kept for password, kept in self.hashes.items()}
        known = {"proven": self.proven, "answers": self.answers}
        return json.dumps({**known, "tried": tried, "hashes": hashes})

    @classmethod
    def read(cls, text: str) -> Credentials:
        """The credentials of an email that was stored without its passwords."""
        kept = json.loads(text)
        tried: dict[tuple[str, str], Identity | Refused] = {
            (userid, mark): Refused(found["code"], **found["facts"])
            if "code" in found
            else Identity(**found)
            for userid, mark, found in kept["tried"]
        }
        return cls(kept["proven"], tried, kept["hashes"], answers=kept.get("answers", False))

    def are_full(self) -> bool:
        """Whether the email has no more passwords to check."""
        return len(self.tried) + len(self.hashes) >= MOST_PASSWORDS


def _written(outcome: Identity | Refused) -> dict[str, object]:
    if isinstance(outcome, Refused):
        return {"code": outcome.code, "facts": dict(outcome.facts)}
    return asdict(outcome)


@dataclass(frozen=True, slots=True)
class CredentialCheck:
    """Checks the passwords of one email or shell command, and stores the results.

    `sender` is the address of the email, or names the shell.
    """

    engine: Engine
    passwords: Passwords
    tokens: Tokens
    credentials: Credentials
    sender: str
    now: int
    gate: Gate = everybody

    def all_of(self, parsed: click.Context) -> None:
        """Check the passwords of a parsed command, if it has any."""
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
        """The player who sets a new password with proof and the old one, within the daily limit.

        Returns None if one of these is missing.
        """
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
        """The identity of a password, of a letter's token, or of a proven address."""
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
        """Whether the email proves its address, or answers a game letter to this player."""
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
        """The player with that userid, or with the address alone, if the address is proven."""
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
    """Whether an email's references have the id of a letter of ours to its sender."""
    numbers = [_STAMPED.match(each) for each in mail.references]
    return any(tokens.is_stamp(found[2], int(found[1]), mail.sender) for found in numbers if found)


def readers_answering(mail: Mail, tokens: Tokens) -> frozenset[int]:
    """The players whose game letters an email answers, by their tokens, spent ones included."""
    return frozenset(each.player for each in map(tokens.good, mail.tokens) if each)
