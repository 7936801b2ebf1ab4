"""`pbmserv receive`: the pipe of a mail server, which acts on the exit code."""

from __future__ import annotations

import sqlite3
from contextlib import closing, nullcontext
from pathlib import Path

import pytest

from tests.cli.processes import empty_the_bucket, served, typed
from tests.stories.town import OUR_ADDRESS, PASSWORD, answering, letters_in, mail, town_at

pytestmark = pytest.mark.long

HELP = mail("zoe@example.org", "help", message_id="<1@x>")


def test_an_email_is_carried_out_and_answered_at_once(home: Path) -> None:
    """Exit 0: without a server the pipe does all the work itself, in a new home, too."""
    done = typed(home, "pbmserv", "receive", "--sender", "zoe@example.org", text=HELP)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    (letter,) = letters_in(home)
    assert (letter.to, letter.subject) == ("zoe@example.org", "How to play Perudo by email")


def test_the_same_email_twice_has_one_answer(home: Path) -> None:
    for _ in range(2):
        assert typed(home, "pbmserv", "receive", text=HELP).returncode == 0
    assert len(letters_in(home)) == 1


@pytest.mark.parametrize("sender", ["", "<>", "MAILER-DAEMON"])
def test_a_bounce_is_not_answered(home: Path, sender: str) -> None:
    assert typed(home, "pbmserv", "receive", "--sender", sender, text=HELP).returncode == 0
    assert letters_in(home) == []


def test_the_recipient_carries_the_token(home: Path) -> None:
    """A mail server that strips the plus part from To still hands it over as the recipient."""
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        letter = town.challenge("ann", "bob")[0]
    raw = mail("ann@example.org", "Re: your game", "2-2s", message_id="<1@x>", to=OUR_ADDRESS)
    done = typed(home, "pbmserv", "receive", "--recipient", letter.reply_to, text=raw)
    assert done.returncode == 0
    assert "ann's two 2s" in letters_in(home)[-1].text


def test_without_an_envelope_the_headers_tell(home: Path) -> None:
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        letter = town.challenge("ann", "bob")[0]
    raw = mail("ann@example.org", "Re: x", "2-2s", message_id="<1@x>", headers=answering(letter))
    assert typed(home, "pbmserv", "receive", text=raw).returncode == 0
    assert "ann's two 2s" in letters_in(home)[-1].text


def test_nonsense_is_safe_too(home: Path) -> None:
    """No bytes make the pipe fail: the mail server would try them for days."""
    for raw in (b"", b"\0\xff" * 100, b"From: a@b\r\n\r\n", b"From: a@b\nSubject: \n\n\n"):
        done = typed(home, "pbmserv", "receive", text=raw)
        assert (done.returncode, done.stderr) == (0, "")


def test_a_locked_database_is_to_be_tried_again(home: Path) -> None:
    """Exit 75 (EX_TEMPFAIL) when another process holds the database for long; one line says so."""
    with town_at(home):
        pass
    other = sqlite3.connect(home / "pbmserv.sqlite", isolation_level=None)
    other.execute("begin immediate")
    done = typed(home, "pbmserv", "receive", text=HELP)
    assert done.returncode == 75
    assert done.stderr.startswith("pbmserv: try again later: the database is not available")
    assert done.stderr.count("\n") == 1
    other.execute("rollback")
    other.close()
    assert typed(home, "pbmserv", "receive", text=HELP).returncode == 0
    assert len(letters_in(home)) == 1


@pytest.mark.parametrize("is_served", [False, True])
def test_an_empty_bucket_of_passwords_is_to_be_tried_again(home: Path, is_served: bool) -> None:
    """Exit 75, one line, and nothing kept; email without a password passes all the while."""
    with town_at(home) as town:
        empty_the_bucket(town.engine)
    signup = mail("zoe@example.org", f"signup zoe {PASSWORD}", message_id="<2@x>")
    with served(home) if is_served else nullcontext():
        done = typed(home, "pbmserv", "receive", "--sender", "zoe@example.org", text=signup)
        assert (done.returncode, done.stdout) == (75, "")
        assert done.stderr.startswith("pbmserv: try again later: too many passwords")
        assert done.stderr.count("\n") == 1
        assert typed(home, "pbmserv", "receive", text=HELP).returncode == 0
        assert numbers(home) == ["<1@x>"]
        with closing(sqlite3.connect(home / "pbmserv.sqlite")) as other, other:
            other.execute("delete from counters where what = 'bucket'")
        assert typed(home, "pbmserv", "receive", text=signup).returncode == 0
        assert numbers(home) == ["<1@x>", "<2@x>"]


def numbers(home: Path) -> list[str]:
    with closing(sqlite3.connect(home / "pbmserv.sqlite")) as other, other:
        return [each for (each,) in other.execute("select message_id from inbox order by id")]


@pytest.mark.parametrize("broken", ["no such folder", "no database", "no home"])
def test_an_email_waits_for_a_missing_disk(home: Path, broken: str) -> None:
    """Exit 75, and one line: at 78 a mail server would return the email for good."""
    home.mkdir()
    if broken == "no such folder":
        (home / "pbmserv.toml").write_text('database = "sqlite:///away/pbmserv.sqlite"\n')
    elif broken == "no database":
        (home / "pbmserv.sqlite").write_bytes(b"x" * 4096)
    else:
        (home / "key").mkdir()
    done = typed(home, "pbmserv", "receive", text=HELP)
    assert done.returncode == 75
    assert done.stderr.startswith("pbmserv: try again later: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ('smpt = "127.0.0.1:25"\n', "unknown setting smpt; did you mean smtp?"),
        ("largest_mail = 5\n", "largest_mail must be from 4096 to 10485760"),
        ("smtp = \n", "not TOML: "),
    ],
)
@pytest.mark.parametrize("command", ["receive", "serve", "deliver", "audit"])
def test_wrong_settings_are_one_line_and_exit_78(
    home: Path, settings: str, said: str, command: str
) -> None:
    home.mkdir()
    (home / "pbmserv.toml").write_text(settings)
    done = typed(home, "pbmserv", command, text=HELP)
    assert done.returncode == 78
    assert done.stdout == ""
    assert done.stderr.startswith(f"pbmserv: {home / 'pbmserv.toml'}: {said}")
    assert done.stderr.count("\n") == 1


def test_a_password_can_be_kept_out_of_the_command_line(home: Path) -> None:
    """`-` in its place takes PBMSERV_PASSWORD."""
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        town.challenge("ann", "bob")
    words = ("perudo", "showas", "ann", "-", "1")
    done = typed(home, *words, environ={"PBMSERV_PASSWORD": PASSWORD})
    assert done.returncode == 0
    assert "Board 1 as you see it, ann." in done.stdout
    done = typed(home, *words, environ={"PBMSERV_PASSWORD": "wrong"})
    assert done.returncode == 1
