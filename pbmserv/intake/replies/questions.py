"""Questions to the server in a reply to a game letter: "What are my dice?", "How do I play?".

Their sentences are in `text/phrases/`.  Such a reply is not a message for the table: its
writer gets help for the board.  So does `help` alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from functools import cache

from pbmserv.commands.email_parser import ParsedText
from pbmserv.commands.framework import vocabulary
from pbmserv.commands.incomplete_commands import has_words_above
from pbmserv.commands.move_lines.bare_moves import action_of, reads_as_move
from pbmserv.commands.parser import CommandCall, read_call
from pbmserv.commands.reply_words import CHAT
from pbmserv.games.perudo.events import Raise
from pbmserv.games.perudo.move_parser import (
    LONGEST,
    spelled_plainly,
    unadorned,
    without_leads,
)
from pbmserv.games.perudo.notation import bids_in, has_call, may_begin_with_move
from pbmserv.intake.replies.stop_requests import asks_to_stop
from pbmserv.security.credentials import NEWS, TALK, Identity
from pbmserv.text.normalize import plain_line
from pbmserv.text.phrases import by_language, one_of, words_of
from pbmserv.text.unicode_forms import unmarked

_MOST_OTHERS = 2  # sentences beside the questions
_MOST_WORDS = 16  # of them
_FEWEST_ASKING = 3  # words of a question that others may be beside, if it is not about a board
_MOST_LINES = 5  # a greeting, two questions, thanks, a name
_MOST_READ = 20  # lines, empty ones among them
_ASKS_HOW = re.compile(rf"(?<!\w)(?:{one_of('asks_how')})(?!\w)")
_ENDS = re.compile(r"[.!?…;:]+|\s-\s")
_AROUND = " ,¿¡()\"'«»"
_COMMAS = str.maketrans(',¿¡«»"', " " * 6)
_HELP = "help"
_NAME = "{name}"


def asks_how(typed: Sequence[str]) -> bool:
    """Whether the first line asks how to play, or the text is questions to the server alone."""
    first = next(filter(str.strip, map(plain_line, typed)), "")
    return _ASKS_HOW.search(first.lower()) is not None or is_question(typed)


def is_question(typed: Sequence[str]) -> bool:
    """Whether a short text is questions to the server, beside greetings, thanks and a name.

    A sentence or two about their writer may be beside them: "whose turn is it? I lost track".
    """
    return _asks(typed, _questions())


def asks_to_play(typed: Sequence[str]) -> bool:
    """Whether a short text asks how to play; questions about letters or leaving do not."""
    return _asks(typed, _how_to_play())


def page_asked(typed: Sequence[str]) -> str:
    """The page of the manual about the word of the rules that a question asks about, or ""."""
    lines = map(plain_line, typed[:_MOST_READ])
    said = (_bare(each) for line in lines for each in _sentences(line))
    return next((page for each in said for page in (_page_of(each),) if page), "")


def _page_of(sentence: str) -> str:
    """The page that explains what a sentence asks: about a word of the rules, or an account."""
    every = (_of_rules(), _of_accounts(), _of_moves())
    page = next((pages[sentence] for pages in every if sentence in pages), "")
    return page or _of_bids().get(_asked_of_bid(sentence), "")


def asks_about_board(typed: Sequence[str]) -> bool:
    """Whether a short text asks whose turn it is, for the last bid, or for the writer's dice."""
    return _asks(typed, _of_boards())


def _asks(typed: Sequence[str], questions: frozenset[str]) -> bool:
    lines = [line for line in map(plain_line, typed[:_MOST_READ]) if line.strip()]
    if not lines or len(lines) > _MOST_LINES:
        return False
    if len(lines) > 1 and lines[-1].strip(" .!-").istitle():
        lines = lines[:-1]
    pieces = [
        each for line in lines for some in _sentences(line) for each in _apart(some, questions)
    ]
    said = {_asked(_bare(each), questions) for each in pieces} - {""}
    asked = said & questions
    others = said - asked - _polite()
    return bool(asked) and (not others or _are_beside(asked, others, lines))


def _sentences(line: str) -> Sequence[str]:
    """The sentences of a line; a question such as "palifico - what's that?" is one."""
    pieces = _ENDS.split(spelled_plainly(line))
    together = " ".join(pieces)
    return [together] if _bare(together) in _of_rules() else pieces


def _apart(sentence: str, questions: frozenset[str]) -> Sequence[str]:
    """The two questions of a sentence such as "my dice and what is the bid?", or the sentence."""
    words = _bare(sentence).split()
    for at in range(1, len(words)):
        first, second = " ".join(words[:at]), " ".join(words[at + 1 :])
        if words[at] in words_of("joining_words") and _asked(first, questions) in questions:
            return [first, second] if _asked(second, questions) in questions else [sentence]
    return [sentence]


def _are_beside(asked: Set[str], others: Set[str], lines: Sequence[str]) -> bool:
    """Whether sentences beside questions only say more of their writer: "I lost track".

    They ask nothing, speak to nobody, and have no move.  They neither leave the game nor stop
    letters.  A single word may be a password.
    """
    words = {word.strip(_AROUND) for each in others for word in each.split()}
    return (
        all(len(line) <= LONGEST for line in lines)
        and len(others) <= _MOST_OTHERS
        and len(words) <= _MOST_WORDS
        and any(len(each.split()) >= _FEWEST_ASKING or each in _of_boards() for each in asked)
        and sum(line.count("?") for line in lines) <= len(asked)
        and words.isdisjoint(words_of("second_person"))
        and not any(map(_may_ask_for_more, others))
    )


def _may_ask_for_more(sentence: str) -> bool:
    """Whether a sentence beside a question may be a move, a password, or end games or letters."""
    if len(sentence.split()) == 1 or asks_to_stop("", [sentence]):
        return True
    if reads_as_move(sentence) or bids_in(sentence) or has_call(sentence):
        return True
    words = sentence.split()
    ends = (" ".join(words[place:]) for place in range(len(words)))
    return any(may_begin_with_move(each, frozenset()) for each in ends)


def wants_help(asked: ParsedText, typed: Sequence[str], answered: Identity | None) -> bool:
    """Whether a reply to a game letter, so parsed, asks the server for help at the board."""
    if answered is None or answered.board is None or answered.is_void or answered.about == NEWS:
        return False
    if len(asked.lines) == 1 and isinstance(call := asked.lines[0], CommandCall):
        if call.name == CHAT and answered.about == TALK:
            return asks_about_board(typed)
        if call.name != _HELP:
            return False
        first = next(filter(str.strip, map(plain_line, typed)), "")
        is_typed = read_call(first.strip(" *.!?¿¡"), vocabulary()) == call
        return is_question([first]) or (is_typed and not call.words)
    calls = [each for each in asked.lines if isinstance(each, CommandCall)]
    if calls and not has_words_above(asked):  # "Help please", with a name below it
        return [each.name for each in calls] == [_HELP] and is_question(typed)
    begins = typed[:_MOST_READ]
    typed = [line for line in begins if not reads_as_move(plain_line(line))]  # it is asked about
    return asks_about_board(typed) if answered.about == TALK else asks_how(typed)


def _asked(sentence: str, questions: frozenset[str]) -> str:
    """The question that a sentence is, without a word such as "and" or "now" beside it.

    Any other sentence stays as it is.
    """
    if sentence in questions:
        return sentence
    forms = [form.strip(_AROUND) for each in _without_end(sentence) for form in _without_lead(each)]
    found = next((each for each in forms if each in questions), "")
    return found or _asked_of_player(_asked_of_bid(sentence))


def _without_end(sentence: str) -> list[str]:
    """The sentence, and without each word behind a question with which it ends."""
    ends = _beside_questions(words_of("question_ends"), " {}")
    if not sentence.endswith(ends):
        return [sentence]
    return [sentence, *[sentence.removesuffix(each) for each in ends if sentence.endswith(each)]]


def _without_lead(sentence: str) -> list[str]:
    """The sentence, and without each word before a question with which it begins."""
    leads = _beside_questions(words_of("question_leads"), "{} ")
    if not sentence.startswith(leads):
        return [sentence]
    return [sentence, *[sentence.removeprefix(each) for each in leads if sentence.startswith(each)]]


def _asked_of_player(sentence: str) -> str:
    """The question about one player that a sentence is: "how many dice has {name}"; or itself.

    "How many dice have you?" is for that player.
    """
    words = sentence.split()[:_MOST_WORDS]
    names = (at for at, word in enumerate(words) if word[1:] and word not in _second_person())
    forms = (" ".join([*words[:at], _NAME, *words[at + 1 :]]) for at in names)
    return next((each for each in forms if each in _of_boards()), sentence)


@cache
def _beside_questions(words: tuple[str, ...], form: str) -> tuple[str, ...]:
    """The words, with a blank between each and a question."""
    return tuple(form.format(unmarked(word)) for word in words)


def _bare(piece: str) -> str:
    """A sentence without commas, accents, and polite words at its ends.

    A question may begin with words that are polite before a move, such as "me toca".
    """
    plain = " ".join(piece.translate(_COMMAS).split()).strip(_AROUND)
    if unmarked(plain) in _questions():
        return unmarked(plain)
    return unmarked(without_leads(unadorned(plain))).strip(_AROUND)


@cache
def _questions() -> frozenset[str]:
    asked = frozenset(map(unmarked, (*words_of("asks_here"), *words_of("asks_how"))))
    pages = _of_rules(), _of_accounts(), _of_bids(), _of_moves()
    return asked.union(_of_boards(), *pages)


@cache
def _second_person() -> frozenset[str]:
    return frozenset(map(unmarked, words_of("second_person")))


@cache
def _how_to_play() -> frozenset[str]:
    return frozenset(map(unmarked, words_of("asks_how")))


@cache
def _of_rules() -> Mapping[str, str]:
    """Every question about a word of the rules, with the page of the manual that explains it."""
    words = by_language("rule_words")
    return {
        unmarked(question.format(word=word)): page
        for language, questions in by_language("asks_of_rules").items()
        for word, _, page in (each.rpartition(" ") for each in words[language])
        for question in questions
    }


@cache
def _of_bids() -> Mapping[str, str]:
    """Every beginning of a question about a bid, with the page that answers it."""
    return _pages("asks_of_bid")


@cache
def _of_moves() -> Mapping[str, str]:
    """Every question about offering a draw or ending a game, with the page that answers it."""
    return _pages("asks_of_moves")


def _pages(kind: str) -> Mapping[str, str]:
    every = (each.rpartition(" ") for each in words_of(kind))
    return {unmarked(asked): page for asked, _, page in every}


def _asked_of_bid(sentence: str) -> str:
    """The beginning of a question such as "what beats 2-4s", in front of its bid; or itself."""
    words = sentence.split()[:_MOST_WORDS]
    for at in range(len(words) - 1, 1, -1):
        begun = " ".join(words[:at])
        if begun in _of_bids() and isinstance(action_of(" ".join(words[at:])), Raise):
            return begun
    return sentence


@cache
def _of_accounts() -> Mapping[str, str]:
    """Every question about one's account, with the page of the manual that explains it."""
    leads = by_language("asks_of_account")
    return {
        unmarked(f"{lead} {wish}"): page
        for language, wishes in by_language("account_wishes").items()
        for wish, _, page in (each.rpartition(" ") for each in wishes)
        for lead in leads[language]
    }


@cache
def _of_boards() -> frozenset[str]:
    return frozenset(map(unmarked, (*words_of("asks_about_board"), *words_of("asks_about_player"))))


@cache
def _polite() -> frozenset[str]:
    kinds = "greetings", "thanks", "manners", "move_leads"
    return frozenset(unmarked(each) for kind in kinds for each in words_of(kind))
