"""Mailboxes in a running server, and `pbmserv fetch` where none runs."""

from __future__ import annotations

import signal
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from pbmserv.cli.operator.fetch import LONGEST, for_a_while
from pbmserv.mail.incoming import IncomingMail
from pbmserv.transports.mailbox_poller import Collection, Receiver
from pbmserv.transports.maildir_in import MaildirMailbox
from tests.cli.processes import empty_the_bucket, invoked, served, typed, until, wide_terminal
from tests.dovecot import PASSWORD as PROVIDERS_PASSWORD
from tests.dovecot import USER, Dovecot, Missing, dovecot
from tests.stories.town import PASSWORD, answering, letters_in, mail, town_at

pytestmark = pytest.mark.long

pytest.importorskip("imap_tools", reason="imap-tools, of the extra imap, is not installed")

MOVE = f"perudo move 1 ann {PASSWORD} 2-2s"
DONE = "pbmserv-done"


@pytest.fixture
def provider() -> Iterator[Dovecot]:
    try:
        with dovecot() as running:
            yield running
    except Missing as missing:
        pytest.skip(str(missing))


def from_provider(provider: Dovecot, password: str = PROVIDERS_PASSWORD) -> str:
    """The settings of a home with a mailbox at the provider."""
    return (
        f'imap = "127.0.0.1:{provider.port}"\nimap_security = "none"\nimap_user = "{USER}"\n'
        f"imap_password = '''{password}'''\n"
    )


def configure(home: Path, settings: str) -> None:
    home.mkdir(mode=0o700, exist_ok=True)
    (home / "pbmserv.toml").write_text(settings, "utf-8")


def lay(home: Path, raw: bytes, name: str = "1.x") -> Path:
    """An email in a Maildir `drop` in the home."""
    home.mkdir(mode=0o700, exist_ok=True)
    MaildirMailbox(home / "drop").new()
    file = home / "drop" / "new" / name
    file.write_bytes(raw)
    return file


def inbox(home: Path) -> list[tuple[str, str, str]]:
    """Transport, the sender's Message-ID and the outcome of each email."""
    connection = sqlite3.connect(home / "pbmserv.sqlite")
    rows = connection.execute(
        "select transport, message_id, reason from inbox order by id"
    ).fetchall()
    connection.close()
    return rows


def told(home: Path, address: str) -> list[str]:
    return [letter.text for letter in letters_in(home) if letter.to == address]


# A server that looks by itself


def test_a_reply_in_the_mailbox_is_a_move(playing: Path, provider: Dovecot) -> None:
    """A letter goes out, the answer comes in by the provider, and is moved to the done emails."""
    letter = next(each for each in letters_in(playing) if "Your turn, " in each.text)
    raw = mail(
        letter.to, f"Re: {letter.subject}", "2-2s", message_id="<1@x>", to=letter.reply_to,
        headers=answering(letter),
    )  # fmt: skip
    with served(playing, from_provider(provider)):
        provider.put(raw)
        until(lambda: any("ann's two 2s" in text for text in told(playing, "bob@example.org")))
        until(lambda: provider.mails(DONE) == [(r"\Seen pbmserv-done", raw)])
    assert ("imap", "<1@x>", "perudo move") in inbox(playing)


def test_a_mailbox_works_beside_the_other_transports(playing: Path, provider: Dovecot) -> None:
    """The same email by three transports is done once."""
    raw = mail("ann@example.org", MOVE, message_id="<1@x>")
    lay(playing, raw)
    provider.put(raw)
    with served(playing, from_provider(provider) + 'maildir = "drop"\n') as server:
        server.send(raw, "ann@example.org", "perudo@localhost")
        until(lambda: len(provider.mails(DONE)) == 1)
        until(lambda: not any((playing / "drop" / "new").iterdir()))
        until(lambda: any("ann's two 2s" in text for text in told(playing, "bob@example.org")))
        assert server.stop() == 0
    assert [number for _, number, _ in inbox(playing)].count("<1@x>") == 1
    assert len([text for text in told(playing, "bob@example.org") if "ann's two 2s" in text]) == 1


def test_the_server_starts_while_its_mail_provider_is_unreachable(
    playing: Path, provider: Dovecot
) -> None:
    provider.stop()
    with served(playing, from_provider(provider)) as server:
        until(lambda: "Connection refused; will be tried until it works" in server.log.read_text())
        raw = mail("ann@example.org", MOVE, message_id="<1@x>")
        server.send(raw, "ann@example.org", "perudo@localhost")
        provider.start()
        provider.put(mail("zoe@example.org", "help", message_id="<2@x>"))
        until(lambda: told(playing, "zoe@example.org") != [], patience=60)
        assert server.stop() == 0
        assert "works again" in server.log.read_text()
        assert PROVIDERS_PASSWORD not in server.log.read_text()


def test_an_email_acts_once_if_the_server_dies_before_marking_it(
    playing: Path, provider: Dovecot
) -> None:
    """Its email is unread again, as after a crash between commit and mark."""
    provider.put(mail("ann@example.org", MOVE, message_id="<1@x>"))
    settings = from_provider(provider)
    with served(playing, settings) as server:
        until(lambda: any(number == "<1@x>" for _, number, _ in inbox(playing)))
        server.stop(signal.SIGKILL)
    for folder in ("INBOX", DONE):
        with provider.opened(folder) as client:
            client.uid("STORE", "1:*", "-FLAGS", rf"(\Seen {DONE})")
            client.uid("MOVE", "1:*", "INBOX") if folder == DONE else None
    assert [flags for flags, _ in provider.mails()] == [""]
    with served(playing, settings) as server:
        until(lambda: len(provider.mails(DONE)) == 1)
        until(lambda: any("ann's two 2s" in text for text in told(playing, "bob@example.org")))
        assert server.stop() == 0
    assert len([text for text in told(playing, "bob@example.org") if "ann's two 2s" in text]) == 1


# Once, for cron


def test_fetch_processes_new_emails_and_sends_the_letters(playing: Path, provider: Dovecot) -> None:
    configure(playing, from_provider(provider) + 'maildir = "drop"\n')
    provider.put(mail("ann@example.org", MOVE, message_id="<1@x>"))
    lay(playing, mail("zoe@example.org", "help", message_id="<2@x>"))
    done = typed(playing, "pbmserv", "fetch")
    assert (done.returncode, done.stdout, done.stderr) == (0, "Emails fetched: 2\n", "")
    assert any("ann's two 2s" in text for text in told(playing, "bob@example.org"))
    assert len(told(playing, "zoe@example.org")) == 1
    assert [transport for transport, _, _ in inbox(playing)][-2:] == ["imap", "maildir"]
    done = typed(playing, "pbmserv", "fetch")
    assert (done.returncode, done.stdout, done.stderr) == (0, "Emails fetched: 0\n", "")


def test_the_sender_and_the_operator_are_told_of_too_large_an_email(
    home: Path, provider: Dovecot
) -> None:
    operator = 'operator = "root@example.org"\n'
    configure(home, from_provider(provider) + "largest_mail = 4096\n" + operator)
    large = mail("zoe@example.org", "help", "x\n" * 3000, message_id="<1@x>")
    provider.put(large)
    done = typed(home, "pbmserv", "fetch")
    assert (done.returncode, done.stdout) == (0, "Emails fetched: 0\n")
    assert "was moved to pbmserv-odd: larger than 4096 bytes" in done.stderr
    assert provider.mails("pbmserv-odd") == [("", large)]
    assert inbox(home) == [("imap", "<1@x>", "too large")]
    assert "at most 4 KB can be read" in told(home, "zoe@example.org")[0]
    assert typed(home, "pbmserv", "tick").returncode == 0
    (letter,) = told(home, "root@example.org")
    assert "INBOX: pbmserv-odd" in letter
    assert "larger than 4096 bytes" in letter


def test_while_the_database_is_locked_emails_stay_unread(home: Path, provider: Dovecot) -> None:
    """Exit 75, as from the pipe."""
    with town_at(home):
        pass
    configure(home, from_provider(provider))
    provider.put(mail("zoe@example.org", "help", message_id="<1@x>"))
    other = sqlite3.connect(home / "pbmserv.sqlite", isolation_level=None)
    other.execute("begin immediate")
    done = typed(home, "pbmserv", "fetch")
    assert done.returncode == 75
    assert "the database is not available" in done.stderr
    other.execute("rollback")
    other.close()
    assert [flags for flags, _ in provider.mails()] == [""]
    assert typed(home, "pbmserv", "fetch").stdout == "Emails fetched: 1\n"


def test_while_strangers_have_too_many_passwords_their_emails_stay_unread(
    home: Path, provider: Dovecot
) -> None:
    """Exit code 75: not all are stored.  Emails without passwords are, and are marked."""
    with town_at(home) as town:
        empty_the_bucket(town.engine)
    configure(home, from_provider(provider) + 'maildir = "drop"\n')
    provider.put(mail("zoe@example.org", f"signup zoe {PASSWORD}", message_id="<1@x>"))
    provider.put(mail("bob@example.org", "help", message_id="<2@x>"))
    lay(home, mail("cleo@example.org", "help", message_id="<3@x>"))
    done = typed(home, "pbmserv", "fetch")
    assert (done.returncode, done.stdout) == (75, "")
    assert done.stderr == "pbmserv: try again later: emails that stay unread for now: 1\n"
    assert [number for _, number, _ in inbox(home)] == ["<2@x>", "<3@x>"]
    assert len(told(home, "bob@example.org")) == len(told(home, "cleo@example.org")) == 1
    assert [flags for flags, _ in provider.mails()] == [""]
    with closing(sqlite3.connect(home / "pbmserv.sqlite")) as other, other:
        other.execute("delete from counters where what = 'bucket'")
    assert typed(home, "pbmserv", "fetch").stdout == "Emails fetched: 1\n"


def test_fetch_ends_after_ten_minutes(home: Path) -> None:
    """Each of two mailboxes that are never empty has five: here an email takes a minute."""
    now, seen = 0.0, Counter[str]()
    names = "one", "two"
    home.mkdir()

    def lay_another(name: str) -> None:
        MaildirMailbox(home / name).new()
        raw = mail("zoe@example.org", "help", message_id=f"<{seen.total()}@x>")
        (home / name / "new" / f"{seen.total()}.x").write_bytes(raw)

    def accept(incoming_mails: Sequence[IncomingMail]) -> None:
        nonlocal now
        now += 60
        seen[name] += 1
        lay_another(name)

    receiver = Receiver("perudo@localhost", 10_000, accept, lambda incoming: None, print)
    for name in names:
        lay_another(name)
        mailbox = MaildirMailbox(home / name)
        Collection(mailbox, receiver).drain(for_a_while(len(names), lambda: now))
    assert dict(seen) == {"one": 5, "two": 5}
    assert now == LONGEST


def test_a_failing_provider_means_exit_75_and_does_not_delay_another_mailbox(
    home: Path, provider: Dovecot
) -> None:
    provider.stop()
    configure(home, from_provider(provider) + 'maildir = "drop"\n')
    lay(home, mail("zoe@example.org", "help", message_id="<2@x>"))
    done = typed(home, "pbmserv", "fetch")
    assert done.returncode == 75
    name = f"imap {USER} at 127.0.0.1:{provider.port}, INBOX"
    assert done.stderr == f"pbmserv: try again later: {name}: Connection refused\n"
    assert len(told(home, "zoe@example.org")) == 1


def test_a_refused_login_prints_one_line_and_exits_with_78(home: Path, provider: Dovecot) -> None:
    configure(home, from_provider(provider, "sesame"))
    done = typed(home, "pbmserv", "fetch")
    assert done.returncode == 78
    assert done.stderr.startswith(f"pbmserv: imap {USER} at 127.0.0.1:")
    assert "the login is refused: [AUTHENTICATIONFAILED]" in done.stderr
    assert done.stderr.count("\n") == 1
    assert "sesame" not in done.stderr


@pytest.mark.parametrize(
    ("settings", "said", "commands"),
    [
        ("", "neither imap nor maildir is set", ("fetch",)),
        ('imap = "x:1"\n', "imap is set, so imap_user and imap_password", ("fetch", "serve")),
        ('lmtp = "[]:18925"\n', "lmtp must be HOST:PORT", ("serve", "fetch")),
        ('maildir = "no/such/place"\n', "cannot be a Maildir: No such file", ("fetch",)),
    ],
)
def test_unusable_settings_print_one_line_and_exit_with_78(
    home: Path, settings: str, said: str, commands: tuple[str, ...]
) -> None:
    for command in commands:
        configure(home, f'smtp = "127.0.0.1:0"\n{settings}')
        done = typed(home, "pbmserv", command)
        assert done.returncode == 78
        assert said in done.stderr
        assert done.stderr.count("pbmserv: ") == 1


def test_without_imap_tools_one_line_says_what_to_install(
    home: Path, provider: Dovecot, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(home, from_provider(provider))
    monkeypatch.setitem(sys.modules, "imap_tools", None)  # as if it were not there
    monkeypatch.delitem(sys.modules, "pbmserv.transports.imap_in", raising=False)
    monkeypatch.delitem(sys.modules, "pbmserv.transports.imap_folders", raising=False)
    done = invoked(home, "pbmserv", "fetch")
    assert done.returncode == 78
    assert done.stderr == (
        "pbmserv: imap is set, but imap-tools is not installed: install the extra imap "
        f"(in the source folder: {sys.prefix}/bin/pip install --use-pep517 '.[imap]')\n"
    )


def test_without_a_mailbox_fetch_says_so_even_beside_a_server(home: Path) -> None:
    with served(home, ""):
        done = typed(home, "pbmserv", "fetch")
        assert done.returncode == 78
        assert "neither imap nor maildir is set" in done.stderr


def test_fetch_leaves_the_mailbox_to_a_running_server(home: Path) -> None:
    with served(home, 'maildir = "drop"\n'):
        done = typed(home, "pbmserv", "fetch")
        assert (done.returncode, done.stdout) == (0, "Another process is already fetching.\n")
        lay(home, mail("zoe@example.org", "help", message_id="<1@x>"))
        until(lambda: told(home, "zoe@example.org") != [])


# What the doctor says


def examined(home: Path, settings: str) -> list[str]:
    """The doctor's lines about mailboxes, each with its remedy."""
    configure(home, f'smtp = "127.0.0.1:0"\n{settings}')
    with wide_terminal():
        lines = invoked(home, "pbmserv", "doctor", "--no-dns").stdout.splitlines()
    places = [place for place, line in enumerate(lines) if line.split()[1:2] == ["mailbox"]]
    return ["\n".join(lines[place : place + 2]) for place in places]


def test_the_doctor_opens_the_mailboxes(playing: Path, provider: Dovecot) -> None:
    provider.put(mail("zoe@example.org", "help", message_id="<1@x>"))
    imap, maildir = examined(playing, from_provider(provider) + 'maildir = "drop"\n')
    assert imap.startswith(f"ok    mailbox    imap {USER} at 127.0.0.1:")
    assert ", INBOX: works; new emails: 1\n" in imap
    assert f"maildir {playing}/drop: works; new emails: 0\n" in maildir
    assert [flags for flags, _ in provider.mails()] == [""]


@pytest.mark.parametrize(
    ("change", "said", "remedy"),
    [
        ('imap_password = "sesame"', "the login is refused", "Set imap_user and imap_pass"),
        ('imap_folder = "Games"', "there is no folder 'Games'", "Set imap_folder"),
        ('imap_security = "tls"', "TLS fails", "Set imap_security to what the port"),
        ('imap_user = ""', "imap is set, so imap_user", "Follow this message"),
        ('imap = ""\nmaildir = "no/where"', "cannot be a Maildir", "Create its parent folder"),
    ],
)
def test_the_doctor_knows_a_remedy(
    playing: Path, provider: Dovecot, change: str, said: str, remedy: str
) -> None:
    name = change.partition("=")[0]
    kept = [line for line in from_provider(provider).splitlines() if not line.startswith(name)]
    (finding,) = examined(playing, "\n".join([*kept, change, ""]))
    assert finding.startswith("FAIL  mailbox")
    assert said in finding
    assert f"-> {remedy}" in finding
    assert "sesame" not in finding
