"""`--json` prints one document for programs, with the facts that the words tell."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.cli.processes import invoked
from tests.rows import each_row
from tests.stories.town import letters_in, mail, town_at

MOMENT = "2023-11-14T22:13:20Z"


def document(home: Path, *words: str, code: int = 0) -> dict[str, Any]:
    done = invoked(home, *words, "--json")
    assert (done.returncode, done.stderr) == (code, "")
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def waiting(home: Path) -> None:
    """From now on a letter and an email wait for the operator."""
    with closing(sqlite3.connect(home / "pbmserv.sqlite")) as connection, connection:
        connection.execute("update outbox set state = 'due', reason = 'Käthe\u009b' where id = 1")
        connection.execute("update inbox set state = 'aside', reason = 'KeyError' where id = 1")
    connection.close()


def test_queue_list_prints_a_document(played: Path, tmp_path: Path) -> None:
    home = shutil.copytree(played, tmp_path / "home")
    assert document(home, "pbmserv", "queue", "list") == {"entries": []}
    waiting(home)
    email, letter = document(home, "pbmserv", "queue", "list")["entries"]
    assert email == {
        "type": "email",
        "name": "in1",
        "state": "aside",
        "sender": "ann@example.org",
        "recipient": "perudo@localhost",
        "transport": "smtp",
        "message_id": "<mail-1@client.example>",
        "received": MOMENT,
        "tries": 0,
        "reason": "KeyError",
    }
    assert letter == {
        "type": "letter",
        "name": "out1",
        "state": "due",
        "address": "ann@example.org",
        "kind": "confirm",
        "board": None,
        "written": MOMENT,
        "due": MOMENT,
        "tries": 0,
        "reason": "Käthe\u009b",
    }
    printed = invoked(home, "pbmserv", "queue", "list", "--json").stdout
    assert "Käthe\\u009b" in printed  # a terminal would obey that character
    names = [
        each["name"] for each in document(home, "pbmserv", "queue", "list", "--all")["entries"]
    ]
    assert names[:2] == ["in1", "in2"]
    assert names[-1] == f"out{letters_in(home)[-1].number}"


def test_trace_prints_a_document(played: Path, tmp_path: Path) -> None:
    home = shutil.copytree(played, tmp_path / "home")
    invoked(home, "pbmserv", "annul", "1", "--why", "a test")
    found = document(home, "pbmserv", "trace", "1")
    older = ["older_actions", "older_emails", "older_letters"]
    assert list(found) == ["actions", "emails", "letters", *older]
    (action,) = found["actions"]
    assert {**action, "at": None} == {
        "at": None,
        "who": "operator",
        "what": "annul",
        "about": None,
        "board": 1,
        "why": "a test",
    }
    assert found["emails"][0] == {
        "name": "in5",
        "received": MOMENT,
        "message_id": "<mail-5@client.example>",
        "transport": "smtp",
        "sender": "ann@example.org",
        "envelope_sender": "ann@example.org",
        "recipient": "perudo@localhost",
        "state": "done",
        "tries": 0,
        "outcome": "perudo challenge",
    }
    first = found["letters"][0]
    assert (first["cause"], first["board"], first["state"]) == ("in5", 1, "sent")
    assert (first["written"], first["sent"], first["due"]) == (MOMENT, MOMENT, None)
    assert first["outcome"].startswith("stored in mail/ann@example.org/new/")
    assert found["letters"][-1]["cause"] is None
    assert len(found["letters"]) == len(letters_in(home)) - 4  # of signing up


def test_a_trace_has_the_failed_attempts(played: Path, tmp_path: Path) -> None:
    home = shutil.copytree(played, tmp_path / "home")
    (home / "pbmserv.toml").write_text('delivery = "smtp"\nrelay = "127.0.0.1:9"\n')
    invoked(home, "perudo", "challenge", "ann", "bob")
    (one, _) = document(home, "pbmserv", "trace", "2")["letters"]
    assert (one["state"], one["sent"], one["cause"]) == ("due", None, None)
    assert one["due"].endswith("Z")
    (attempt,) = one["attempts"]
    assert list(attempt) == ["first", "last", "count", "answer"]
    assert (attempt["first"], attempt["count"]) == (attempt["last"], 1)
    assert attempt["answer"].startswith("relay 127.0.0.1")


def test_a_document_of_the_operator_has_no_token(played: Path, tmp_path: Path) -> None:
    home = shutil.copytree(played, tmp_path / "home")
    letter = letters_in(home)[-1]
    raw = mail("bob@example.org", "Re: x", "help", message_id=f"<7.170.{letter.token}@localhost>")
    words = ("--sender", "", "--recipient", letter.reply_to)
    assert invoked(home, "pbmserv", "receive", *words, text=raw.decode()).returncode == 0
    with closing(sqlite3.connect(home / "pbmserv.sqlite")) as connection, connection:
        connection.execute(
            "update inbox set state = 'waiting', recipient = ? where id = 8", (letter.reply_to,)
        )
    connection.close()
    for asked in (("queue", "list", "--all"), ("trace", "in8"), ("trace", "bob")):
        printed = invoked(home, "pbmserv", *asked, "--json").stdout.lower()
        assert "perudo+***@localhost" in printed
        assert letter.token.lower() not in printed


def test_doctor_prints_its_findings_as_a_document(home: Path) -> None:
    with town_at(home) as town:
        town.sign_up("ann")
    words = ("pbmserv", "doctor", "--no-letter", "--no-dns")
    (home / "pbmserv.toml").write_text('smtp = ""\n')
    found = document(home, *words)
    assert (found["well"], found["problems"]) == (True, 0)
    told = {each["name"]: each for each in found["checks"]}
    assert told["smtp"] == {
        "name": "smtp",
        "state": "skipped",
        "said": "not used",
        "remedy": None,
    }
    waiting(home)
    found = document(home, *words, code=1)
    assert (found["well"], found["problems"]) == (False, 1)
    (queues,) = (each for each in found["checks"] if each["state"] == "failed")
    assert queues["name"] == "queues"
    assert "pbmserv queue list" in queues["remedy"]


@each_row(
    ("words", "code"),
    [
        (("pbmserv", "trace", "nobody@example.org"), 1),
        (("pbmserv", "trace"), 2),
        (("pbmserv", "queue", "show", "in1"), 2),  # it has no such option
    ],
)
def test_a_mistake_prints_no_document(played: Path, words: tuple[str, ...], code: int) -> None:
    """The reason is on standard error, with the same exit code as without the option."""
    done = invoked(played, *words, "--json")
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr
