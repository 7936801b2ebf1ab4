"""A restored backup: the rounds are rolled again, players are told, and old letters answered."""

from __future__ import annotations

import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Engine

from pbmserv.database import leases
from pbmserv.errors import TryLater
from pbmserv.file_locks import locked
from pbmserv.server import app
from tests.cli.processes import invoked
from tests.stories.town import PASSWORD, Letter, letters_in, mail, town_at

# Another program of this host may have the usual port, and would seem to be the server.
NO_PORT = 'smtp = ""\n'


@pytest.fixture
def lost(home: Path, tmp_path: Path) -> tuple[Path, Letter, Letter]:
    """A home with a backup that lacks the last moves.

    The letters are ann's of the move at which the backup was made, and one of two moves later.
    """
    with town_at(home, settings=NO_PORT) as town:
        town.sign_up("ann", "bob")
        town.challenge("ann", "bob")
    assert invoked(home, "pbmserv", "tick").returncode == 0
    assert invoked(home, "pbmserv", "backup", str(tmp_path / "backup")).returncode == 0
    assert invoked(home, "pbmserv", "tick").returncode == 0
    shutil.copytree(home, tmp_path / "snapshot")
    for who, what in (("ann", "2-2s"), ("bob", "3-2s")):
        assert invoked(home, "perudo", "move", "1", who, PASSWORD, what).returncode == 0
    first, *_, last = [
        letter
        for letter in letters_in(home)
        if "board 1" in letter.subject and letter.to == "ann@example.org"
    ]
    return home, first, last


def restored(home: Path, copy: Path) -> None:
    shutil.rmtree(home)
    shutil.copytree(copy, home)


def answered(home: Path, letter: Letter, text: str, number: str) -> str:
    """Hand a reply to the pipe; returns the text of the answer, or of the letter about the move."""
    raw = mail(letter.to, f"Re: {letter.subject}", text, message_id=number, to=letter.reply_to)
    before = {each.number for each in letters_in(home)}
    done = invoked(
        home, "pbmserv", "receive", "--recipient", letter.reply_to, text=raw.decode("ascii")
    )
    assert done.returncode == 0, done.stderr
    new = [e for e in letters_in(home) if e.number not in before and e.to == letter.to]
    return " ".join(new[-1].text.split())


def test_the_rounds_of_a_restored_backup_are_rolled_again(
    lost: tuple[Path, Letter, Letter], tmp_path: Path
) -> None:
    home, first, last = lost
    restored(home, tmp_path / "backup")
    done = invoked(home, "perudo", "show", "1")
    assert done.returncode == 78
    assert "was restored from a backup; start the server, or type: pbmserv restored" in done.stderr
    found = invoked(home, "pbmserv", "doctor", "--no-letter", "--no-dns").stdout
    assert (
        "-     restored   from a backup: the next start of the server rolls every running" in found
    )
    assert invoked(home, "pbmserv", "audit").stdout == "Boards: 1, problems: 0\n"

    assert invoked(home, "pbmserv", "tick").returncode == 0
    record = invoked(home, "perudo", "record", "1").stdout
    assert record.count("\nrestored ") == 1
    assert "\ndeal 2 A " in record
    assert invoked(home, "pbmserv", "audit").stdout == "Boards: 1, problems: 0\n"
    mine, bobs = letters_in(home)[-2:]
    for letter in (mine, bobs):
        words = " ".join(letter.text.split())
        assert "The server broke down and was restored from a backup" in words
        assert "round 2, move" in words
    for letter, text in ((first, "2-2s"), (last, "4-2s"), (last, "dudo")):
        said = answered(home, letter, text, f"<{letter.number}-{text}@x>")
        assert "You answered an earlier letter about board 1." in said
    assert "You bid two 2s" in answered(home, mine, "2-2s", "<new@x>")
    verified = invoked(home, "perudo", "verify", "1").stdout
    assert "Round 1: proven" in verified
    invoked(home, "perudo", "move", "1", "bob", PASSWORD, "dudo")
    verified = invoked(home, "perudo", "verify", "1").stdout
    assert "The seed of round 2 is from the day when the server was restored" in verified
    assert invoked(home, "perudo", "record", "1").stdout.count("\nrestored ") == 1


def test_a_restored_database_alone_is_noticed(
    lost: tuple[Path, Letter, Letter], tmp_path: Path
) -> None:
    home, _, _ = lost
    (home / "postmarks").write_bytes((7).to_bytes(8, "big"))  # of a letter that is lost
    shutil.copy2(tmp_path / "backup" / "pbmserv.sqlite", home)
    assert invoked(home, "pbmserv", "deliver").returncode == 0
    assert "\nrestored " in invoked(home, "perudo", "record", "1").stdout
    again = [each for each in letters_in(home) if "restored from a backup" in each.text]
    assert len(again) == 2


def test_a_restored_snapshot_is_noticed_once_it_is_reported(
    lost: tuple[Path, Letter, Letter], tmp_path: Path
) -> None:
    """A reply to a lost letter is answered, and the operator is told."""
    home, _, last = lost
    restored(home, tmp_path / "snapshot")
    assert "It is ann's turn" in invoked(home, "perudo", "show", "1").stdout
    said = answered(home, last, "4-2s", "<1@x>")
    assert "You answered a letter about move 3 of board 1, but that board is at move 1." in said
    done = invoked(home, "pbmserv", "restored")
    assert done.stdout == "Rounds rolled again: 1. Their players were told.\n"
    assert "You answered an earlier letter" in answered(home, last, "4-2s", "<2@x>")


def test_a_restored_backup_is_handled_by_one_of_two_processes(
    lost: tuple[Path, Letter, Letter], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one finds it done, or leaves it to the one that is at it."""
    home, _, _ = lost
    restored(home, tmp_path / "backup")
    monkeypatch.setattr(app, "PATIENCE", 0.0)
    with locked(home / app.RENEWING), pytest.raises(TryLater, match="its restored backup"):
        app.opened(home, after_restore="renew").__enter__()

    @contextmanager
    def alone_late(engine: Engine, patience: float) -> Iterator[leases.Lease]:
        monkeypatch.undo()
        assert app.renewed(home) == 1
        with leases.alone(engine, patience) as lease:
            yield lease

    monkeypatch.setattr(leases, "alone", alone_late)
    with app.opened(home, after_restore="renew"):
        pass
    assert invoked(home, "perudo", "record", "1").stdout.count("\nrestored ") == 1


def test_no_round_is_rolled_again_while_the_server_of_the_moved_home_listens(
    lost: tuple[Path, Letter, Letter], tmp_path: Path
) -> None:
    """It would go on with the games of before; the players would get letters of both."""
    home, *_ = lost
    restored(home, tmp_path / "backup")
    with socket.create_server(("127.0.0.1", 0)) as other:
        where = f"127.0.0.1:{other.getsockname()[1]}"
        (home / "pbmserv.toml").write_text(f'smtp = "{where}"\n')
        done = invoked(home, "pbmserv", "tick")
        assert done.returncode == 78
        assert f"a program already listens on {where}; end it" in done.stderr
    assert invoked(home, "pbmserv", "tick").returncode == 0
    assert invoked(home, "perudo", "record", "1").stdout.count("\nrestored ") == 1


def test_an_unrestored_home_rolls_nothing_again(
    lost: tuple[Path, Letter, Letter],
) -> None:
    home, _, _ = lost
    for _ in range(2):
        assert invoked(home, "pbmserv", "tick").returncode == 0
    assert "\nrestored" not in invoked(home, "perudo", "record", "1").stdout
