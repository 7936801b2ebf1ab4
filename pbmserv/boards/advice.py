"""Advice about the finished rounds of a board, from its public record alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection

from pbmserv.boards.record import record_text
from pbmserv.errors import Refused
from pbmserv.games.perudo.advice import Judged, Round, judged, luckiest
from pbmserv.games.perudo.opened_rounds import Opened, opened_rounds
from pbmserv.games.perudo.record import Record, read_record
from pbmserv.games.perudo.rules import RULE_SETS, Rules
from pbmserv.letters.payloads.boards import ADVICE, AdvisedMove, AdvisedRound
from pbmserv.letters.payloads.letter import Letter
from pbmserv.letters.payloads.perudo import Luckiest
from pbmserv.text.numbers import whole

MOST_MOVES = 150  # in one answer: with more the text leaves no room for a page
MOST_MOVES_OF_MANY_DICE = 30  # with more dice or faces than the rule sets have, a bot is slower


def of_board(connection: Connection, number: int, asked: str | None) -> Letter:
    """The advice about a finished round, as its number was `asked` for, or about all of them.

    Without `asked` it is the latest rounds, with at most `MOST_MOVES` moves, and at least one
    round.  Raises Refused `no_such_board`, `not_begun` or `no_such_round`.
    """
    record = read_record(record_text(connection, number))
    played = _finished(record)
    last = max(played, default=0)
    given = (asked or "").lstrip("#")
    wanted = None if asked is None else whole(given, last)
    if not last or (asked is not None and wanted not in played):
        raise Refused("no_such_round", board=number, given=given[:20], last=last)
    chosen = [played[wanted]] if wanted else _latest(played, most_moves(record.rules))
    rounds = [
        _advised(judged(each, with_bot=True, before=_before(each, played)), record.players)
        for each in chosen
    ]
    left_out = 0 if wanted else len(played) - len(chosen)
    return ADVICE.to(None, {"board": number, "rounds": rounds, "left_out": left_out})


def _before(this: Opened, played: Mapping[int, Opened]) -> list[Opened]:
    """The finished rounds before this one, in order."""
    return [played[number] for number in sorted(played) if number < this.number]


def most_moves(rules: Rules) -> int:
    """How many moves one answer judges: so it takes less than a second of processor time."""
    usual = RULE_SETS[rules.name]
    is_small = rules.dice <= usual.dice and rules.faces <= usual.faces
    return MOST_MOVES if is_small else MOST_MOVES_OF_MANY_DICE


def has_moves(record: Record) -> bool:
    """Whether a finished round of a game has bids or calls to judge."""
    return any(each.made for each in _finished(record).values())


def luckiest_call(record: Record) -> Luckiest | None:
    """The call of a game with the least probable result; None if nobody called."""
    rounds = [judged(each, with_bot=False) for each in _finished(record).values()]
    if (found := luckiest(rounds)) is None:
        return None
    number, call = found
    return {
        "round": number,
        "who": record.players[call.seat],
        "call": call.move,
        "chance": percent(call.chance),
        "right": call.right,
    }


def percent(chance: float) -> int:
    """A probability in percent; 0 and 100 only where it is certain."""
    return round(100 * chance) if chance in {0.0, 1.0} else min(99, max(1, round(100 * chance)))


def _finished(record: Record) -> Mapping[int, Opened]:
    return opened_rounds(record.rules, record.events, len(record.players))


def _latest(played: Mapping[int, Opened], most: int) -> list[Opened]:
    """The last rounds in order, as many as have this many moves together; at least one."""
    found: list[Opened] = []
    moves = 0
    for number in sorted(played, reverse=True):
        moves += len(played[number].made)
        if found and moves > most:
            break
        found.append(played[number])
    return found[::-1]


def _advised(each: Round, names: Sequence[str]) -> AdvisedRound:
    cups = zip(names, each.cups, strict=True)
    return {
        "round": each.number,
        "cups": [{"name": name, "dice": sorted(cup)} for name, cup in cups if cup],
        "moves": [_move(move, names) for move in each.moves],
    }


def _move(move: Judged, names: Sequence[str]) -> AdvisedMove:
    return {
        "name": names[move.seat],
        "move": move.move,
        "chance": percent(move.chance),
        "right": move.right,
        "house": move.bot,
        "share": percent(move.share),
    }
