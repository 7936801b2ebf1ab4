"""Parse the words that people write into calls of commands.

Text is a Subject or a line of a body; the result is a command's name and its words.  `commands/`
gives the words their meaning, and `games/` the moves.  This module does not use the database.
"""

from __future__ import annotations

from collections.abc import Mapping

from pbmserv.commands.spelling import (
    asks_for_help,
    corrected,
    in_full,
    is_guessed_end,
    named,
    names_somebody,
    nearest,
    of_languages,
    of_sign_up,
    sign_up_behind,
    subjects_of_languages,
)
from pbmserv.fast_dataclasses import dataclass
from pbmserv.text.board_subjects import as_command, subject_as_command
from pbmserv.text.normalize import plain_line
from pbmserv.text.phrases import words_of
from pbmserv.text.unicode_forms import compatible, unmarked

_ENDINGS = ["won", "by"], ["stopped", "by"]  # words in Subjects of letters about boards
_QUOTES = '"«»“”„\u00a0 '  # our letters write « revanche »


@dataclass(frozen=True, slots=True)
class CommandCall:
    """One command as written: its name, and the words after it in the writer's spelling.

    `is_taken_back`: words below it take it back, so it must not change anything.  `is_followed`:
    words to the others are behind its move, in the same line, so nobody gets them without the move.
    """

    game: str
    name: str
    words: tuple[str, ...]
    is_taken_back: bool = False
    is_followed: bool = False


@dataclass(frozen=True, slots=True)
class Unknown:
    """A line that is not a command: its first word, and the nearest command or "".

    The word is "" if it must not be repeated.  `is_below`: it is directly below a command with
    which words go to others.
    """

    word: str
    nearest: str
    is_below: bool = False


Vocabulary = Mapping[str, Mapping[str, str]]
"""For each game word ("" for the server): every spelling of a command, with its name."""


def read_line(
    text: str, vocabulary: Vocabulary, *, is_subject: bool = False
) -> CommandCall | Unknown | None:
    """Read the command in one line; returns None for a line without words.

    A game word in front selects the game's commands.  Without it, the server's commands are tried
    first.  Then a game's command is tried, if its name is written in full, because a prefix could
    be prose.  In the same way a game word may be followed by a command of the server: `perudo
    signup …`.  A Subject of ours in any language is the template of a move.

    The words that other languages have for commands are everyday words, so prose may begin with
    one: `Liste de mes excuses`.  They count in a Subject, behind a game word, and alone; a word for
    help counts before a subject, too: `aide règles`.  In the same way a frequent word, such as the
    French "mes", abbreviates a command only in a Subject, and not in a question there.
    """
    found = _call_or_head(text, vocabulary, is_subject=is_subject)
    if found is None or isinstance(found, CommandCall):
        return found
    head, game = found
    known = vocabulary[game] if game else _all(vocabulary)
    translated = "" if game else _of_game(head, vocabulary)
    return Unknown(head[:20], translated or nearest(head, known))


def _of_game(word: str, vocabulary: Vocabulary) -> str:
    """The game word and the command, if a word names a game's command in another language."""
    if in_full(word, vocabulary[""], translated=True):
        return ""
    found = ((game, in_full(word, vocabulary[game], translated=True)) for game in vocabulary)
    return next((f"{game} {name}" for game, name in found if name), "")


def read_call(text: str, vocabulary: Vocabulary, *, is_subject: bool = False) -> CommandCall | None:
    """Read the command in one line, as `read_line` does; None for any other line."""
    found = _call_or_head(text, vocabulary, is_subject=is_subject)
    return found if isinstance(found, CommandCall) else None


def _without_marks(words: list[str]) -> list[str]:
    """The words of a line without the marks of a sentence around them: "¡Ayuda!", "«Aide !»"."""
    first = words[0].lstrip("¡¿") or words[0]
    words = [first, *words[1:]]
    alone = " ".join(words).strip(_QUOTES).rstrip(" .!?")
    is_marked = len(words) > 1 and not words[-1].strip(".!?")  # French has a blank before a mark
    if (
        alone.lower() == "help"
        or alone.lower() in of_languages()
        or (is_marked and first.lower() in of_languages())
    ):
        return alone.split()
    return words


def _call_or_head(
    text: str, vocabulary: Vocabulary, *, is_subject: bool
) -> CommandCall | tuple[str, str] | None:
    """The command in a line, else its first unknown word and the game word before it."""
    command = subject_as_command if is_subject else as_command
    words = command(plain_line(text)).split()
    words = sign_up_behind({*vocabulary, "pbmserv"}, words)
    is_named = False
    while words and compatible(words[0]).lower() == "pbmserv":
        words, is_named = words[1:], True
    if not words:
        return None
    words = of_sign_up(_without_marks(words)) if is_subject else _without_marks(words)
    first = compatible(words[0]).lower()
    game = first if first in vocabulary else ""
    if game and len(words) == 1:
        return CommandCall(game, "help", ())
    if game:
        words = of_sign_up(words[1:]) if is_subject else words[1:]
    said = " ".join(words).lower().rstrip(" .!?")
    if " " in said and (name := of_languages().get(said)):
        words = [name]
    if subjects_of_languages().get(unmarked(said), said) == "rules":
        return CommandCall("", "help", ("rules",))
    head, hash_sign, number = compatible(words[0]).partition("#")
    rest = tuple(words[1:]) + ((hash_sign + number,) if number else ())
    is_prose = not is_subject or words[-1].endswith("?")
    is_frequent = is_prose and not game and head.lower() in words_of("function_words")
    translated = is_subject or bool(game) or not rest or asks_for_help(head, rest)
    named_by = in_full if is_frequent else named
    name = named_by(head, vocabulary[game], translated=translated)
    if name and not is_guessed_end(head, name, rest):
        if not (is_subject or game) and name == "help" and names_somebody(rest, _all(vocabulary)):
            return head, game  # "Aide Bob" above other words
        return CommandCall(game, name, rest)
    others = [""] if game else vocabulary
    call = _of_others(
        head, rest, {each: vocabulary[each] for each in others}, translated=translated
    )
    mine = {each: vocabulary[each] for each in ((game, "") if game else vocabulary)}
    call = call or _corrected(head, rest, mine, is_addressed=is_named or bool(game))
    return call or (head, game)


def _of_others(
    head: str, rest: tuple[str, ...], others: Vocabulary, *, translated: bool
) -> CommandCall | None:
    """The command of one of the other games, whose name must be written in full."""
    for other, spellings in others.items():
        name = in_full(head, spellings, translated=translated)
        if name and not is_guessed_end(head, name, rest):
            return CommandCall(other, name, rest)
    return None


def _corrected(
    head: str, rest: tuple[str, ...], known: Vocabulary, *, is_addressed: bool
) -> CommandCall | None:
    """The mistyped command that may still be carried out, as `corrected` says."""
    for game, spellings in known.items():
        if name := corrected(head, rest, spellings, is_addressed=is_addressed):
            return CommandCall(game, name, rest)
    return None


def _all(vocabulary: Vocabulary) -> dict[str, str]:
    return {spelling: name for words in vocabulary.values() for spelling, name in words.items()}


def is_template(call: CommandCall, subject: str) -> bool:
    """Whether this is a letter's own Subject, sent back unchanged.

    `Your turn: Perudo board 12` is a template of a move, and so was `Perudo Board 12 ann **`.  `…
    refused`, `… won by ann` and `Perudo chat 12 bob` were Subjects of other letters.
    """
    words = [word.lower() for word in call.words if word != "**"]
    if call.name == "chat":
        return len(words) == len(("board", "userid"))
    if call.name != "move" or "board" not in subject_as_command(subject).lower().split()[:2]:
        return False
    return len(words) <= len(("board", "userid")) or words[1:3] in _ENDINGS


def is_addressed(line: str, vocabulary: Vocabulary) -> bool:
    """Whether a line begins with a game word, or with the server's own name."""
    word = as_command(line).lower().partition(" ")[0]
    return word == "pbmserv" or (word != "" and word in vocabulary)
