"""What Perudo's templates see: the public part of a letter, and the little that is one reader's.

Views and public lines alone come in, so no template can tell what a reader may not know.  How
it is said stands in `games/perudo/letters/LANGUAGE/`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.notation import read_cups, read_event, read_view
from pbmserv.games.perudo.rules import options_of
from pbmserv.games.perudo.table import (
    Bade,
    Called,
    Cup,
    Dealt,
    Eliminated,
    Event,
    Gained,
    Lost,
    Resigned,
    Revealed,
    View,
    dice_in_play,
    face_frozen,
    legal_calls,
    smallest_raises,
)

_PIPS = " ⚀⚁⚂⚃⚄⚅"
_ORDINARY_FACES = 6
_CHANGES = {Lost: "lost", Gained: "gained", Eliminated: "out"}  # in a step: who did
_MOST_BIDS = 24  # bids of the running round that a letter repeats

PARTS = (
    "happened",
    "opened_cups",
    "to_beat",
    "choices",
    "calling",
    "players",
    "rules_now",
    "past_rounds",
    "words_of_others",
    "proof",
    "example",
)
"""The parts of a letter that are worded once for all its readers: macros of `public.txt`."""

ALIKE = ("board", "move", "turn", "winner", "message", "names", "rules", "options")
"""What the templates of the letters themselves are given as it is."""

Seen: TypeAlias = dict[str, Any]  # what a template is given: JSON-like values, and `Rules`


class Public(NamedTuple):
    """The facts of a letter that are the same for every reader; hashable, to be remembered."""

    board: int
    names: tuple[str, ...]
    events: tuple[str, ...]
    rounds: tuple[tuple[str, ...], ...]
    message: tuple[str, str] | None
    table: str
    commitment: str
    running: str
    seal: str


def public_of(facts: Mapping[str, Any]) -> Public:
    """The public ones of a game letter's facts."""
    message = facts["message"]
    return Public(
        facts["board"],
        tuple(facts["names"]),
        tuple(facts["events"]),
        tuple(map(tuple, facts["rounds"])),
        None if message is None else (message["from"], message["text"]),
        facts["table"],
        facts["commitment"],
        facts["running"],
        facts["seal"],
    )


def seen_by_all(public: Public) -> Seen:
    """What every reader may know, taken apart into the material of sentences."""
    names, table = public.names, read_view(public.table)
    events = [read_event(line) for line in public.events]
    rounds = [[read_event(line) for line in lines] for lines in public.rounds]
    opened = sum(isinstance(event, Revealed) for event in events)
    older, told = rounds[: max(0, len(rounds) - opened)], rounds[-opened:] if opened else []
    # The events of a move do not hold the bid that was called; its round's story begins with it.
    called = _first_bid(told[0]) if len(told) == opened and told else None
    over = table.winner is not None
    last_round = table.round if over else table.round - 1
    return {
        "board": public.board,
        "move": table.move,
        "round": table.round,
        "rules": table.rules,
        "options": [
            option if value == "yes" else f"{option}={value}"
            for option, value in options_of(table.rules).items()
        ],
        "names": names,
        "turn": names[table.turn],
        "winner": names[table.winner] if table.winner is not None else None,
        "steps": _steps(events, names, table, called),
        "opened": _opened(events, names, table, called),
        "past": [
            {"round": number, "steps": _steps(events, names, table)}
            for number, events in enumerate(older, last_round - opened - len(older) + 1)
        ],
        "message": public.message,
        "commitment": public.commitment,
        "running": public.running,
        "seal": public.seal,
        **_state(table, names),
    }


def _state(table: View, names: Sequence[str]) -> Seen:
    """The running round: the bids, what may follow, and everybody's dice."""
    over = table.winner is not None
    single = table.rules.palifico == "own"
    return {
        "bids": [{"who": names[seat], "bid": bid} for seat, bid in table.bids[-_MOST_BIDS:]],
        "bids_made": len(table.bids),
        "last": None if over or not table.bids else _bid_by(table.bids[-1], names),
        "smallest": smallest_raises(table),
        "calls": () if over else legal_calls(table, table.turn),
        "frozen": not over and face_frozen(table),
        "calza": [seat for seat in _others(table) if "calza" in legal_calls(table, seat)],
        "palifico": None if table.palifico is None else names[table.palifico],
        "single": [name for name, count in zip(names, table.counts, strict=True) if count == 1]
        if single and not over
        else [],
        "total": dice_in_play(table),
        "seats": [
            {"name": name, "dice": count, "out": out, "turn": seat == table.turn and not over}
            for seat, (name, count, out) in enumerate(
                zip(names, table.counts, table.out, strict=True)
            )
        ],
        "width": max(map(len, names)),
    }


def seen_by_one(facts: Mapping[str, Any], all_see: Seen) -> Seen:
    """What one reader alone is told; `all_see` is what `seen_by_all` gave."""
    reader: int | None = facts["reader"]
    over = all_see["winner"] is not None
    name = None if reader is None else facts["names"][reader]
    mine = {"dice": None, "out": False} if reader is None else all_see["seats"][reader]
    cup: Cup = ()
    if reader is not None and not over and not mine["out"]:
        # Of the reader's own view only this is not in the public one.
        cup = read_cups(facts["position"].split(" ")[1].split("/")[reader])[0]
    return {
        "reader": name,
        "dice": dice(cup, all_see["rules"].faces) if cup else "",
        "out": mine["out"],
        "on_turn": reader is not None and not over and name == all_see["turn"],
        "calza": reader is not None and reader in all_see["calza"],
        "reply": facts["reply"],
    }


def dice(cup: Cup, faces: int) -> str:
    """A cup in plain digits, and as pictures of dice where they are ordinary ones."""
    cup = tuple(sorted(cup))
    plain = " ".join(map(str, cup))
    if faces > _ORDINARY_FACES:
        return plain
    return f"{plain}  ({' '.join([_PIPS[die] for die in cup])})"


def _others(table: View) -> list[int]:
    """The seats that are not on turn."""
    return [seat for seat in range(len(table.out)) if seat != table.turn]


def _bid_by(made: tuple[int, Bid], names: Sequence[str]) -> Seen:
    return {"who": names[made[0]], "bid": made[1]}


def _first_bid(story: Sequence[Event]) -> tuple[int, Bid] | None:
    """The bid that a finished round's story begins with; None where nobody had bid."""
    first = story[0]
    return (first.seat, first.bid) if isinstance(first, Bade) else None


def _steps(
    events: Iterable[Event],
    names: Sequence[str],
    table: View,
    last: tuple[int, Bid] | None = None,
) -> list[Seen]:
    """The events as steps of a story: a call and what it led to are one step."""
    steps: list[Seen] = []
    for event in events:
        match event:
            case Bade(seat, bid):
                last = (seat, bid)
                steps.append({"kind": "bade", **_bid_by(last, names)})
            case Called(seat, call):
                steps.append(
                    {
                        "kind": "called",
                        "who": names[seat],
                        "call": call,
                        "last": None if last is None else _bid_by(last, names),
                        **dict.fromkeys(_CHANGES.values()),
                    }
                )
            case Resigned(seat):
                steps.append({"kind": "resigned", "who": names[seat]})
            case Revealed():
                steps[-1]["count"] = event.count
                steps[-1]["ones"] = 1 in _counting(event, last) - {last and last[1].face}
            case Lost(seat) | Gained(seat) | Eliminated(seat):
                steps[-1][_CHANGES[type(event)]] = names[seat]
            case Dealt():
                palifico = None if event.palifico is None else names[event.palifico]
                starter = names[event.starter]
                dealt = {"round": event.round, "who": starter, "palifico": palifico}
                steps.append({"kind": "dealt", **dealt})
            case _:
                steps.append({"kind": "won", "who": names[event.seat]})
    return steps


def _opened(
    events: Sequence[Event],
    names: Sequence[str],
    table: View,
    called: tuple[int, Bid] | None,
) -> list[Seen]:
    """The cups that were opened in this move, the dice that count for the called bid marked."""
    found = []
    number = table.round - sum(isinstance(event, Dealt) for event in events)
    for event in events:
        if isinstance(event, Dealt):
            number = event.round
        elif isinstance(event, Revealed):
            counting = _counting(event, called)
            cups = [
                {"name": name, "dice": _marked(cup, counting)}
                for name, cup in zip(names, event.cups, strict=True)
                if cup
            ]
            found.append({"round": number, "cups": cups, "marked": bool(counting)})
    return found


def _counting(opened: Revealed, called: tuple[int, Bid] | None) -> frozenset[int | None]:
    """The faces that counted for the called bid: its own, and ones where they were wild.

    Whether they were is told by the count itself, for the round's Palifico is over by now.
    """
    if opened.count is None or called is None:
        return frozenset()
    face = called[1].face
    plain = sum([cup.count(face) for cup in opened.cups])
    return frozenset({face} if plain == opened.count else {face, 1})


def _marked(cup: Cup, counting: frozenset[int | None]) -> str:
    return "".join([f"[{die}]" if die in counting else f" {die} " for die in sorted(cup)]).rstrip()
