"""Parse the words that people write into calls of commands.

Text is a Subject or a line of a body; the result is a command's name and its words.  `commands/`
gives the words their meaning, and `games/` the moves.  This module does not use the database.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from pbmserv.commands.reply_words import (
    CHAT,
    may_be_words,
    queue_in_english,
    words_behind_chat,
)
from pbmserv.commands.spelling import (
    MOVE,
    asks_for_help,
    corrected,
    in_full,
    is_guessed_end,
    named,
    names_somebody,
    nearest,
    of_languages,
)
from pbmserv.text.board_subjects import as_command, subject_as_command
from pbmserv.text.normalize import bare_subject, plain_line
from pbmserv.text.phrases import words_of
from pbmserv.text.unicode_forms import compatible
from pbmserv.values import dataclass

MOST_LINES = 20  # of the body that are read as commands, one a line
MOST_UNKNOWN = 5  # lines that are not commands; after them nothing more is read
_BY_LETTER = {"mute": 0, "unmute": 0, "report": 0, "block": 1, "unblock": 1}
"""Commands with which a reply to a letter of a board may begin, with the number of their words.

The letter tells the player and the board, so the reply does not need these words.
"""
_ALONE = {"rematch", CHAT}
"""The same, for commands without other words; the text below them is for the other players."""
_OF_BOARD = {"advise", "record", "verify"}
"""The same, for commands that need the board alone, and no player."""
_QUEUE, _QUEUE_OFF = "queue", ["off"]  # a reply names no board, userid and password either
_WITH_WORDS = {"challenge", "rematch", "message", "broadcast", "report", MOVE, CHAT}
"""Commands that the text for others may be directly below, without a blank line."""
_MANNERS = {"please", "pls", "thanks"}  # words behind such a command that change nothing
_HOLDER = "*"  # replaces the userid: the token names the player
_BY_ADDRESS = "-"  # replaces a letter's token if only the sender's address is known
_ENDINGS = ["won", "by"], ["stopped", "by"]  # words in Subjects of letters about boards


@dataclass(frozen=True, slots=True)
class CommandCall:
    """One command as written: its name, and the words after it in the writer's spelling."""

    game: str
    name: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unknown:
    """A line that is not a command: its first word, and the nearest command or "".

    The word is "" if it must not be repeated.  `is_below`: it is directly below a command with
    which words go to others.
    """

    word: str
    nearest: str
    is_below: bool = False


@dataclass(frozen=True, slots=True)
class ParsedText:
    """The content of an email: its lines in order, and the remaining text for other people.

    `cut` is the code of a refusal if lines were not read, else "".
    """

    lines: tuple[CommandCall | Unknown, ...]
    message: str
    cut: str = ""


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
    French "mes", abbreviates a command only in a Subject.
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
    """The words of a line without the marks of a sentence around them: "¡Ayuda!", "Aide !"."""
    first = words[0].lstrip("¡¿") or words[0]
    words = [first, *words[1:]]
    alone = " ".join(words).rstrip(" .!?")
    is_marked = len(words) > 1 and not words[-1].strip(".!?")  # French has a blank before a mark
    if alone.lower() in {"help", *of_languages()} or (
        is_marked and first.lower() in of_languages()
    ):
        return alone.split()
    return words


def _call_or_head(
    text: str, vocabulary: Vocabulary, *, is_subject: bool
) -> CommandCall | tuple[str, str] | None:
    """The command in a line, else the first word that is none and the game word before it."""
    command = subject_as_command if is_subject else as_command
    words = command(plain_line(text)).split()
    is_named = False
    while words and compatible(words[0]).lower() == "pbmserv":
        words, is_named = words[1:], True
    if not words:
        return None
    words = _without_marks(words)
    first = compatible(words[0]).lower()
    game = first if first in vocabulary else ""
    if game and len(words) == 1:
        return CommandCall(game, "help", ())
    if game:
        words = words[1:]
    said = " ".join(words).lower().rstrip(" .!?")
    if " " in said and (name := of_languages().get(said)):
        words = [name]
    head, hash_sign, number = compatible(words[0]).partition("#")
    rest = tuple(words[1:]) + ((hash_sign + number,) if number else ())
    is_frequent = not (is_subject or game) and head.lower() in words_of("function_words")
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
    """The mistyped command that may be carried out all the same, as `corrected` says."""
    for game, spellings in known.items():
        if name := corrected(head, rest, spellings, is_addressed=is_addressed):
            return CommandCall(game, name, rest)
    return None


def _all(vocabulary: Vocabulary) -> dict[str, str]:
    return {spelling: name for words in vocabulary.values() for spelling, name in words.items()}


def is_template(order: CommandCall, subject: str) -> bool:
    """Whether this is a letter's own Subject, sent back unchanged.

    `Your turn: Perudo board 12` is a template of a move, and so was `Perudo Board 12 ann **`.  `…
    refused`, `… won by ann` and `Perudo chat 12 bob` were Subjects of other letters.
    """
    words = [word.lower() for word in order.words if word != "**"]
    if order.name == "chat":
        return len(words) == len(("board", "userid"))
    if order.name != "move" or "board" not in subject_as_command(subject).lower().split()[:2]:
        return False
    return len(words) <= len(("board", "userid")) or words[1:3] in _ENDINGS


@dataclass(frozen=True, slots=True)
class Reply:
    """The board for which an email's token speaks; the token names the player.

    `is_talk`: it answers a letter with words of others, so words without a command are for them.
    `is_of_many`: the letter has news of other boards, so only a move is meant for this one.
    """

    board: int
    token: str
    is_talk: bool = False
    is_of_many: bool = False


def read_mail(
    subject: str,
    typed: Sequence[str],
    reply: Reply | None,
    vocabulary: Vocabulary,
    is_move: Callable[[str], bool],
) -> ParsedText:
    """Parse an email: its Subject, else the first lines of the typed text.

    With a `reply` the first line may be a move.  `is_move` says whether a line reads as a move.
    The text without commands is the message to the other players.
    """
    lines = [plain_line(line).rstrip() for line in typed]  # the message keeps its typed form
    order = _read_subject(subject, vocabulary)
    call = _with_token(order, reply, is_move) if isinstance(order, CommandCall) else None
    is_command = call is not None and not (
        call is order and is_template(call, bare_subject(subject))
    )
    if reply and not is_command and (found := _about_talk(reply, lines, vocabulary, is_move)):
        return ParsedText(tuple(found), _text(typed[(_first(lines) or 0) + len(found) :]))
    if call and is_command and call.name != "multiple":
        return ParsedText((call,), _text(typed))
    if reply and reply.token != _BY_ADDRESS and (words := words_behind_chat(_opening(lines))):
        below = typed[(_first(lines) or 0) + 1 :]
        return ParsedText((_chat(reply),), _text([words, *below]))
    if reply and _is_talk(reply, order) and not _opens_with_order(lines, vocabulary, is_move):
        return ParsedText((_chat(reply),), _text(typed))
    if reply and lines and (first := _first(lines)) is not None and is_move(lines[first]):
        move = _move(reply, lines[first])
        return ParsedText((move,), _text(typed[first + 1 :]))
    asked = _read_body(lines, typed, vocabulary)
    nothing_below = all(isinstance(each, Unknown) for each in asked.lines)
    if isinstance(order, Unknown) and nothing_below and (order.nearest or not asked.lines):
        return ParsedText((order,), "")
    if isinstance(order, CommandCall) and order.name == "chat" and nothing_below and not reply:
        return ParsedText((order,), _text(typed))  # no letter and no password says who writes
    # Below a letter's Subject, a word that is not a command may be a password.
    is_answer = reply or (isinstance(order, CommandCall) and order.name != "multiple")
    return _without_words(asked) if is_answer else asked


def _read_subject(subject: str, vocabulary: Vocabulary) -> CommandCall | Unknown | None:
    """The command in a Subject; words of a letter's own Subject are not treated as mistyped."""
    text = bare_subject(subject)
    order = read_line(text, vocabulary, is_subject=True)
    is_own = text == plain_line(subject).strip()
    is_meant = is_own or is_addressed(text, vocabulary)
    return replace(order, nearest="") if isinstance(order, Unknown) and not is_meant else order


def _is_talk(reply: Reply, order: CommandCall | Unknown | None) -> bool:
    """Whether a reply below this Subject, which is not a command, answers words of others."""
    if isinstance(order, CommandCall):
        return order.name == "chat" or (reply.is_talk and order.name == MOVE)
    return reply.is_talk and (order is None or not order.nearest)


def _without_words(asked: ParsedText) -> ParsedText:
    lines = [
        Unknown("", each.nearest) if isinstance(each, Unknown) else each for each in asked.lines
    ]
    return replace(asked, lines=tuple(lines))


def _first(lines: Sequence[str]) -> int | None:
    return next((number for number, line in enumerate(lines) if line.strip()), None)


def _opening(lines: Sequence[str]) -> str:
    """The first line that is not empty, or ""."""
    return next(filter(str.strip, lines), "")


def _text(lines: Sequence[str]) -> str:
    return "\n".join(line.rstrip() for line in lines).strip()


def _chat(reply: Reply) -> CommandCall:
    return CommandCall("perudo", CHAT, (str(reply.board), _HOLDER, reply.token))


def _move(reply: Reply, line: str) -> CommandCall:
    words = (str(reply.board), _HOLDER, reply.token, *line.strip(" *.!").split())
    return CommandCall("perudo", "move", words)


def _about_talk(
    reply: Reply, lines: Sequence[str], vocabulary: Vocabulary, is_move: Callable[[str], bool]
) -> list[CommandCall]:
    """The first lines as commands such as `mute`, completed from the letter that they answer."""
    found: list[CommandCall] = []
    for line in lines[_first(lines) or 0 :][:MOST_LINES]:
        said = line.strip(" *.!?:").replace(",", " ")
        order = read_call(said, vocabulary) or read_call(queue_in_english(said), vocabulary)
        if order is None or reply.token == _BY_ADDRESS or reply.is_of_many:
            break
        if order.name in _ALONE and not found and _MANNERS.issuperset(map(str.lower, order.words)):
            return [CommandCall("perudo", order.name, (str(reply.board), _HOLDER, reply.token))]
        if order.name == _QUEUE and not found and _are_queued(order.words, is_move):
            words = (str(reply.board), _HOLDER, reply.token, *order.words)
            return [CommandCall("perudo", _QUEUE, words)]
        if (
            order.name in _OF_BOARD
            and not found
            and _MANNERS.issuperset(map(str.lower, order.words))
        ):
            return [CommandCall("perudo", order.name, (str(reply.board),))]
        if _BY_LETTER.get(order.name) != len(order.words):
            break
        words = (_HOLDER, reply.token, *(order.words or (str(reply.board),)))
        found.append(replace(order, words=words))
    return found


def _are_queued(words: Sequence[str], is_move: Callable[[str], bool]) -> bool:
    """Whether the words behind `queue` are moves, or end the queue; else it may be prose.

    Without words, the refusal says that a move is missing.
    """
    return [*map(str.lower, words)] == _QUEUE_OFF or all(map(is_move, words))


def _with_token(
    order: CommandCall, reply: Reply | None, is_move: Callable[[str], bool]
) -> CommandCall:
    """The template of a move, completed with the letter's token instead of a password.

    The move is behind the board, or behind the board and a userid.
    """
    words = [word for word in order.words if word != "**"]
    if not reply or order.name != MOVE or words[:1] != [str(reply.board)]:
        return order
    moves = (rest for rest in (" ".join(words[1:]), " ".join(words[2:])) if is_move(rest))
    return next((_move(reply, rest) for rest in moves), order)


def _opens_with_order(
    lines: Sequence[str], vocabulary: Vocabulary, is_move: Callable[[str], bool]
) -> bool:
    opening = _opening(lines)
    return not opening or is_move(opening) or read_call(opening, vocabulary) is not None


def _is_mistyped(line: str, read: Unknown, vocabulary: Vocabulary) -> bool:
    """Whether a line was meant as a command: a game word, then nearly a command."""
    return bool(read.nearest) and is_addressed(line, vocabulary)


def is_addressed(line: str, vocabulary: Vocabulary) -> bool:
    """Whether a line begins with a game word, or with the server's own name."""
    word = as_command(line).lower().partition(" ")[0]
    return word == "pbmserv" or (word != "" and word in vocabulary)


def _read_body(lines: Sequence[str], typed: Sequence[str], vocabulary: Vocabulary) -> ParsedText:
    """Read commands, one a line, until prose after a blank line, `end`, or too many lines."""
    found: list[CommandCall | Unknown] = []
    unknown = 0
    after_blank = False
    for number, line in enumerate(lines):
        read = read_line(line, vocabulary)
        if read is None:
            after_blank = bool(found)
            continue
        if line.strip().lower() == "end":
            return ParsedText(tuple(found), _text(typed[number + 1 :]))
        if isinstance(read, Unknown) and after_blank and not _is_mistyped(line, read, vocabulary):
            return ParsedText(tuple(found), _text(typed[number:]))
        if isinstance(read, Unknown) and _are_below(found):
            if not read.nearest and _are_words(lines[number:], vocabulary):
                return ParsedText(tuple(found), _text(typed[number:]))
            read = replace(read, is_below=True)
        if len(found) == MOST_LINES:
            return ParsedText(tuple(found), "", cut="too_many_lines")
        found.append(read)
        unknown += isinstance(read, Unknown)
        if unknown == MOST_UNKNOWN:
            return ParsedText(tuple(found), "", cut="stopped_after_unknown")
    return ParsedText(tuple(found), "")


def _are_below(found: Sequence[CommandCall | Unknown]) -> bool:
    """Whether one command was read, with which words go to others."""
    return [isinstance(each, CommandCall) and each.name in _WITH_WORDS for each in found] == [True]


def _are_words(lines: Sequence[str], vocabulary: Vocabulary) -> bool:
    """Whether lines directly below a command may be its text for others: none is a command."""
    calls = (read_call(line, vocabulary) for line in lines[:MOST_LINES])
    return may_be_words(lines[0]) and not any(calls)
