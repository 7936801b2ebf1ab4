"""What most tests need: a home of their own, with a real database in it."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from argon2 import PasswordHasher
from hypothesis import HealthCheck
from hypothesis import settings as laws
from sqlalchemy import Engine
from xdist.scheduler import LoadFileScheduling

from pbmserv.database.engine import close
from pbmserv.database.upgrade import open_database
from pbmserv.home import open_home
from pbmserv.security.passwords import Passwords
from pbmserv.settings import Settings
from tests import dialects, named_letters, reports, shared, shortcuts
from tests.examples import DECIDES, examples
from tests.homes import home_with_tables
from tests.limits import LONGEST, limited
from tests.postgresql import Cluster, Missing, cluster

if TYPE_CHECKING:
    from tests.stories.town import Town

# Servers' programs are there, which the PATH of a user may lack: they are found, and find others.
os.environ["PATH"] = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"
os.environ["LC_ALL"] = "C.UTF-8"  # what a shell prints is in English on every machine
if "PYTEST_XDIST_WORKER" in os.environ:
    # The process ends without freeing each object, which would take 3 % of all time.
    atexit.register(os._exit, 0)
gc.disable()  # until all tests are found: nothing that is found is garbage
shared.begin()
dialects.share()
shortcuts.take(pytest.MonkeyPatch())
named_letters.check(pytest.MonkeyPatch())

# A law is not broken if it is slow on a busy machine, or if its examples are slow to make.
SLOW_EXAMPLES = [HealthCheck.too_slow]
# A run that decides over a change gives the same answer twice; every other one looks further.
laws.register_profile(
    "ours",
    deadline=None,
    derandomize=DECIDES,
    max_examples=examples(100),
    suppress_health_check=SLOW_EXAMPLES,
)
laws.load_profile("ours")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A place for a home; nothing is there yet."""
    return tmp_path / "home"


@contextmanager
def _at_a_board(home: Path, *names: str) -> Iterator[Town]:
    from tests.stories.town import town_at  # tests of the game need no server

    with town_at(home) as town:
        town.sign_up_and_challenge(*names)
        yield town


@pytest.fixture
def town(home: Path) -> Iterator[Town]:
    """A town where ann and bob play on board 1, and ann is on turn."""
    with _at_a_board(home, "ann", "bob") as town:
        yield town


@pytest.fixture
def town_of_three(home: Path) -> Iterator[Town]:
    """A town where ann, bob and cleo are at board 1.  Nobody has moved, and ann is on turn."""
    with _at_a_board(home, "ann", "bob", "cleo") as town:
        yield town


@pytest.fixture
def playing(home: Path) -> Path:
    """A home where ann and bob play on board 1, and ann is on turn."""
    with _at_a_board(home, "ann", "bob"):
        return home


@pytest.fixture
def settings(home: Path) -> Settings:
    """The settings of a new home."""
    return open_home(home)


@pytest.fixture
def engine(home: Path) -> Iterator[Engine]:
    """A new database in the home, with the newest schema."""
    engine = open_database(home_with_tables(home))
    yield engine
    close(engine)


@pytest.fixture
def hears_ctrl_c() -> Iterator[None]:
    """A program in the background of a shell ignores the key, and so would all that it starts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def passwords() -> Passwords:
    """Real argon2id, as cheap as it can be."""
    return Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))


# Places whose tests cover the modules named in setup.cfg whole: .ci/run measures by those not long.
# Measuring takes two to three times as long, so it leaves out what covers nothing more.
COVERED = {
    *("boards", "games", "outbox", "text"),
    *("commands/test_bad_input.py", "commands/test_options.py", "commands/test_parser.py"),
    *("commands/test_proven_rounds.py", "commands/test_right_input.py"),
    *("intake/test_bugs_of_ours.py", "intake/test_languages.py", "intake/test_password_pool.py"),
    *("intake/test_crashing_emails.py", "intake/test_processor.py", "intake/test_quarantine.py"),
    *("intake/test_replies_to_answers.py", "intake/test_sender_trust.py"),
    *("intake/replies/test_chat_replies.py", "intake/replies/test_subject_moves.py"),
    *("intake/replies/test_asked_moves.py", "intake/test_incomplete_commands.py"),
    "intake/test_replies_to_digests.py",
    *("intake/test_unnumbered.py", "players/test_blocks.py"),
}
COVERS_NO_MORE = {
    *("boards/test_dice.py", "boards/test_ratings.py", "boards/test_deadlines.py"),
    "outbox/test_fewer_letters.py",
    *("outbox/test_letter_language.py", "outbox/test_letter_sizes.py"),
    *("outbox/test_many_boards.py", "outbox/test_readdressing.py", "text/test_phrases.py"),
}


FEWER_COLLECTIONS = 100_000  # new objects before the youngest are looked at: Python's choice is 700
# The tests of these files may run in several processes at once.
SPREAD = ("tests/stories/test_stories.py", "tests/test_year.py")
# What `scripts/test --quick` leaves out beside long tests and those marked slow, which take more
# than half a second: by place, and by what a test starts.
# These places start servers, or read all sources, or take more than a second for a claim.
SLOW = {
    *("cli", "corpora", "crash", "database", "ratelimit", "real", "server"),
    *("disclosure/test_time.py", "games/test_bots.py", "games/test_networks.py"),
    "intake/test_crashing_emails.py",
    *("letters/test_game_letter_laws.py", "letters/test_languages.py"),
    *("letters/test_payloads.py", "letters/test_pictures.py"),
    *("letters/test_raising.py", "letters/test_refusals.py", "letters/test_strangers.py"),
    *("maintenance/test_doctor.py", "maintenance/test_doctor_transports.py"),
    *("mail/test_composing.py", "mail/test_laws.py", "test_architecture.py"),
    *("players/test_login_throttle.py", "test_forkserver.py", "test_packaging.py"),
    *("test_expressions.py", "test_scripts.py", "test_two_ways.py"),
    "transports/test_bounded_connection.py",
}
SERVERS_OF_OTHERS = {"postgresql", "servers", "providing"}
# Places whose tests wait more than they compute: for servers, other processes or a time limit.
WAITING = {
    *("cli", "crash", "real", "server", "transports"),
    *("deliverability/test_bounces.py", "maintenance/test_doctor_dns_records.py"),
    *("test_demonstration.py", "test_operating.py", "test_scripts.py"),
}


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Read no other file where only `covered` or quick tests are asked for: that saves seconds."""
    place = _place(collection_path)
    asked = str(config.getoption("markexpr"))
    if asked.startswith("not slow"):
        return True if _is_in(SLOW, place) else None
    is_other = collection_path.is_file() and not _is_covered(place)
    return True if asked.startswith("covered and") and is_other else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put long tests first and short ones that may run anywhere last; mark covered and slow ones.

    Processes that have nothing else left share the last ones.
    """
    for item in items:
        place = _place(item.path)
        if _is_covered(place):
            item.add_marker(pytest.mark.covered)
        if _is_slow(item, place):
            item.add_marker(pytest.mark.slow)
    items.sort(key=_turn)


class _ByFile(LoadFileScheduling):  # type: ignore[misc]  # xdist has no types
    """A file runs in one process, because its tests share servers; stories share nothing."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return nodeid if file in SPREAD else file

    def _assign_work_unit(self, node: Any) -> None:
        """Every other process begins with what waits, so that the rest keep the processors busy."""
        begins_with_waiting = self.nodes.index(node) % 2 == 1
        for file in self.workqueue:
            if _is_waiting(file) == begins_with_waiting:
                self.workqueue.move_to_end(file, last=False)
                break
        super()._assign_work_unit(node)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> _ByFile:
    """The scheduler that gives tests to processes."""
    return _ByFile(config, log)


def _turn(item: pytest.Item) -> int:
    """When a test runs: those of a lower number are given to processes before others."""
    if item.get_closest_marker("long"):
        return 0
    return 2 if item.nodeid.partition("::")[0] in SPREAD else 1


@cache
def _is_waiting(scope: str) -> bool:
    """Whether the tests of a file, or a test by its full name, wait more than they compute."""
    return _is_in(WAITING, Path(scope.partition("::")[0]).relative_to("tests"))


@cache
def _place(path: Path) -> Path:
    """Where a file or folder is among the tests."""
    return path.relative_to(Path(__file__).parent)


@cache
def _is_covered(place: Path) -> bool:
    """Whether coverage is measured by a file of the tests."""
    return _is_in(COVERED, place) and not _is_in(COVERS_NO_MORE, place)


def _is_in(places: set[str], place: Path) -> bool:
    """Whether a file or folder of the tests is one of these, or in one of these folders."""
    return not places.isdisjoint({*place.parts[:1], str(place)})


def _is_slow(item: pytest.Item, place: Path) -> bool:
    """Whether a test is long, is in a slow place, or starts a server of others."""
    if item.get_closest_marker("long") or _is_in(SLOW, place):
        return True
    fixtures = set(getattr(item, "fixturenames", ()))
    call = getattr(item, "callspec", None)
    chosen = [each for each in call.params.values() if isinstance(each, str)] if call else []
    return not SERVERS_OF_OTHERS.isdisjoint(fixtures.union(chosen))


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Have a process of xdist report less."""
    reports.lessen(session.config)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Exclude the thousands of found tests from garbage collection: they stay.

    A full collection, which comes often where few objects are old, is then rare: that took 4 % of
    the time.
    """
    gc.freeze()
    gc.set_threshold(FEWER_COLLECTIONS)
    gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """Collect garbage once: pytest, which does so five times, then finds nothing to look at."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Iterator[None]:
    """Limit the time of making what a test needs."""
    with limited(LONGEST):
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    """Limit the time of a test."""
    with limited(LONGEST):
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Iterator[None]:
    """Limit the time of ending what a test needed."""
    with limited(LONGEST):
        yield


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, exitstatus: int, config: pytest.Config
) -> None:
    """Say why no test ran, as with `scripts/test --quick` and a file of slow tests."""
    left_out = config.getoption("markexpr")
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and left_out:
        terminalreporter.write_line(f'No test ran: none of those named is "{left_out}".')


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--rewrite`: write stories and golden letters anew; a diff then shows what changed."""
    parser.addoption("--rewrite", action="store_true", help="write stories and letters anew")


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Cluster]:
    """A running PostgreSQL of our own; tests that need it are skipped where there is none."""
    try:
        with cluster() as running:
            yield running
    except Missing as missing:
        pytest.skip(str(missing))


@pytest.fixture(params=["sqlite", "postgresql"])
def any_home(request: pytest.FixtureRequest, home: Path) -> Path:
    """A home with its own SQLite database, and one with a database in PostgreSQL."""
    return _home_on(request, home, Cluster.database_with_tables)


@pytest.fixture(params=["sqlite", "postgresql"])
def any_new_home(request: pytest.FixtureRequest, home: Path) -> Path:
    """The same, where the database has no tables yet."""
    return _home_on(request, home, Cluster.new_database)


def _home_on(
    request: pytest.FixtureRequest, home: Path, database: Callable[[Cluster], str]
) -> Path:
    if request.param == "postgresql":
        choose_database(home, database(request.getfixturevalue("postgresql")))
    return home


def choose_database(home: Path, url: str) -> None:
    """Make a home whose settings name this database."""
    home.mkdir(mode=0o700)
    (home / "pbmserv.toml").write_text(f'database = "{url}"\n')


@pytest.fixture
def rewrites(request: pytest.FixtureRequest) -> bool:
    """True where stories and golden letters are to be written anew."""
    return bool(request.config.getoption("--rewrite"))


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A key and a certificate for localhost, signed by itself."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("there is no openssl command to make a certificate with")
    folder = tmp_path_factory.mktemp("certificate")
    subprocess.run(
        [
            *(openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
            *("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"),
            *("-keyout", str(folder / "key"), "-out", str(folder / "certificate")),
        ],
        check=True,
        capture_output=True,
    )
    return folder / "key", folder / "certificate"
