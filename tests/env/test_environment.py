"""The environment is PettingZoo's, and an observation holds what the view of its reader holds."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from pettingzoo.test import api_test, seed_test

from pbmserv.env import PerudoEnv, env
from pbmserv.env.encoding import PASS, Encoding
from pbmserv.env.environment import LONGEST_GAME
from pbmserv.errors import Refused
from pbmserv.games.perudo.notation import read_position
from pbmserv.games.perudo.rules import RULE_SETS, Rules
from pbmserv.games.perudo.table import (
    Call,
    Cups,
    Table,
    after_all,
    legal_actions,
    new_table,
    start,
    view,
)
from tests.examples import examples
from tests.games.games import moves, plain, randoms, rule_sets, seats
from tests.rows import each_row

PAGE = (Path(__file__).parents[2] / "docs" / "training.md").read_text("utf-8")
PROGRAM = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
RULES = [
    ("pbmserv", 2),
    ("classic,calza=yes,palifico=yes", 3),
    ("bga,calza=yes,hidden=yes", 4),
    ("pacao", 5),
    ("pyrudo,faces=4", 6),
]

few = settings(max_examples=examples(30))
every_rules = each_row(("rules", "players"), RULES)


def played(game: PerudoEnv, chance: Random) -> Iterator[tuple[str, int, np.ndarray]]:
    """Random actions, and a pass where one is legal; each agent, its action and its mask."""
    for agent in game.agent_iter():
        _, _, ended, stopped, info = game.last()
        if ended or stopped:
            game.step(None)
            continue
        mask = info["action_mask"]
        action = PASS if mask[PASS] else int(chance.choice(np.flatnonzero(mask).tolist()))
        yield agent, action, mask
        game.step(action)


@every_rules
def test_it_passes_the_tests_of_pettingzoo(rules: str, players: int) -> None:
    api_test(env(rules, players), num_cycles=200)
    seed_test(lambda: env(rules, players), num_cycles=200)


@every_rules
def test_a_game_ends_with_one_winner_and_rewards_that_add_up_to_nothing(
    rules: str, players: int
) -> None:
    game = PerudoEnv(rules, players)
    for seed in range(5):
        game.reset(seed=seed)
        names, rewards = list(game.agents), dict[str, float]()
        for agent in game.agent_iter():
            _, reward, ended, _, info = game.last()
            rewards[agent] = reward
            assert ended or reward == 0
            legal = np.flatnonzero(info["action_mask"])
            game.step(None if ended else int(legal[seed % len(legal)]))
        assert sorted(rewards.values())[-1] == 1
        assert list(rewards.values()).count(1) == 1
        assert sum(rewards.values()) == pytest.approx(0)
        assert set(rewards) == set(names)


def middle_of_a_game(rules: Rules, players: int, random: Random) -> Table:
    """A table of a random game that is not over."""
    table, dice = new_table(rules, players), plain(random)
    first = after_all(table, start(table, dice))
    return random.choice([table for table, *_ in moves(first, random, dice)])


@few
@given(rule_sets(), seats, randoms)
def test_an_observation_depends_on_nothing_but_the_view(
    rules: Rules, players: int, chance: Random
) -> None:
    """Other dice in the cups of the others change no number of it."""
    table = middle_of_a_game(rules, players, chance)
    encoding = Encoding(table.rules, len(table.cups))
    for reader in range(len(table.cups)):
        others = tuple(
            cup
            if seat == reader
            else tuple(chance.randint(1, table.rules.faces) for _ in range(len(cup)))
            for seat, cup in enumerate(table.cups)
        )
        mine = encoding.observation(view(table, reader))
        assert (mine == encoding.observation(view(table._replace(cups=others), reader))).all()


@few
@given(rule_sets(), seats, randoms)
def test_a_number_stands_for_one_action(rules: Rules, players: int, chance: Random) -> None:
    table = middle_of_a_game(rules, players, chance)
    encoding, legal = Encoding(table.rules, len(table.cups)), legal_actions(table)
    mask = encoding.mask(legal, may_pass=False)
    assert [encoding.action_of(int(each)) for each in np.flatnonzero(mask)] == sorted(
        legal, key=encoding.number_of
    )


def test_an_observation_is_as_the_page_says() -> None:
    line = "bga,calza=yes 13556/22/1 B 3 9 A:3-2s,B:4-2s,C:2-1s palifico=C"
    seen = view(read_position(line.replace("1 B", "1 A", 1)), 1)
    found = Encoding(seen.rules, 3).observation(seen).tolist()
    assert found[:6] == [0, 2, 0, 0, 0, 0]
    assert found[6:9] == [2, 1, 5]
    assert found[9:12] == [0, 0, 0]
    assert found[12:15] == [0, 0, 0]
    assert found[15:18] == [0, 0, 1]
    assert found[18:21] == [2, 0, 3]
    bids = found[21:]
    assert len(bids) == 3 * 5 * 6
    assert {place: age for place, age in enumerate(bids) if age} == {6: 1, 13: 3, 19: 2}


def test_the_dice_of_a_cup_that_the_rules_hide_have_no_number() -> None:
    game = PerudoEnv("bga,hidden=yes", 3)
    game.reset(seed=1)
    assert game.observe("player_1").tolist()[6:9] == [5, -1, -1]


def test_everybody_but_the_bidder_is_asked_for_a_calza() -> None:
    """In the order of play, before the next player acts; a pass changes nothing."""
    asked = PerudoEnv("bga,calza=yes", 4)
    asked.reset(seed=3)
    agents, actions, masks = zip(*played(asked, Random(3)), strict=True)
    assert agents[:4] == ("player_0", "player_2", "player_3", "player_1")
    assert [each == PASS for each in actions[:4]] == [False, True, True, False]
    assert np.flatnonzero(masks[1]).tolist() == [PASS, 2]
    silent = PerudoEnv("bga,calza=yes", 4, out_of_turn=False)
    silent.reset(seed=3)
    assert not any(mask[PASS] for _, _, mask in played(silent, Random(3)))


def test_a_calza_out_of_turn_is_played() -> None:
    game = PerudoEnv("bga,calza=yes", 3)
    game.reset(seed=1)
    encoding = Encoding(RULE_SETS["bga"], 3)
    game.step(int(np.flatnonzero(game.infos["player_0"]["action_mask"])[0]))
    assert game.agent_selection == "player_2"
    game.step(encoding.number_of(Call("calza")))
    assert game.render().split(" ")[3] == "2"  # the next round


def test_an_illegal_action_is_refused() -> None:
    bare = PerudoEnv()
    bare.reset(seed=1)
    with pytest.raises(ValueError, match="not legal now: 1"):
        bare.step(1)
    with pytest.raises(ValueError, match="not legal now: None"):
        bare.step(None)
    checked = env()
    checked.reset(seed=1)
    checked.step(1)
    assert checked.rewards["player_0"] == -1
    assert all(checked.terminations.values())


@pytest.mark.parametrize(
    ("rules", "players"), [("unknown", 2), ("bga", 1), ("bga", 7), ("bga,wild=no", 2)]
)
def test_rules_and_players_are_those_of_the_server(rules: str, players: int) -> None:
    with pytest.raises(Refused):
        PerudoEnv(rules, players)


def test_a_game_without_end_is_truncated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbmserv.env.environment.LONGEST_GAME", 7)
    assert LONGEST_GAME > 7
    game = PerudoEnv()
    game.reset(seed=1)
    assert len(list(played(game, Random(1)))) == 7


def test_the_position_for_spectators_holds_no_die() -> None:
    game = env("bga", 3)
    game.reset(seed=1)
    assert game.render() == "bga ?????/?????/????? A 1 1 - reader=-"
    assert str(game) == "perudo_v1"
    game.close()


def test_one_round_is_that_of_openspiels_liars_dice() -> None:
    """Its liars_dice(players=2,numdice=1,dice_sides=4) has 9 actions, 9 moves, 1,024 situations."""
    game = PerudoEnv("pbmserv,raise=quantity,dice=1,faces=4", 2)
    seeds: dict[Cups, int] = {}
    for seed in range(200):
        game.reset(seed=seed)
        seeds.setdefault(game._table.cups, seed)
    assert len(seeds) == 16
    situations, actions, longest = set(), set(), 0
    for seed in seeds.values():
        waiting: list[list[int]] = [[]]
        while waiting:
            moves = waiting.pop()
            game.reset(seed=seed)
            for move in moves:
                game.step(move)
            agent = game.agent_selection
            legal = np.flatnonzero(game.infos[agent]["action_mask"]).tolist()
            situations.add((agent, game.observe(agent).tobytes()))
            actions |= set(legal)
            longest = max(longest, len(moves) + 1)
            waiting += [[*moves, move] for move in legal if move > 3]
    assert (len(actions), longest, len(situations)) == (9, 9, 1024)


@pytest.mark.long
def test_the_pages_program_learns(tmp_path: Path) -> None:
    assert PROGRAM is not None
    words = [sys.executable, "-I", "-c", PROGRAM.group(1), "1000"]
    done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=tmp_path)
    before, after = (float(line.split()[1]) for line in done.stdout.splitlines())
    assert before < 0.6
    assert after > 0.75
