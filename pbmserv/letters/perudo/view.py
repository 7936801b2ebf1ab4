"""What Perudo's templates see: the public part of a letter, and the little that is one reader's.

Views and public lines alone come in, so no template can tell what a reader may not know.  How
it is said stands in `games/perudo/letters/LANGUAGE/`; what happened is told in `story.py`.
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
from pbmserv.letters.perudo.story import bid_by, concerned, first_bid, opened, steps

_PIPS = " ⚀⚁⚂⚃⚄⚅"
_ORDINARY_FACES = 6
_LEAVE = {"resigned", "declined"}  # kinds of a step
_MOST_BIDS = 24  # bids of the running round that a letter repeats

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
"""The parts of a letter that are worded once for all its readers: macros of `public.txt`."""

PERSONAL = ("happened", "to_beat", "words_of_others")
"""The parts that are worded anew for a reader whom they concern: "You bid four 2s"."""

ALIKE = ("board", "move", "turn", "winner", "over", "message", "names", "rules", "options")
"""What the templates of the letters themselves are given as it is."""


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
    declined: tuple[str, ...]


def public_of(facts: Known) -> Public:
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
        tuple(facts.get("declined", ())),
    )


def seen_by_all(public: Public) -> ByAll:
    """What every reader may know, taken apart into the material of sentences."""
    names, table = public.names, read_view(public.table)
    events = [read_event(line) for line in public.events]
    rounds = [[read_event(line) for line in lines] for lines in public.rounds]
    reveals = sum(isinstance(event, Revealed) for event in events)
    older, told = rounds[: max(0, len(rounds) - reveals)], rounds[-reveals:] if reveals else []
    # The events of a move do not hold the bid that was called; its round's story begins with it.
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
    """The running round: the bids, what may follow, and everybody's dice."""
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


def seen_by_one(facts: Known, all_see: ByAll) -> ByOne:
    """What one reader alone is told; `all_see` is what `seen_by_all` gave."""
    reader = facts["reader"]
    over = all_see["over"]
    name = None if reader is None else facts["names"][reader]
    out = reader is not None and bool(all_see["seats"][reader]["out"])
    cup: Cup = ()
    if reader is not None and not over and not out:
        # Of the reader's own view only this is not in the public one.
        cup = read_cups(facts["position"].split(" ")[1].split("/")[reader])[0]
    return {
        "reader": name,
        "dice": dice(cup, all_see["rules"].faces) if cup else "",
        "out": out,
        "on_turn": reader is not None and not over and name == all_see["turn"],
        "left": name in [step["who"] for step in all_see["steps"] if step["kind"] in _LEAVE],
        "calza": reader is not None and reader in all_see["calza"],
        "reply": facts["reply"],
        "open_rounds": _open_rounds(facts["rounds"], all_see) if facts.get("open") else (),
        "then": None if (cups := facts.get("then")) is None else _then(cups, all_see),
        "times": facts.get("times"),
        "note": facts.get("note"),
        "queue": facts.get("queue"),
        "offer": facts.get("offer"),
        "waits": facts.get("waits"),
        "waiting": facts.get("waiting", ()),
        "rated": facts.get("rated", True),
        "asked": facts.get("asked", False),
        "held": facts.get("held", False),
        "zone": facts.get("zone", "UTC"),
    }


def _open_rounds(rounds: Sequence[Sequence[str]], all_see: ByAll) -> list[Seen]:
    """The cups of the finished rounds that a letter tells of: they have been opened."""
    found = []
    for past, lines in zip(all_see["past"], rounds, strict=True):
        events = [read_event(line) for line in lines]
        for each in opened(events, all_see["names"], past["round"], None):
            found.append({**each, "width": all_see["width"]})
    return found


def _then(cups: str, all_see: ByAll) -> Seen:
    """A past round, and its cups as they were opened later; none where they still are secret."""
    faces, width = all_see["rules"].faces, all_see["width"]
    named = zip(all_see["names"], read_cups(cups) if cups else (), strict=False)
    found = [{"name": name.ljust(width), "dice": dice(cup, faces)} for name, cup in named if cup]
    return {"round": all_see["round"], "cups": found}


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
