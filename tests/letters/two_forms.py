"""Letters about random boards, and the two parts of an email, for tests."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from hypothesis import Phase, settings

from pbmserv.games.perudo.rules import Rules
from pbmserv.letters import render
from pbmserv.letters.render import WordedLetter
from tests.games.games import an_action, plain
from tests.letters.plays import Facts, Game

FEW = settings(max_examples=5, phases=(Phase.reuse, Phase.generate))
NOW = 1_795_000_000
DAY = 86_400
TIMES: list[dict[str, Any] | None] = [
    None,
    *(
        {"now": NOW, "nag": NOW + 6 * DAY, "late": late, "standin": standin}
        | {"forfeit": NOW + 20 * DAY, "closes": closes}
        for late in (True, False)
        for standin in (True, False)
        for closes in (0, NOW + 3 * DAY, NOW + 10 * DAY, NOW + 60 * DAY)
    ),
]
MORE: list[Facts] = [
    {},
    {"note": {"kind": "takeover", "who": "ann", "other": "bob"}},
    {"note": {"kind": "restored", "who": "", "other": ""}},
    {"queue": {"played": "4-2s", "dropped": ["5-2s"], "over": False}},
    {"draw": {"agreed": ["bob"], "waiting": ["ann"]}},
    {"draw": {"agreed": ["ann"], "waiting": ["bob"]}},
    {"waits": {"leaving": False, "moves": ["7-4s", "dudo"]}},
    {"asked": True, "waiting": ["bob"], "held": True},
]


def letters_of(
    rules: Rules, players: int, random: Random, names: list[str], said: str = "4-2s? <b>& dudo"
) -> Iterator[tuple[str, Facts]]:
    """Letters of any kind about the first moves of a game, with their facts."""
    game = Game.opened(rules, plain(random), players, names)
    for _ in range(12):
        over = game.table.winner is not None
        running = random.sample(["started", "moved", "chat", "show", "nag", "offer"], 3)
        for kind in ["ended", "show", "chat"] if over else running:
            reader = game.table.turn if kind == "nag" else random.choice([*range(players), None])
            facts = game.facts(reader, message=(names[0], said)) | random.choice(MORE)
            facts |= {"times": random.choice(TIMES), "open": kind == "show"}
            facts["reply"] = facts["reply"] and random.random() < 0.8
            waiting = names[2:players]
            facts["offer"] = {"kind": "proposed", "who": names[1], "waiting": waiting}
            yield kind, facts
        if over:
            return
        seat, action = an_action(game.table, random)
        game.play(action, seat)


def told(kind: str, facts: Facts) -> WordedLetter:
    return render.word(f"perudo/{kind}", facts, "en")
