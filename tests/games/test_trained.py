"""The trained rounds of two: what is stored, that it is legal and mixed, and can be made again."""

from __future__ import annotations

import zlib
from itertools import product
from math import comb
from pathlib import Path
from random import Random

import numpy as np
import pytest
from click.testing import CliRunner

from pbmserv.games.perudo import bots
from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.bots import trained
from pbmserv.games.perudo.bots.hands import hands
from pbmserv.games.perudo.notation import read_position, read_rules
from pbmserv.games.perudo.table import (
    Raise,
    Table,
    after_all,
    legal_actions,
    legal_bids,
    new_table,
    play,
    start,
    view,
)
from scripts.arena_games import KINDS
from scripts.training import __main__ as training
from tests.games.games import plain
from tests.rows import each_row

MOST_BYTES = 3_150_000  # of all files
FACES = 6


@pytest.mark.slow
def test_every_situation_has_a_file_and_all_are_small() -> None:
    """Every file has all sequences of one last bid together, for each hand some action."""
    total = 0
    files = {each.name for each in training.TRAINED.iterdir()}
    for situation, name in trained.stored().items():
        file = training.TRAINED / f"{name}.z"
        total += file.stat().st_size
        files.remove(file.name)
        number = comb(FACES + situation.own - 1, situation.own)
        data = zlib.decompress(file.read_bytes())
        read = trained.read(data, number)
        assert trained.recent(()) in read.starts
        for quantity, face in product(range(1, situation.own + situation.other + 1), range(1, 7)):
            assert trained.all_with(Bid(quantity, face)) in read.starts
        for recent, begins in read.starts.items():
            last = Bid(*recent[:2]) if recent[0] else None
            width = len(trained.actions(situation, last))
            found = np.frombuffer(data, np.uint8, width * number, begins).reshape(number, width)
            assert found.max() <= trained.CERTAIN
            if trained.ANY in recent or last is None:
                assert found.any(axis=1).all()
    assert files == set()
    assert total <= MOST_BYTES


def _check(table: Table) -> bool:
    """The bot on turn has a legal mixture for each hand that it may hold; is one really mixed?"""
    seen = view(table, table.turn)
    wild = table.rules.counts_wild(2, table.palifico is not None)
    policy, legal = bots.policy(seen), set(legal_actions(table))
    mixed = False
    for _, own, _ in hands(len(table.cups[table.turn]), FACES, wild).held:
        found = policy(own)
        assert sum(found.values()) == pytest.approx(1)
        assert set(found) <= legal
        mixed |= len(found) > 1
    return mixed


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_bot_of_two_has_a_mixture_for_every_hand_and_every_bid_of_the_other(kind: str) -> None:
    """The other raises by chance, as far as it likes; so the bot comes where it never goes."""
    random = Random(kind)
    rules, dice = read_rules(kind), plain(random)
    table = new_table(rules, 2)
    table = after_all(table, start(table, dice))
    mixed = turns = 0
    while table.winner is None:
        turns += 1
        mixed += _check(table)
        action = bots.choose(view(table, table.turn), "house", random.random())
        raises = [each for each in legal_actions(table) if isinstance(each, Raise)]
        if table.turn == 1 and raises and random.random() < 0.7:
            action = random.choice(raises[:20])
        table = after_all(table, play(table, table.turn, action, dice))
    assert mixed > turns / 4


@each_row(
    ("position", "is_trained"),
    [
        ("bga 12345/12345 A 5 9 -", True),
        ("bga 12345/-/1 A 5 9 B:3-4s", True),
        ("bga 12345/1/1 A 5 9 B:3-4s", False),
        ("bga,hidden=yes 12345/1 A 5 9 -", False),
        ("bga,faces=8 12345/1 A 5 9 -", False),
        ("bga,dice=7 1234566/1 A 5 9 -", False),
        ("pbmserv 12345/12345 A 5 9 -", False),  # the network plays it
        ("pbmserv,raise=quantity 12345/12345 A 5 9 -", False),
        ("pacao 12345/123 A 5 9 -", False),
        ("bga,calza=yes 12345/123 A 5 9 -", False),
        ("pyrudo 12345/123 A 5 9 -", False),
    ],
)
def test_rounds_of_two_with_up_to_five_dice_are_trained(position: str, is_trained: bool) -> None:
    table = read_position(position)
    assert (trained.policy(view(table, table.turn)) is not None) is is_trained


def test_the_recent_bids_are_the_last_four() -> None:
    bids = (Bid(2, 3), Bid(2, 4), Bid(3, 4), Bid(4, 4), Bid(4, 5))
    assert trained.recent(bids) == (4, 5, 4, 4, 3, 4, 2, 4)
    assert trained.recent(bids[:1]) == (2, 3, 0, 0, 0, 0, 0, 0)
    assert trained.recent(()) == (0,) * 8
    assert trained.all_with(bids[4]) == (4, 5, trained.ANY, 0, 0, 0, 0, 0)
    assert trained.all_with(bids[4], bids[3]) == (4, 5, 4, 4, trained.ANY, 0, 0, 0)


def test_trained_raises_are_legal_and_few() -> None:
    table = read_position("bga 12345/12345 A 1 3 A:2-5s,B:3-5s")
    seen = view(table, 0)
    situation = next(each for each in trained.stored() if (each.own, each.other) == (5, 5))
    raises = [each.bid for each in trained.actions(situation, Bid(3, 5)) if isinstance(each, Raise)]
    assert set(raises) < set(legal_bids(seen))


def test_a_bot_makes_no_bid_twice_in_a_round() -> None:
    """Where a raise can go down, bids of much earlier could come again."""
    table = read_position("pbmserv 12345/12345 A 1 7 A:1-6s,B:2-4s,A:1-5s,B:2-1s,A:1-2s,B:1-4s")
    seen = view(table, 0)
    made = {Raise(bid) for _, bid in seen.bids}
    policy = bots.policy(seen)
    for _, own, _ in hands(5, FACES, wild=False).held:
        assert not made & set(policy(own))


@pytest.mark.slow
def test_training_makes_the_same_files_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another machine may round a number of 32 bits otherwise, and a byte then differs by 1."""
    before = training.TRAINED
    monkeypatch.setattr(training, "TRAINED", tmp_path)
    names = ["bga-1-1-palifico", "bga-1-1", "classic-1-1", "classic-2-1", "classic-1-2"]
    asked = [word for name in names for word in ("--only", name)]  # 2-1 also writes 1-2
    done = CliRunner().invoke(training.train, ["--no-solve", *asked])
    assert done.exit_code == 0, done.output
    for name in names:
        made, stored = (
            np.frombuffer(zlib.decompress((place / f"{name}.z").read_bytes()), np.uint8).astype(int)
            for place in (training.TRAINED, before)
        )
        assert np.abs(made - stored).max() <= 1
