"""Tokens prove that a reply comes from the reader of a letter.

Only this server can read a letter's token: board, player and move, and an HMAC over them.  Nothing
is stored for it.  The token of a button replaces a password in one command, with all its words.  It
is an HMAC over these, the letter, its last day and the address that it was sent to.  A stamp in the
envelope sender says which letter bounced, and from which address.  So nobody else can silence a
player by a forged bounce.  A confirmation token is random; the database keeps only its digest.
Passwords are in `security/passwords.py`.
"""

from __future__ import annotations

import binascii
import hmac
import re
import secrets
from base64 import b32decode, b32encode
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from hashlib import sha256
from itertools import product

from pbmserv.security.credentials import ANSWER, DRAW, NEWS, TALK, Identity
from pbmserv.security.question_numbers import BITS, number_of, word_of

LETTER_TOKEN_LENGTH = 32
CONFIRMATION_TOKEN_LENGTH = 26
STAMP_LENGTH = 24
BUTTON_DAYS = 30  # after its letter was written, on which the token of a button works
_BOARD_BYTES, _PLAYER_BYTES, _MOVE_BYTES, _PROOF_BYTES = 4, 3, 3, 10
_NUMBER_BYTES = 5  # of the letter's number in a stamp
_SECRET = re.compile(r"[A-Za-z2-7]{24,}")
_ASKED = "asked"  # an ANSWER that asks about a move or a command, with its number in the token
_MOVE_BITS = 8 * _MOVE_BYTES - BITS  # what the number leaves for the move
# These separate uses of the key: one for each thing that a letter asks for.
_PURPOSES = {
    "": b"pbmserv letter token 1\0",
    TALK: b"pbmserv letter token 1 talk\0",
    DRAW: b"pbmserv letter token 1 draw\0",
    ANSWER: b"pbmserv letter token 1 answer\0",
    NEWS: b"pbmserv letter token 1 news\0",
    _ASKED: b"pbmserv letter token 1 asked\0",
}
ABOUT = tuple(_PURPOSES)  # what the letter of a token may be about: `Identity.about`
_BUTTON_PURPOSE = b"pbmserv button token 1\0"
_NO_BOARD = bytes(_BOARD_BYTES)  # what the token of a button begins with: no board has number 0
_DAY_BYTES, _LETTER_BYTES = 2, 4
_STAMP_PURPOSE = b"pbmserv stamp 1\0"
_DIGEST_PURPOSE = b"pbmserv keyed digest 1\0"


class Tokens:
    """Make and read the tokens of letters.  `key` is the server's secret, 32 bytes.

    `restores` are the moments at which a backup was restored, oldest first.  Each restore makes the
    earlier tokens void.  `random(count)` gives that many random bytes, for confirmation tokens.
    """

    def __init__(
        self,
        key: bytes,
        restores: Sequence[int] = (),
        random: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        self._hmac = hmac.new(key, digestmod="sha256")
        self._random = random
        self._read = lru_cache(maxsize=64)(self._meant)  # an email has its token in several places
        self._purposes = {
            about: [purpose, *(purpose + b"%d\0" % moment for moment in restores)]
            for about, purpose in _PURPOSES.items()
        }
        self._button_purpose = _BUTTON_PURPOSE + b"".join(b"%d\0" % each for each in restores[-1:])

    def letter(self, board: int, player: int, move: int, about: str = "") -> str:
        """A token of 32 characters of base32 (RFC 4648), upper case.

        `about` is as in `Identity`.  Raises OverflowError when a number does not fit: board below
        2^32, player and move below 2^24, none negative.
        """
        meaning = (
            board.to_bytes(_BOARD_BYTES, "big")
            + player.to_bytes(_PLAYER_BYTES, "big")
            + move.to_bytes(_MOVE_BYTES, "big")
        )
        return b32encode(meaning + self._proof(meaning, self._purposes[about][-1])).decode("ascii")

    def asking(self, board: int, player: int, move: int, asked: str) -> str:
        """The token of an answer that asks about a move or a command, to which "yes" is a reply.

        A word without a number, or a move above 2^13, leaves the token of any other answer.
        """
        number = number_of(asked)
        if not number or move >> _MOVE_BITS:
            return self.letter(board, player, move, ANSWER)
        return self.letter(board, player, number << _MOVE_BITS | move, _ASKED)

    def read(self, text: str) -> Identity | None:
        """What the token means, in upper or lower case; None if this server did not make it."""
        return self._read(text)

    def _meant(self, text: str) -> Identity | None:
        if (raw := _raw(text)) is None:
            return None
        meaning, proof = raw[:-_PROOF_BYTES], raw[-_PROOF_BYTES:]
        meant = (
            (about, purpose is purposes[-1])
            for about, purposes in self._purposes.items()
            for purpose in purposes
            if hmac.compare_digest(proof, self._proof(meaning, purpose))
        )
        if (found := next(meant, None)) is None:
            return None
        about, is_latest = found
        board, rest = meaning[:_BOARD_BYTES], meaning[_BOARD_BYTES:]
        move, asked = int.from_bytes(rest[_PLAYER_BYTES:], "big"), ""
        if about == _ASKED:
            about, asked = ANSWER, word_of(move >> _MOVE_BITS)
            move &= (1 << _MOVE_BITS) - 1
        return Identity(
            board=int.from_bytes(board, "big"),
            player=int.from_bytes(rest[:_PLAYER_BYTES], "big"),
            move=move,
            is_void=not is_latest,
            about=about,
            asked=asked,
        )

    def good(self, text: str) -> Identity | None:
        """What the token means; None if it is void or not ours."""
        found = self.read(text)
        return None if found is None or found.is_void else found

    def button(self, command: str, *, letter: int, address: str, until: int) -> str:
        """The token of a button for a command: 32 characters of base32, upper case.

        The command has all its words but this token.  `letter` is the letter's number in the
        outbox, and `address` the one it is sent to.  `until` is its last day, in days since 1970.
        Raises OverflowError when a number does not fit: a letter below 2^32, a day below 2^16.
        """
        meaning = (
            _NO_BOARD + until.to_bytes(_DAY_BYTES, "big") + letter.to_bytes(_LETTER_BYTES, "big")
        )
        proof = self._proof(_pressed_meaning(meaning, command, address), self._button_purpose)
        return b32encode(meaning + proof).decode("ascii")

    def pressed(self, text: str, commands: Iterable[str], addresses: Iterable[str]) -> int | None:
        """The last day on which the token of a button works, in days since 1970.

        None if this server did not make it for one of these commands and addresses.
        """
        if not is_of_button(text):
            return None
        raw = b32decode(text.upper())
        meaning, proof = raw[:-_PROOF_BYTES], raw[-_PROOF_BYTES:]
        for made in (_pressed_meaning(meaning, *each) for each in product(commands, addresses)):
            if hmac.compare_digest(proof, self._proof(made, self._button_purpose)):
                return int.from_bytes(meaning[_BOARD_BYTES:-_LETTER_BYTES], "big")
        return None

    def stamp(self, letter: int, address: str) -> str:
        """The stamp of a letter to an address: 24 characters of base32, upper case.

        `letter` is its number in the outbox, below 2^40; raises OverflowError for a larger one.
        """
        number = letter.to_bytes(_NUMBER_BYTES, "big")
        proven = _STAMP_PURPOSE + number + address.lower().encode("utf-8", "replace")
        proof = self._digest(proven)[:_PROOF_BYTES]
        return b32encode(number + proof).decode("ascii")

    def stamped(self, stamp: str) -> int | None:
        """The number of the letter that a stamp names, in either case; it is not verified."""
        if len(stamp) != STAMP_LENGTH:
            return None
        try:
            return int.from_bytes(b32decode(stamp.upper())[:_NUMBER_BYTES], "big")
        except (binascii.Error, ValueError):  # ValueError: not even ASCII
            return None

    def is_stamp(self, stamp: str, letter: int, address: str) -> bool:
        """Whether this server made the stamp for this letter and address."""
        ours = self.stamp(letter, address)
        return hmac.compare_digest(ours.encode(), stamp.upper().encode("utf-8", "replace"))

    def keyed(self, text: str) -> str:
        """A digest that only the holder of the key can make: 64 hexadecimal digits."""
        said = _DIGEST_PURPOSE + text.encode("utf-8", "replace")
        return self._digest(said).hex()

    def confirmation(self) -> str:
        """A fresh random token: 26 characters of base32, 128 bits."""
        return b32encode(self._random(16)).decode("ascii").rstrip("=")

    def _proof(self, meaning: bytes, purpose: bytes) -> bytes:
        return self._digest(purpose + meaning)[:_PROOF_BYTES]

    def _digest(self, text: bytes) -> bytes:
        """The HMAC of a text; the key is read only once."""
        made = self._hmac.copy()
        made.update(text)
        return made.digest()


def _raw(text: str) -> bytes | None:
    """The bytes of a letter's or a button's token; None for any other text."""
    if len(text) != LETTER_TOKEN_LENGTH:
        return None
    try:
        return b32decode(text.upper())
    except (binascii.Error, ValueError):  # ValueError: not even ASCII
        return None


def _pressed_meaning(meaning: bytes, command: str, address: str) -> bytes:
    """What the proof of a button's token covers; no command or address has a NUL."""
    return meaning + f"{command}\0{address}".lower().encode("utf-8", "replace")


def is_of_button(text: str) -> bool:
    """Whether a word may be the token of a button: it has the form of one."""
    return (raw := _raw(text)) is not None and raw.startswith(_NO_BOARD)


def digest(token: str) -> str:
    """The digest of a token that the database keeps: SHA-256, in hex, of its upper-case form."""
    return sha256(token.upper().encode("utf-8", "surrogatepass")).hexdigest()


def blanked(text: str) -> str:
    """The text with everything that may be a token blanked, to be kept, logged or shown."""
    return _SECRET.sub("***", text)
