"""Prepare facts for Perudo's templates: the public part of a letter, and one reader's part.

It uses only views and public lines, so no template can show what a reader may not know.  The words
are in `games/perudo/letters/LANGUAGE/`; `story.py` has the events.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pbmserv.games.perudo.notation import read_cups, read_event, read_view
from pbmserv.games.perudo.rules import options_of
from pbmserv.games.perudo.table import (
    NOBODY,
    Cup,
    Dealt,
    Revealed,
    View,
    dice_in_play,
    face_frozen,
    legal_calls,
    smallest_raises,
)
from pbmserv.letters.payloads.perudo import Known
from pbmserv.letters.perudo.context import ByAll, ByOne, Running, Seen
from pbmserv.letters.perudo.story import bid_by, concerned, ending, first_bid, opened, steps

_PIPS = " ⚀⚁⚂⚃⚄⚅"
_ORDINARY_FACES = 6
_LEAVE = {"resigned", "declined"}  # kinds of a step
_ROUNDS_SHOWN = 2  # finished rounds, those of the last move included; all of that move if more
_MOST_BIDS = 24  # bids of the running round that a letter shows

PARTS = (
    "special",
    "opened_cups",
    "choices",
    "calling",
    "players",
    "rules_now",
    "past_rounds",
    "proof",
    "example",
)
"""The parts of a letter that are rendered once for all its readers: macros of `public.txt`."""

PERSONAL = ("happened", "to_beat", "words_of_others")
"""The parts that are rendered again for a player concerned: "You bid four 2s"."""

ALIKE = ("board", "move", "turn", "winner", "over", "message", "names", "rules", "options")
"""The public values that the letters themselves are given."""


class Public(NamedTuple):
    """The facts of a letter that are equal for every reader; hashable for a cache."""

    board: int
    names: tuple[str, ...]
    events: tuple[str, ...]
    rounds: tuple[tuple[str, ...], ...]
    message: tuple[str, str] | None
    table: str
    commitment: str
    running: str
    seal: str
    declined: tuple[str, ...]


def public_of(payload: Known) -> Public:
    """The public part of a game letter's payload."""
    message = payload["message"]
    return Public(
        payload["board"],
        tuple(payload["names"]),
        tuple(payload["events"]),
        tuple(map(tuple, payload["rounds"])),
        None if message is None else (message["from"], message["text"]),
        payload["table"],
        payload["commitment"],
        payload["running"],
        payload["seal"],
        tuple(payload.get("declined", ())),
    )


def seen_by_all(public: Public) -> ByAll:
    """The public values of a letter, prepared for sentences."""
    names, table = public.names, read_view(public.table)
    events = [read_event(line) for line in public.events]
    reveals = sum(isinstance(event, Revealed) for event in events)
    shown = public.rounds[-max(_ROUNDS_SHOWN, reveals) :]
    rounds = [ending([read_event(line) for line in lines]) for lines in shown]
    older, told = rounds[: max(0, len(rounds) - reveals)], rounds[-reveals:] if reveals else []
    # A move's events do not include the bid that was called; its round's story begins with it.
    called = first_bid(told[0]) if len(told) == reveals and told else None
    over = table.winner is not None
    last_round = table.round if over else table.round - 1
    first_round = table.round - sum(isinstance(event, Dealt) for event in events)
    story = steps(events, names, called, public.declined)
    state = _state(table, names)
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
        "over": over,
        "winner": None if table.winner in {None, NOBODY} else names[table.winner],
        "steps": story,
        "concerned": concerned(story, state["last"]) | set((public.message or ())[:1]),
        "opened": opened(events, names, first_round, called),
        "past": [
            {"round": number, "steps": steps(events, names, None, public.declined)}
            for number, events in enumerate(older, last_round - reveals - len(older) + 1)
        ],
        "message": public.message,
        "commitment": public.commitment,
        "running": public.running,
        "seal": public.seal,
        **state,
    }


def _state(table: View, names: Sequence[str]) -> Running:
    """The running round: the bids, the legal moves, and the number of dice of each player."""
    over = table.winner is not None
    single = table.rules.palifico == "own"
    return {
        "bids": [{"who": names[seat], "bid": bid} for seat, bid in table.bids[-_MOST_BIDS:]],
        "bids_made": len(table.bids),
        "last": None if over or not table.bids else bid_by(table.bids[-1], names),
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


def seen_by_one(payload: Known, all_see: ByAll) -> ByOne:
    """The values for one reader; `all_see` is the result of `seen_by_all`."""
    reader = payload["reader"]
    over = all_see["over"]
    name = None if reader is None else payload["names"][reader]
    out = reader is not None and bool(all_see["seats"][reader]["out"])
    cup: Cup = ()
    if reader is not None and not over and not out:
        # The cup is the only part of the reader's view that is not public.
        cup = read_cups(payload["position"].split(" ")[1].split("/")[reader])[0]
    return {
        "reader": name,
        "dice": dice(cup, all_see["rules"].faces) if cup else "",
        "out": out,
        "on_turn": reader is not None and not over and name == all_see["turn"],
        "left": name in [step["who"] for step in all_see["steps"] if step["kind"] in _LEAVE],
        "calza": reader is not None and reader in all_see["calza"],
        "reply": payload["reply"],
        "open_rounds": _open_rounds(payload["rounds"], all_see) if payload.get("open") else (),
        "then": None if (cups := payload.get("then")) is None else _then(cups, all_see),
        "times": payload.get("times"),
        "note": payload.get("note"),
        "queue": payload.get("queue"),
        "offer": payload.get("offer"),
        "draw": payload.get("draw"),
        "result": payload.get("result"),
        "waits": payload.get("waits"),
        "waiting": payload.get("waiting", ()),
        "rated": payload.get("rated", True),
        "asked": payload.get("asked", False),
        "held": payload.get("held", False),
        "zone": payload.get("zone", "UTC"),
    }


def _open_rounds(rounds: Sequence[Sequence[str]], all_see: ByAll) -> list[Seen]:
    """The cups of the finished rounds in a letter; they are public."""
    found = []
    shown = rounds[len(rounds) - len(all_see["past"]) :]
    for past, lines in zip(all_see["past"], shown, strict=True):
        events = [read_event(line) for line in lines]
        for each in opened(events, all_see["names"], past["round"], None):
            found.append({**each, "width": all_see["width"]})
    return found


def _then(cups: str, all_see: ByAll) -> Seen:
    """An earlier round with its cups, as they were opened later; without cups if still secret."""
    faces, width = all_see["rules"].faces, all_see["width"]
    named = zip(all_see["names"], read_cups(cups) if cups else (), strict=False)
    found = [{"name": name.ljust(width), "dice": dice(cup, faces)} for name, cup in named if cup]
    return {"round": all_see["round"], "cups": found}


def dice(cup: Cup, faces: int) -> str:
    """A cup in digits, and as pictures of dice if they have at most six faces."""
    cup = tuple(sorted(cup))
    plain = " ".join(map(str, cup))
    if faces > _ORDINARY_FACES:
        return plain
    return f"{plain}  ({' '.join([_PIPS[die] for die in cup])})"


def _others(table: View) -> list[int]:
    """The seats that are not on turn."""
    return [seat for seat in range(len(table.out)) if seat != table.turn]
