"""Clean a player's message: leave out what only its writer may know.

`intake/sender_secrets.py` reads these secrets from the database, and `disclosure/redaction.py`
finds them in the text.  An email without a message costs no query.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from functools import cache, partial
from typing import NamedTuple

from pbmserv.boards.authorship import proves
from pbmserv.commands.framework import Secret, commands_of
from pbmserv.context import Context
from pbmserv.disclosure.redaction import Confidential, is_short_remark, undisclosed
from pbmserv.errors import Refused
from pbmserv.fast_dataclasses import replace
from pbmserv.intake import sender_secrets
from pbmserv.intake.password_redaction import LONGEST_MESSAGE
from pbmserv.intake.stray_passwords import UNPROVEN
from pbmserv.intake.unmarked_signatures import without_signature
from pbmserv.intake.unproven_lines import may_tell_password
from pbmserv.letters.payloads.letter import Letter
from pbmserv.letters.payloads.mails import WORDS_LEFT_OUT, WordsLeftOut
from pbmserv.letters.render import UNSENT
from pbmserv.letters.wrapping import LEFT_OUT
from pbmserv.outbox.held_letters import OF_BOARDS
from pbmserv.players import accounts
from pbmserv.ratelimit import fixed_window
from pbmserv.security.credentials import ALLOWED, BY_ADDRESS, Identity
from pbmserv.security.tokens import Tokens
from pbmserv.timeunits import DAY

_FACES = range(1, 10)
_MAY_BE_DICE = re.compile(r"[⚀-⚅]|\d(?:[^\d\n]{0,3}\d){2}")  # as many as a cup of three dice has
# All cups of one and of two dice, so that the result does not depend on anybody's real cup.
_SMALL_CUPS = frozenset(
    (low, high)[:size] for size in (1, 2) for low in _FACES for high in _FACES if low <= high
)
MOST_TEXT = LONGEST_MESSAGE  # characters for others in all lines of one email


class Cleared(NamedTuple):
    """A message, whether lines were left out, and why others are kept back.

    The reasons are those of `stray_passwords`.
    """

    text: str
    left_out: bool = False
    kept_back: tuple[str, ...] = ()


def clearing(context: Context, tokens: Tokens) -> Callable[[str, Collection[str]], Cleared]:
    """A function like `cleared` for the texts of one email, which reads each text once.

    Its second argument are the players whom the command of a text names.

    It also leaves out a signature that the writer repeats.

    Beyond MOST_TEXT characters in total it raises Refused `message_too_long`.
    """
    room, known = MOST_TEXT, dict[str, Cleared]()

    def clear(text: str, named: Collection[str]) -> Cleared:
        nonlocal room
        if text in known:
            return known[text]
        room -= len(text)
        if room < 0:
            raise Refused("message_too_long", limit=LONGEST_MESSAGE)
        found = cleared(context, tokens, text, named)
        left = without_signature(context.connection, context.owners, found.text)
        known[text] = found._replace(text=left)
        return known[text]

    return clear


def cleared(context: Context, tokens: Tokens, text: str, named: Collection[str] = ()) -> Cleared:
    """The message, and whether lines were left out; the remaining text says so as well.

    Only its last line says so.  If the text itself has such a line, it quotes a letter.  `named`
    are the players whom the command names.
    """
    tried = context.credentials.tried.items()
    shown = {words: each for words, each in tried if isinstance(each, Identity)}
    passwords = {
        word
        for (_, word), each in shown.items()
        if each.board is None and word not in {ALLOWED, BY_ADDRESS}
    }
    known = partial(
        sender_secrets.of_writers,
        context.connection,
        tokens=tokens,
        passwords=passwords,
        commands=passwords_commands(),
    )
    is_short = is_short_remark(text)
    if is_short:  # it names no die, so no cup is looked for
        found = _unproven(context, text, named, known(frozenset()))
        if found == Cleared(text):  # with a proof no more of it is left out: who wrote is not asked
            return found
    writers = _writers(context, shown)
    readers = {each.player for each in shown.values()} | context.owners
    kept_back = known(frozenset() if is_short else writers or readers)
    if not writers:
        # The token of a button brings few texts, so that they help little to guess a cup.
        cups = _SMALL_CUPS | kept_back.cups if _has_button(context) else _SMALL_CUPS
        return _unproven(context, text, named, replace(kept_back, cups=cups))
    own = [line for line in text.split("\n") if LEFT_OUT not in line]
    left, are_out = undisclosed("\n".join(own), kept_back)
    are_out |= len(own) <= text.count("\n")
    if are_out and left:
        left = f"{left}\n{LEFT_OUT}"
    return Cleared(left, are_out)


def _unproven(
    context: Context, text: str, named: Collection[str], kept_back: Confidential
) -> Cleared:
    """A text without a proven writer: all of it or nothing, independent of anybody's dice.

    It is sent later, if at all.  Lines that may be a password are left out without checking them:
    a reader who has forged the email must not learn from a gap that a guess was right.  With the
    token of a button they were compared, a few of them (`stray_passwords.without_password`).
    """
    is_compared = _has_button(context)

    @cache
    def own() -> frozenset[str]:
        players = accounts.named(context.connection, [*context.owners])
        return frozenset(each.userid.lower() for each in players)

    known = {*(name.lower() for name in named), *context.name.lower().split()}
    lines = [
        each for each in text.split("\n") if is_compared or not may_tell_password(each, own, known)
    ]
    may_be_password = len(lines) <= text.count("\n")
    kept = "\n".join(lines).strip() if may_be_password else text
    left, are_out = undisclosed(kept, kept_back)
    if are_out or LEFT_OUT in kept or _MAY_BE_DICE.search(kept):
        left, are_out = "", True
    return Cleared(left, are_out, (UNPROVEN,) if may_be_password else ())


def _has_button(context: Context) -> bool:
    """Whether a command of the email has the token of a button."""
    tried = context.credentials.tried.values()
    return any(isinstance(each, Identity) and each.pressed for each in tried)


def _writers(context: Context, shown: Mapping[tuple[str, str], Identity]) -> Set[int]:
    """The proven writers of the email, and players who share an address with one of them.

    A gap in a text reveals what these players know.  So a forged From, the token of an old letter,
    or one from elsewhere must not reveal another player's cup: who has a copy of a player's reply
    has a token, and not the dice.  A text without a proven writer is sent later, if at all: all of
    it or nothing.
    """
    by_address = {each.player for (_, word), each in shown.items() if word == ALLOWED}
    by_password = {each.player for each in shown.values() if each.board is None}
    others = by_password | context.owners
    proven = by_address | {each for each in others - by_address if proves(context, each)}
    return proven | context.owners if proven & context.owners else proven


def told_of_gaps(context: Context, letters: Iterable[Letter]) -> list[Letter]:
    """Tell a writer why lines of the text were not sent.

    `letters` are those that were sent without them.  A text that was only quoted is told of once a
    day, because a mail program may repeat our letters each time.
    """
    others = [each for each in letters if isinstance(each.to, int)]
    if others and context.kept_back:
        reasons, rest = list(dict.fromkeys(context.kept_back)), bool(context.message)
        told: WordsLeftOut = {"board": others[0].board or 0, "reasons": reasons, "rest": rest}
        return [WORDS_LEFT_OUT.to(None, told)]
    others = [each for each in others if each.board is not None]
    if context.message or not context.left_out:
        return []
    connection, who, now = context.connection, context.sender, context.now
    if not others or not fixed_window.allowed(connection, "left out", who, 1, DAY, now):
        return []
    fixed_window.note(connection, "left out", who, DAY, now)
    return [WORDS_LEFT_OUT.to(None, {"board": others[0].board or 0})]


def in_one_letter(letters: Sequence[Letter], context: Context) -> list[Letter]:
    """The letters, where the answer to an email, or the letter about its move, tells of gaps, too.

    A writer who owns no address of the player gets a letter about the gaps apart.
    """
    told = next((each for each in letters if each.kind == WORDS_LEFT_OUT.name), None)
    player = _author(context)
    mine = [each for each in letters if each.to is None and each is not told]
    if player in context.owners:
        mine += [each for each in letters if each.to == player and each.kind in OF_BOARDS]
    if told is None or not mine:
        return list(letters)
    answer = replace(mine[0], payload={**mine[0].payload, UNSENT: told.payload}, routine=False)
    return [answer if each is mine[0] else each for each in letters if each is not told]


def _author(context: Context) -> int | None:
    """The player who wrote: who has proven it, who got the answered letter, or the only owner."""
    if context.credentials.player is not None:
        return context.credentials.player
    if context.answered:
        return context.answered.player
    return next(iter(context.owners)) if len(context.owners) == 1 else None


def is_told_of_gaps(letters: Iterable[Letter]) -> bool:
    """Whether a letter to the writer says that lines of the text were not sent."""
    return any(each.kind == WORDS_LEFT_OUT.name for each in letters)


@cache
def passwords_commands() -> frozenset[str]:
    """All spellings of the game's commands that take a password."""
    return frozenset(
        spelling
        for name, command in commands_of("perudo").items()
        if any(isinstance(each, Secret) and each.name == "password" for each in command.params)
        for spelling in (name, *command.spellings)
    )
