"""`--json` of players' commands: what a spectator may know, at a shell alone."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pbmserv.boards.board import load_board
from pbmserv.cli.letters_as_json import document as document_of
from pbmserv.cli.main import perudo
from pbmserv.commands.framework import commands_of
from pbmserv.database.engine import reading
from pbmserv.games.perudo.table import dice_in_play
from pbmserv.letters.payloads.letter import Letter
from tests.cli.processes import invoked
from tests.rows import each_row
from tests.stories.town import PASSWORD, Town, town_at

COMMANDS = {
    "show": ("show 1", "show 1#2", "show 2", "show 3", "show bob all"),
    "games": ("games", "games all", "games ann next"),
    "standings": ("standings", "standings bga"),
    "stats": ("stats", "stats ann"),
    "history": ("history", "history ann"),
    "advise": ("advise 1", "advise 3"),
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Board 1 runs, board 2 is an invitation, boards 3 and 4 are over."""
    home = tmp_path_factory.mktemp("played") / "home"
    with town_at(home) as town:
        town.sign_up("ann", "bob", "cleo")
        town.challenge("ann", "bob", "cleo", options=("-inorder", "-rules=classic", "-calza"))
        town.write("cleo@example.org", f"set cleo {PASSWORD} challenges=ask")
        town.challenge("ann", "cleo", options=("-inorder", "-unrated", "--nagtime=12h"))
        town.challenge("ann", "bob", options=("-inorder", "-dice=1"))
        town.move("ann", "2-2s")
        town.move("bob", "3-2s")
        town.move("cleo", "dudo")
        town.move("ann", "1-6s", 3)
        town.move("bob", "dudo", 3)
        town.challenge("ann", "bob")
        town.move("ann", "10-6s", 4)
        town.move("bob", "dudo", 4)  # who is right and opens the next round
        town.move("bob", "resign", 4)
        town.write("cleo@example.org", f"perudo seek cleo {PASSWORD} 1")
    return home


def document(home: Path, words: str) -> dict[str, Any]:
    done = invoked(home, "perudo", *words.split(), "--json")
    assert (done.returncode, done.stderr) == (0, ""), words
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def test_show_gives_a_running_board_as_a_document(home: Path) -> None:
    (board,) = document(home, "show 1")["boards"]
    (past,) = board.pop("rounds")
    loser = past["lost"]
    assert board == {
        "board": 1,
        "status": "active",
        "move": 4,
        "round": 2,
        "turn": board["turn"],
        "winner": None,
        "rules": "classic",
        "options": ["calza"],
        "players": [
            {"name": name, "dice": 5 - (name == loser), "out": False}
            for name in ("ann", "bob", "cleo")
        ],
        "dice_in_play": 14,
        "palifico": None,
        "bids": [],
        "call": None,
        "beacon": None,
        "deadlines": {
            "reminder": "2023-11-21T22:13:20Z",
            "forfeit": "2023-12-05T22:13:20Z",
            "closes": None,
            "standin": False,
        },
        "cups": None,
        "left_out": 0,
    }
    cups = {each["player"]: each["dice"] for each in past["cups"]}
    assert past == {
        "round": 1,
        "moves": [
            {"player": "ann", "move": "2-2s"},
            {"player": "bob", "move": "3-2s"},
            {"player": "cleo", "move": "dudo"},
        ],
        "count": sum(dice.count(1) + dice.count(2) for dice in cups.values()),
        "lost": loser,
        "gained": None,
        "out": None,
        "restored": False,
        "cups": [{"player": name, "dice": sorted(cups[name])} for name in ("ann", "bob", "cleo")],
    }
    assert [len(each) for each in cups.values()] == [5, 5, 5]
    text = invoked(home, "perudo", "show", "1").stdout
    assert f"There were {past['count']}" in text or loser in text


def test_a_board_before_a_move_as_a_document(home: Path) -> None:
    (then,) = document(home, "show 1#2")["boards"]
    assert (then["move"], then["turn"], then["deadlines"]) == (2, "bob", None)
    assert then["bids"] == [{"player": "ann", "bid": "2-2s"}]
    assert then["rounds"] == []
    (now,) = document(home, "show 1")["boards"]
    assert then["cups"] == now["rounds"][0]["cups"]
    (running,) = document(home, "show 1#4")["boards"]
    assert running["cups"] is None


def test_show_gives_an_invitation_as_a_document(home: Path) -> None:
    (board,) = document(home, "show 2")["boards"]
    assert board == {
        "board": 2,
        "status": "invited",
        "challenger": "ann",
        "rules": "pbmserv",
        "options": [],
        "rated": False,
        "inorder": True,
        "players": [{"name": "ann"}, {"name": "cleo"}],
        "waiting": board["waiting"],
        "until": "2023-11-28T22:13:20Z",
        "nagtime": 12,
        "forfeittime": board["forfeittime"],
        "totaltime": None,
        "standin": False,
    }
    assert "cleo" in board["waiting"]


def test_a_guest_has_no_name_in_a_document(tmp_path: Path) -> None:
    """A person invited by address who has not answered is null, in every language."""
    home = tmp_path / "home"
    with town_at(home) as town:
        town.sign_up("ann")
        town.now += 4 * 86400
        letter = town.last_letter_to("ann@example.org")
        town.reply(letter, "perudo challenge -inorder ann mia@a.example")
    (row,) = document(home, "games all")["boards"]
    (board,) = document(home, "show 1")["boards"]
    assert row["status"] == board["status"] == "invited"
    assert row["waiting"] == board["waiting"] == [None]
    for players in (row["players"], board["players"]):
        assert sorted(str(each["name"]) for each in players) == ["None", "ann"]


def test_a_finished_board_as_a_document(home: Path) -> None:
    (board,) = document(home, "show 3")["boards"]
    assert (board["status"], board["turn"], board["deadlines"]) == ("won", None, None)
    assert [each["out"] for each in board["players"]].count(True) == 1
    last = board["rounds"][-1]
    assert last["out"] == last["lost"] != board["winner"]
    assert [each["move"] for each in last["moves"]] == ["1-6s", "dudo"]
    numbers = [each["board"] for each in document(home, "show bob all")["boards"]]
    assert numbers == [4, 3, 1]


def test_lists_as_documents(home: Path) -> None:
    _, over, asked, running = document(home, "games all")["boards"]
    assert running == {
        "board": 1,
        "status": "active",
        "move": 4,
        "rules": "classic",
        "turn": running["turn"],
        "winner": None,
        "waiting": [],
        "beacon": None,
        "players": running["players"],
    }
    assert sum(each["dice"] for each in running["players"]) == 14
    assert (asked["status"], asked["turn"], asked["winner"]) == ("invited", None, None)
    assert asked["players"] == [{"name": "ann", "dice": None}, {"name": "cleo", "dice": None}]
    assert (over["status"], over["turn"]) == ("won", None)
    last, past = document(home, "history")["boards"]
    assert (last["board"], last["winner"]) == (4, "ann")
    assert past == {
        "board": 3,
        "players": ["ann", "bob"],
        "winner": over["winner"],
        "started": "2023-11-14T22:13:20Z",
        "ended": "2023-11-14T22:13:20Z",
    }
    standings = document(home, "standings")
    assert (standings["rules"], standings["newcomers"]) == (None, ["cleo"])
    assert [each["won"] for each in standings["players"]] == [1, 0]
    assert standings["players"][0]["name"] == "ann"
    assert standings["players"][0]["provisional"] is True
    (ann,) = document(home, "stats ann")["players"]
    assert (ann["name"], ann["bids"], ann["calls"], ann["call_luck"]) == ("ann", 3, 0, None)
    luck = [each["dice_luck"] for each in document(home, "stats")["players"]]
    assert [each for each in luck if isinstance(each, float)]


def test_a_home_without_boards_gives_empty_documents(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    with town_at(empty):
        pass
    for words in ("games", "games all", "history"):
        assert document(empty, words) == {"boards": []}
    assert document(empty, "standings bga") == {"rules": "bga", "players": [], "newcomers": []}
    assert document(empty, "stats") == {"players": []}


def keys_of(found: object) -> Iterator[str]:
    if isinstance(found, dict):
        for key, value in found.items():
            yield key
            yield from keys_of(value)
    elif isinstance(found, list):
        for each in found:
            yield from keys_of(each)


@each_row("name", COMMANDS)
def test_the_help_of_a_command_names_every_key(home: Path, name: str) -> None:
    """In `--help` and in the page of the manual."""
    for shown in (("perudo", name, "-h"), ("perudo", "help", name)):
        page = invoked(home, *shown).stdout
        assert "--json" in page
        for words in COMMANDS[name]:
            keys = set(keys_of(document(home, words)))
            assert [key for key in keys if not re.search(rf"\b{key}\b", page)] == []


def test_the_same_commands_have_the_option_as_are_documented() -> None:
    assert {name for name, each in commands_of("perudo").items() if each.as_json} == {*COMMANDS}
    assert not [name for name, each in commands_of("").items() if each.as_json]


def test_no_die_of_a_running_round_is_in_a_document(tmp_path: Path) -> None:
    """With other dice, the documents are the same until the cups are opened."""
    documents = []
    for seed in (1, 2):
        home = tmp_path / str(seed)
        with town_at(home, seed) as town:
            town.sign_up("ann", "bob")
            for rules in ("bga", "pbmserv"):
                options = ("-inorder", f"-rules={rules}", *(["-hidden"] if rules == "bga" else []))
                town.challenge("ann", "bob", options=options)
            town.move("ann", "2-2s")
        words = ("show 1 2", "show 1#1", "games", "stats ann")
        documents.append([document(home, each) for each in words])
    assert documents[0] == documents[1]
    hidden = documents[0][0]["boards"][0]
    assert [each["dice"] for each in hidden["players"]] == [None, None]
    assert hidden["dice_in_play"] is None


@each_row("words", [words for several in COMMANDS.values() for words in several])
def test_an_email_has_no_such_parameter(home: Path, words: str) -> None:
    with town_at(home) as town:
        for option in ("--json", "-json"):
            (letter,) = town.write("ann@example.org", f"perudo {words} {option}")
            assert letter.subject == "Your command was refused"
            assert f'option "{option}"' in " ".join(letter.text.split())


@each_row(
    ("words", "code"),
    [
        ("show 99", 1),
        ("show nemo", 1),
        ("games nemo", 1),
        ("standings nonsense", 1),
        ("show", 2),
        ("record 1", 2),  # it has no such option
        ("show 1 --jsn", 2),
    ],
)
def test_a_mistake_prints_no_document(home: Path, words: str, code: int) -> None:
    """The reason is on standard error, with the same exit code as without the option."""
    done = invoked(home, "perudo", *words.split(), "--json")
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr


@pytest.mark.parametrize(
    ("words", "right"),
    [
        ("perudo --json show 1", "perudo show --json 1"),
        ("pbmserv --json status", "pbmserv status --json"),
    ],
)
def test_a_json_option_before_the_command_is_refused_with_its_place(
    home: Path, words: str, right: str
) -> None:
    done = invoked(home, *words.split())
    assert done.returncode == 2
    assert f"--json belongs after the command, as in: {right}\n" in done.stderr
    assert right in invoked(home, "perudo", "--help").stdout or right.startswith("pbmserv")


def test_lines_of_a_multiple_have_no_such_parameter(home: Path) -> None:
    """They are read as in an email."""
    done = invoked(home, "pbmserv", "multiple", text="perudo games --json\n")
    assert done.returncode == 1
    assert '"--json"' in done.stderr


def test_a_shell_completes_the_option() -> None:
    context = perudo.make_context("perudo", ["games"], resilient_parsing=True)
    for name, begun, found in (("games", "--", True), ("games", "x", False), ("move", "--", False)):
        command = commands_of("perudo")[name]
        offered = command.shell_complete(
            command.make_context(name, [], context, resilient_parsing=True), begun
        )
        assert ("--json" in [each.value for each in offered]) == found


@each_row(
    ("lines", "moves", "rest"),
    [
        (
            ["A 1-2s", "B calza", "reveal 244/344/55 1", "gain B"],
            ["ann 1-2s", "bob calza"],
            {"count": 1, "gained": "bob", "lost": None, "out": None, "restored": False},
        ),
        (
            ["A 2-2s", "B dudo", "reveal 244/344/5 1", "lose A", "out A"],
            ["ann 2-2s", "bob dudo"],
            {"count": 1, "gained": None, "lost": "ann", "out": "ann", "restored": False},
        ),
        (
            ["A 2-2s", "restored", "reveal 244/344/5 -"],
            ["ann 2-2s"],
            {"count": None, "gained": None, "lost": None, "out": None, "restored": True},
        ),
    ],
)
def test_a_finished_round_as_a_document(
    lines: list[str], moves: list[str], rest: dict[str, Any]
) -> None:
    facts = {
        **{"board": 12, "names": ["ann", "bob", "cleo"], "rounds": [lines]},
        **{"times": None, "then": None},
        "table": "pbmserv ???/???/?? B 3 14 A:3-2s reader=-",
    }
    found: Any = document_of([Letter(None, "perudo/show", facts)])
    (board,) = found["boards"]
    (past,) = board["rounds"]
    assert [f"{each['player']} {each['move']}" for each in past["moves"]] == moves
    assert past["round"] == 2
    assert rest.items() <= past.items()
    assert board["bids"] == [{"player": "ann", "bid": "3-2s"}]


def test_rounds_that_are_left_out_are_counted_and_their_command_is_named(tmp_path: Path) -> None:
    """That is so for a running board and for a finished one; text and document agree."""
    seen = []
    with town_at(tmp_path) as town:
        town.sign_up("ann", "bob")
        town.challenge("ann", "bob", options=("-inorder", "-dice=3"))
        over = False
        while not over:
            over = _round_of_all_sixes(town)
            shown = invoked(tmp_path, "perudo", "show", "1").stdout
            (board,) = document(tmp_path, "show 1")["boards"]
            told = [each["round"] for each in board["rounds"]]
            finished = board["round"] - (not over)
            assert [*range(board["left_out"] + 1, finished + 1)] == told
            assert ("\n  perudo advise 1 1\n" in shown) == (board["left_out"] > 0)
            seen.append((board["left_out"], over))
    assert (1, False) in seen or (1, True) in seen
    assert f"{board['left_out']} earlier round" in shown
    assert document(tmp_path, "show 1#1")["boards"][0]["left_out"] == 0
    assert document(tmp_path, "advise 1#1")["first"] == 1


def _round_of_all_sixes(town: Town) -> bool:
    """A round with the highest bid and a doubt; returns whether the game is over."""
    with reading(town.engine) as connection:
        board = load_board(connection, 1)
    names, turn = board.names, board.table.turn
    town.move(names[turn], f"{dice_in_play(board.table)}-6s")
    town.move(names[1 - turn], "dudo")
    with reading(town.engine) as connection:
        return load_board(connection, 1).table.winner is not None


def test_show_gives_a_board_without_a_winner_as_a_document(home: Path, tmp_path: Path) -> None:
    stopped = shutil.copytree(home, tmp_path / "home")
    assert invoked(stopped, "pbmserv", "stop", "1").returncode == 0
    (board,) = document(stopped, "show 1")["boards"]
    assert (board["status"], board["winner"], board["turn"]) == ("drawn", None, None)
    assert board["rounds"][-1]["count"] is None
    found = {each["board"]: each for each in document(stopped, "games all")["boards"]}
    assert (found[1]["status"], found[1]["winner"], found[1]["turn"]) == ("drawn", None, None)
    assert document(stopped, "history")["boards"][0]["winner"] is None
