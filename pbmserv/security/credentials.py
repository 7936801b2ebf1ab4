"""The proofs of its sender that an email or a shell command has, already checked.

There are four kinds.  A password is valid for everything.  A letter's token is valid for that
letter's player, board and move.  The token of a button is valid for one command, with its words,
from an address of its player's.  The fourth is a From address that the operator's mail server has
proven (`mail/authentication_results.py`).  It is valid for a move, if it is a confirmed address of
the player's.  `-`, which is too short for a password, then replaces the password.  In a reply to a
game letter it stands for the token of that letter.  The commands decide what each proof allows;
`intake/credential_check.py` checks them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, field
from typing import Any

from pbmserv.errors import Fact, Refused
from pbmserv.fast_dataclasses import dataclass
from pbmserv.text.unicode_forms import plain_letters

HOLDER = "*"  # replaces the userid if a token or an address identifies the sender
BY_ADDRESS = "-"  # replaces the password if the address is to be the proof
ALLOWED = "by address"  # the same, in a command that allows it; nobody can type this word
BLANKED = "********"
TALK, DRAW, ANSWER, NEWS = "talk", "draw", "answer", "news"
NO_BOARD = 0
_KINDS = {"kind", "code"}  # keys of facts that are not text of the sender's
_OPEN = "*"  # replaces what a reader may change in the command of a button
_PAIR = re.compile("^([^=]+=).*$")
COMMAND = "pbmserv.command"  # a key in the `meta` of a click context: the words of an email's line
IS_ELSEWHERE = "pbmserv.password"  # the same: the password is not among the words of the command
SHORTEST_PASSWORD, LONGEST_PASSWORD = 4, 128
MOST_PASSWORDS = 4  # in one email: hashing one takes a tenth of a second


def words_without(words: Iterable[str], password: str) -> str:
    """The words of a command without its password, as the token of a button is made for them."""
    return " ".join(word for word in words if word and word != password).lower()


def with_open_end(command: str) -> str:
    """A command whose values, or whose last word, are up to the reader: `set ann timezone=*`."""
    *words, last = command.split(" ")
    if "=" not in last:
        return " ".join([*words, _OPEN])
    return " ".join(_PAIR.sub(rf"\1{_OPEN}", word) for word in (*words, last))


@dataclass(frozen=True, slots=True)
class Identity:
    """The player whom a password or a letter's token names; a token has a board and a move, too.

    `is_void`: the token is older than the restore of a backup and is no longer valid.  `about`:
    what the letter of a token asks for: a move (""), words (TALK), or an answer to a draw (DRAW).
    ANSWER is our answer to an email, which may ask what was meant.  NEWS is a letter that asks for
    a move at the board, and has news of other boards.  `asked` is the move or the command that such
    an answer asked about, as in "Did you mean dudo?".
    `only` is the command that the token of a button is for, with all its words but the token.  It
    is "" for other proofs.  Such an identity has board 0, which does not exist, so it proves
    nothing else.  `pressed` is the digest of that token.
    """

    player: int
    board: int | None = None
    move: int | None = None
    is_void: bool = False
    about: str = ""
    only: str = ""
    pressed: str = ""
    asked: str = ""


@dataclass
class Credentials:
    """The passwords and tokens of one email or shell command, already checked.

    `proven`: the operator's mail server has proven the From of the email.  `answers`: the email has
    the id of a letter that was sent to that address.  `readers` are the players whose game letters
    it answers: it has their tokens, valid or spent.  `invited`: it answers an invitation that was
    sent to this address.  `is_first`: the proof of its sender was never
    used before; None until a command asks.  `strays` are passwords where no command takes one.

    A `Refused` is stored, too, and raised when the command asks.  An empty hash stands for one
    password too many.
    """

    proven: bool = False
    tried: dict[tuple[str, str], Identity | Refused] = field(default_factory=dict)
    hashes: dict[str, str] = field(default_factory=dict)
    player: int | None = None
    answers: bool = False
    readers: frozenset[int] = frozenset()
    invited: bool = False
    is_first: bool | None = None
    strays: set[str] = field(default_factory=set)

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

    def passwords_beside(self, words: Mapping[str, Any]) -> frozenset[str]:
        """All passwords of the email, if the one in a command's words is right; else none.

        Then no other word of the command is its password.
        """
        shown = self.shown_by(words)
        is_right = isinstance(shown, Identity) and shown.board is None
        if not is_right or words.get("password") in {BY_ADDRESS, ALLOWED}:
            return frozenset()
        return frozenset((*(word for _, word in self.tried), *self.hashes))

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
        """The text with every checked password replaced where it is a word, or beside a `=`.

        It may differ from the password in capitals and accents, or in the width of its letters.
        """
        secrets = self._secrets()

        def blank(word: str) -> str:
            return BLANKED if plain_letters(word) in secrets else word

        words = (blank(word) for word in text.split(" "))
        return " ".join("=".join(map(blank, word.split("="))) for word in words)

    def lines_without(self, text: str) -> str:
        """The text without the lines that have a checked password anywhere, as `blank` finds it."""
        secrets = self._secrets() - {plain_letters(ALLOWED)}
        lines = text.split("\n")
        plain = map(plain_letters, lines)
        kept = [
            line
            for line, each in zip(lines, plain, strict=True)
            if not any(secret in each for secret in secrets)
        ]
        return text if len(kept) == len(lines) else "\n".join(kept).strip()

    def _secrets(self) -> set[str]:
        """The checked passwords and tokens, as they are compared with the words of a text."""
        known = {password for _, password in self.tried} | set(self.hashes) | self.strays
        return {plain_letters(password) for password in known - {BY_ADDRESS, ""}}

    def blanked(self, refusal: Refused) -> Refused:
        """The refusal with passwords replaced in its texts."""
        return Refused(
            refusal.code, **{key: self._blank_fact(fact) for key, fact in refusal.facts.items()}
        )

    def _blank_fact(self, fact: Fact) -> Fact:
        """A fact with passwords replaced, also in facts within it, but in no kind of them."""
        if isinstance(fact, str):
            return self.blank(fact)
        if isinstance(fact, Mapping):
            return {
                key: each if key in _KINDS else self._blank_fact(each) for key, each in fact.items()
            }
        return list(map(self._blank_fact, fact)) if isinstance(fact, Sequence) else fact

    def hash(self, password: str) -> str:
        """The hash of a new password; raises Refused `too_many_passwords`."""
        if not (found := self.hashes[password]):
            raise Refused("too_many_passwords", most=MOST_PASSWORDS)
        return found

    def written(self, marks: Mapping[str, str]) -> str:
        """The credentials as JSON, with marks instead of passwords; `read` is the inverse."""
        import json  # noqa: PLC0415 - `--help` need not pay for it

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
        import json  # noqa: PLC0415 - the same

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
