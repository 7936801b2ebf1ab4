"""Every setting that ends with `_daily` holds for any 24 hours."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from shutil import copytree

import pytest

from pbmserv.settings import SETTINGS_FILE, Settings
from tests.stories.town import PASSWORD, Letter, Town, town_at

pytestmark = pytest.mark.long

DAY = 24 * 60 * 60
ANN, BOB = "ann@example.org", "bob@example.org"


@dataclass(frozen=True)
class Case:
    """How a setting's letters are asked for, which of them count, and how many each counts."""

    most: int
    tries: Callable[[Town, int], object]
    counts: Callable[[Letter], bool]
    others: str = ""  # settings


def signs_up(town: Town, number: int) -> None:
    """One address, then five, at one domain."""
    count = 1 if number % 2 else 5
    addresses = " ".join(f"v{number}.{each}@victim.example" for each in range(count))
    sender = f"m{number}@mallory{number}.example"
    town.write(sender, f"signup mallory{number} {PASSWORD} {addresses}")


def asks_elsewhere(town: Town, number: int) -> None:
    town.write(
        f"zoe{number}@x{number}.example", "help" if number % 2 else f"signup z{number} sword"
    )


def asks_much(town: Town, number: int) -> None:
    """One answer, then four of them in one email."""
    boards = "1" if number % 2 else "1 2 3 4"
    town.write(ANN, f"perudo showas ann {PASSWORD} {boards}")


def asks_for_two(town: Town, number: int) -> None:
    for name in ("ann", "bob"):
        town.write(f"{name}@example.org", f"set {name} {PASSWORD}")


def invites_by_address(town: Town, number: int) -> None:
    """Two players invite somebody in turn, by a reply to a game letter."""
    name = ("ann", "bob")[number % 2]
    game = [each for each in town.letters if "has begun" in each.text]
    letter = next(each for each in game if each.to == f"{name}@example.org")
    town.reply(letter, f"perudo challenge {name} friend{number}@x{number}.example")


CASES = {
    "answers_daily": Case(6, asks_much, lambda letter: letter.to == ANN),
    "all_answers_daily": Case(8, asks_for_two, lambda letter: letter.to in (ANN, BOB)),
    "unproven_daily": Case(
        3,
        lambda town, number: town.write(BOB, ("help", "games", "perudo games")[number % 3]),
        lambda letter: letter.to == BOB,
    ),
    "strangers_daily": Case(8, asks_elsewhere, lambda letter: "example.org" not in letter.to),
    "domain_daily": Case(6, signs_up, lambda letter: "victim.example" in letter.to),
    "challenges_daily": Case(
        3,
        lambda town, number: town.write(ANN, "perudo challenge ann house", f"Hello {number}"),
        lambda letter: "has begun" in letter.text,
        "newcomers_daily = 100\n",
    ),
    "invitations_daily": Case(
        1,
        invites_by_address,
        lambda letter: "friend" in letter.to,
        "newcomers_daily = 100\n",
    ),
    "messages_daily": Case(
        3,
        lambda town, number: town.write(ANN, f"message ann {PASSWORD} bob", f"Hello {number}"),
        lambda letter: letter.to == BOB,
        "newcomers_daily = 100\n",
    ),
    "newcomers_daily": Case(
        3,
        lambda town, number: town.write(ANN, f"message ann {PASSWORD} bob", f"Hello {number}"),
        lambda letter: letter.to == BOB,
    ),
    "broadcasts_daily": Case(
        2,
        lambda town, number: town.write(ANN, f"broadcast ann {PASSWORD}", f"Hello {number}"),
        lambda letter: letter.to == BOB,
        'broadcasters = "ann"\n',
    ),
}


def test_every_setting_has_a_case() -> None:
    assert set(CASES) == {each.name for each in fields(Settings) if each.name.endswith("_daily")}


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """A home with four boards of two players, and the time there, in seconds."""
    home = tmp_path_factory.mktemp("begun") / "home"
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        for _ in range(4):
            town.challenge("ann", "bob")
        town.waited(25)
        return home, town.now


@pytest.mark.parametrize("name", CASES)
def test_no_24_hours_hold_more_than_the_setting_says(
    begun: tuple[Path, int], home: Path, name: str
) -> None:
    """In three days somebody tries many times at once, then again every two hours."""
    case = CASES[name]
    begins, now = begun
    copytree(begins, home)
    (home / SETTINGS_FILE).write_text(f"{name} = {json.dumps(case.most)}\n{case.others}")
    came: list[int] = []
    with town_at(home) as town:
        town.now = now
        for number in range(3 * 12 + 20):
            before = len(town.letters)
            case.tries(town, number)
            if number >= 20:
                town.waited(2)
            else:
                town.delivered()
            came += [town.now] * sum(map(case.counts, town.letters[before:]))
    most = max(sum(begin <= at < begin + DAY for at in came) for begin in came)
    assert most <= case.most
    assert len(came) > case.most, "and after a day there is more"
