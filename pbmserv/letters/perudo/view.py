"""Prepare values for Perudo's templates: the public values of a letter, and those of one reader.

It uses only views and public lines, so no template can show what a reader may not know.  The words
are in `games/perudo/letters/`; `story.py` has the events.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from pbmserv.games.perudo.beacon import emitted_at
from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.notation import read_cups, read_event, read_view
from pbmserv.games.perudo.player_salts import has_words
from pbmserv.games.perudo.rules import options_of
from pbmserv.games.perudo.suggestions import offered_bids
from pbmserv.games.perudo.table import (
    NOBODY,
    Bade,
    Called,
    Event,
    Resigned,
    Revealed,
    View,
    dice_in_play,
    face_frozen,
    legal_bids,
    legal_calls,
    most_dice,
)
from pbmserv.letters.document import Cup, Die
from pbmserv.letters.payloads.perudo import MOST_BIDS_TOLD, Known
from pbmserv.letters.perudo.context import ByAll, ByOne, OfSeat, Running, Seen, StoryPart
from pbmserv.letters.perudo.story import bid_by, parts, steps

_LEAVE = {"resigned", "declined"}  # kinds of a step
_ACTIONS = {"bade", "called"} | _LEAVE
_MOST_BIDS = 24  # bids of the running round that a letter shows


class SharedValues(NamedTuple):
    """The values of a letter that are equal for every reader; hashable for a cache."""

    board: int
    names: tuple[str, ...]
    events: tuple[str, ...]
    rounds: tuple[tuple[str, ...], ...]
    message: tuple[str, str] | None
    table: str
    seal: str
    declined: tuple[str, ...]


def public_of(payload: Known) -> SharedValues:
    """The public part of a game letter's payload."""
    message = payload["message"]
    return SharedValues(
        payload["board"],
        tuple(payload["names"]),
        tuple(payload["events"]),
        tuple(map(tuple, payload["rounds"])),
        None if message is None else (message["from"], message["text"]),
        payload["table"],
        payload["seal"],
        tuple(payload.get("declined", ())),
    )


def seen_by_all(public: SharedValues) -> ByAll:
    """The public values of a letter, prepared for sentences."""
    names, table = public.names, read_view(public.table)
    events = [read_event(line) for line in public.events]
    over = table.winner is not None
    first = (table.round if over else table.round - 1) - len(public.rounds) + 1
    story = [
        _finished(lines, number, names, public.declined)
        for number, lines in enumerate(public.rounds, first)
    ]
    running = [Bade(seat, bid) for seat, bid in ([] if over else table.bids)]
    if running or table.pending:
        waits = [table.pending] if table.pending else []
        story += parts([[*running, *waits]], table.round, names, public.declined)
    last = None if over or not table.bids else table.bids[-1]
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
        "story": story,
        "told": _count_of_rounds(events),
        "steps": steps(
            events, names, last if table.pending else _called(public.rounds[-1:]), public.declined
        ),
        "salted": {
            names[each.seat]
            for each in events
            if isinstance(each, Bade | Called | Resigned) and has_words(each.salt)
        },
        "message": public.message,
        "seal": public.seal,
        "pending": _pending(table, names, public.declined),
        **_state(table, names),
    }


def _pending(table: View, names: Sequence[str], declined: Sequence[str]) -> Seen | None:
    """The call or resignation that waits for the beacon, with the beacon's round and its time."""
    if table.pending is None or table.pending.beacon is None:
        return None
    last = table.bids[-1] if table.bids else None
    step = steps([table.pending], names, last, declined)[0]
    number = table.pending.beacon
    return {**step, "beacon": number, "opens": emitted_at(number)}


@lru_cache(maxsize=256)  # the letters of a round tell the same rounds before it
def _finished(
    lines: tuple[str, ...], number: int, names: tuple[str, ...], declined: tuple[str, ...]
) -> StoryPart:
    """A finished round of the story, with its last bids; nobody changes it."""
    events = [read_event(line) for line in lines]
    bids = sum(isinstance(event, Bade) for event in events)
    (part,) = parts([events[max(0, bids - MOST_BIDS_TOLD) :]], number, names, declined)
    part["cut"] = bids > MOST_BIDS_TOLD
    return part


@lru_cache(maxsize=256)
def _called(rounds: tuple[tuple[str, ...], ...]) -> tuple[int, Bid] | None:
    """The bid that ended the last round; the events of a move do not include it."""
    events = map(read_event, rounds[-1] if rounds else ())
    bids = [event for event in events if isinstance(event, Bade)]
    return (bids[-1].seat, bids[-1].bid) if bids else None


def _count_of_rounds(events: Sequence[Event]) -> int:
    """How many rounds the events of a move belong to: those that they ended, and one with bids."""
    ended = sum(isinstance(event, Revealed) for event in events)
    after = [isinstance(event, Bade) for event in events]
    return ended + bool(after and after[-1])


def _state(table: View, names: Sequence[str]) -> Running:
    """The running round: the bids, the legal moves, and the number of dice of each player."""
    over = table.winner is not None
    single = table.rules.palifico == "own"
    latest = dict(table.bids)
    is_still = over or table.pending is not None
    after = None if is_still else _next(table)
    return {
        "bids": [{"who": names[seat], "bid": bid} for seat, bid in table.bids[-_MOST_BIDS:]],
        "bids_made": len(table.bids),
        "last": None if over or not table.bids else bid_by(table.bids[-1], names),
        "faces": frozenset() if over else _counted_faces(table),
        "offered": offered_bids(table),
        "lower": None if over else _lower(table),
        "calls": () if over else legal_calls(table, table.turn),
        "frozen": not over and face_frozen(table),
        "calza": [seat for seat in _others(table) if "calza" in legal_calls(table, seat)],
        "palifico": None if table.palifico is None else names[table.palifico],
        "single": [name for name, count in zip(names, table.counts, strict=True) if count == 1]
        if single and not over
        else [],
        "total": dice_in_play(table),
        "cap": most_dice(table),
        "most": most_dice(table) if table.rules.hidden else None,
        "seats": [
            {
                "name": name,
                "dice": count,
                "out": out,
                "turn": seat == table.turn and not is_still,
                "next": seat == after,
                "bid": None if over else latest.get(seat),
            }
            for seat, (name, count, out) in enumerate(
                zip(names, table.counts, table.out, strict=True)
            )
        ],
    }


def _counted_faces(table: View) -> frozenset[int]:
    """The faces of dice that count for the bid to beat."""
    if not table.bids:
        return frozenset()
    face = table.bids[-1][1].face
    is_wild = table.rules.counts_wild(face, table.palifico is not None)
    return frozenset({face, 1} if is_wild else {face})


def _lower(table: View) -> Bid | None:
    """A legal bid of fewer dice, for a player who bids for the first time; None by most rules."""
    is_first = table.round == 1 and 0 < len(table.bids) < len(table.out)
    if not (is_first and table.rules.raising == "literal"):
        return None
    _, last = table.bids[-1]
    fewer = (bid for bid in legal_bids(table) if bid.quantity < last.quantity)
    return max(fewer, key=lambda bid: (bid.quantity, -bid.face), default=None)


def _next(table: View) -> int:
    """The seat that is on turn after the present one, if that player bids."""
    seats = len(table.out)
    following = ((table.turn + step) % seats for step in range(1, seats))
    return next((seat for seat in following if not table.out[seat]), table.turn)


def seen_by_one(payload: Known, all_see: ByAll) -> ByOne:
    """The values for one reader; `all_see` is the result of `seen_by_all`."""
    reader, over = payload["reader"], all_see["over"]
    name = None if reader is None else payload["names"][reader]
    out = reader is not None and bool(all_see["seats"][reader]["out"])
    dice = () if reader is None or over or out else _own_dice(payload["position"], reader)
    on_turn = reader is not None and not (over or all_see["pending"]) and name == all_see["turn"]
    is_open = payload.get("open", False)
    first, since, has_acted = _since(all_see, name, on_turn=on_turn, is_open=is_open)
    return {
        "reader": name,
        "dice": dice,
        "counting": sum(die in all_see["faces"] for die in dice),
        "out": out,
        "on_turn": on_turn,
        "left": payload.get("has_left", False) or name in _leaving(all_see["steps"]),
        "may_calza": reader is not None and reader in all_see["calza"],
        "reply": payload["reply"] and not payload.get("several", False),
        "buttons": payload.get("buttons", payload["reply"]),
        "several": payload.get("several", False),
        "since": since,
        "has_acted": has_acted,
        "left_out": since[0]["round"] - 1 if is_open and since else 0,
        "before": _before(all_see["story"][:first]),
        "then": None if (cups := payload.get("then")) is None else _then(cups, all_see),
        "times": payload.get("times"),
        "note": payload.get("note"),
        "queue": payload.get("queue"),
        "salted": name in all_see["salted"],
        "offer": payload.get("offer"),
        "draw": payload.get("draw"),
        "draw_ended": payload.get("draw_ended", False),
        "result": payload.get("result"),
        "gone": payload.get("gone", ()),
        "waits": payload.get("waits"),
        "waiting": payload.get("waiting", ()),
        "rated": payload.get("rated", True),
        "rating": payload.get("rating", "rated"),
        "why_unrated": payload.get("why_unrated", ""),
        "challenger": payload.get("challenger"),
        "again": payload.get("again", 0),
        **_of_seat(payload),
        "zone": payload.get("zone", "UTC"),
    }


def _leaving(steps: Sequence[Seen]) -> list[str]:
    return [step["who"] for step in steps if step["kind"] in _LEAVE]


def _of_seat(payload: Known) -> OfSeat:
    return {
        "challenges": payload.get("challenges", False),
        "asked": payload.get("asked", False),
        "leaving": payload.get("leaving", False),
        "first": payload.get("first", False),
        "held": payload.get("held", False),
        "without": payload.get("without", ()),
        "early": _left_early(payload),
    }


def _left_early(payload: Known) -> Sequence[str]:
    result = payload.get("result")
    return result.get("early", ()) if result else ()


def _own_dice(position: str, reader: int) -> Sequence[int]:
    """The reader's cup, sorted: the only part of the reader's view that is not public."""
    return sorted(read_cups(position.split(" ")[1].split("/")[reader])[0])


def _since(
    all_see: ByAll, name: str | None, *, on_turn: bool, is_open: bool
) -> tuple[int, Sequence[StoryPart], bool]:
    """The story since the reader's last action: its first part's place, and its parts.

    The third value says that it begins with that action.  A spectator is told the last move.  A
    reader who has just moved, and is not on turn, is told the whole round.  With `is_open` it is
    the whole story.
    """
    story = all_see["story"]
    if is_open:
        return 0, story, False
    if name is None:
        first = len(story) - max(1, all_see["told"])
        return first, story[first:], False
    has_just_acted = not on_turn and _last_action(all_see["steps"], name) is not None
    for place in range(len(story) - 1, -1, -1):
        made = story[place]["steps"]
        if (begin := _last_action(made, name)) is None:
            continue
        if has_just_acted:
            return place, story[place:], False
        first_part: StoryPart = {**story[place], "steps": made[begin:], "whole": not begin}
        return place, [first_part, *story[place + 1 :]], True
    return 0, story, False


def _last_action(made: Sequence[Seen], name: str) -> int | None:
    """The place of a player's last action among steps."""
    acted = [n for n, each in enumerate(made) if each.get("who") == name and _acts(each)]
    return acted[-1] if acted else None


def _before(story: Sequence[StoryPart]) -> Mapping[str, Mapping[str, Sequence[int]]]:
    """The rounds before the told ones in which each player lost a die, or got one back.

    The player of the latest round is the first; the rounds of a player are in their order.
    """
    found: Mapping[str, dict[str, list[int]]] = {"lost": {}, "gained": {}}
    for part in reversed(story):
        for change, name in part["changes"]:
            found[change].setdefault(name, []).insert(0, part["round"])
    return found


def _acts(step: Seen) -> bool:
    return step["kind"] in _ACTIONS


def _then(cups: str, all_see: ByAll) -> Seen:
    """An earlier round with its cups, as they were opened later; without cups if still secret."""
    named = zip(all_see["names"], read_cups(cups) if cups else (), strict=False)
    found = [Cup(name, tuple(Die(die) for die in sorted(cup))) for name, cup in named if cup]
    return {"round": all_see["round"], "cups": tuple(found)}


def _others(table: View) -> list[int]:
    """The seats that are not on turn."""
    return [seat for seat in range(len(table.out)) if seat != table.turn]
