"""The letters that `scripts/letters` writes: rows of the outbox, which no database needs to hold.

They are the samples of the tests, with every kind of letter, and the golden letters of every rule
set.  Others are of a real game of each rule set.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from email import message_from_bytes
from email.message import Message
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from pbmserv.database.engine import writing
from pbmserv.database.upgrade import open_database
from pbmserv.games.perudo.notation import read_action
from pbmserv.games.perudo.rules import RULE_SETS, rules_named
from pbmserv.letters import catalogues
from pbmserv.outbox.outgoing_email import worded
from pbmserv.security.tokens import Tokens
from pbmserv.settings import Settings
from scripts.letter_games import letters_of_game
from tests.games.games import plain
from tests.homes import home_with_tables
from tests.letters import golden
from tests.letters.plays import Facts, Game
from tests.letters.samples import EVERY

SERVER = "perudo@example.org"
ZONE = "Europe/Zurich"
MORNING = 1_795_269_900  # 21 November 2026
TOKEN = "7XQ2M4KDPLR5NVTA3SWZ6YBHCE"
BOARD_TOKEN = "7XQ2M4KDPLR5NVTA3SWZ6YBHCE7XQ2M4"
_PARTS = 3  # of a place
# Letters to somebody who has no account, so no time zone and no foot.
_TO_STRANGERS = {"doctor", "guest_invitation", "incidents", "stranger"}


_DAY = 86_400
_TIMES = {"now": MORNING, "nag": MORNING + 6 * _DAY, "late": True, "standin": False}
_TIMES |= {"forfeit": MORNING + 20 * _DAY, "closes": 0}
_LONG_NAMES = ("maximiliane-von-1", "bob", "Jean-Baptiste", "dan2", "eve", "alexandra_maria")
_AT_BOARD = {"board": 21, "names": ["ann", "bob", "cleo"]}
_NEWS = [
    {**_AT_BOARD, "kind": "begun"},
    {**_AT_BOARD, "kind": "ended", "winner": "cleo"},
    {**_AT_BOARD, "kind": "out", "who": "bob", "other": "", "reader": "ann"},
    {**_AT_BOARD, "kind": "said", "who": "bob", "text": "Well played!\nAnother one?"},
]


@dataclass(frozen=True)
class Sample:
    """A letter to write: its group, the folder in it, its name there, and its row of the outbox."""

    group: str
    folder: str
    name: str
    row: Mapping[str, Any]

    @property
    def place(self) -> str:
        """The file of the letter below a language's folder, without its suffix."""
        return f"{self.group}/{self.folder}/{self.name}"


@dataclass(frozen=True)
class Written:
    """A letter in a language, as it is sent."""

    sample: Sample
    language: str
    data: bytes

    @cached_property
    def forms(self) -> Mapping[str, str]:
        """The text of each form, `plain` and `html`, that the email has."""
        parts = [part for part in message_from_bytes(self.data).walk() if not part.get_filename()]
        return {
            part.get_content_subtype(): _text_of(part)
            for part in parts
            if part.get_content_maintype() == "text"
        }

    def form(self, form: str) -> str:
        """The text of the form `plain` or `html`; "" if the letter does not have it."""
        return self.forms.get(form, "")


def _text_of(part: Message) -> str:
    content = part.get_payload(decode=True)
    assert isinstance(content, bytes)  # it has no parts itself
    return content.decode("utf-8").replace("\r\n", "\n")


def languages() -> tuple[str, ...]:
    """The languages in which letters can be written."""
    return catalogues.languages()


def samples(
    only: Sequence[str] = (), progress: Callable[[str], None] = lambda _: None
) -> Iterator[Sample]:
    """The letters whose place fits a pattern of `only`, all if it is empty; the same at each call.

    A pattern is `GROUP`, `GROUP/FOLDER` or `GROUP/FOLDER/NAME`, each with `*` and `?`.
    """
    patterns = [each.split("/") for each in only] or [["*"]]
    for each in _all_samples(patterns, progress):
        if _fits((each.group, each.folder, each.name), patterns):
            yield each


def _fits(place: Sequence[str], patterns: Sequence[Sequence[str]]) -> bool:
    """Whether the place, or the beginning of one, fits a pattern."""
    return any(
        len(pattern) <= _PARTS and all(map(fnmatchcase, place, pattern)) for pattern in patterns
    )


def _all_samples(
    patterns: Sequence[Sequence[str]], progress: Callable[[str], None]
) -> Iterator[Sample]:
    """Every letter; only the games of wanted letters are played."""
    if _fits(("kinds",), patterns):
        yield from _of_kinds()
        yield from _of_boards()
    if _fits(("rounds",), patterns):
        yield from _of_rounds()
    for rules in RULE_SETS:
        if not _fits(("games", rules), patterns):
            continue
        progress(f"a game of {rules} is played")
        for name, row in letters_of_game(rules):
            yield Sample("games", rules, name, {**row, "payload": _as_page(row["payload"])})


def _of_kinds() -> Iterator[Sample]:
    """A letter for each sample of the tests."""
    numbers = Counter[str]()
    for kind, facts in EVERY:
        numbers[kind] += 1
        own = {} if kind in _TO_STRANGERS else {"zone": ZONE, "account": "ann"}
        yield Sample("kinds", kind, str(numbers[kind]), _row(kind, {**own, **facts}))


def _of_boards() -> Iterator[Sample]:
    """The letters about boards that no golden round has: offers, reminders, and many boards."""
    game = Game.opened(rules_named("bga"), plain(Random(1)), 4)
    for bid in ("3-2s", "4-2s", "5-2s"):
        game.play(read_action(bid))
    turn, others = game.table.turn, game.names[1:]
    facts = {**game.facts(turn), "times": _TIMES, "zone": ZONE}
    watched = {**game.facts(None), "zone": ZONE}
    asked = {"kind": "proposed", "who": others[0], "waiting": [game.names[turn]]}
    waits = {"agreed": others, "waiting": [game.names[turn]]}
    yield Sample("kinds", "nag", "1", _row("perudo/nag", facts, 12))
    yield Sample("kinds", "offer", "1", _row("perudo/offer", {**facts, "offer": asked}, 12))
    yield Sample("kinds", "offer", "2", _row("perudo/offer", {**watched, "offer": asked}, 12))
    yield Sample("kinds", "offer", "3", _row("perudo/moved", {**facts, "draw": waits}, 12))
    yield Sample("kinds", "nag", "2", _row("perudo/nag", _of_long_names(), 12))
    opened = Game.opened(rules_named("classic"), plain(Random(2)), 6)
    opening = {**opened.facts(opened.table.turn), "times": {**_TIMES, "late": False}}
    told = {"from": others[0], "text": "Good luck, all of you!"}
    states = (facts, opening, {**facts, "message": told}, {**facts, "draw": waits})
    for number, count in enumerate((0, 1, 3, 9), 1):
        boards = [{**states[each % len(states)], "board": 12 + each} for each in range(count)]
        digest = {"userid": "ann", "boards": boards, "news": _NEWS, "digest": True, "awake": ""}
        digest["tokens"] = {str(12 + each): BOARD_TOKEN for each in range(count)}
        row = _row("perudo/boards", {**digest, "zone": ZONE})
        yield Sample("kinds", "boards", str(number), row)


def _of_long_names() -> Facts:
    """A board of six players with long names, whose cups were just opened."""
    game = Game.opened(rules_named("classic"), plain(Random(4)), 6, _LONG_NAMES)
    for move in ("7-2s", "8-2s", "8-4s", "10-4s", "10-6s", "dudo", "6-3s", "7-3s", "8-3s"):
        game.play(read_action(move))
    return {**game.facts(game.table.turn), "times": _TIMES, "zone": ZONE}


def _of_rounds() -> Iterator[Sample]:
    """The golden letters."""
    with TemporaryDirectory() as folder:
        engine = open_database(home_with_tables(Path(folder)))
        with closing(engine.raw_connection()), writing(engine) as connection:
            town = golden.town(connection)
            for name in golden.EVENINGS:
                for number, letter in enumerate(golden.letters_of(name, town), 1):
                    reader = dict(town.players).get(letter.to, "spectator")  # type: ignore[arg-type] # not None
                    row = _row(letter.kind, {"zone": ZONE, **letter.payload}, letter.board)
                    title = f"{number:02}-{reader}-{letter.kind.partition('/')[2]}"
                    yield Sample("rounds", name, title, row)
        engine.dispose()


def _row(kind: str, payload: Mapping[str, Any], board: int | None = None) -> Mapping[str, Any]:
    return {
        "id": 1,
        "player_id": 1,
        "address": "ann@example.org",
        "kind": kind,
        "payload": _as_page(json.dumps(payload)),
        "token": TOKEN,
        "board_id": board,
        "answers": "",
        "written_at": MORNING,
    }


def _as_page(payload: str) -> str:
    """The payload of a letter to somebody who reads HTML, too."""
    return json.dumps({**json.loads(payload), "text_alone": False})


def written(sample: Sample, language: str) -> Written:
    """A letter in a language, to a player who has set that language."""
    settings = Settings(home=Path(), address=SERVER)
    payload = _with_language(sample.row["payload"], language)
    row = {**sample.row, "language": language, "payload": payload}
    data, _ = worded(settings, row, "A" * 26, Tokens(bytes(32)))
    return Written(sample, language, data)


def _with_language(payload: str, language: str) -> str:
    """The payload with this language, where it tells the one that the player has set."""
    facts = json.loads(payload)
    if facts.get("language"):
        facts["language"] = language
    for each in facts.get("preferences", ()):
        if each["name"] == "language":
            each["value"] = language
    return json.dumps(facts)
