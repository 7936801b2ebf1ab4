"""One server at a time works on a database, and one process sends its letters."""

from __future__ import annotations

import os
import shutil
import signal
import smtplib
import socket
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

import pytest
from sqlalchemy import Engine, select

from pbmserv.database import leases, models
from pbmserv.database.engine import close, engine_for, reading
from pbmserv.errors import Misconfigured, TryLater
from pbmserv.home import GENERATION_FILE, open_home
from pbmserv.mail.incoming import IncomingMail
from pbmserv.server import sending_worker
from pbmserv.server.app import opened
from pbmserv.server.roles import ROLES
from tests.cli.processes import Served, invoked, served, started, typed, until
from tests.postgresql import Cluster, cluster
from tests.stories.town import letters_in, mail

pytestmark = pytest.mark.long

PROGRAM = f"pbmserv {version('pbmserv')}"


@pytest.fixture(params=["sqlite", "postgresql"])
def homes(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Path]:
    """Two homes with one key and one database, as on two machines."""
    one, other = tmp_path / "one", tmp_path / "other"
    if request.param == "postgresql":
        cluster: Cluster = request.getfixturevalue("postgresql")
        url = cluster.database_with_tables()
    else:
        url = f"sqlite:///{tmp_path}/shared.sqlite"
    one.mkdir(mode=0o700)
    (one / "pbmserv.toml").write_text(f'smtp = "127.0.0.1:0"\ndatabase = "{url}"\n')
    assert invoked(one, "pbmserv", "signup", "ann", "swordfish").returncode == 0
    shutil.copytree(one, other)
    return one, other


def settings_of(home: Path) -> str:
    """The line of the settings that names the database."""
    return (home / "pbmserv.toml").read_text("utf-8").splitlines()[1]


def test_a_second_server_is_refused_and_told_about_the_first(homes: tuple[Path, Path]) -> None:
    one, other = homes
    with served(one, settings_of(one)) as first:
        done = typed(other, "pbmserv", "serve")
        assert done.returncode == 75
        who = f"process {first.process.pid} on {socket.gethostname()}, {PROGRAM}, since "
        assert f"another server uses this database: {who}" in done.stderr
        done = typed(other, "pbmserv", "doctor", "--no-letter", "--no-dns")
        assert f"ok    server     {who}" in done.stdout
        first.stop(signal.SIGKILL)
        second = Served(other)
        assert second.process.poll() is None
        assert second.stop() == 0


def test_no_round_is_rolled_again_while_a_server_of_another_home_works(
    homes: tuple[Path, Path],
) -> None:
    """The operator may ask for it, or the home may look restored: its count of the work is gone.

    Its database is not moved either.
    """
    one, other = homes
    with served(one, settings_of(one)) as first:
        who = f"process {first.process.pid} on {socket.gethostname()}, {PROGRAM}, since "
        for command in ("restored", "tick", "move-database sqlite:///new.sqlite"):
            (other / GENERATION_FILE).unlink()
            done = typed(other, "pbmserv", *command.split())
            assert done.returncode == 75, command
            assert f"another server uses this database: {who}" in done.stderr
            (other / GENERATION_FILE).write_text("0\n")
        with reading(engine := engine_for(open_home(other))) as connection:
            assert connection.execute(select(models.Installation.restores)).scalar() == ""
        close(engine)
        first.stop()
    done = typed(other, "pbmserv", "restored")
    assert done.stdout == "Rounds rolled again: 0. Their players were told.\n"


def test_two_processes_do_not_send_letters_at_once(homes: tuple[Path, Path]) -> None:
    one, other = homes
    with opened(one) as app, opened(other) as another:
        with leases.held(app.engine, leases.DELIVERING) as held:
            assert held
            assert another.send() is None
        assert another.send() == 0


def test_one_process_at_a_time_sends_the_letters_of_servers(homes: tuple[Path, Path]) -> None:
    """Of two homes, also without the process that takes email; a killed one is followed at once."""
    one, other = homes
    with (one.parent / "log").open("wb") as log:
        first = started(one, "pbmserv", "serve", "--only", "sending", stdout=log, stderr=log)
        engine = engine_for(open_home(one))
        try:
            until(lambda: leases.is_held(engine, leases.SENDING))
            done = typed(other, "pbmserv", "serve", "--only", "sending")
            assert done.returncode == 75
            assert "another server uses this database" in done.stderr
            first.kill()
            until(lambda: not leases.is_held(engine, leases.SENDING))
        finally:
            first.kill()
            first.wait(60)
            close(engine)
    with opened(other) as app, leases.sending(app.engine, 60.0) as held:
        held.check()


def test_no_letter_is_lost_with_a_process_of_either_role(homes: tuple[Path, Path]) -> None:
    """Each is killed right after an email was accepted; its lease is free for the next one."""
    home, _ = homes
    with served(home, settings_of(home)) as server:
        for role in ROLES:
            raw = mail(f"{role}@example.org", "help", message_id=f"<{role}@x>")
            server.send(raw, f"{role}@example.org", "perudo@localhost")
            server.kill(role)
        until(lambda: len(letters_in(home)) >= len(ROLES))
        assert server.stop() == 0
    assert sorted(each.to for each in letters_in(home)) == [
        "intake@example.org",
        "sending@example.org",
    ]


def test_a_process_that_has_lost_its_lease_stops_sending(
    home: Path, postgresql: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending_worker, "CHECK", 0.0)
    monkeypatch.setattr(sending_worker, "LOOK", 0.01)
    home.mkdir(mode=0o700)
    (home / "pbmserv.toml").write_text(f'database = "{postgresql.database_with_tables()}"\n')
    before = signal.getsignal(signal.SIGTERM)
    try:
        with (
            opened(home) as app,
            leases.sending(app.engine, 0.0) as held,
            pytest.raises(TryLater, match="was lost"),
        ):
            sending_worker.SendingWorker(app, held, None).run(lambda: _end_leases(app.engine))
    finally:
        signal.signal(signal.SIGTERM, before)
        signal.set_wakeup_fd(-1)


def test_a_lease_ends_with_its_holder(homes: tuple[Path, Path]) -> None:
    one, other = homes
    engine, second = engine_for(open_home(one)), engine_for(open_home(other))
    with leases.serving(engine, "here process 1", 1_700_000_000, 0.0) as held:
        held.check()
        assert leases.is_held(second, leases.SERVING)
        with (
            pytest.raises(TryLater, match="here process 1, since 2023-11-14 22:13 UTC"),
            leases.serving(second, "there process 2", 1_700_000_001, 0.0),
        ):
            pass
    assert not leases.is_held(second, leases.SERVING)
    with leases.serving(second, "there process 2", 1_700_000_001, 0.0):
        assert leases.holder_of(engine) == "there process 2, since 2023-11-14 22:13 UTC"
    close(engine)
    close(second)


def test_a_server_whose_home_was_moved_has_lost_the_lease(home: Path) -> None:
    """It has the database open, and would go on beside the server of the home in its place."""
    engine = engine_for(open_home(home))
    try:
        with leases.alone(engine) as lease:
            lease.check()
            moved = home.rename(home.with_name("moved"))
            with pytest.raises(Misconfigured, match="the home was moved"):
                lease.check()
            shutil.copytree(moved, home)
            assert not lease.is_kept()
            shutil.rmtree(home)
            moved.rename(home)
            lease.check()
    finally:
        close(engine)


def test_a_server_whose_home_was_moved_takes_no_email_and_makes_no_other_home(home: Path) -> None:
    """The callers try again; a worker that is started anew finds no home, and the server ends."""
    with served(home) as server:
        raw = mail("ann@example.org", "help", message_id="<1@x>")
        moved = home.rename(home.with_name("moved"))
        with pytest.raises(smtplib.SMTPDataError, match="451"):
            server.send(raw, "ann@example.org", "perudo@localhost")
        with suppress(KeyError, ProcessLookupError):  # the other worker may have ended the server
            os.kill(server.workers()["intake"], signal.SIGKILL)
        assert server.process.wait(60) == 78
        assert not home.exists()
        assert letters_in(moved) == []
        moved.rename(home)


def test_a_broken_connection_loses_the_lease(home: Path, postgresql: Cluster) -> None:
    """PostgreSQL was restarted, say: another server may have the lease by now."""
    home.mkdir(mode=0o700)
    (home / "pbmserv.toml").write_text(f'database = "{postgresql.database_with_tables()}"\n')
    engine = engine_for(open_home(home))
    with leases.serving(engine, "here process 1", 1_700_000_000, 0.0) as held:
        _end_leases(engine)
        with pytest.raises(TryLater, match="was lost"):
            held.check()
    assert not leases.is_held(engine, leases.SERVING)
    close(engine)


@pytest.mark.usefixtures("postgresql")  # skips this test where there is none
def test_a_lease_of_a_postgresql_that_is_away_means_try_later(home: Path) -> None:
    """It is restarted, say: then letters wait, and the log has no bug."""
    home.mkdir(mode=0o700)
    with cluster() as own:
        (home / "pbmserv.toml").write_text(f'database = "{own.database_with_tables()}"\n')
        engine = engine_for(open_home(home))
        with leases.held(engine, leases.DELIVERING) as lease:
            assert lease
        own.stop()
        for _ in range(2):  # with the connection that was left, and with a new one
            with (
                pytest.raises(TryLater, match="the database is not available"),
                leases.held(engine, leases.DELIVERING),
            ):
                pass
        close(engine)


def test_no_batch_of_letters_leaves_after_the_lease_was_lost(
    home: Path, postgresql: Cluster
) -> None:
    """Another process may have it by now, and send the same letters."""
    home.mkdir(mode=0o700)
    (home / "pbmserv.toml").write_text(f'database = "{postgresql.database_with_tables()}"\n')
    raw = mail("zoe@example.org", "help", message_id="<1@x>")
    with opened(home) as app:
        app.accept([IncomingMail(raw, "zoe@example.org", "perudo@localhost", "smtp")])

        def broken() -> bool:
            _end_leases(app.engine)
            return True

        assert app.deliver(broken) == 0
        assert app.deliver() == 1


def _end_leases(engine: Engine) -> None:
    with engine.connect() as connection:
        connection.exec_driver_sql(
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'"
        )
        connection.rollback()
