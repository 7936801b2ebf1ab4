"""`perudo verify` tells consecutive proven rounds in one line, and below it what differs."""

from __future__ import annotations

from pbmserv.commands.perudo.verify import in_spans
from pbmserv.games.perudo.verify import Proof
from pbmserv.letters import render
from tests.rows import each_row

RESTORED = "from the day when the server was restored from a backup."


@each_row(
    ("found", "told"),
    [
        ([(True, "")], ["Round 1: proven"]),
        ([(True, "")] * 22, ["Rounds 1-22: proven"]),
        (
            [(True, "")] * 21 + [(False, "running")],
            ["Rounds 1-21: proven", "Round 22: still running, proven when it ends"],
        ),
        ([(False, "running")], ["Round 1: still running, proven when it ends"]),
        (
            [(True, ""), (False, "plain"), (False, "plain"), (True, ""), (True, "")],
            [
                "Round 1: proven",
                "Round 2: rolled without a proof",
                "Round 3: rolled without a proof",
                "Rounds 4-5: proven",
            ],
        ),
        (
            [(True, ""), (True, "restored"), (True, ""), (True, "")],
            [
                "Rounds 1-4: proven",
                f"The seed of round 2 is {RESTORED}",
            ],
        ),
        (
            [(True, "restored"), (True, "restored")],
            ["Rounds 1-2: proven", f"The seed of rounds 1-2 is {RESTORED}"],
        ),
        ([], []),
    ],
)
def test_consecutive_proven_rounds_are_one_line(
    found: list[tuple[bool, str]], told: list[str]
) -> None:
    """A round that is not proven always has a line of its own."""
    proofs = [Proof(number, proven, why) for number, (proven, why) in enumerate(found, 1)]
    text = render.word("verified", {"board": 12, "rounds": in_spans(proofs)}, "en").text
    headline, rounds, *paragraphs = [*text.strip().split("\n\n"), ""]
    restored = [" ".join(each.split()) for each in paragraphs if "backup" in each]
    assert [*map(str.strip, rounds.split("\n")), *restored] == told or not told
    whole = all(proven for proven, _ in found)
    assert (headline == "The whole game is proven.") == whole
