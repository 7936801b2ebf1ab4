"""Records at a shell: printed, verified, and judged by the referee."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

from tests.commands.shells import typed
from tests.stories.town import PASSWORD


@pytest.mark.parametrize(
    ("move", "said"),
    [
        ("A calza", "A calza: call_unknown_here There is no calza under these rules (classic)."),
        ("A dudo", "A dudo: no_bid_yet You cannot call yet"),
        ("B dudo", "B dudo: not_your_turn (A is on turn)"),
    ],
)
def test_the_referee_explains_in_words_why_a_call_is_illegal(
    home: Path, tmp_path: Path, move: str, said: str
) -> None:
    (tmp_path / "s").write_text(f"position classic 12/34 A 1 1 -\n{move}\n")
    done = typed(home, f"perudo referee {tmp_path / 's'}")
    assert done.exit_code == 1
    assert said in " ".join(done.stderr.split())


def test_a_record_is_printed_and_its_file_verified(playing: Path, tmp_path: Path) -> None:
    """`verify` and `referee` read the output of `record`."""
    record = typed(playing, "perudo record 1").stdout
    assert record.startswith("pbmserv record 2\n")
    file = tmp_path / "board-1.txt"
    file.write_text(record, "utf-8")
    done = typed(playing, f"perudo verify {file}")
    assert (done.exit_code, done.stderr) == (0, "")
    done = typed(playing, f"perudo referee {file}")
    assert (done.exit_code, done.stderr) == (0, "")
    assert str(file) in " ".join(done.stdout.split())


def test_a_record_may_come_through_a_pipe_or_an_editor(playing: Path, tmp_path: Path) -> None:
    """`perudo record 1 | perudo verify -` works, also with a byte order mark in front."""
    record = typed(playing, "perudo record 1").stdout
    (tmp_path / "r").write_bytes(b"\xef\xbb\xbf" + record.replace("\n", "\r\n").encode())
    for command in ("verify", "referee"):
        assert typed(playing, f"perudo {command} -", text=record).exit_code == 0
        assert typed(playing, f"perudo {command} {tmp_path / 'r'}").exit_code == 0
        done = typed(playing, f"perudo {command} -", text=record.replace("ann", "eve"))
        assert done.exit_code == 1


def test_a_broken_record_is_named_by_its_line(playing: Path, tmp_path: Path) -> None:
    """Exit 1, file:line and the rule, and no more than that."""
    file = tmp_path / "r"
    record = typed(playing, "perudo record 1").stdout.replace("seal", "A dudo\nseal")
    file.write_text(record, "utf-8")
    done = typed(playing, f"perudo referee {file}")
    assert done.exit_code == 1
    assert done.stdout == ""
    assert f"{file}:10:" in "".join(done.stderr.split())  # a long path is cut in two
    file.write_bytes(b"\xff\xfe")
    for command in ("referee", "verify"):
        assert typed(playing, f"perudo {command} {file}").exit_code == 1
        done = typed(playing, f"perudo {command} {tmp_path}/nothing")
        assert done.exit_code == 1
        assert "it does not exist" in " ".join(done.stderr.split())


def test_the_referee_explains_an_illegal_bid_in_words(home: Path, tmp_path: Path) -> None:
    """file:line and the rule's name in the first line; then what it says, and legal bids."""
    (tmp_path / "s").write_text("position bga 11/22 A 3 9 -\nA 1-1s\n")
    done = typed(home, f"perudo referee {tmp_path / 's'}")
    assert done.exit_code == 1
    assert "s:2:A1-1s:opening_ones" in "".join(done.stderr.split())  # a long path is cut in two
    assert done.stderr.endswith(
        "A round cannot be opened on ones under these rules (bga); only a\n"
        "Palifico round can. You could bid 1-2s.\n"
    )


def test_the_referee_explains_a_failed_proof_in_words(playing: Path, tmp_path: Path) -> None:
    """`referee` names the line, and says what is wrong as `verify` does."""
    record = typed(playing, "perudo record 1").stdout.rstrip()
    (tmp_path / "r").write_text(record[:-1] + ("1" if record[-1] == "0" else "0") + "\n")
    said = typed(playing, f"perudo verify {tmp_path / 'r'}").stderr
    assert "the seal does not fit" in said
    done = typed(playing, f"perudo referee {tmp_path / 'r'}")
    assert done.exit_code == 1
    assert "round1isnotproven" in "".join(done.stderr.split())  # a long path is cut in two
    assert done.stderr.endswith(said)


def test_verify_fails_where_the_game_never_had_the_digest_or_the_salt(playing: Path) -> None:
    """The answer is the same as with exit 0, and the proofs of the rounds are in it."""
    seal = typed(playing, "perudo record 1").stdout.split()[-1]
    done = typed(playing, f"perudo verify 1 {seal}")
    assert (done.exit_code, done.stderr) == (0, "")
    wrong = seal[:-1] + ("1" if seal[-1] == "0" else "0")
    for proof in (wrong, "0123abcd", "salt these words"):
        done = typed(playing, f"perudo verify 1 {proof}")
        assert (done.exit_code, done.stderr) == (1, "")
        assert "Round 1: still running" in done.stdout
        assert "No move of this game" in done.stdout
        done = typed(playing, "pbmserv multiple", text=f"perudo verify 1 {proof}\n")
        assert done.exit_code == 1


def test_the_referee_says_that_a_record_has_no_proof(playing: Path, tmp_path: Path) -> None:
    """Its moves are right, so the exit code is 0; a record with proofs is not named."""
    for move in ("ann - 1-2s", "bob - dudo"):
        assert typed(playing, f"perudo move 1 {move}", PBMSERV_PASSWORD=PASSWORD).exit_code == 0
    record = typed(playing, "perudo record 1").stdout
    (tmp_path / "r").write_text(record)
    (tmp_path / "p").write_text(without_proofs(record))
    done = typed(playing, f"perudo referee {tmp_path / 'r'} {tmp_path / 'p'}")
    assert done.exit_code == 0
    assert "p:norollofthisrecordhasaproof" in "".join(done.stdout.split())
    assert done.stdout.count("proof") == 1


def without_proofs(record: str) -> str:
    """The record without its seeds, commitments and salts, and with the seal of what is left."""
    kept = re.sub(r" (seed|next|salt)=\S+|^(commit|salt) .*\n", "", record, flags=re.MULTILINE)
    lines = kept.split("\n")[:-2]
    digest = bytes(32)
    for line in lines:
        digest = hashlib.sha256(digest + line.encode()).digest()
    return "\n".join([*lines, f"seal {digest.hex()}", ""])
