"""Read with whom somebody wants to play: "Can I play with Luc and Ivan please?".

The answer offers the line that begins such a game.  It names players alone, so nobody can have the
server send words of their own to an address.  A text that names no player, such as "How do I start
a game with 3 dice?", is offered a game with a house player.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from pbmserv.commands.name_lists import number_of_dice
from pbmserv.context import Context
from pbmserv.fast_dataclasses import replace
from pbmserv.intake.replies.greetings import is_greeting
from pbmserv.intake.replies.prose import denies, is_remark
from pbmserv.intake.replies.questions import asks_about_board, asks_to_play
from pbmserv.intake.request import Request
from pbmserv.letters.payloads.letter import Letter
from pbmserv.players import accounts
from pbmserv.text.normalize import plain_line
from pbmserv.text.phrases import one_of, words_of
from pbmserv.text.subject_prefixes import bare_subject
from pbmserv.text.unicode_forms import unmarked

_LONGEST = 160  # characters of a line
_MOST_NAMES = 5  # beside the writer
_MOST_WORDS = 15  # of a text that may be names
_MOST_LINES = 3  # of the text
_USUAL_DICE = 5  # of a player: the option `-dice`
_HOUSE = "house"
_WANTS = re.compile(rf"(?<!\w)(?:{one_of('wants_game')})\s+(.+)", re.IGNORECASE)
_UNWANTED = re.compile(rf"(?<!\w)(?:{one_of('unwanted_games')})(?!\w)", re.IGNORECASE)
_CLAUSE_ENDS = re.compile(r"[?!;:()]|\.(?:\s|$)")
_NAME = re.compile(r"(?<![\w.-])[A-Za-z][A-Za-z0-9_.-]*(?!\w|['’]s)")
_WORD = re.compile(r"\w+")


def opponents_in(text: str) -> list[str]:
    """The words of a text that may name players of a game that it asks for, at most fifteen."""
    clause = _clause(text)
    known = {*words_of("joins_names"), *words_of("myself")}
    names = [each for each in _NAME.findall(clause) if each.lower() not in known]
    return list(dict.fromkeys(names))[:_MOST_WORDS]


def _clause(text: str) -> str:
    """The words behind those that ask for a game, to the end of their clause."""
    found = _WANTS.search(text[:_LONGEST])
    return _CLAUSE_ENDS.split(found[1])[0] if found and not _is_denied(found) else ""


def _is_denied(wish: re.Match[str]) -> bool:
    """Whether it is a wish for no game: "I don't want to play with luc", no "why don't we".

    So is "can I stop playing with luc?", and "can I play without luc?".
    """
    before = _CLAUSE_ENDS.split(wish.string[: wish.start()])[-1].rpartition(",")[2]
    if _UNWANTED.search(before) or _UNWANTED.match(wish[1]):
        return True
    end = _CLAUSE_ENDS.search(wish[1])
    return denies([before], may_ask=True) and not (end and end[0] == "?")


def dice_in(text: str) -> int:
    """How many dice of a player a text asks for, if not the usual five; 0 for none."""
    dice = number_of_dice(_WORD.findall(text[:_LONGEST]))
    return dice if dice != _USUAL_DICE else 0


def _wants_any(text: str) -> bool:
    """Whether a text asks for a game, or about games here, and names no player.

    It does not in "I don't want to play with ann any more".
    """
    plain = unmarked(text[:_LONGEST].lower())
    found = _any_game().search(plain)
    return found is not None and not denies(plain[: found.start()].split()[-1:], may_ask=True)


def offered(question: Letter, request: Request, context: Context) -> Letter:
    """The question what an email means, with the players with whom its sender wants to play.

    It also names the account that works once the sender confirms it.  Who answers an invitation
    has a game to accept first: "I'd love to play with luc".
    """
    payload = question.payload
    if request.unconfirmed or payload.get("is_move") or payload.get("invited"):
        return question
    mine = [
        each.userid for each in accounts.players_of_address(context.connection, request.mail.sender)
    ]
    told = _game(request, context, mine)
    if not mine:
        waiting = accounts.awaiting(context.connection, request.mail.sender, context.now)
        told |= {"waiting": waiting[0].userid} if waiting else {}
    return replace(question, payload={**payload, **told}) if told else question


def _game(request: Request, context: Context, mine: Sequence[str]) -> dict[str, object]:
    """The game that an email asks for, as payload; `mine` are the userids of its sender."""
    mail = request.mail
    typed = [*filter(str.strip, map(plain_line, mail.typed))]
    lines = [bare_subject(mail.subject), *typed[:_MOST_LINES]]
    named = _first_named(lines)
    players = {each: accounts.find(context.connection, each) for each in named}
    known = [each for each in players.values() if each]
    opponents = [each.userid for each in known if each.userid not in mine]
    strangers = any(
        name[0].isupper() and (not player or not opponents) for name, player in players.items()
    )
    strangers = strangers or any("@" in _clause(line) or _has_foreign_name(line) for line in lines)
    is_asked = _asks(lines, len(typed)) or (strangers and len(typed) <= _MOST_LINES)
    if not opponents and (request.token or not is_asked):
        return {}
    return {
        "opponents": opponents[:_MOST_NAMES] or [_HOUSE],
        "challenger": next(iter(mine), ""),
        "dice": next(filter(None, map(dice_in, lines)), 0),
        "invites": strangers or (not opponents and any(map(_friends, lines))),
    }


def _asks(lines: Sequence[str], typed: int) -> bool:
    """Whether a subject and a text of so many lines ask about games, or only greet."""
    if typed > _MOST_LINES or asks_about_board(lines):
        return False
    said = [*filter(None, lines)]
    greetings = [each for each in said if is_greeting(each)]
    greets = bool(greetings) and all(is_remark([each]) for each in said if each not in greetings)
    return greets or any(map(_wants_any, said)) or asks_to_play(said)


def _first_named(lines: Sequence[str]) -> list[str]:
    return next(filter(None, map(opponents_in, lines)), [])


def _has_foreign_name(line: str) -> bool:
    """Whether a line asks for a game with somebody whose name no player here can have: "Zoé"."""
    return any(each[0].isupper() and not each.isascii() for each in _WORD.findall(_clause(line)))


def _friends(line: str) -> bool:
    return not words_of("friends").known.isdisjoint(_WORD.findall(line.lower()))


@cache
def _any_game() -> re.Pattern[str]:
    every = "|".join(map(re.escape, map(unmarked, words_of("wants_any_game"))))
    return re.compile(rf"(?<!\w)(?:{every})(?!\w)")
