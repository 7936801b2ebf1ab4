"""The answers of commands that only show something as JSON, for programs.

They are made from the payloads of the letters, so they have what a spectator may know.  The help of
each command names its keys; a test compares them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from pbmserv.cli.json_output import moment
from pbmserv.letters.payloads.guests import GUEST

if TYPE_CHECKING:  # what `--help` need not pay for
    from pbmserv.games.perudo.events import Cups, Event
    from pbmserv.games.perudo.view import View
    from pbmserv.letters.payloads.letter import Letter

Document: TypeAlias = dict[str, object]
AnyPayload: TypeAlias = Mapping[str, Any]


def document(letters: Sequence[Letter]) -> Document:
    """The letters that answer one command, as one document; boards that it shows are in a list."""
    if letters[0].kind in _WHOLE:
        (letter,) = letters
        return _WHOLE[letter.kind](letter.payload)
    return {"boards": [_BOARDS[each.kind](each.payload) for each in letters]}


def _games(payload: AnyPayload) -> Document:
    return {"boards": list(map(_row, payload["rows"]))}


def _row(row: AnyPayload) -> Document:
    """A board in the table of `games`; nobody has rolled dice for an invitation."""
    status = row["status"]
    has_begun = status not in {"invited", "withdrawn"}
    return {
        "board": row["board"],
        "status": status,
        "move": row["move"],
        "rules": row["rules"],
        "turn": (row["turn"] or None) if status == "active" else None,
        "winner": row["turn"] if status == "won" else None,
        "waiting": _names(row["waiting"]),
        "beacon": _beacon(row.get("beacon")),
        "players": [
            {"name": _name(seat["name"]), "dice": seat["dice"] if has_begun else None}
            for seat in row["seats"]
        ],
    }


def _beacon(number: int | None) -> Document | None:
    """The beacon's round for which the cups wait, and when it comes."""
    from pbmserv.games.perudo.beacon import emitted_at

    return None if number is None else {"number": number, "opens": moment(emitted_at(number))}


def _name(name: str) -> str | None:
    """A userid; None for a guest: somebody invited by address who has not answered."""
    return None if name == GUEST else name


def _names(names: Sequence[str]) -> list[str | None]:
    return list(map(_name, names))


def _history(payload: AnyPayload) -> Document:
    return {
        "boards": [
            {
                "board": row["board"],
                "players": _names(row["names"]),
                "winner": row["winner"],
                "started": moment(row["started"]),
                "ended": moment(row["ended"]),
            }
            for row in payload["rows"]
        ]
    }


def _standings(payload: AnyPayload) -> Document:
    keys = ("name", "rating", "provisional", "won", "lost", "playing", "on_time", "seeking")
    return {
        "rules": payload["rules"] or None,
        "players": [{key: row[key] for key in keys} for row in payload["rows"]],
        "newcomers": list(payload["newcomers"]),
    }


def _stats(payload: AnyPayload) -> Document:
    bids = ("name", "on_time", "bids", "true", "expected_true", "bluffs")
    keys = (*bids, "calls", "right", "expected_right")
    return {
        "players": [
            {key: row[key] for key in keys}
            | {key: _number(row[key]) for key in ("call_luck", "dice_luck")}
            for row in payload["rows"]
        ]
    }


def _advice(payload: AnyPayload) -> Document:
    rounds = payload["rounds"]
    return {
        "board": payload["board"],
        "first": rounds[0]["round"],
        "rounds": [
            {
                "round": each["round"],
                "cups": [{"player": cup["name"], "dice": [*cup["dice"]]} for cup in each["cups"]],
                "moves": list(map(_advised, each["moves"])),
            }
            for each in rounds
        ],
    }


def _advised(move: AnyPayload) -> Document:
    return {
        "player": move["name"],
        "move": move["move"],
        "chance": move["chance"],
        "right": move["right"],
        "house": move["house"] or None,
        "share": move["share"] if move["house"] else None,
    }


def _number(luck: str) -> float | None:
    return None if luck == "-" else float(luck)


def _invitation(payload: AnyPayload) -> Document:
    return {
        "board": payload["board"],
        "status": "invited",
        "challenger": _name(payload["challenger"]) or None,
        "rules": payload["rules"],
        "options": list(payload["options"]),
        "rated": payload["rated"],
        "inorder": payload["inorder"],
        "players": [{"name": name} for name in _names(payload["names"])],
        "waiting": _names(payload["waiting"]),
        "until": moment(payload["until"]),
        "nagtime": payload["nag"],
        "forfeittime": payload["forfeit"],
        "totaltime": payload["total"] or None,
        "standin": payload["standin"],
    }


def _board(payload: AnyPayload) -> Document:
    """A board as a spectator sees it, now or before an earlier move."""
    from pbmserv.games.perudo.notation import read_view
    from pbmserv.games.perudo.rules import options_of
    from pbmserv.games.perudo.table import NOBODY, dice_in_play

    names, table = payload["names"], read_view(payload["table"])
    over = table.winner is not None
    rounds = _rounds(payload, table)
    bids = [] if over else [{"player": names[seat], "bid": str(bid)} for seat, bid in table.bids]
    return {
        "board": payload["board"],
        "status": "active" if not over else "drawn" if table.winner == NOBODY else "won",
        "move": table.move,
        "round": table.round,
        "turn": None if over or table.pending else names[table.turn],
        "winner": None if table.winner in {None, NOBODY} else names[table.winner],
        "rules": table.rules.name,
        "options": [
            option if value == "yes" else f"{option}={value}"
            for option, value in options_of(table.rules).items()
        ],
        "players": [
            {"name": name, "dice": count, "out": out}
            for name, count, out in zip(names, table.counts, table.out, strict=True)
        ],
        "dice_in_play": dice_in_play(table),
        "palifico": None if over or table.palifico is None else names[table.palifico],
        "bids": bids,
        "call": _call(table, names),
        "beacon": _beacon(table.pending.beacon if table.pending else None),
        "deadlines": _deadlines(payload["times"]),
        "rounds": rounds,
        "left_out": (table.round if over else table.round - 1) - len(rounds),
        "cups": _then(payload["then"], names),
    }


def _call(table: View, names: Sequence[str]) -> Document | None:
    """The call or resignation that waits for the beacon."""
    from pbmserv.games.perudo.events import Called

    pending = table.pending
    if pending is None:
        return None
    move = pending.call if isinstance(pending, Called) else "resign"
    return {"player": names[pending.seat], "move": move}


def _deadlines(times: AnyPayload | None) -> Document | None:
    if times is None:
        return None
    return {
        "reminder": moment(times["nag"]),
        "forfeit": moment(times["forfeit"]),
        "closes": moment(times["closes"] or None),
        "standin": times["standin"],
    }


def _then(cups: str | None, names: Sequence[str]) -> list[Document] | None:
    """The cups of an earlier position, if they are open now."""
    from pbmserv.games.perudo.notation import read_cups

    return _cups(read_cups(cups), names) if cups else None


def _rounds(payload: AnyPayload, table: View) -> list[Document]:
    """The latest finished rounds, the oldest first."""
    from pbmserv.games.perudo.notation import read_event

    rounds = payload["rounds"]
    last = table.round if table.winner is not None else table.round - 1
    return [
        _round(number, list(map(read_event, lines)), payload["names"])
        for number, lines in enumerate(rounds, last - len(rounds) + 1)
    ]


def _round(number: int, events: Sequence[Event], names: Sequence[str]) -> Document:
    """A finished round: what was bid and called, the cups, and who lost a die or got one back."""
    from pbmserv.games.perudo.events import (
        Bade,
        Called,
        Eliminated,
        Gained,
        Lost,
        Resigned,
        Restored,
        Revealed,
    )

    moves: list[Document] = []
    found: Document = {
        "round": number,
        "moves": moves,
        **{"count": None, "lost": None, "gained": None, "out": None},
        "restored": False,
        "cups": None,
    }
    for event in events:
        match event:
            case Bade(seat, bid):
                moves.append({"player": names[seat], "move": str(bid)})
            case Called(seat, call):
                moves.append({"player": names[seat], "move": call})
            case Resigned(seat):
                moves.append({"player": names[seat], "move": "resign"})
            case Revealed(cups, count):
                found |= {"cups": _cups(cups, names), "count": count}
            case Lost(seat):
                found["lost"] = names[seat]
            case Gained(seat):
                found["gained"] = names[seat]
            case Eliminated(seat):
                found["out"] = names[seat]
            case Restored():
                found["restored"] = True
    return found


def _cups(cups: Cups, names: Sequence[str]) -> list[Document]:
    return [
        {"player": name, "dice": sorted(cup)} for name, cup in zip(names, cups, strict=False) if cup
    ]


_WHOLE: Mapping[str, Callable[[AnyPayload], Document]] = {
    "advice": _advice,
    "games": _games,
    "history": _history,
    "standings": _standings,
    "stats": _stats,
}
_BOARDS: Mapping[str, Callable[[AnyPayload], Document]] = {
    "perudo/show": _board,
    "invitation": _invitation,
}
