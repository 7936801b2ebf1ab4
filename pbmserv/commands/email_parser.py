"""Parse the Subject and the text of an email into calls of commands, and a message to others.

`commands/parser.py` parses a single line.  This module does not use the database.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pbmserv.commands.move_lines.bare_moves import may_call, may_jest
from pbmserv.commands.move_lines.good_wishes import words_apart
from pbmserv.commands.move_lines.retracted_commands import is_call_taken_back
from pbmserv.commands.parser import (
    CommandCall,
    Unknown,
    Vocabulary,
    is_addressed,
    is_template,
    read_call,
    read_line,
)
from pbmserv.commands.reply_words import (
    CHAT,
    may_be_words,
    queue_in_english,
    unmannered,
    words_behind_chat,
)
from pbmserv.commands.spelling import MOVE, SIGNUP
from pbmserv.fast_dataclasses import dataclass, replace
from pbmserv.games.perudo.move_parser import ENDING_MOVES
from pbmserv.text.normalize import plain_line
from pbmserv.text.subject_prefixes import bare_subject

MOST_LINES = 20  # of the body that are read as commands, one a line
_MOST_SEARCHED = 5 * MOST_LINES  # lines in which words that take a command back are looked for
MOST_UNKNOWN = 5  # lines that are not commands; after them nothing more is read
_BY_LETTER = {"mute": 0, "unmute": 0, "report": 0, "block": 1, "unblock": 1}
"""Commands with which a reply to a letter of a board may begin, with the number of their words.

The letter tells the player and the board, so the reply does not need these words.
"""
_ALONE = {"rematch", CHAT}
"""The same, for commands without other words; the text below them is for the other players."""
_OF_BOARD = {"advise", "record", "verify"}
"""The same, for commands that need the board alone, and no player."""
_PAGES = {"help", "games"}  # what the name of the game alone asks for, as a Subject
_QUEUE, _QUEUE_OFF = "queue", ["off"]  # a reply names no board, userid and password either
_WITH_WORDS = {"challenge", "rematch", "message", "broadcast", "report", MOVE, CHAT}
"""Commands that the text for others may be directly below, without a blank line."""
_MANNERS = {"please", "pls", "thanks"}  # words behind such a command that change nothing
_FEWEST_ASKING = 5  # words of a line of prose; a name and a password are fewer
_BEFORE_MOVE = 3  # words: the board, the userid and the password
MOST_WORDS = _BY_LETTER | dict.fromkeys((*_ALONE, *_OF_BOARD, *ENDING_MOVES), 0)
"""The commands with which a reply may begin, with their words, if the letter tells the others."""
MOST_WORDS[_QUEUE] = _BEFORE_MOVE
_BETWEEN = str.maketrans(",:", "  ")  # marks behind the number of a board
_HOLDER = "*"  # replaces the userid: the token names the player
_BY_ADDRESS = "-"  # replaces a letter's token if only the sender's address is known


@dataclass(frozen=True, slots=True)
class ParsedText:
    """The content of an email: its lines in order, and the message to other players.

    `cut` is the code of a refusal if lines were not read, else "".
    """

    lines: tuple[CommandCall | Unknown, ...]
    message: str
    cut: str = ""


@dataclass(frozen=True, slots=True)
class AnsweredBoard:
    """The board for which an email's token speaks; the token names the player.

    `answers_words`: it answers a letter with words of others, so words without a command are for
    them.
    `is_of_many`: the letter has news of other boards, so only a move is meant for this one.
    """

    board: int
    token: str
    answers_words: bool = False
    is_of_many: bool = False


def read_mail(
    subject: str,
    typed: Sequence[str],
    reply: AnsweredBoard | None,
    vocabulary: Vocabulary,
    is_move: Callable[[str], bool],
) -> ParsedText:
    """Parse an email: its Subject, else the first lines of the typed text.

    With a `reply` the first line may be a move.  `is_move` says whether a line reads as a move.
    The text without commands is the message to the other players.  It takes commands back if it
    says so.
    """
    asked = _read(subject, typed, reply, vocabulary, is_move)
    return unless_taken_back(asked, typed, vocabulary, is_move)


def unless_taken_back(
    asked: ParsedText,
    typed: Sequence[str],
    vocabulary: Vocabulary,
    is_move: Callable[[str], bool],
) -> ParsedText:
    """The parsed email, with its commands marked if the text below one of them takes it back.

    A reply is not carried out then: its writer is asked what is meant.
    """
    calls = [each for each in asked.lines if isinstance(each, CommandCall)]
    if not calls:
        return asked
    is_followed = len(calls) < len(asked.lines)
    below = _below_calls(typed, vocabulary) if is_followed else [asked.message.split("\n")]
    if not any(
        is_call_taken_back(call, [*map(plain_line, lines[:MOST_LINES])], is_move)
        for call, lines in zip(reversed(calls), reversed(below), strict=False)
    ):
        return asked
    if any(_HOLDER in each.words for each in calls):
        return ParsedText((Unknown("", ""),), "")  # neither is words
    return ParsedText(tuple(replace(each, is_taken_back=True) for each in calls), "")


def _below_calls(typed: Sequence[str], vocabulary: Vocabulary) -> Sequence[Sequence[str]]:
    """The lines between each line that is a command and the next one, or the end."""
    typed = typed[:_MOST_SEARCHED]
    calls = [
        number
        for number, line in enumerate(typed)
        if line.strip() and read_call(line, vocabulary) is not None
    ]
    ends = [*calls[1:], len(typed)]
    return [typed[at + 1 : end] for at, end in zip(calls, ends, strict=False)] or [typed]


def _read(
    subject: str,
    typed: Sequence[str],
    reply: AnsweredBoard | None,
    vocabulary: Vocabulary,
    is_move: Callable[[str], bool],
) -> ParsedText:
    """Parse an email as `read_mail` does, also if the words below a command take it back."""
    lines = [plain_line(line).rstrip() for line in typed]  # the message keeps its typed form
    given = _read_subject(subject, vocabulary)
    call = _with_token(given, reply, is_move) if isinstance(given, CommandCall) else None
    is_command = call is not None and not (
        call is given and is_template(call, bare_subject(subject))
    )
    if reply and call and call is given and _is_unclear(call, reply, lines, is_move):
        return ParsedText((Unknown("", ""),), "")
    if reply and not is_command and (found := _about_words(reply, lines, vocabulary, is_move)):
        return ParsedText(tuple(found), _text(typed[(_first(lines) or 0) + len(found) :]))
    if call and is_command and not _is_title(call, lines, vocabulary, is_move if reply else None):
        return ParsedText((call,), _text(typed))
    if reply and reply.token != _BY_ADDRESS and (words := words_behind_chat(_opening(lines))):
        below = typed[(_first(lines) or 0) + 1 :]
        return ParsedText((_chat(reply),), _text([words, *below]))
    if reply and _is_chat(reply, given) and not _opens_with_command(lines, vocabulary, is_move):
        return ParsedText((_chat(reply),), _text(typed))
    if reply and lines and (first := _first(lines)) is not None and is_move(lines[first]):
        move = _move(reply, lines[first])
        return ParsedText((move,), _text(typed[first + 1 :]))
    if reply and (may_jest(_opening(lines)) or may_call(_opening(lines))):
        return ParsedText((Unknown("", ""),), "")  # nor is it a command that lacks words
    asked = _read_body(lines, typed, vocabulary)
    nothing_below = all(isinstance(each, Unknown) for each in asked.lines)
    if isinstance(given, Unknown) and nothing_below and (given.nearest or not asked.lines):
        return ParsedText((given,), "")
    if isinstance(given, CommandCall) and given.name == "chat" and nothing_below and not reply:
        return ParsedText((given,), _text(typed))  # no letter and no password says who writes
    # Below a letter's Subject, a word that is not a command may be a password.
    is_answer = reply or (isinstance(given, CommandCall) and given.name != "multiple")
    return _without_words(asked) if is_answer else asked


def _read_subject(subject: str, vocabulary: Vocabulary) -> CommandCall | Unknown | None:
    """The command in a Subject; words of a letter's own Subject are not treated as mistyped."""
    text = bare_subject(subject)
    call = read_line(text, vocabulary, is_subject=True)
    is_own = text == plain_line(subject).strip()
    is_meant = is_own or is_addressed(text, vocabulary)
    return replace(call, nearest="") if isinstance(call, Unknown) and not is_meant else call


def _is_chat(reply: AnsweredBoard, call: CommandCall | Unknown | None) -> bool:
    """Whether a reply below this Subject, which is not a command, answers words of others."""
    if isinstance(call, CommandCall):
        return call.name == "chat" or (reply.answers_words and call.name == MOVE)
    return reply.answers_words and (call is None or not call.nearest)


def _is_title(
    call: CommandCall,
    lines: Sequence[str],
    vocabulary: Vocabulary,
    is_move: Callable[[str], bool] | None,
) -> bool:
    """Whether a Subject only names what is below it: "Sign up" above `signup ann secret`.

    So it does above prose, which asks how to sign up.  So does "Perudo" above a move, in a reply
    (`is_move`).  Below `multiple` are commands.
    """
    if call.name == "multiple":
        return True
    if is_move and call.game and call.name in _PAGES and not call.words:
        return is_move(_opening(lines))
    if call.name != SIGNUP or call.words:
        return False
    below = read_call(_opening(lines), vocabulary)
    if below is None:
        return any(
            "?" in line or len(line.split()) >= _FEWEST_ASKING for line in lines[:MOST_LINES]
        )
    return below.name == SIGNUP


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


def _chat(reply: AnsweredBoard) -> CommandCall:
    return CommandCall("perudo", CHAT, (str(reply.board), _HOLDER, reply.token))


def _move(reply: AnsweredBoard, line: str) -> CommandCall:
    words = (str(reply.board), _HOLDER, reply.token, *line.strip(" *.!").split())
    return CommandCall("perudo", "move", words)


def _about_words(
    reply: AnsweredBoard,
    lines: Sequence[str],
    vocabulary: Vocabulary,
    is_move: Callable[[str], bool],
) -> list[CommandCall]:
    """The first lines as commands such as `mute`, completed from the letter that they answer."""
    found: list[CommandCall] = []
    for line in lines[_first(lines) or 0 :][:MOST_LINES]:
        said = line.strip(" *.!?:").translate(_BETWEEN)
        call = read_call(unmannered(said, _OF_BOARD), vocabulary)
        call = call or read_call(queue_in_english(said), vocabulary)
        if call is None or reply.token == _BY_ADDRESS:
            break
        if not found and (move := _with_token(call, reply, is_move)) is not call:
            return [move]  # "board 12: dudo"
        if reply.is_of_many:
            break
        if call.name in _ALONE and not found and _MANNERS.issuperset(map(str.lower, call.words)):
            return [CommandCall("perudo", call.name, (str(reply.board), _HOLDER, reply.token))]
        if call.name == _QUEUE and not found and _are_queued(call.words, is_move):
            words = (str(reply.board), _HOLDER, reply.token, *call.words)
            return [CommandCall("perudo", _QUEUE, words)]
        if call.name in _OF_BOARD and not found and _MANNERS.issuperset(map(str.lower, call.words)):
            return [CommandCall("perudo", call.name, (str(reply.board),))]
        if _BY_LETTER.get(call.name) != len(call.words):
            break
        words = (_HOLDER, reply.token, *(call.words or (str(reply.board),)))
        found.append(replace(call, words=words))
    return found


def _are_queued(words: Sequence[str], is_move: Callable[[str], bool]) -> bool:
    """Whether the words behind `queue` are moves, or end the queue; else it may be prose.

    Good wishes may be behind them.  Without words, the refusal says that a move is missing.
    """
    words, _ = words_apart(words)
    return [*map(str.lower, words)] == _QUEUE_OFF or all(map(is_move, words))


def _with_token(
    call: CommandCall, reply: AnsweredBoard | None, is_move: Callable[[str], bool]
) -> CommandCall:
    """The template of a move, completed with the letter's token instead of a password.

    The move is behind the board, or behind the board and a userid.
    """
    words = [word for word in call.words if word != "**"]
    if not reply or call.name != MOVE or words[:1] != [str(reply.board)]:
        return call
    moves = (rest for rest in (" ".join(words[1:]), " ".join(words[2:])) if is_move(rest))
    return next((_move(reply, rest) for rest in moves), call)


def _is_unclear(
    call: CommandCall,
    reply: AnsweredBoard,
    lines: Sequence[str],
    is_move: Callable[[str], bool],
) -> bool:
    """Whether a letter's own Subject has a move and other words behind it: "resign no wait".

    It is also unclear if it asks for help, above a move.
    """
    if call.name == "help" and (call.words or not call.game):
        return is_move(_opening(lines))
    board, *words = [word for word in call.words if word != "**"] or [""]
    if call.name != MOVE or board != str(reply.board) or not words:
        return False
    return is_move(words[0]) or may_jest(" ".join(words))


def _opens_with_command(
    lines: Sequence[str], vocabulary: Vocabulary, is_move: Callable[[str], bool]
) -> bool:
    opening = _opening(lines)
    return not opening or is_move(opening) or read_call(opening, vocabulary) is not None


def _is_mistyped(line: str, read: Unknown, vocabulary: Vocabulary) -> bool:
    """Whether a line was meant as a command: a game word, then nearly a command."""
    return bool(read.nearest) and is_addressed(line, vocabulary)


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
    """Whether lines directly below a command may be its message to others: none is a command."""
    calls = (read_call(line, vocabulary) for line in lines[:MOST_LINES])
    return may_be_words(lines[0]) and not any(calls)
