"""`pbmserv doctor` finds each fault that a home can have, and names a remedy."""

from __future__ import annotations

import grp
import os
import socket
import sqlite3
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from pbmserv.maintenance.doctor import home as home_checks
from pbmserv.maintenance.doctor import shells as shell_checks
from pbmserv.maintenance.doctor.home import privacy, space
from pbmserv.maintenance.doctor.senders import senders
from pbmserv.maintenance.doctor.shells import shells
from pbmserv.maintenance.doctor.transports import outgoing
from pbmserv.outbox.queue import WAITS
from pbmserv.settings import Settings, read_settings
from pbmserv.timeunits import HOUR
from pbmserv.transports import sendmail_out
from tests.cli.processes import invoked, served, started, typed, until, wide_terminal
from tests.fake_relay import open_relay
from tests.forked import PIPE, Forked
from tests.stories.town import PASSWORD, letters_in, mail, town_at

OPERATOR = "root@example.org"


@pytest.fixture
def healthy(home: Path) -> Path:
    """A home in which two have signed up; no server runs."""
    with town_at(home) as town:
        town.sign_up("ann", "bob")
    (home / "pbmserv.toml").write_text('smtp = "127.0.0.1:0"\n')
    return home


def examined(home: Path, *words: str) -> tuple[int, str]:
    with wide_terminal():
        done = invoked(home, "pbmserv", "doctor", *words)
    return done.returncode, done.stdout


def statement(home: Path, text: str, *values: object) -> None:
    connection = sqlite3.connect(home / "pbmserv.sqlite")
    connection.execute(text, values)
    connection.commit()
    connection.close()


def is_ill(home: Path, check: str, said: str, remedy: str, beside: int = 0) -> None:
    """This check has failed with these words, and its remedy is one line.

    No other has, but for the first few `beside` it.
    """
    code, text = examined(home)
    lines = text.splitlines()
    failed = [place for place, line in enumerate(lines) if line.startswith("FAIL")][beside:]
    assert [lines[place].split()[1] for place in failed] == [check], text
    assert said in lines[failed[0]]
    assert lines[failed[0] + 1].strip().startswith("-> ")
    assert remedy in lines[failed[0] + 1]
    assert (code, lines[-1]) == (1, "1 problem" if not beside else f"{1 + beside} problems")


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
        "                 -> Start it, such as: systemctl start pbmserv. "
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


def test_the_doctor_reports_a_port_in_use(healthy: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        where = f"127.0.0.1:{other.getsockname()[1]}"
        (healthy / "pbmserv.toml").write_text(f'smtp = "{where}"\n')
        is_ill(healthy, "smtp", f"{where}: Address already in use", "to a free port")


def test_the_doctor_reports_a_socket_in_a_missing_folder(healthy: Path) -> None:
    (healthy / "pbmserv.toml").write_text('smtp = ""\nlmtp = "unix:/nowhere/lmtp"\n')
    is_ill(healthy, "lmtp", "/nowhere cannot be written to", "Create the folder")


BELIEVED = 'smtp = ""\nauthserv_id = "mx.example.org"\n'
AT_A_SOCKET = f'{BELIEVED}authserv_transport = "socket"\n'


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (BELIEVED, "is not trusted: no mail comes by imap"),
        (AT_A_SOCKET, "is not trusted: lmtp is not a unix socket"),
        (f'{AT_A_SOCKET}lmtp = "127.0.0.1:0"\n', "lmtp is not a unix socket"),
        (f'{AT_A_SOCKET}lmtp = "unix:/tmp/s"\n', "everybody may use unix:/tmp/s"),
        (f'{AT_A_SOCKET}lmtp = "unix:/tmp/s"\nlmtp_group = "nobodys"\n', "there is no group"),
        (
            f'{BELIEVED}imap = "mail.example:143"\nimap_security = "none"\n',
            "without encryption anybody can forge email there",
        ),
    ],
)
def test_the_doctor_reports_trust_in_a_header_that_anybody_can_write(
    tmp_path: Path, settings: str, said: str
) -> None:
    (tmp_path / "pbmserv.toml").write_text(settings)
    found = senders(read_settings(tmp_path), is_served=False)
    assert found.is_well is False
    assert said in found.said
    assert found.remedy


def test_the_doctor_accepts_trust_in_a_providers_mailbox(tmp_path: Path) -> None:
    (tmp_path / "pbmserv.toml").write_text(f'{BELIEVED}imap = "mail.example:993"\n')
    assert senders(read_settings(tmp_path), is_served=False).is_well
    (tmp_path / "pbmserv.toml").write_text('imap = "mail.example:993"\n')
    assert senders(read_settings(tmp_path), is_served=False).is_well is None


def test_the_doctor_reports_a_socket_open_to_others(tmp_path: Path) -> None:
    """It checks mode, group and folder. Without a running server there is no socket."""
    group = grp.getgrgid(os.getgid()).gr_name
    folder, place = tmp_path / "s", tmp_path / "s" / "lmtp"
    folder.mkdir(0o700)
    text = f'{AT_A_SOCKET}lmtp = "unix:{place}"\nlmtp_group = "{group}"\n'
    (tmp_path / "pbmserv.toml").write_text(text)
    settings = read_settings(tmp_path)
    assert senders(settings, is_served=False).is_well
    assert "No such file" in senders(settings, is_served=True).said
    place.touch()
    place.chmod(0o660)
    assert senders(settings, is_served=True).is_well
    place.chmod(0o662)
    assert "its mode is 662" in senders(settings, is_served=True).said
    place.chmod(0o660)
    folder.chmod(0o707)
    assert "everybody may write to" in senders(settings, is_served=True).said
    folder.chmod(0o700)
    other = next(each.gr_name for each in grp.getgrall() if each.gr_gid != os.getgid())
    found = senders(replace(settings, lmtp_group=other), is_served=True)
    assert "belongs to another group" in found.said


OUR_GROUP = grp.getgrgid(os.getegid()).gr_name


@pytest.fixture
def shell_socket(home: Path) -> Iterator[Path]:
    home.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(home / "shell.socket"))
        (home / "shell.socket").chmod(0o660)
        yield home / "shell.socket"


def test_the_doctor_checks_the_mode_and_the_group_of_the_socket_for_shells(
    shell_socket: Path,
) -> None:
    settings = Settings(home=shell_socket.parent)
    assert shells(settings, is_served=False).is_well is None
    assert shells(settings, is_served=True).said.endswith("for its owner and root alone")
    shell_socket.chmod(0o666)
    assert "its mode is 666, not 660" in shells(settings, is_served=True).said
    shell_socket.chmod(0o660)
    theirs = replace(settings, shell_group=OUR_GROUP)
    settings.home.chmod(0o710)
    found = shells(theirs, is_served=True)
    assert found.is_well and f"members of {OUR_GROUP}" in found.said
    shell_socket.unlink()
    assert "No such file" in shells(theirs, is_served=True).said
    shell_socket.touch(mode=0o600)
    assert "is not the socket of this server" in shells(theirs, is_served=True).said


def test_the_doctor_checks_that_the_group_of_shells_can_only_reach_the_socket(
    shell_socket: Path,
) -> None:
    home = shell_socket.parent
    settings = Settings(home=home, shell_group=OUR_GROUP)
    for mode in (0o700, 0o750, 0o711):
        home.chmod(mode)
        found = shells(settings, is_served=True)
        assert found.remedy == f"Type: chgrp {OUR_GROUP} {home} && chmod 710 {home}"
    home.chmod(0o710)
    for number in range(4):
        (home / f"open{number}").mkdir(mode=0o750)
    found = shells(settings, is_served=True)
    assert found.said.endswith("can reach open0, open1, open2 …")
    assert found.remedy == f"Type: chmod go= {home}/open0 {home}/open1 {home}/open2"
    (home / "pbmserv.toml").touch(mode=0o600)
    for number in range(4):
        (home / f"open{number}").chmod(0o700)
    assert shells(settings, is_served=True).is_well
    assert privacy(settings).is_well is None  # there is no key
    assert privacy(replace(settings, shell_group="")).is_well is False


def test_the_doctor_reports_an_unknown_or_another_group_of_shells(
    shell_socket: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(home=shell_socket.parent, shell_group="nobodys")
    assert "shell_group: there is no group" in shells(settings, is_served=True).said
    monkeypatch.setattr(shell_checks, "_unreachable", lambda *_: None)
    other = next(each.gr_name for each in grp.getgrall() if each.gr_gid != os.getegid())
    found = shells(replace(settings, shell_group=other), is_served=True)
    assert "it belongs to another group" in found.said
    monkeypatch.setattr(shell_checks, "is_possible", lambda: False)
    assert shells(settings, is_served=True).is_well is None


class Login:
    """Who may send by a relay: me, with the right password, and from an address of mine."""

    commands: ClassVar[list[str]] = []

    def __call__(
        self, server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: object
    ) -> AuthResult:
        right = isinstance(data, LoginPassword) and data.password == b"right"
        return AuthResult(success=right, handled=False)

    async def handle_MAIL(  # noqa: N802 - aiosmtpd's name
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if not session.authenticated:
            return "530 5.7.0 Authentication required"
        if not address.startswith("perudo") and address != "only@localhost":
            return "553 5.7.1 Sender address rejected: not owned by user"
        self.commands.append("MAIL")
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(  # noqa: N802 - aiosmtpd's name
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if address == "denied@else.example":
            return "454 4.7.1 Relay access denied"
        if address == "not-owned@else.example":
            return "553 5.7.1 Sender address rejected: not owned by user me"
        self.commands.append("RCPT")
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_RSET(  # noqa: N802 - aiosmtpd's name
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        self.commands.append("RSET")
        return "250 OK"


@pytest.fixture
def relay() -> Iterator[str]:
    """A relay that wants a login; where it is."""
    login = Login()
    with open_relay(login, authenticator=login, auth_require_tls=False) as port:
        yield f"127.0.0.1:{port}"


def by_relay(home: Path, relay: str, more: str) -> None:
    text = f'smtp = ""\ndelivery = "smtp"\nrelay = "{relay}"\n{more}\n'
    (home / "pbmserv.toml").write_text(text)
    (home / "pbmserv.toml").chmod(0o600)


def test_the_doctor_accepts_a_working_relay(healthy: Path, relay: str) -> None:
    """But it reports a password that is sent without encryption."""
    by_relay(healthy, relay, 'relay_user = "me"\nrelay_password = "right"')
    code, text = examined(healthy)
    assert code == 1, text
    assert "\n1 problem\n" in text
    assert f'FAIL  login      {relay}: relay_security = "none" sends the password' in text
    assert 'Set relay_security to "starttls" or "tls"' in text
    assert f"ok    letters    {relay} (none) as me: 250 OK" in text


@pytest.fixture
def sendmail(healthy: Path, tmp_path: Path) -> Path:
    """A program for `delivery = "sendmail"`, in a folder of its own."""
    path = tmp_path / "bin" / "sendmail"
    path.parent.mkdir(mode=0o755)
    path.write_text("#!/bin/sh\nexec cat > /dev/null\n")
    path.chmod(0o755)
    text = f'smtp = ""\ndelivery = "sendmail"\nsendmail = "{path}"\n'
    (healthy / "pbmserv.toml").write_text(text)
    return path


def test_the_doctor_accepts_a_working_sendmail_program(healthy: Path, sendmail: Path) -> None:
    code, text = examined(healthy)
    assert code == 0, text
    assert f"ok    letters    are handed to {sendmail}\n" in text


def test_the_doctor_reports_a_missing_sendmail_program(healthy: Path, sendmail: Path) -> None:
    sendmail.unlink()
    is_ill(healthy, "letters", f"{sendmail}: there is no such program", "Install a program")


def test_the_doctor_reports_a_sendmail_program_without_execute_permission(
    healthy: Path, sendmail: Path
) -> None:
    sendmail.chmod(0o644)
    is_ill(healthy, "letters", f"{sendmail}: cannot be run", "Set sendmail to a program")


def test_the_doctor_reports_a_sendmail_program_writable_by_others(
    healthy: Path, sendmail: Path
) -> None:
    """They could read every letter and every token; so they could with its folder."""
    sendmail.chmod(0o757)
    is_ill(healthy, "letters", f"{sendmail}: others can write to it", f"chmod go-w {sendmail}")
    sendmail.chmod(0o755)
    link = sendmail.with_name("link")
    sendmail.rename(link)
    sendmail.symlink_to(link)
    sendmail.parent.chmod(0o775)
    is_ill(healthy, "letters", f"{sendmail.parent}: others can write to it", "chmod go-w")


def test_the_doctor_reports_a_unit_that_withholds_rights_from_sendmail(
    healthy: Path, sendmail: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Postfix's `postdrop` needs its group; where it can get it, the unit is still named."""
    sendmail.with_name("postdrop").touch()
    sendmail.with_name("postdrop").chmod(0o2755)
    (tmp_path / "status").write_text("NoNewPrivs:\t0\n")
    monkeypatch.setattr(sendmail_out, "_STATUS", tmp_path / "status")
    monkeypatch.setattr(os, "getegid", lambda: sendmail.stat().st_gid + 1)
    monkeypatch.setattr(os, "getgroups", list)
    monkeypatch.setattr(os, "geteuid", lambda: sendmail.stat().st_uid or 54_321)
    found = outgoing(read_settings(healthy))
    said = f"are handed to {sendmail}; under pbmserv.service postdrop fails"
    assert (found.is_well, found.said) == (True, said)
    (tmp_path / "status").write_text("NoNewPrivs:\t1\n")
    found = outgoing(read_settings(healthy))
    assert found.is_well is False
    assert "postdrop: cannot get the rights that it needs (NoNewPrivileges)" in found.said
    assert found.remedy == 'Set delivery = "smtp" and relay = "127.0.0.1:25".'


def test_the_doctor_reports_passwords_readable_by_others(healthy: Path) -> None:
    (healthy / "pbmserv.toml").write_text('smtp = ""\nrelay_password = "right"\n')
    (healthy / "pbmserv.toml").chmod(0o640)
    is_ill(healthy, "privacy", "others can read relay_password", "chmod 600")


def test_the_doctor_reports_a_relay_that_refuses_our_login(healthy: Path, relay: str) -> None:
    by_relay(healthy, relay, 'relay_user = "me"\nrelay_password = "hidden"')
    is_ill(healthy, "letters", "535", "Set relay_user and relay_password", 1)
    assert "hidden" not in examined(healthy)[1]


def test_the_doctor_reports_a_relay_that_requires_a_login(healthy: Path, relay: str) -> None:
    by_relay(healthy, relay, "")
    is_ill(healthy, "letters", "530", "Set relay_user and relay_password")


def test_the_doctor_reports_a_relay_that_refuses_our_address(healthy: Path, relay: str) -> None:
    login = 'relay_user = "me"\nrelay_password = "right"\naddress = "else@localhost"'
    by_relay(healthy, relay, login)
    is_ill(healthy, "letters", "553 5.7.1 Sender address rejected", "send as `address`", 1)


def test_the_doctor_reports_a_relay_that_refuses_only_at_the_recipient(
    healthy: Path, relay: str
) -> None:
    """Postfix does so, for a sender that is not ours and for a client without a login."""
    login = 'relay_user = "me"\nrelay_password = "right"\noperator = "{}@else.example"'
    by_relay(healthy, relay, login.format("denied"))
    is_ill(healthy, "letters", "454 4.7.1 Relay access denied", "Set relay_user", 1)
    by_relay(healthy, relay, login.format("not-owned"))
    is_ill(healthy, "letters", "553 5.7.1 Sender address rejected", "send as `address`", 1)


def test_the_doctor_reports_a_relay_that_accepts_only_our_plain_address(
    healthy: Path, relay: str
) -> None:
    more = 'relay_user = "me"\nrelay_password = "right"\nenvelope = "stamped"'
    by_relay(healthy, relay, f'{more}\naddress = "only@localhost"')
    is_ill(healthy, "letters", "not owned by user (for only+b-doctor", 'envelope = "plain"', 1)


def test_the_doctor_leaves_no_letter_at_the_relay(healthy: Path, relay: str) -> None:
    by_relay(healthy, relay, 'relay_user = "me"\nrelay_password = "right"')
    examined(healthy)
    assert Login.commands[-3:] == ["MAIL", "RCPT", "RSET"]


def test_the_doctor_reports_an_unreachable_relay(healthy: Path) -> None:
    by_relay(healthy, "127.0.0.1:9", "")
    is_ill(healthy, "letters", "Connection refused", "HOST:PORT")


def test_the_doctor_reports_a_configured_listener_that_is_closed(healthy: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        where = f"127.0.0.1:{probe.getsockname()[1]}"
    with served(healthy) as server:
        until(lambda: "deadlines checked" in examined(healthy)[1])
        code, text = examined(healthy)
        assert code == 0, text
        # The file now says what the server was not started with.
        (healthy / "pbmserv.toml").write_text(f'smtp = "{where}"\n')
        is_ill(healthy, "smtp", "Connection refused", "Restart the server")
        assert server.process.poll() is None


def test_the_doctor_reports_another_program_at_our_listener(healthy: Path) -> None:
    with served(healthy), socket.create_server(("127.0.0.1", 0)) as other:
        until(lambda: "deadlines checked" in examined(healthy)[1])
        where = f"127.0.0.1:{other.getsockname()[1]}"
        (healthy / "pbmserv.toml").write_text(f'smtp = "{where}"\n')
        doctor = doctoring(healthy, "--no-letter")
        call, _ = other.accept()
        call.sendall(b"HTTP/1.0 400 Bad Request\r\n")
        call.close()
        said, _ = doctor.communicate(timeout=60)
        assert b"FAIL  smtp" in said
        assert b"Another program listens there" in said


def doctoring(home: Path, *words: str) -> Forked:
    return started(home, "pbmserv", "doctor", *words, stdout=PIPE)


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
    assert code == 0, text
    assert "ok    database" in text
    if is_postgresql:
        settings.write_text('database = "postgresql+psycopg://127.0.0.1:9/nowhere"\nsmtp = ""\n')
        settings.chmod(0o600)
        is_ill(any_home, "database", "the database is not available", "Check that it runs")


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
