"""The two ways in ARCHITECTURE.md are the calls that the program makes, in this order.

This holds for the calls of one process.  Those of OF_THE_WORKERS are not checked.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType

from tests.stories.town import Town

TOP = Path(__file__).parents[1]
MOST_PACKAGES = 10  # that a bid passes
OF_THE_WORKERS = {
    *("smtp_session", "intake_worker", "wakeups"),
    *("sending_worker", "smtp_out", "sent_journal"),
}


def steps(way: str, *, whole: bool = False) -> list[list[str]]:
    """The functions that each step of a way names; without `whole` those of this process."""
    text = (TOP / "ARCHITECTURE.md").read_text("utf-8").partition("\n## Two ways\n")[2]
    numbered = text.partition(f"\n{way}")[2].partition("\n\n")[2].partition("\n\n")[0]
    return [
        [
            name
            for name in re.findall(r"`(\w+(?:\.\w+)*\.[a-z_]\w*)`", step)
            if whole or not is_of_worker(name)
        ]
        for step in re.split(r"^\d+\. ", numbered, flags=re.MULTILINE)[1:]
    ]


def is_of_worker(name: str) -> bool:
    """Whether a step belongs to another process than the one of these tests."""
    return name.partition(".")[0] in OF_THE_WORKERS


def code(name: str) -> CodeType:
    """The code of a function that a step names by its module, and by its class if it is in one."""
    for module in (TOP / "pbmserv").rglob("*.py"):
        parts = module.relative_to(TOP).with_suffix("").parts
        for place in range(1, len(parts)):
            inside = ".".join(parts[place:]) + "."
            if name.startswith(inside):
                found: object = importlib.import_module(".".join(parts))
                for attribute in name.removeprefix(inside).split("."):
                    found = getattr(found, attribute, None)
                found = getattr(found, "callback", found)  # a command of click
                if inspect.isfunction(found):
                    return found.__code__
    raise AssertionError(name)


def assert_takes(way: str, act: Callable[[], object]) -> None:
    """Every function of the way is called, and the first ones of its steps in their order."""
    named = [[code(name) for name in names] for names in steps(way) if names]
    called, wanted = [], {each for names in named for each in names}

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code in wanted:
            called.append(frame.f_code)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(before)
    assert sorted(each.co_qualname for each in wanted - set(called)) == []
    left = iter(called)
    assert [each.co_qualname for each, *_ in named if each not in left] == []


def test_a_bid_in_a_reply_takes_the_steps_of_the_map_in_their_order(town: Town) -> None:
    letter = town.last_letter_to("ann@example.org")
    assert_takes("One bid", lambda: town.reply(letter, "1-2s\n"))


def test_a_missed_deadline_takes_the_steps_of_the_map_in_their_order(town: Town) -> None:
    town.move("ann", "1-2s")
    town.move("bob", "2-2s")  # a game that has not begun would be declined
    assert_takes("One deadline", lambda: town.waited(24 * 25))


def test_the_steps_of_a_bid_lie_in_at_most_ten_packages() -> None:
    files = {
        name: code(name).co_filename for names in steps("One bid", whole=True) for name in names
    }
    packages = {Path(file).relative_to(TOP).parts[1] for file in files.values()}
    assert len(packages) <= MOST_PACKAGES
