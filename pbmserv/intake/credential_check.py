"""Check the passwords, the tokens and the address of a request, before its transaction."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click
from sqlalchemy import Engine

from pbmserv.commands.framework import Secret
from pbmserv.database.engine import reading, writing
from pbmserv.errors import Refused
from pbmserv.fast_dataclasses import dataclass
from pbmserv.intake.button_presses import presser
from pbmserv.players import account_suspension, accounts, login_throttle
from pbmserv.players.login_throttle import Asker, Gate, everybody
from pbmserv.ratelimit import fixed_window
from pbmserv.security.credentials import (
    ALLOWED,
    BY_ADDRESS,
    HOLDER,
    MOST_PASSWORDS,
    Credentials,
    Identity,
)
from pbmserv.security.passwords import Passwords
from pbmserv.security.tokens import Tokens, is_of_button
from pbmserv.timeunits import DAY

if TYPE_CHECKING:  # a shell command reads no email
    from pbmserv.mail.reading import Mail

# The id of a letter of ours without a token (`outbox.outgoing_email.worded`).
_STAMPED = re.compile(r"<([0-9]{1,13})\.[0-9]{1,13}\.([A-Za-z2-7]{24})@")
# The same of a letter with a token: its moment, and the token.
_ANSWERED = re.compile(r"<[0-9]{1,18}\.([0-9]{1,13})\.([A-Za-z2-7]{32})@")
MOST_NEW = 6  # new passwords a day of a proven player that are hashed, independent of strangers
_NEW = "new passwords"


@dataclass(frozen=True, slots=True)
class CredentialCheck:
    """Checks the passwords of one email or shell command, and stores the results.

    `sender` is the address of the email, or names the shell.  `answered` is the token of the letter
    that the email answers, or "": then it replaces a `-` in the place of a password.
    """

    engine: Engine
    passwords: Passwords
    tokens: Tokens
    credentials: Credentials
    sender: str
    now: int
    gate: Gate = everybody
    answered: str = ""

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
                if each.by_address and words["password"] == BY_ADDRESS and not self._by_letter:
                    words["password"] = ALLOWED
                if not (each.by_button and self._is_button(parsed)):
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
            player = shown.player
            if is_own and fixed_window.allowed(
                connection, _NEW, str(player), MOST_NEW, DAY, self.now
            ):
                return player
            return None

    def _is_button(self, parsed: click.Context) -> bool:
        """Whether the password has the form of a button's token; then stores the result."""
        userid, password = parsed.params["userid"], parsed.params["password"]
        if not is_of_button(password):
            return False
        shown = userid.lower(), password
        if shown not in self.credentials.tried:
            try:
                with reading(self.engine) as connection:
                    found = presser(connection, self.tokens, parsed, self.sender, self.now)
                self.credentials.tried[shown] = found
            except Refused as refusal:
                self.credentials.tried[shown] = refusal
        return True

    def claimed(self, userid: str, password: str) -> None:
        """Check the password of a command in an email that is refused for its other words."""
        if self.sender and not is_of_button(password):
            self._try(userid, password)

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
        if password == BY_ADDRESS and self._by_letter:
            return self._tried(userid, self.answered)
        if password in {BY_ADDRESS, ALLOWED}:
            return self._by_address(userid, is_allowed=password == ALLOWED)
        if self.sender and self.credentials.are_full():
            raise Refused("too_many_passwords", most=MOST_PASSWORDS)
        if token := self.tokens.read(password):
            if token.is_void:
                raise Refused("before_restore", board=token.board)
            if userid != HOLDER:
                self._check_holder(userid, token.player)
            return token
        player = accounts.authenticate(
            self.engine,
            self.passwords,
            userid,
            password,
            self.sender,
            self.now,
            self.gate,
            proven=self.is_from(userid),
        )
        return Identity(player.id)

    @property
    def _by_letter(self) -> bool:
        """Whether `-` means the token of the answered letter; a proven address counts for more."""
        return self.answered != "" and not self.credentials.proven

    def is_from(self, userid: str) -> bool:
        """Whether the email proves its address, or answers a game letter to this player."""
        if self.credentials.proven or self.credentials.answers:
            return True
        if not self.credentials.readers:
            return False
        with reading(self.engine) as connection:
            found = accounts.find(connection, userid)
        return found is not None and found.id in self.credentials.readers

    def is_at_own_address(self, shown: Identity) -> bool:
        """Whether an answer to the sender goes to an address of this player's."""
        with reading(self.engine) as connection:
            found = accounts.players_of_address(connection, self.sender)
        return any(each.id == shown.player for each in found)

    def only_player(self) -> Identity | None:
        """The player whose address the sender's is; None if it is of several players, or none."""
        with reading(self.engine) as connection:
            found = accounts.players_of_address(connection, self.sender)
        return Identity(found[0].id) if len(found) == 1 else None

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


def written_at_of(mail: Mail, token: str) -> int | None:
    """The moment of the letter with this token, as an answer to it tells; None if it does not."""
    found = map(_ANSWERED.match, reversed(mail.references))
    return next((int(each[1]) for each in found if each and each[2].upper() == token.upper()), None)
