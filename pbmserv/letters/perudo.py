"""What Perudo's templates see: a reader's view of the table, taken apart into words' material.

Only views and public lines come in, so no template can tell what a reader may not know.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.notation import read_event, read_view
from pbmserv.games.perudo.table import (
    Bade,
    Called,
    Dealt,
    Event,
    Revealed,
    dice_in_play,
    face_frozen,
    legal_calls,
    smallest_raises,
)

PUBLIC = ("board", "names", "events", "rounds", "commitment", "seal", "table")
_PIPS = " ⚀⚁⚂⚃⚄⚅"
_ORDINARY_FACES = 6


def public_facts(facts: Mapping[str, Any]) -> dict[str, Any]:
    """What all readers may know: `facts` are the public ones of a letter, from JSON."""
    names: list[str] = facts["names"]
    seen = read_view(facts["table"])
    events = [read_event(line) for line in facts["events"]]
    ended = sum(isinstance(event, Revealed) for event in events)
    rounds = [[read_event(line) for line in lines] for lines in facts["rounds"]]
    older, told = rounds[: len(rounds) - ended], rounds[len(rounds) - ended :]
    # `rounds` begin with the bid that was called: the events of this move do not hold it.
    called = [_bid_of(lines) for lines in told]
    return {
        "board": facts["board"],
        "names": names,
        "story": _story(events, called, names),
        "older": [_story(lines, [_bid_of(lines)], names) for lines in older],
        "bids": [{"who": names[seat], "bid": _bid(bid)} for seat, bid in seen.bids],
        "seats": [
            {"name": name, "dice": count, "out": out, "turn": seat == seen.turn}
            for seat, (name, count, out) in enumerate(
                zip(names, seen.counts, seen.out, strict=True)
            )
        ],
        "total": dice_in_play(seen),
        "rules": seen.rules,
        "round": seen.round,
        "palifico": None if seen.palifico is None else names[seen.palifico],
        "winner": None if seen.winner is None else names[seen.winner],
        "turn": names[seen.turn],
        "commitment": facts["commitment"],
        "seal": facts["seal"],
    }


def private_facts(facts: Mapping[str, Any]) -> dict[str, Any]:
    """What one reader is told; `facts` are those of a letter."""
    names: list[str] = facts["names"]
    seen = read_view(facts["position"])
    reader: int | None = facts["reader"]
    mine = None if reader is None else seen.cups[reader]
    over = seen.winner is not None
    smallest = [_bid(bid) for bid in smallest_raises(seen)]
    last = seen.bids[-1] if seen.bids else None
    calls = () if over or reader is None else legal_calls(seen, reader)
    return {
        "board": facts["board"],
        "players": names,
        "reader": None if reader is None else names[reader],
        "turn": names[seen.turn],
        "on_turn": reader == seen.turn and not over,
        "out": reader is not None and seen.out[reader],
        "over": over,
        "winner": names[seen.winner] if seen.winner is not None else None,
        "dice": None if mine is None or over else dice(mine, seen.rules.faces),
        "last": None if last is None else {"who": names[last[0]], "bid": _bid(last[1])},
        "smallest": smallest,
        "calls": calls,
        "frozen": not over and face_frozen(seen) and seen.rules.palifico == "own",
        "message": facts["message"],
        "reply": facts["reply"],
        "move": seen.move,
    }


def dice(cup: Sequence[int], faces: int = _ORDINARY_FACES) -> str:
    """A cup in plain digits, and as dice where they are ordinary ones."""
    plain = " ".join(str(die) for die in sorted(cup))
    if faces > _ORDINARY_FACES or not cup:
        return plain
    return f"{plain}  ({' '.join(_PIPS[die] for die in sorted(cup))})"


def _bid(bid: Bid) -> dict[str, Any]:
    return {"text": str(bid), "quantity": bid.quantity, "face": bid.face}


def _bid_of(lines: Sequence[Event]) -> tuple[int, Bid] | None:
    """The bid that a finished round's story begins with; None where nobody had bid."""
    first = lines[0] if lines else None
    return (first.seat, first.bid) if isinstance(first, Bade) else None


def _story(
    events: Sequence[Event],
    called: Sequence[tuple[int, Bid] | None],
    names: Sequence[str],
) -> list[dict[str, Any]]:
    """The events, with names for seats, and with each call the bid that was called."""
    waiting = list(called)
    bid = waiting.pop(0) if waiting else None
    told = []
    for event in events:
        told.append({"kind": type(event).__name__.lower(), **_told(event, bid, names)})
        if isinstance(event, Dealt):
            bid = waiting.pop(0) if waiting else None
    return told


def _told(event: Event, called: tuple[int, Bid] | None, names: Sequence[str]) -> dict[str, Any]:
    last = None if called is None else {"who": names[called[0]], "bid": _bid(called[1])}
    match event:
        case Dealt():
            palifico = None if event.palifico is None else names[event.palifico]
            return {"round": event.round, "who": names[event.starter], "palifico": palifico}
        case Bade():
            return {"who": names[event.seat], "bid": _bid(event.bid)}
        case Called():
            return {"who": names[event.seat], "call": event.call, "last": last}
        case Revealed():
            face = None if event.count is None or called is None else called[1].face
            return {
                "cups": _cups(event, names, face),
                "count": event.count,
                "last": last,
                "bracketed": face is not None,
            }
        case _:
            return {"who": names[event.seat]}


def _cups(event: Revealed, names: Sequence[str], face: int | None) -> list[dict[str, str]]:
    """The open cups; dice that count for the called bid stand in brackets.

    Whether ones were wild in that round is read from the count, which the rules have decided.
    """
    every = [die for cup in event.cups for die in cup]
    wild = face is not None and event.count != every.count(face)
    counting = {face, 1} if wild else {face}
    shown = []
    for name, cup in zip(names, event.cups, strict=True):
        dice_shown = [f"[{die}]" if die in counting else f" {die} " for die in sorted(cup)]
        if cup:
            shown.append({"name": name, "dice": "".join(dice_shown).rstrip()})
    return shown
