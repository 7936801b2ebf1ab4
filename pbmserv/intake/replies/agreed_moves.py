"""Read the reply "yes" to the question "Did you mean dudo? If so, reply with just that"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from sqlalchemy import Connection

from pbmserv.boards.possible_moves import possible_moves
from pbmserv.commands.move_lines.bare_moves import action_of
from pbmserv.commands.move_lines.retractions import take_back
from pbmserv.fast_dataclasses import replace
from pbmserv.games.perudo.meant_moves import perhaps_call, perhaps_end
from pbmserv.games.perudo.move_parser import ANSWERS, ENDING_MOVES, RESIGN
from pbmserv.games.perudo.notation import bare_move, is_action
from pbmserv.intake.password_redaction import LIKE_A_BID
from pbmserv.intake.replies.affirmation import says_yes, with_accent
from pbmserv.intake.replies.draw_replies import ACCEPT, LONGEST, REJECT, answer_to_draw
from pbmserv.intake.replies.greetings import is_greeting
from pbmserv.intake.replies.prose import denies, is_remark
from pbmserv.mail.reading import Mail
from pbmserv.security.credentials import Identity
from pbmserv.text.normalize import plain_line
from pbmserv.text.phrases import one_of, words_of

_CALLS = {"dudo", "calza"}  # that everyday words may mean
_YES_AND = re.compile(rf"(?:{one_of('yes')})[ ,.!:;]+(.+)")
_MEANT = re.compile(rf"(?:{one_of('i_meant')})[ :]+(.+)")
_SENTENCES = re.compile("[.!] ")


def _says_that(lines: Sequence[str], asked: str) -> bool:
    """Whether a line is a yes to what was asked: "sí, eso", "oui c'est ça" or "yes dudo".

    So is "yes, I meant dudo", and remarks may be behind it: "yes, I meant dudo. Sorry!".
    """
    said = with_accent(" ".join(map(plain_line, lines)).lower().strip())
    found = _YES_AND.fullmatch(said)
    if found is None:
        return False
    rest = found[1]
    if end := _SENTENCES.search(rest):
        rest, behind = rest[: end.start()], rest[end.end() :]
        if not _are_remarks(behind):
            return False
    meant = _MEANT.fullmatch(rest)
    moves = {rest, meant[1] if meant else rest}
    return rest.strip(" .!") in words_of("that_is_it") or any(_is_move(one, asked) for one in moves)


def _words_behind(lines: Sequence[str], asked: str) -> Sequence[str]:
    """The words of a line behind its yes and its move, as a line for the others.

    As in "Yes, I resign. Bye everybody!" and "Yes! I resign. Bye everybody!".
    """
    said = " ".join(map(plain_line, lines)).strip()
    _, *sentences = _SENTENCES.split(said)
    for at, each in enumerate(sentences):
        if not (says_yes([each], in_words=True) or _is_move(each.lower().strip(" .!"), asked)):
            words = said[_place(said, at) :]
            return [words] if any(map(str.isalpha, words)) else []
    return []


def _place(said: str, number: int) -> int:
    """Where the sentence behind the first one begins, or one of those behind it."""
    return [each.end() for each in _SENTENCES.finditer(said)][number]


def _is_move(text: str, asked: str) -> bool:
    """Whether a text is the move that was asked about, or words that may mean it: "I give up".

    Said to a player, a call is the same: "I call you".
    """
    words = text.strip(" .!").rsplit(" ", 1)
    if len(words) > 1 and words[1] in words_of("second_person") and _is_move(words[0], asked):
        return True
    action = action_of(text)
    if action is not None and action == action_of(asked):
        return True
    meant = perhaps_call(text, _CALLS & {asked}), bare_move(perhaps_end(text))
    return asked in (bare_move(text), *meant)


def _are_remarks(text: str) -> bool:
    """Whether a text is remarks and polite words alone: "sorry!", "nice one"."""
    return is_remark([text]) or text.strip(" .!") in words_of("manners")


def _says_otherwise(line: str, asked: str) -> bool:
    """Whether a line below a yes denies it, or has another move than the one asked about."""
    move = bare_move(line)
    if move.rstrip("s") == asked.rstrip("s"):
        return False
    has_bid = any(map(LIKE_A_BID.match, line.split()))
    is_other = has_bid or is_action(line) or move in ANSWERS
    return is_other or denies([line]) or take_back([plain_line(line)])


def _below(typed: Sequence[str], first: int) -> list[str]:
    """The lines below a yes, with the next line behind an empty one, unless that is long.

    Mail programs put an empty line between paragraphs.  A long line is that of a disclaimer.
    """
    paragraph = list(takewhile(str.strip, typed[first + 1 :]))
    behind = next(filter(str.strip, typed[first + 1 + len(paragraph) :]), "")
    return [*paragraph, behind] if len(behind) <= LONGEST else paragraph


def agreed(connection: Connection, mail: Mail, answered: Identity) -> Mail:
    """The reply to such a question, where a first line that agrees is what was asked about.

    A greeting may be above it.  The lines below it deny nothing and have no other move, up to the
    first short line behind an empty one.  A picture agrees to no end of a game.  If a draw was
    offered since, the reply stays as it is.
    """
    asked = answered.asked
    written = [place for place, line in enumerate(mail.typed) if line.strip()]
    if len(written) > 1 and is_greeting(mail.typed[written[0]]):
        written = written[1:]
    first = next(iter(written), 0)
    line = mail.typed[first : first + 1]
    is_plain = answer_to_draw(line) == ACCEPT or says_yes(line, in_words=True)
    is_yes = (is_plain and not denies(line)) or _says_that(line, asked)
    is_picture = mail.is_reaction or not any(map(str.isalpha, "".join(line)))
    if not is_yes or (is_picture and asked in ENDING_MOVES):
        return mail
    if any(_says_otherwise(each, asked) for each in _below(mail.typed, first)):
        return mail
    if answered.board is None:
        return mail
    possible = possible_moves(connection, answered.board, answered.player)
    if possible.draw and asked not in {ACCEPT, REJECT}:
        return mail
    words = _words_behind(line, asked) if asked == RESIGN else ()
    return replace(mail, typed=(asked, *words, *mail.typed[first + 1 :]))
