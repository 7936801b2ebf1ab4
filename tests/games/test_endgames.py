"""The solved endgames: what is stored, what it is worth, and that it can be made again."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
import pytest
from click.testing import CliRunner

from pbmserv.games.perudo import bots
from pbmserv.games.perudo.bots import endgames
from pbmserv.games.perudo.bots.hands import counting
from pbmserv.games.perudo.bots.plain_levels import LAST_CALZA
from pbmserv.games.perudo.notation import read_position, read_rules
from pbmserv.games.perudo.table import Call, after_all, legal_actions, new_table, play, start, view
from scripts.arena_exploit import exploitability, situations
from scripts.arena_games import KINDS
from scripts.training import __main__ as training
from tests.games.games import plain
from tests.rows import each_row

MOST_BYTES = 2_000_000  # of all files


def test_every_situation_has_a_file_of_its_size_and_all_are_small() -> None:
    total = 0
    files = {each.name for each in training.DIRECTORY.iterdir()}
    for situation, name in endgames.stored().items():
        file = training.DIRECTORY / f"{name}.z"
        assert len(zlib.decompress(file.read_bytes())) == endgames.shape(situation).size()
        total += file.stat().st_size
        files.remove(file.name)
    assert files == set()
    assert total <= MOST_BYTES


def test_each_seat_has_a_file_if_there_are_too_many_sequences() -> None:
    names = set(endgames.stored().values())
    assert {"pacao-1-2", "classic-2-2", "bga-1-1-palifico"} <= names
    assert {"pbmserv-1-1-first", "pbmserv-1-1-second"} <= names
    assert {"pacao-2-2-first", "pacao-2-2-second"} <= names
    assert not names & {"pacao-2-2", "pbmserv-1-1", "pbmserv-2-2-first"}


def _small() -> Iterator[tuple[str, int]]:
    for kind in KINDS:
        for place, situation in enumerate(situations(kind)):
            if situation.palifico or situation.starts + situation.other == 2:
                yield kind, place


@each_row(("kind", "place"), [*_small()])
def test_a_responder_who_knows_everything_wins_next_to_nothing(kind: str, place: int) -> None:
    """In dice a round, by a walk through the whole tree."""
    found = exploitability([*situations(kind)][place], "house", 5000)
    assert found.exact
    assert -1e-9 <= found.value <= 0.01


@pytest.mark.long
@pytest.mark.parametrize("place", range(6))
def test_with_three_dice_the_responder_wins_next_to_nothing_too(place: int) -> None:
    found = exploitability([*situations("bga")][place], "house", 20_000)
    assert found.exact
    assert -1e-9 <= found.value <= 0.01


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_solved_bot_mixes_legal_moves_until_somebody_has_won(kind: str) -> None:
    random = Random(kind)
    rules, dice, mixed = read_rules(f"{kind},dice=2"), plain(random), 0
    for _ in range(10):
        table = new_table(rules, 2)
        table = after_all(table, start(table, dice))
        while table.winner is None:
            seen = view(table, table.turn)
            wild = rules.counts_wild(2, table.palifico is not None)
            found = bots.policy(seen)(counting(table.cups[table.turn], rules.faces, wild))
            assert sum(found.values()) == pytest.approx(1)
            assert set(found) <= set(legal_actions(table))
            mixed += len(found) > 1
            action = bots.choose(seen, "house", random.random())
            assert action in found
            table = after_all(table, play(table, table.turn, action, dice))
    assert mixed > 0 or rules.calza  # with two dice at the start a right calza wins nothing


@each_row(
    ("position", "is_solved"),
    [
        ("bga 12/3 A 5 9 -", True),
        ("bga 12/34 A 5 9 -", True),
        ("bga 12/-/3 A 5 9 -", True),
        ("bga 12/1/3 A 5 9 -", False),
        ("bga 123/3 A 5 9 -", False),
        ("bga,hidden=yes 12/3 A 5 9 -", False),
        ("bga,faces=8 12/3 A 5 9 -", False),
        ("pacao 12/34 A 5 9 -", True),
        ("pbmserv 12/34 A 5 9 -", False),
        ("pbmserv 12/3 A 5 9 -", True),
        ("pbmserv,raise=quantity 12/3 A 5 9 -", False),
        ("pbmserv 12/3 A 5 9 A:1-2s,B:1-3s,A:1-4s,B:1-5s", True),
        ("pyrudo 12/3 A 5 9 -", True),
        (f"pyrudo 12/3 A {LAST_CALZA + 1} 900 -", False),
        ("pyrudo,dice=2 12/3 A 5 9 -", False),
        ("classic,palifico=yes,calza=yes 12/3 B 5 9 A:1-2s,B:1-3s,A:1-4s", True),
        ("pbmserv 12/3 A 7 9 A:1-2s,B:1-3s,A:1-4s,B:1-5s,A:1-6s,B:2-1s", False),
    ],
)
def test_small_rounds_of_two_players_are_solved(position: str, is_solved: bool) -> None:
    table = read_position(position)
    solved = endgames.policy(view(table, table.turn))
    assert (solved is not None) is is_solved


def test_the_bot_calls_after_two_bids_of_its_own_if_any_face_may_follow() -> None:
    table = read_position("pbmserv 12/3 A 7 9 A:1-2s,B:1-3s,A:1-4s,B:1-5s")
    solved = endgames.policy(view(table, table.turn))
    assert solved is not None
    assert solved(counting((1, 2), 6, wild=False)) == {Call("dudo"): 1}


@pytest.mark.slow
def test_training_makes_the_same_files_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another machine may round a number of 32 bits otherwise, and a byte then differs by 1."""
    before = training.DIRECTORY
    monkeypatch.setattr(training, "DIRECTORY", tmp_path)
    asked = ["--no-rounds", "--only", "bga-1-1-palifico", "--only", "pacao-1-1"]
    done = CliRunner().invoke(training.train, asked)
    assert done.exit_code == 0, done.output
    for name in ("bga-1-1-palifico", "pacao-1-1"):
        made, stored = (
            np.frombuffer(zlib.decompress((place / f"{name}.z").read_bytes()), np.uint8).astype(int)
            for place in (training.DIRECTORY, before)
        )
        assert np.abs(made - stored).max() <= 1
