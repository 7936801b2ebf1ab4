"""Read a reply that answers the offer of a draw, or an invitation, with a yes or a no.

A wrong yes may end a game.  So the line counts only if all its words are known, and one that asks
or doubts does not count.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from sqlalchemy import Connection

from pbmserv.boards import possible_moves
from pbmserv.boards.board import load_board
from pbmserv.boards.draw_offers import offered_after
from pbmserv.commands.move_lines.good_wishes import apart
from pbmserv.text.normalize import plain_line
from pbmserv.text.phrases import by_language, words_of

ACCEPT, REJECT, DECLINE = "accept", "reject", "decline"
LONGEST = 60  # characters of the line that is read
_THANKS_ELSEWHERE = {"tak"}  # yes in Polish, thanks in Danish
_SI_IS_YES = ("es", "it")
_SI, _ACCENTED = "si", "sí"  # the Spanish and Italian yes; without its accent it may be "if"


def _single(kind: str) -> Iterator[str]:
    """The words of a kind that are not phrases."""
    return (each for each in words_of(kind) if " " not in each)


_AGREED = *words_of("yes"), *_single("accept_moves"), _SI, "accept", "accepted", "agree"
_YES = frozenset(_AGREED) - _THANKS_ELSEWHERE
_DRAW = "draw"
_SORRY = frozenset(("sorry", "leider"))  # refusals that may be about something else
_APOLOGIES = frozenset(words_of("apologies")) & frozenset(words_of("move_leads"))
_REFUSING = frozenset((*_single("reject_moves"), "reject", "rejected"))
_NO = frozenset((*words_of("refusals"), *_REFUSING)) - _SORRY
_DENIALS = frozenset((*words_of("refusals"), *words_of("doubts"))) - _REFUSING
_THANKS, _THANKED = frozenset(words_of("thanks")), frozenset(words_of("thanked"))
# The words of our letters, which people use in all languages.
_OURS = frozenset(("accept", "accepted", "agree", "reject", "rejected", DECLINE, "ok"))
_Words = Mapping[str, Sequence[str]]  # of one kind, for each language


def _by_language(*beside: _Words) -> list[tuple[frozenset[str], frozenset[str]]]:
    """For each language, its words that are a yes or a no, and those that may be beside one."""
    answers = [by_language("yes"), by_language("refusals")]
    answers += [by_language("accept_moves"), by_language("reject_moves")]
    return [
        (
            _of(language, answers) | ({_SI} if language in _SI_IS_YES else set()),
            _of(language, beside),
        )
        for language in {name for one in answers for name in one}
    ]


def _of(language: str, kinds: Iterable[_Words]) -> frozenset[str]:
    return frozenset(word for words in kinds for word in words.get(language, ()))


_BESIDE = by_language("behind_yes"), by_language("beside_answer")
_ABOUT_DRAWS = _by_language(*_BESIDE, by_language("beside_draw"))
_ABOUT_INVITATIONS = _by_language(*_BESIDE, by_language("beside_invitation"))
_AROUND = " .,;:!¡_*\"'()-–—…。、！，\ufe0f🏻🏼🏽🏾🏿"  # a thumb of any colour is one
_BETWEEN = re.compile("[.,;:!…。、！，]")


def _bare(line: str) -> list[str]:
    words = (each.strip(_AROUND).lower() for each in line.split())
    return [each for each in words if each]


_WHOLE_LINES = {" ".join(_bare(each)): ACCEPT for each in words_of("accepts_invitation")} | {
    " ".join(_bare(each)): REJECT for each in words_of("rejects_invitation")
}

_BEHIND_SI = {
    " ".join(_bare(each))
    for language in _SI_IS_YES
    for each in _of(language, map(by_language, ("accepts_invitation", "harmless_denials")))
}


def answer_to_draw(typed: Sequence[str]) -> str:
    """`accept` or `reject`, if the first line says no more than that; else "".

    Good wishes may be behind it, as in "yes, good game!".
    """
    return _of_draw(_words(typed)) or _of_draw(_unwished(typed))


def draw_answer_in_words(typed: Sequence[str]) -> str:
    """As `answer_to_draw`, also if the line tells the wish: "no thanks, I'd rather play on!".

    A wish for the draw counts only behind a yes, since it ends the game.  "Si" is none there: in
    French, and often in Spanish, it means "if".
    """
    if answer := answer_to_draw(typed):
        return answer
    said = [word for word in _words(typed) if word not in _THANKS]
    is_yes = bool(said) and said[0] in _YES
    is_no = bool(said) and (said[0] in _NO or said[0] in _SORRY)
    behind = " ".join(said[1:] if is_yes or is_no else said)
    if is_yes:
        return ACCEPT if behind in words_of("ends_drawn") and said[0] != _SI else ""
    return REJECT if behind in words_of("plays_on") else ""


def _of_draw(words: Sequence[str]) -> str:
    return _answer(words, _ABOUT_DRAWS, _NO | {DECLINE} if _DRAW in words else _NO)


def answer_to_invitation(typed: Sequence[str], names: Collection[str] = ()) -> str:
    """`accept` or `reject`, if the first line says no more than that; else "".

    One of the `names` of players, in small letters, may be beside it, as in "ok Mia", or a first
    name.  Good wishes may be behind it, as in "yes, good luck!".
    """
    return _of_invitation(_words(typed), names) or _of_invitation(_unwished(typed, names), names)


def good_wishes(typed: Sequence[str], names: Collection[str] = ()) -> str:
    """The good wishes behind the answer in the first line; "" for none."""
    line = _first(typed)
    is_plain = (
        len(line) > LONGEST or _of_draw(_words(typed)) or _of_invitation(_words(typed), names)
    )
    return "" if is_plain else apart(line, names)[1]


def _of_invitation(words: list[str], names: Collection[str]) -> str:
    known = {*names, *words_of("first_names")}
    named = [at for at, word in enumerate(words) if word in known]
    is_about_name = False  # "no quiero jugar con luc" may mean: without luc
    if len(named) == 1 and len(words) > 1:
        is_about_name = words[named[0] - 1] in words_of("joins_names")
        del words[named[0]]
    answer = _of_unnamed(words)
    return "" if is_about_name and answer == REJECT else answer


def _of_unnamed(words: Sequence[str]) -> str:
    """The answer to an invitation that words say, without names."""
    said = list(_unthanked(words))
    whole = " ".join(said), " ".join(each for each in said if each not in _APOLOGIES)
    answer = next(filter(None, map(_WHOLE_LINES.get, whole)), "") or _answer(
        words, _ABOUT_INVITATIONS, _NO
    )
    return answer or _answer_and_line(said)


def _answer_and_line(words: Sequence[str]) -> str:
    """The answer of a yes or no with such a line behind it: "yes, count me in", "sure, why not"."""
    behind = " ".join(words[1:])
    answer = ACCEPT if behind in words_of("harmless_denials") else _WHOLE_LINES.get(behind, "")
    if _SI in words[:1] and behind not in _BEHIND_SI:
        return ""
    return answer if words and words[0] in (_YES if answer == ACCEPT else _NO) else ""


def _words(typed: Sequence[str]) -> list[str]:
    """The words of the first line; none if it is too long, or says that it refuses nothing."""
    line = _first(typed)
    if len(line) > LONGEST or any(map(_refuses_nothing, _BETWEEN.split(line))):
        return []
    return _bare(line)


def _unwished(typed: Sequence[str], names: Collection[str] = ()) -> list[str]:
    """The words of the first line without the good wishes at its end; none if it has none."""
    if not _words(typed):
        return []
    line, wishes = apart(_first(typed), names)
    return _bare(line) if wishes else []


def _first(typed: Sequence[str]) -> str:
    return plain_line(next((line for line in typed if line.strip()), ""))


def _refuses_nothing(clause: str) -> bool:
    """Whether a denial and a refusal are together, as in "no rechazo"."""
    words = {each.strip(_AROUND).lower() for each in clause.split()}
    return not (_REFUSING.isdisjoint(words) or _DENIALS.isdisjoint(words))


def _answer(
    words: Sequence[str],
    languages: Iterable[tuple[frozenset[str], frozenset[str]]],
    refusals: frozenset[str],
) -> str:
    """The answer, if the words beside it are of one language, as in "no bien" they are not.

    "Si" is a yes beside words of Spanish and Italian alone: "oui si luc joue" is a condition.
    """
    said = {word for word in words if word in _YES or word in refusals}
    beside = set(_unthanked(words)) - said - _SORRY
    if {_SI, _ACCENTED} <= said or not any(
        beside <= known
        and (said <= _OURS or not said.isdisjoint(answers))
        and (_SI not in said or said - _OURS <= answers)
        for answers, known in languages
    ):
        return ""
    if said and said <= refusals:
        return REJECT
    return ACCEPT if said and said <= _YES else ""


def _unthanked(words: Sequence[str]) -> Iterator[str]:
    """The words without thanks, and what is behind them, such as "you very much"."""
    has_thanked = False
    for word in words:
        has_thanked |= word in _THANKS
        if not (has_thanked and (word in _THANKS or word in _THANKED)):
            yield word


def waits_for(connection: Connection, number: int, player: int, written_at: int | None) -> bool:
    """Whether a draw is on offer at this board, and waits for this player.

    `written_at` is the moment of the letter that the player answers: a draw that was offered later
    does not count.  None stands for a letter that tells of the draw.
    """
    board = load_board(connection, number)
    if not possible_moves.waits_for(board, player):
        return False
    return written_at is None or not offered_after(connection, board, written_at)
