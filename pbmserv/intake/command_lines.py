"""The lines of an email: each has a command's parsed words, or why they are refused.

A line is shown again to its sender with its secret words hidden.
"""

from __future__ import annotations

from collections.abc import Sequence

import click

from pbmserv.commands.calls import credentials_in, prepared
from pbmserv.commands.framework import Secret
from pbmserv.commands.move_lines.bare_moves import reads_as_move
from pbmserv.commands.parser import CommandCall, Unknown
from pbmserv.errors import Refused
from pbmserv.fast_dataclasses import dataclass, replace
from pbmserv.intake.credential_check import CredentialCheck
from pbmserv.intake.echoed_words import UNKNOWN, stray_password
from pbmserv.intake.password_redaction import move_shown
from pbmserv.intake.replies.subject_moves import written_move
from pbmserv.security.credentials import (
    ALLOWED,
    BLANKED,
    BY_ADDRESS,
    HOLDER,
    SHORTEST_PASSWORD,
    Credentials,
    Identity,
)
from pbmserv.text.normalize import plain_line

_MOVES = {"bid", "move"}  # parameters of commands with a move
_ADDRESSES = "address"  # a parameter with addresses; another word among them may be a password
_LEFT_OUT = "..."  # replaces words of which any may be a password


@dataclass(frozen=True, slots=True)
class Line:
    """One command of an email: its text for the sender, and its parsed words or a refusal.

    `trace` is what is recorded: only the command's name, because any other word may be a password.
    `claimed` are the userid and the password of a command that lacks other words, or has wrong
    ones.  They still prove the sender.
    """

    shown: str
    parsed: click.Context | Refused
    trace: str = ""
    claimed: tuple[str, str] | None = None


def with_proven_address(asked: CommandCall | Unknown) -> CommandCall | Unknown:
    """Insert `-` into a move without a password: the sender's address is proven.

    A password is never mistaken for a move.  The first word is the password if it is long enough
    and the words after it are a move.
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


def parsed_line(asked: CommandCall | Unknown) -> Line:
    """Parse the words of a line's command."""
    if isinstance(asked, Unknown):
        below = {"is_below": True} if asked.is_below else {}
        refusal = Refused(UNKNOWN, word=asked.word, nearest=asked.nearest, **below)
        return Line(asked.word, refusal, "unknown command")
    name = f"{asked.game} {asked.name}".strip()
    try:
        parsed = prepared(asked)
        if asked.is_taken_back and not getattr(parsed.command, "reads", False):
            raise Refused("taken_back")
        return Line(name, parsed, name)
    except Refused as refusal:
        shown = f"{name} {_LEFT_OUT}" if asked.words else name
        return Line(shown, refusal, name, credentials_in(asked))


def reply_lines(asked: Sequence[CommandCall | Unknown], typed: Sequence[str]) -> tuple[Line, ...]:
    """The lines of a reply; a move alone below a command is told that it was not made.

    If a command of the email makes the same move, nothing is told.
    """
    lines = tuple(map(parsed_line, asked))
    known = tuple(each for each in lines if not is_unknown(each))
    only_reads = known == lines and all(map(_reads, lines))
    if not lines or not isinstance(asked[0], CommandCall) or (known == lines and not only_reads):
        return lines
    is_help = asked[0].name == "help"
    moves = [*filter(None, map(written_move, map(plain_line, typed)))]
    unmade = [each for each in moves if not any(_makes(line, each) for line in known)]
    unknown = [each.shown for each in lines if is_unknown(each)]
    if not (is_help or only_reads or unknown == [""]):
        return lines  # other words are unknown, too
    if unmade:
        refusal = Refused("move_below_help", move=unmade[0], helps=is_help)
        return (*known, Line(unmade[0], refusal, "unknown command"))
    return known if is_help and moves else lines


def _reads(line: Line) -> bool:
    """Whether a line is a command that only reads, so that a text below it is lost."""
    return not isinstance(line.parsed, Refused) and getattr(line.parsed.command, "reads", False)


def _makes(line: Line, move: str) -> bool:
    """Whether a line is a command that makes this move, or that is called as the move."""
    if isinstance(line.parsed, Refused):
        return False
    words = line.parsed.params.get("move", ())
    said = " ".join(words), *words, line.parsed.info_name or ""
    return move in map(written_move, said)


def is_unknown(line: Line) -> bool:
    """Whether a line is refused because it names no command."""
    return isinstance(line.parsed, Refused) and line.parsed.code == UNKNOWN


def proven_lines(
    lines: Sequence[Line], check: CredentialCheck, answered: Identity | None = None
) -> tuple[Line, ...]:
    """The lines with their passwords checked, as their sender may be shown them.

    `answered` is who got the letter that the email answers.
    """
    for line in lines:
        if isinstance(line.parsed, click.Context):
            check.all_of(line.parsed)
    for line in lines:  # after the whole commands, because few passwords of an email are checked
        if line.claimed:
            check.claimed(*line.claimed)
    if stray := stray_password([each.parsed for each in lines], check, answered):
        check.credentials.strays.add(stray)
    return tuple(replace(line, shown=_words_shown(line, check.credentials)) for line in lines)


def _words_shown(line: Line, credentials: Credentials) -> str:
    """A line as it may be shown again: its words with the secret ones hidden.

    If the password was refused, it may be in another place.  Then only numbers are shown.
    """
    parsed = line.parsed
    if isinstance(parsed, Refused):
        return credentials.blank(line.shown)
    words = [line.shown]
    tried = credentials.shown_by(parsed.params)
    passwords = credentials.passwords_beside(parsed.params)
    for parameter in parsed.command.params:
        value = parsed.params.get(parameter.name or "")
        if isinstance(parameter, Secret):
            words += _secret_shown(value, parsed)
        elif isinstance(parameter, click.Argument) and value:
            said = [value] if isinstance(value, str) else list(map(str, value))
            if parameter.name == _ADDRESSES:
                said = [word if "@" in word else BLANKED for word in said]
            words += move_shown(said, passwords) if parameter.name in _MOVES else said
        elif isinstance(parameter, click.Option) and value is not None:
            words += _option_shown(parameter.opts[0], str(value))
    if isinstance(tried, Refused):
        words = [line.shown, *(word for word in words if word.isdigit()), _LEFT_OUT]
    return credentials.blank(" ".join(word for word in words if word not in {"", HOLDER}))


def _option_shown(name: str, value: str) -> list[str]:
    """An option as it is written, unless its value may be a password."""
    return [f"{name}={value}".rstrip("=")] if len(value) < SHORTEST_PASSWORD else []


def _secret_shown(value: str | None, parsed: click.Context) -> list[str]:
    """What stands for a secret word: nothing if it was not written, as in a reply to a letter."""
    if not value or value == ALLOWED or parsed.params.get("userid") == HOLDER:
        return []
    return [value if value == BY_ADDRESS else BLANKED]
