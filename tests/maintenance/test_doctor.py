"""`pbmserv doctor` finds each fault that a home can have, and names a remedy."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from pbmserv.maintenance.doctor import home as home_checks
from pbmserv.maintenance.doctor.files import privacy
from pbmserv.maintenance.doctor.home import space
from pbmserv.outbox.queue import WAITS
from pbmserv.settings import Settings
from pbmserv.timeunits import HOUR
from tests.cli.processes import invoked, served, typed, until
from tests.conftest import choose_database
from tests.maintenance.examining import by_relay, doctoring, examined, is_ill, statement
from tests.postgresql import Cluster, cluster
from tests.stories.town import PASSWORD, letters_in, mail, town_at

OPERATOR = "root@example.org"


def test_a_healthy_home_passes_every_check(healthy: Path) -> None:
    code, text = examined(healthy)
    assert code == 0, text
    assert text.endswith("All is well.\n")
    assert "ok    database" in text
    assert f"ok    settings   {healthy / 'pbmserv.toml'}: perudo@localhost\n" in text


def test_the_doctor_reports_missing_settings(healthy: Path) -> None:
    (healthy / "pbmserv.toml").unlink()
    said = "-     settings   no pbmserv.toml: defaults, for this machine only: perudo@localhost\n"
    assert said in examined(healthy)[1]


def test_the_doctor_changes_nothing(healthy: Path) -> None:
    before = (healthy / "pbmserv.sqlite").read_bytes()
    examined(healthy)
    assert (healthy / "pbmserv.sqlite").read_bytes() == before


def test_the_doctor_creates_nothing_in_an_empty_place(home: Path) -> None:
    code, text = examined(home)
    assert code == 1
    assert "there is no home here" in text
    assert not home.exists()


def test_the_doctor_reports_a_wrong_setting(healthy: Path) -> None:
    (healthy / "pbmserv.toml").write_text('smpt = "x"\n')
    is_ill(healthy, "settings", "unknown setting smpt; did you mean smtp?", "Correct that line")


def test_the_doctor_reports_a_wrong_database_url(healthy: Path) -> None:
    (healthy / "pbmserv.toml").write_text('smtp = ""\ndatabase = "secret-nonsense"\n')
    is_ill(healthy, "database", "not a URL", "Correct `database`")
    assert "secret-nonsense" not in examined(healthy)[1]


def test_the_doctor_reports_a_home_readable_by_others(healthy: Path) -> None:
    healthy.chmod(0o755)
    is_ill(healthy, "privacy", "other users can read it", f"chmod 700 {healthy}")


def test_the_doctor_quotes_arguments_of_the_commands_it_suggests(tmp_path: Path) -> None:
    home = tmp_path / "my home"
    home.mkdir(mode=0o755)
    assert privacy(Settings(home=home)).remedy == f"Type: chmod 700 '{home}'"


def test_the_doctor_reports_a_disk_that_is_nearly_full(
    healthy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(home_checks, "LEAST_FREE", 2**60)
    is_ill(healthy, "disk", " MB free; the database uses 0 MB", "Free some space: 1,152,921,504,6")


def test_the_doctor_wants_space_for_an_upgrade_of_a_large_database(tmp_path: Path) -> None:
    """Twice its size: an upgrade copies tables."""
    with (tmp_path / "pbmserv.sqlite").open("wb") as file:
        file.truncate(2**43)  # it takes no space
    found = space(Settings(home=tmp_path))
    assert found.is_well is False
    assert found.said.endswith("the database uses 8,796,093 MB")
    assert found.remedy == "Free some space: 17,592,186 MB should be free."


def test_the_doctor_reports_a_damaged_key(healthy: Path) -> None:
    (healthy / "key").write_bytes(b"short")
    is_ill(healthy, "privacy", "must hold exactly 32 bytes", "backup")


def test_the_doctor_reports_a_lost_key(healthy: Path) -> None:
    (healthy / "key").unlink()
    is_ill(healthy, "key", "key: is missing", "Bring key back from the backup")
    assert not (healthy / "key").exists()


def test_the_doctor_reports_another_key(healthy: Path) -> None:
    invoked(healthy, "pbmserv", "tick")
    (healthy / "key").write_bytes(bytes(32))
    is_ill(healthy, "key", "is not the key of", "Bring key back from the backup")


def test_the_doctor_reports_a_missing_database(healthy: Path) -> None:
    (healthy / "pbmserv.sqlite").unlink()
    is_ill(healthy, "database", "is missing or empty, but the key exists", "restore a backup")
    assert not (healthy / "pbmserv.sqlite").exists()
    for run, *words in (
        (typed, "pbmserv", "serve"),
        (invoked, "perudo", "games"),
        (invoked, "pbmserv", "tick"),
    ):
        done = run(healthy, *words)
        assert (done.returncode, done.stderr.count("\n")) == (78, 1)
        assert "restore the backup, or begin again: pbmserv serve --new" in done.stderr


def test_the_doctor_reports_a_damaged_database(healthy: Path) -> None:
    file = healthy / "pbmserv.sqlite"
    raw = bytearray(file.read_bytes())
    raw[4096 * 3 : 4096 * 6] = b"\xff" * (4096 * 3)
    file.write_bytes(raw)
    is_ill(healthy, "database", "pbmserv.sqlite: ", "restore a backup")


def test_the_doctor_reports_a_dangling_row(healthy: Path) -> None:
    statement(healthy, "update addresses set player_id = 99 where id = 1")
    is_ill(healthy, "database", "a row of addresses refers to a missing row", "restore a backup")


def test_the_doctor_reports_tables_of_an_older_program(healthy: Path) -> None:
    statement(healthy, "update alembic_version set version_num = '0001'")
    is_ill(healthy, "migrations", "at 0001 of ", "Make a backup")


def test_the_doctor_reports_tables_of_a_newer_program(healthy: Path) -> None:
    statement(healthy, "update alembic_version set version_num = '9999'")
    is_ill(healthy, "migrations", "at 9999, made by a newer pbmserv", "or a later one")


def ticked(home: Path, seconds_ago: int) -> None:
    moment = int(time.time()) - seconds_ago
    statement(home, "insert into ticks values (1, ?, 'x', 0)", moment)


def test_the_doctor_reports_unhandled_deadlines(healthy: Path) -> None:
    ticked(healthy, 3 * 60 * 60)
    is_ill(healthy, "clock", "deadlines checked 3 hours ago", "pbmserv tick")


def test_the_doctor_reports_a_stopped_server(healthy: Path) -> None:
    """No problem at first: a pipe and cron need none. After two hours without them it is one."""
    said = (
        "-     server     no server is running\n"
        "                 -> Start it: pbmserv serve, or systemctl start pbmserv. A"
    )
    with served(healthy):
        until(lambda: "deadlines checked" in examined(healthy)[1])
        assert said not in examined(healthy)[1]
    code, text = examined(healthy)
    assert (code, said in text) == (0, True)
    statement(healthy, "update ticks set ticked_at = ticked_at - 3 * 3600")
    is_ill(healthy, "clock", "deadlines checked 3 hours ago", "Start the server, or have cron call")


def test_the_doctor_reports_a_clock_put_back(healthy: Path) -> None:
    ticked(healthy, -24 * 60 * 60)
    is_ill(healthy, "clock", "the clock was already later than this", "Set this machine's clock")


def test_the_doctor_reports_a_quarantined_email(healthy: Path) -> None:
    statement(healthy, "update inbox set state = 'aside' where id = 1")
    is_ill(healthy, "queues", "emails set aside: 1", "pbmserv queue list")


def test_the_doctor_reports_unsent_letters(healthy: Path) -> None:
    statement(healthy, "update outbox set state = 'due' where id = 1")
    is_ill(healthy, "queues", "letters waiting: 1, the oldest for ", "pbmserv queue list")


def test_the_doctor_tells_of_a_letter_that_waits_for_another_try(healthy: Path) -> None:
    now = int(time.time())
    words = "update outbox set state = 'due', tries = 1, written_at = ?, due_at = ? where id = 1"
    statement(healthy, words, now, now + 60)
    said = "letters waiting: 1, 1 of them not delivered so far (pbmserv queue list shows why)"
    assert said in examined(healthy)[1].replace("\n" + " " * 17, " ")


def test_the_doctor_reports_failed_letters_for_a_day(healthy: Path) -> None:
    statement(healthy, "update outbox set state = 'failed' where id = 1")
    assert "letters waiting: 0, failed and given up: 1" in after_failure(healthy, 25 * HOUR)
    assert "letters that failed and were given up: 1" in after_failure(healthy, HOUR)
    is_ill(healthy, "queues", "given up: 1, the last within a day", "pbmserv queue list")


def after_failure(home: Path, seconds_ago: int) -> str:
    """What the doctor says when the last attempt was then."""
    moment = int(time.time()) - seconds_ago
    words = (
        "insert into tries (letter_id, first_at, last_at, count, answer) values (1, ?, ?, 1, '')"
    )
    statement(home, words, moment, moment)
    return examined(home)[1]


def test_the_doctor_reports_answers_that_a_budget_holds_back(healthy: Path) -> None:
    soon = int(time.time()) + HOUR // 2
    held = "update outbox set state = 'due', reason = ?, due_at = ? where id = 1"
    statement(healthy, held, WAITS, soon)
    assert examined(healthy)[0] == 0
    statement(healthy, held, WAITS, soon + 3 * HOUR)
    is_ill(healthy, "queues", "answers held back by a budget: 1, the last for 3 hours", "busy")


def test_the_doctor_reports_a_deadline_that_nobody_handled(healthy: Path) -> None:
    """The clock runs, but a board is not attended."""
    words = ("perudo", "challenge", "-inorder", "ann", "bob")
    assert invoked(healthy, *words).returncode == 0
    assert "ok    deadlines  none has passed unhandled" in examined(healthy)[1]
    statement(healthy, "update boards set due_at = ?", int(time.time()) - 5 * HOUR)
    said = "boards whose deadline nobody handled: 1, the oldest for 5 hours"
    is_ill(healthy, "deadlines", said, "pbmserv tick")


def test_the_doctor_reports_passwords_readable_by_others(healthy: Path) -> None:
    (healthy / "pbmserv.toml").write_text('smtp = ""\nrelay_password = "right"\n')
    (healthy / "pbmserv.toml").chmod(0o640)
    is_ill(healthy, "privacy", "others can read relay_password", "chmod 600")


def test_the_doctor_accepts_a_reply_to_its_test_letter(healthy: Path) -> None:
    """Through a running server: into a mailbox, answered by hand, in by SMTP."""
    with served(healthy, f'operator = "{OPERATOR}"\n') as server:
        doctor = doctoring(healthy)
        until(lambda: any(each.to == OPERATOR for each in letters_in(healthy)))
        (letter,) = [each for each in letters_in(healthy) if each.to == OPERATOR]
        raw = mail(OPERATOR, f"Re: {letter.subject}", "Yes.", message_id="<1@x>")
        server.send(raw, OPERATOR, letter.reply_to)
        said, _ = doctor.communicate(timeout=60)
        assert b"ok    letter     went to root@example.org and was answered" in said
        assert doctor.returncode == 0
        until(lambda: letters_in(healthy)[-1].subject == "Your answer to the doctor arrived")


@pytest.mark.long
def test_the_doctor_reports_an_unanswered_test_letter(healthy: Path) -> None:
    (healthy / "pbmserv.toml").write_text(f'smtp = ""\noperator = "{OPERATOR}"\n')
    code, text = examined(healthy, "--wait", "1")
    assert code == 1
    assert "FAIL  letter     was sent (stored in mail/root@example.org/new/" in text
    assert "-> Answer it; if you did: `pbmserv trace root@example.org`" in text
    assert "-     letter     skipped" in examined(healthy, "--no-letter")[1]


def test_the_doctor_sends_no_test_letter_after_another_problem(healthy: Path) -> None:
    by_relay(healthy, "127.0.0.1:9", f'operator = "{OPERATOR}"')
    is_ill(healthy, "letters", "Connection refused", "HOST:PORT")
    assert "-     letter     skipped: first fix the problems above" in examined(healthy)[1]


def test_the_doctor_accepts_both_databases_and_reports_a_missing_one(any_home: Path) -> None:
    with town_at(any_home) as town:
        town.sign_up("ann")
    settings = any_home / "pbmserv.toml"
    is_postgresql = settings.exists()
    with settings.open("a") as file:
        file.write('smtp = "127.0.0.1:0"\n')
    code, text = examined(any_home, "--no-letter")
    assert code == is_postgresql, text  # that of our tests writes nothing to its disk
    assert "ok    database" in text
    if is_postgresql:
        is_ill(any_home, "fsync", "off in PostgreSQL: a power failure", "Set fsync = on")
        settings.write_text('database = "postgresql+psycopg://127.0.0.1:9/nowhere"\nsmtp = ""\n')
        settings.chmod(0o600)
        is_ill(any_home, "database", "the database is not available", "Check that it runs")


def test_the_doctor_accepts_postgresql_with_fsync(home: Path, postgresql: Cluster) -> None:
    with cluster("-c fsync=on") as safe:
        url = safe.database_with_tables()
        choose_database(home, url)
        text = examined(home, "--no-letter")[1]
    assert "ok    database   PostgreSQL" in text
    assert "fsync" not in text


def test_the_doctor_reports_a_state_of_emergency(healthy: Path) -> None:
    said = invoked(healthy, "pbmserv", "emergency").stdout
    assert said == "The state of emergency is off.\n"
    said = invoked(healthy, "pbmserv", "emergency", "on", "--why", "a flood").stdout
    by_mail = "Nobody can sign up by email; `pbmserv signup` at a shell still works."
    assert said == f"The state of emergency is on.\n{by_mail}\n"
    assert invoked(healthy, "pbmserv", "signup", "cleo", PASSWORD).returncode == 0
    is_ill(healthy, "emergency", "nobody can sign up", "pbmserv emergency off")
    invoked(healthy, "pbmserv", "emergency", "off")
    assert "FAIL" not in examined(healthy)[1]
