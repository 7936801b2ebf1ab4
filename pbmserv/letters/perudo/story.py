"""The story of a move: its events as steps, each for one sentence, and the open cups.

It uses only public events.  `view.py` has the running round, and what one reader knows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.table import (
    Bade,
    Called,
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
from pbmserv.letters.document import Cup, one_die
from pbmserv.letters.perudo.context import Seen, StoryPart

_MOST_CUPS = 2  # opened rounds whose cups are shown in rows
_MOST_DICE = 40  # in such rows; the last round is always shown
_CHANGES = {Lost: "lost", Gained: "gained", Eliminated: "out"}  # keys of a step
_OF_DICE = ("lost", "gained")  # those of them that a later letter tells in a line


def bid_by(made: tuple[int, Bid], names: Sequence[str]) -> Seen:
    """A bid with the name of its player."""
    return {"who": names[made[0]], "bid": made[1]}


def steps(
    events: Iterable[Event],
    names: Sequence[str],
    last: tuple[int, Bid] | None = None,
    declined: Collection[str] = (),
) -> list[Seen]:
    """The events as steps; a call and its results are one; who `declined` did not resign.

    `waits`: its cups open later, with the beacon.
    """
    steps: list[Seen] = []
    for event in events:
        match event:
            case Bade(seat, bid):
                last = (seat, bid)
                steps.append({"kind": "bade", **bid_by(last, names)})
            case Called():
                steps.append(_called(event, names, last))
            case Resigned(seat):
                kind = "declined" if names[seat] in declined else "resigned"
                waits = event.beacon is not None
                steps.append({"kind": kind, "who": names[seat], "waits": waits})
            case Restored():
                steps.append({"kind": "restored"})
            case Revealed():
                steps[-1]["count"] = event.count
                face = None if last is None else last[1].face
                counting = _counting(event, None if last is None else last[1])
                steps[-1]["ones"] = 1 in counting - {face}
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


def _called(event: Called, names: Sequence[str], last: tuple[int, Bid] | None) -> Seen:
    """A call as a step; its results are filled in by the events after it."""
    return {
        "kind": "called",
        "who": names[event.seat],
        "waits": event.beacon is not None,
        "call": event.call,
        "last": None if last is None else bid_by(last, names),
        **dict.fromkeys(_CHANGES.values()),
    }


def parts(
    rounds: Sequence[Sequence[Event]],
    first: int,
    names: Sequence[str],
    declined: Collection[str] = (),
) -> list[StoryPart]:
    """The rounds of a story, numbered from `first` on; each is told from its first event on."""
    return [
        {
            "round": number,
            "steps": (made := steps(events, names, None, declined)),
            "changes": [(kind, each[kind]) for each in made for kind in _OF_DICE if each.get(kind)],
            "whole": True,
            "cut": False,
            "opened": opened(events, names),
        }
        for number, events in enumerate(rounds, first)
    ]


def opened(events: Sequence[Event], names: Sequence[str]) -> Seen | None:
    """The cups that a round opened, and how many dice counted for the bid; None if it opened none.

    `bid` is None if no bid was called; then nothing is counted.
    """
    called: Bid | None = None
    for event in events:
        if isinstance(event, Bade):
            called = event.bid
        elif isinstance(event, Revealed):
            faces = _counting(event, called)
            cups = [
                Cup(
                    name,
                    tuple([one_die(die, die in faces) for die in sorted(cup)]),
                    sum(die in faces for die in cup) if faces else None,
                )
                for name, cup in zip(names, event.cups, strict=True)
                if cup
            ]
            return {"cups": tuple(cups), "total": event.count, "bid": called if faces else None}
    return None


def _counting(opened: Revealed, called: Bid | None) -> frozenset[int]:
    """The faces that counted for the called bid: its own, and ones if they were wild.

    The count itself shows whether they were wild, because the round's Palifico is over by now.
    """
    if opened.count is None or called is None:
        return frozenset()
    face = called.face
    plain = sum([cup.count(face) for cup in opened.cups])
    return frozenset({face} if plain == opened.count else {face, 1})


def shown_cups(since: Sequence[StoryPart], reader: str | None) -> Sequence[int]:
    """The rounds whose cups are shown: the last ones, as long as the letter stays small.

    The round in which the reader went out comes before them.
    """
    opened = [(part["round"], part["opened"]["cups"]) for part in since if part["opened"]]
    fatal = {
        part["round"]
        for part in since
        for step in part["steps"]
        if step.get("out") and step["out"] == reader
    }
    opened.sort(key=lambda each: each[0] in fatal)  # the others stay in their order
    shown: list[int] = []
    dice = 0
    for number, cups in reversed(opened[-_MOST_CUPS:]):
        dice += sum(len(cup.dice) for cup in cups)
        if shown and dice > _MOST_DICE:
            break
        shown.append(number)
    return shown
