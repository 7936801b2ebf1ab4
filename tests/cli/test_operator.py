"""The operator's commands: queues, audit, delivery, and words that complete."""

from __future__ import annotations

import re
import shutil
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.processes import PROGRAMS, environment, invoked, started, typed
from tests.forked import PIPE
from tests.forkstubs import stubs
from tests.stories.town import PASSWORD, letters_in, town_at


@pytest.fixture(scope="module")
def two_boards(played: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same home with board 2 of cleo and eve."""
    home = shutil.copytree(played, tmp_path_factory.mktemp("two") / "home")
    with town_at(home) as town:
        town.sign_up("cleo", "eve")
        town.challenge("cleo", "eve")
    return home


def test_a_board_is_annulled_counts_again_and_is_stopped(copied: Path) -> None:
    """Each is told to the players, and in `trace`; what cannot be done is refused."""
    steps = [
        (("annul", "1", "--why", "a test"), 0, "Board 1 is annulled; its players are told.\n"),
        (("annul", "1"), 1, ""),
        (("annul", "1", "--undo"), 0, "Board 1 counts again; its players are told.\n"),
        (("stop", "1", "--why", "a test"), 0, "Board 1 is stopped; its players are told.\n"),
        (("stop", "1"), 1, ""),
        (("annul", "99"), 1, ""),
        (("annul", "0"), 2, ""),
    ]
    for words, code, said in steps:
        done = invoked(copied, "pbmserv", *words)
        assert (done.returncode, done.stdout) == (code, said), done.stderr
    told = [each for each in letters_in(copied) if each.to == "bob@example.org"][-3:]
    assert {each.subject for each in told} == {"Perudo board 1"}
    openings = (
        "Board 1 no longer counts for ratings.\n\nThe operator has annulled board 1:",
        "Board 1 counts for ratings again.",
        "The operator has stopped the game.",
    )
    for letter, begin in zip(told, openings, strict=True):
        assert letter.text.startswith(begin)
    lines = invoked(copied, "pbmserv", "trace", "1").stdout.splitlines()
    assert [line.partition("operator: ")[2] for line in lines[:3]] == [
        "annul, board 1 (a test)",
        "annul --undo, board 1",
        "stop, board 1 (a test)",
    ]


def test_two_boards_annulled_at_once_are_both_out_of_the_ratings(tmp_path: Path) -> None:
    """A process that is killed in between has changed nothing: the audit finds no problem."""
    home = tmp_path / "home"
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        for board in range(1, 5):
            town.challenge("ann", "bob")
            town.move("ann", "2-2s", board)
            town.move("bob", "dudo", board)
            town.move("ann", "resign", board)
    both = [started(home, "pbmserv", "annul", board, stdout=PIPE) for board in ("1", "2")]
    for number, done in enumerate(both, start=1):
        assert done.communicate(timeout=60)[0].decode() == (
            f"Board {number} is annulled; its players are told.\n"
        )
    with subprocess.Popen(
        [str(PROGRAMS / "pbmserv"), "annul", "3"], env=environment(home), stdout=subprocess.PIPE
    ) as killed:
        time.sleep(1.0)
        killed.kill()
    assert invoked(home, "pbmserv", "audit").stdout == "Boards: 4, problems: 0\n"


def test_an_annulment_names_the_players_who_are_not_told(copied: Path) -> None:
    changed(
        copied,
        "update addresses set paused_at = ?, paused_by = 'bounced' where address = ?",
        1_700_000_000,
        "bob@example.org",
    )
    for word, done in (("annul", "annulled"), ("stop", "stopped")):
        said = invoked(copied, "pbmserv", word, "1").stdout
        left = "its players are told, except bob: no letters go there now"
        assert said == f"Board 1 is {done}; {left}.\n"


@pytest.fixture
def copied(played: Path, tmp_path: Path) -> Path:
    return shutil.copytree(played, tmp_path / "home")


def changed(home: Path, statement: str, *values: object) -> None:
    connection = sqlite3.connect(home / "pbmserv.sqlite")
    assert connection.execute(statement, values).rowcount == 1
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    "words",
    [
        *(("queue", "list"), ("queue", "show", "in1"), ("trace", "ann@example.org"), ("audit",)),
        *(
            ("tick",),
            ("deliver",),
            ("fetch",),
            ("backup", "copy"),
            ("move-database", "sqlite:///x"),
        ),
        *(("list",), ("perudo", "show", "1"), ("perudo", "verify", "1")),
        *(("set", "ann", "-"), ("perudo", "challenge", "ann", "bob")),
    ],
    ids=" ".join,
)
def test_a_mistyped_home_is_not_made_and_found_in_order(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    done = invoked(tmp_path / "hoem", "pbmserv", *words)
    assert done.returncode == 78
    assert "there is no home; use --home or PBMSERV_HOME to say where it is" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_folder_without_a_database_is_no_home_of_players(tmp_path: Path) -> None:
    done = invoked(tmp_path, "perudo", "show", "1")
    assert done.returncode == 78
    assert "there is no database yet" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_an_audit_of_an_honest_home_finds_nothing(copied: Path) -> None:
    done = invoked(copied, "pbmserv", "audit")
    assert (done.returncode, done.stdout, done.stderr) == (0, "Boards: 1, problems: 0\n", "")


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (
            "update boards set position = replace(position, ' 3 ', ' 4 ')",
            "the position does not follow from its events",
        ),
        *(
            (f"update boards set {column}", "its move, turn, lines or state do not match")
            for column in ("move = move + 1", "turn = 1 - turn", "lines = 99", "state = 'won'")
        ),
        (
            "update boards set chain = zeroblob(32)",
            "its record is not valid: The proof fails in round 2",
        ),
        ("update boards set seed = zeroblob(32)", "the secrets do not match the commitments"),
        (
            "update boards set next_seed = zeroblob(32)",
            "the secrets do not match the commitments",
        ),
        ("update boards set next_seed = null", "the secrets of the running game are missing"),
        (
            "update happenings set line = replace(line, '2-2s', '2-3s') where line like 'A %'",
            "its record is not valid",
        ),
        (
            "update happenings set digits = zeroblob(length(digits)) where line like '%rev%'",
            "its record is not valid",
        ),
        (
            "update happenings set digits = x'00' where line like '%rev%'",
            "its record is not valid",
        ),
        (
            "update happenings set digits = null where line like '%rev%'",
            "its record is not valid",
        ),
        (
            "update happenings set line = replace(line, 'lose', 'gain') where line like '%lose%'",
            "its record is not valid",
        ),
        ("delete from happenings where line like '%lose%'", "its record is not valid"),
    ],
)
def test_an_audit_finds_tampering(copied: Path, statement: str, said: str) -> None:
    changed(copied, statement)
    done = invoked(copied, "pbmserv", "audit")
    assert done.returncode == 78
    assert f"board 1: {said}" in done.stdout


def test_an_audit_finds_dice_that_were_changed(copied: Path) -> None:
    """The cups of the running round are those that its seed gives."""
    connection = sqlite3.connect(copied / "pbmserv.sqlite")
    (position,) = connection.execute("select position from boards").fetchone()
    connection.close()
    words = position.split(" ")
    words[1] = words[1].translate(str.maketrans("123456", "234561"))
    changed(copied, "update boards set position = ?", " ".join(words))
    done = invoked(copied, "pbmserv", "audit")
    assert done.returncode == 78
    assert "board 1: the running round's cups do not follow from its seed" in done.stdout


def in_whole_lines(text: str) -> list[str]:
    """The lines of a table, each with those below it that begin with blanks."""
    return re.sub(r"\n +", "  ", text).splitlines()


def without_relay(home: Path) -> None:
    """From now on letters go to a relay that nobody runs."""
    (home / "pbmserv.toml").write_text('delivery = "smtp"\nrelay = "127.0.0.1:9"\n')


def test_letters_wait_for_a_failing_relay_and_can_be_retried(copied: Path) -> None:
    """`queue list`, `show` and `retry`; the answer at the shell does not wait."""
    without_relay(copied)
    done = invoked(copied, "perudo", "move", "1", "ann", PASSWORD, "2-2s")
    done = (
        done
        if done.returncode == 0
        else invoked(copied, "perudo", "move", "1", "bob", PASSWORD, "2-2s")
    )
    assert done.returncode == 0
    listed = in_whole_lines(invoked(copied, "pbmserv", "queue", "list").stdout)
    assert [line.split()[1:4] for line in listed] == [
        ["due", "perudo/moved", "ann@example.org"],
        ["due", "perudo/moved", "bob@example.org"],
    ]
    assert all("relay 127.0.0.1" in line for line in listed)
    name = listed[0].split()[0]

    shown = invoked(copied, "pbmserv", "queue", "show", name).stdout
    assert "kind: perudo/moved" in shown
    assert "text kept: " in shown
    assert "position" not in shown

    (copied / "pbmserv.toml").write_text('delivery = "maildir"\n')
    before = len(letters_in(copied))
    assert invoked(copied, "pbmserv", "deliver").stdout == "Letters sent: 0\n"  # not due yet
    done = invoked(copied, "pbmserv", "queue", "retry", name)
    assert (done.returncode, done.stdout) == (0, f"Tried again: {name}\n")
    assert len(letters_in(copied)) == before + 1
    assert len(in_whole_lines(invoked(copied, "pbmserv", "queue", "list").stdout)) == 1


def test_a_letter_can_be_dropped_and_its_text_is_gone(copied: Path) -> None:
    without_relay(copied)
    invoked(copied, "perudo", "challenge", "ann", "bob")
    name = invoked(copied, "pbmserv", "queue", "list").stdout.split()[0]
    for word in ("retry", "drop"):  # one that is not there, and nothing happens to the others
        done = invoked(copied, "pbmserv", "queue", word, name, "in99")
        assert (done.returncode, done.stdout) == (1, "")
        assert name in invoked(copied, "pbmserv", "queue", "list").stdout
    assert invoked(copied, "pbmserv", "queue", "drop", name).stdout == f"Dropped: {name}\n"
    assert name not in invoked(copied, "pbmserv", "queue", "list").stdout
    assert "text kept: 0 bytes" in invoked(copied, "pbmserv", "queue", "show", name).stdout
    assert name in invoked(copied, "pbmserv", "queue", "list", "--all").stdout
    for word in ("drop", "retry"):
        done = invoked(copied, "pbmserv", "queue", word, name)
        assert done.returncode == 1
        assert f'The queues have no entry "{name}"' in done.stderr


@pytest.mark.parametrize("name", ["out999", "in999", "nothing", "out", "out-1"])
def test_a_missing_entry_is_refused(copied: Path, name: str) -> None:
    done = invoked(copied, "pbmserv", "queue", "show", name)
    assert done.returncode == 1
    assert "The queues have no entry" in done.stderr


def test_a_token_and_a_password_are_never_shown(copied: Path) -> None:
    """A letter that asks for a confirmation, and an email that a bug set aside."""
    without_relay(copied)
    raw = f"From: dora@example.org\nMessage-ID: <1@x>\nSubject: signup dora {PASSWORD}\n\n"
    assert invoked(copied, "pbmserv", "receive", text=raw).returncode == 0
    changed(copied, "update boards set recent = '{'")  # what no program of ours writes
    raw = f"From: ann@example.org\nMessage-ID: <2@x>\nSubject: perudo showas ann {PASSWORD} 1\n\n"
    assert invoked(copied, "pbmserv", "receive", text=raw).returncode == 0
    for _ in range(3):
        assert invoked(copied, "pbmserv", "deliver").returncode == 0

    connection = sqlite3.connect(copied / "pbmserv.sqlite")
    (token,) = connection.execute(
        "select token from outbox where kind = 'confirm' order by id desc"
    ).fetchone()
    connection.close()
    listed = invoked(copied, "pbmserv", "queue", "list").stdout
    assert [line.split()[1:3] for line in in_whole_lines(listed)] == [
        ["aside", "pipe"],
        ["due", "confirm"],
        ["due", "bug"],
    ]
    assert "JSONDecodeError at " in " ".join(listed.split())
    for name in [line.split()[0] for line in in_whole_lines(listed)]:
        listed += invoked(copied, "pbmserv", "queue", "show", name).stdout
    assert token not in listed
    assert PASSWORD not in listed


def test_the_token_of_a_waiting_email_is_not_shown(copied: Path) -> None:
    """It is in the recipient, and in the Message-ID of one of our letters that came back."""
    letter = letters_in(copied)[-1]
    assert letter.token.lower() in letter.reply_to
    changed(
        copied,
        "update inbox set state = 'waiting', recipient = ?, message_id = ? where id = 1",
        letter.reply_to,
        f"<7.1700000000.{letter.token}@localhost>",
    )
    shown = invoked(copied, "pbmserv", "queue", "show", "in1").stdout
    assert "state: waiting" in shown
    assert "recipient: perudo+***@localhost" in shown
    assert letter.token.lower() not in shown.lower()


def test_a_quarantined_email_can_be_retried(copied: Path) -> None:
    """After the bug is fixed, its command is carried out. The writer is told of both."""
    connection = sqlite3.connect(copied / "pbmserv.sqlite")
    (recent,) = connection.execute("select recent from boards").fetchone()
    connection.close()
    changed(copied, "update boards set recent = '{'")
    raw = f"From: ann@example.org\nMessage-ID: <2@x>\nSubject: perudo showas ann {PASSWORD} 1\n\n"
    invoked(copied, "pbmserv", "receive", text=raw)
    for _ in range(3):
        invoked(copied, "pbmserv", "deliver")
    bug = letters_in(copied)[-1]
    assert bug.to == "ann@example.org"
    assert PASSWORD not in bug.text
    changed(copied, "update boards set recent = ?", recent)
    name = invoked(copied, "pbmserv", "queue", "list").stdout.split()[0]
    assert invoked(copied, "pbmserv", "queue", "retry", name).returncode == 0
    assert "Board 1 as you see it, ann." in letters_in(copied)[-1].text
    assert invoked(copied, "pbmserv", "queue").stdout == "Nothing waits.\n"


def test_deliver_says_how_many_letters_left(copied: Path) -> None:
    changed(
        copied,
        "update outbox set state = 'due', kind = 'help', payload = ? where id = 1",
        '{"subject": "x", "page": "y"}',
    )
    assert invoked(copied, "pbmserv", "deliver").stdout == "Letters sent: 1\n"
    assert invoked(copied, "pbmserv", "deliver").stdout == "Letters sent: 0\n"


def completed(home: Path, words: str, account: str = "root") -> list[str]:
    """What bash offers for these words, with the functions that we print for it."""
    script = f"""
        eval "$(pbmserv completion bash)"
        COMP_WORDS=({words}) COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
        function_name=$(complete -p ${{COMP_WORDS[0]}} | sed 's/.*-F \\([^ ]*\\).*/\\1/')
        $function_name ${{COMP_WORDS[0]}} "${{COMP_WORDS[COMP_CWORD]}}"
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    environ = environment(home) | {"PATH": f"{stubs()}:/usr/bin:/bin", "LOGNAME": account}
    done = subprocess.run(
        ["bash", "-c", script], env=environ, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("perudo ch", ["challenge", "chat"]),
        ("pbmserv signu", ["signup"]),
        ("pbmserv queue re", ["retry"]),
        ("pbmserv perudo ver", ["verify"]),
        ("perudo challenge -ru", ["-rules"]),
        ("perudo challenge -rules = p", ["pbmserv", "pyrudo", "pacao"]),
        ("perudo challenge -rules =", ["pbmserv", "classic", "bga", "pyrudo", "pacao"]),
        ("perudo challenge -inorder -rules = bga ann house-", ["house-honest", "house-threshold"]),
        ("perudo seek ann - -raise = s", ["strict", "single"]),
        ("pbmserv help tu", ["tutorial"]),
        ("perudo help rules p", ["pacao", "pbmserv", "pyrudo"]),
        ("perudo help rules bga ''", []),
        ("perudo challenge -nonsense ann hou", ["house", "house-honest", "house-threshold"]),
        ("perudo move ''", []),
    ],
)
def test_bash_completes_our_words(home: Path, words: str, offered: list[str]) -> None:
    assert completed(home, words) == offered


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("perudo move ''", ["2", "1"]),  # this account is no player
        ("perudo chat 1", ["1"]),
        ("perudo showas eve secret ''", ["2"]),
        ("perudo showas nobody secret ''", ["2", "1"]),
        ("perudo rematch ''", []),
        ("perudo record ''", ["2", "1"]),
        ("pbmserv set ann secret dig", ["digest=off", "digest=daily"]),
        ("pbmserv set ann secret digest = d", ["daily"]),
        ("pbmserv set ann secret timezone =", ["Europe/Zurich"]),
        ("pbmserv set ann secret nothing = d", []),
    ],
)
def test_bash_completes_boards_and_preferences(
    two_boards: Path, words: str, offered: list[str]
) -> None:
    assert completed(two_boards, words) == offered


def test_the_boards_of_the_account_at_the_shell_are_completed(two_boards: Path) -> None:
    """Where its name is the userid of a player, in any spelling."""
    assert completed(two_boards, "perudo move ''", "Bob") == ["1"]
    assert completed(two_boards, "perudo move ''", "cleo") == ["2"]


def test_to_complete_makes_no_home(home: Path) -> None:
    assert completed(home, "perudo move ''") == []
    assert not home.exists()


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed here")
@pytest.mark.parametrize("begun", ["", "autoload -U compinit && compinit -u;"])
def test_zsh_completes_our_words(home: Path, begun: str) -> None:
    """zsh takes our functions, whether its completion runs already or not."""
    environ = environment(home) | {"PATH": f"{stubs()}:/usr/bin:/bin"}
    script = (
        f'{begun} eval "$(pbmserv completion zsh)";print ${{_comps[perudo]}} ${{_comps[pbmserv]}}'
    )
    done = subprocess.run(
        ["zsh", "-f", "-c", script], env=environ, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["_perudo_completion", "_pbmserv_completion"]


def test_help_and_completion_touch_no_home(home: Path) -> None:
    """An old database is not upgraded by who only asks what a command does."""
    for program, words in (
        ("pbmserv", ("help", "block")),
        ("perudo", ("help", "rules", "bga")),
        ("pbmserv", ("help", "nonsense")),
        ("pbmserv", ("block", "--help")),
    ):
        invoked(home, program, *words)
    assert completed(home, "pbmserv help tu") == ["tutorial"]
    assert not home.exists()
    home.mkdir(mode=0o700)
    (home / "pbmserv.sqlite").write_text("no database")
    shown = invoked(home, "pbmserv", "help", "block")
    assert shown.returncode == 0, shown.stderr
    assert "At a shell:\n  pbmserv block ann - bob\n" in shown.stdout
    asked = invoked(home, "pbmserv", "help", "reset").stdout
    assert "  pbmserv reset ann\n" in asked


def test_zsh_gets_the_words_to_complete(home: Path) -> None:
    """This is the program's answer to zsh's question. The test needs no zsh."""
    asked = {"_PERUDO_COMPLETE": "zsh_complete", "COMP_WORDS": "perudo pre", "COMP_CWORD": "1"}
    done = typed(home, "perudo", environ=asked)
    assert done.stdout.split("\n")[:2] == ["plain", "preview"]
    asked |= {"COMP_WORDS": "perudo challenge -rules=bg", "COMP_CWORD": "2"}
    done = typed(home, "perudo", environ=asked)
    assert done.stdout.split("\n")[:2] == ["plain", "-rules=bga"]


@pytest.mark.parametrize("shell", ["bash", "zsh"])
@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("pbmserv perudo mve 1", "3"),
        ("pbmserv perudo mve ", "3"),
        ("pbmserv mve ", "2"),
        ("pbmserv 'perudo mo", "1"),
        ("pbmserv #1 x", "2"),
        ("pbmserv --nothing perudo mo", "3"),
        ("pbmserv perudo move", "9"),
        ("pbmserv perudo", ""),
        ("", "1"),
    ],
)
def test_completing_a_mistyped_word_prints_no_traceback(
    home: Path, shell: str, words: str, place: str
) -> None:
    asked = {"_PBMSERV_COMPLETE": f"{shell}_complete", "COMP_WORDS": words, "COMP_CWORD": place}
    done = typed(home, "pbmserv", environ=asked)
    assert done.stderr == ""
