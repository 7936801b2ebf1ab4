"""The story of a move: its events as steps, each for one sentence, and the open cups.

It uses only public events.  `view.py` has the running round, and what one reader knows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from pbmserv.games.perudo.bids import Bid
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
    Restored,
    Revealed,
    Won,
)
from pbmserv.letters.perudo.context import Seen

_CHANGES = {Lost: "lost", Gained: "gained", Eliminated: "out"}  # keys of a step


def bid_by(made: tuple[int, Bid], names: Sequence[str]) -> Seen:
    """A bid with the name of its player."""
    return {"who": names[made[0]], "bid": made[1]}


def concerned(steps: Iterable[Seen], last: Seen | None) -> set[str | None]:
    """The players whom the personal parts may call "you"."""
    found = {last["who"]} if last else set()
    for step in steps:
        found |= {step.get(role) for role in ("who", "lost", "gained", "palifico")}
        found |= {step["last"]["who"]} if step.get("last") else set()
    return found - {None}


def ending(story: Sequence[Event]) -> Sequence[Event]:
    """A finished round from its last bid on; all of it if there was no bid."""
    bids = [place for place, event in enumerate(story) if isinstance(event, Bade)]
    return story[bids[-1] :] if bids else story


def first_bid(story: Sequence[Event]) -> tuple[int, Bid] | None:
    """The bid with which a finished round's story begins; None if there was no bid."""
    first = story[0]
    return (first.seat, first.bid) if isinstance(first, Bade) else None


def steps(
    events: Iterable[Event],
    names: Sequence[str],
    last: tuple[int, Bid] | None = None,
    declined: Collection[str] = (),
) -> list[Seen]:
    """The events as steps; a call and its results are one; who `declined` did not resign."""
    steps: list[Seen] = []
    for event in events:
        match event:
            case Bade(seat, bid):
                last = (seat, bid)
                steps.append({"kind": "bade", **bid_by(last, names)})
            case Called(seat, call):
                steps.append(
                    {
                        "kind": "called",
                        "who": names[seat],
                        "call": call,
                        "last": None if last is None else bid_by(last, names),
                        **dict.fromkeys(_CHANGES.values()),
                    }
                )
            case Resigned(seat):
                kind = "declined" if names[seat] in declined else "resigned"
                steps.append({"kind": kind, "who": names[seat]})
            case Restored():
                steps.append({"kind": "restored"})
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
            case Won(seat):
                steps.append({"kind": "won", "who": names[seat]})
            case _:
                steps.append({"kind": "drawn"})
    return steps


def opened(
    events: Sequence[Event],
    names: Sequence[str],
    number: int,
    called: tuple[int, Bid] | None,
) -> list[Seen]:
    """The cups that these events opened, from round `number` on; dice that count are marked."""
    found = []
    for event in events:
        if isinstance(event, Dealt):
            number, called = event.round, None
        elif isinstance(event, Bade):
            called = (event.seat, event.bid)
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
    """The faces that counted for the called bid: its own, and ones if they were wild.

    The count itself shows whether they were wild, because the round's Palifico is over by now.
    """
    if opened.count is None or called is None:
        return frozenset()
    face = called[1].face
    plain = sum([cup.count(face) for cup in opened.cups])
    return frozenset({face} if plain == opened.count else {face, 1})


def _marked(cup: Cup, counting: frozenset[int | None]) -> str:
    return "".join([f"[{die}]" if die in counting else f" {die} " for die in sorted(cup)]).rstrip()
