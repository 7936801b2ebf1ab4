"""Mail loops: servers of ours that write to each other, or to themselves, stop soon.

Real servers on loopback send all their letters through a post that knows both of them.
"""

from __future__ import annotations

import queue
import sqlite3
import threading
from collections.abc import Collection, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import pytest
from aiosmtpd.smtp import SMTP, Envelope, Session

from pbmserv.intake.answering.answer_limits import MOST_ALIKE
from tests.cli.processes import Served, served, typed, until
from tests.event_loop import loop_in_thread
from tests.stories.town import PASSWORD, mail

pytestmark = pytest.mark.long

ALPHA, BETA = "perudo@alpha.example", "perudo@beta.example"
BEFORE = "perudo@before.example"  # the address of every server while its players sign up
MARKS = ("x-pbmserv", "auto-submitted", "precedence", "x-auto-response-suppress", "list-")
THREADS = ("in-reply-to", "references")


@dataclass
class Post:
    """Carries letters from server to server, without the headers that begin with `dropped`."""

    dropped: Collection[str] = ()
    servers: dict[str, Served] = field(default_factory=dict)
    carried: int = 0
    numbers: Iterator[int] = field(default_factory=count)
    waiting: queue.Queue[tuple[bytes, str, str] | None] = field(default_factory=queue.Queue)

    async def handle_DATA(  # noqa: N802 - aiosmtpd's name
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        (to,) = envelope.rcpt_tos
        raw = envelope.original_content or b""
        self.waiting.put((self.stripped(raw), envelope.mail_from or "", to))
        return "250 OK"

    def stripped(self, raw: bytes) -> bytes:
        head, _, body = raw.partition(b"\r\n\r\n")
        unfolded = head.replace(b"\r\n ", b" ").replace(b"\r\n\t", b" ").split(b"\r\n")
        dropped = tuple(each.encode() for each in self.dropped)
        kept = [line for line in unfolded if not (dropped and line.lower().startswith(dropped))]
        if "message-id" in self.dropped:
            kept.append(f"Message-ID: <{next(self.numbers)}@forwarder.example>".encode())
        return b"\r\n".join(kept) + b"\r\n\r\n" + body

    def carry(self) -> None:
        """Hand letters over, in a thread of its own, until there is a None among them."""
        while letter := self.waiting.get():
            raw, sender, to = letter
            address = f"{to.partition('+')[0].partition('@')[0]}@{to.rpartition('@')[2]}"
            if address in self.servers:
                self.carried += 1
                self.servers[address].send(raw, sender or "<>", to)
            self.waiting.task_done()

    @property
    def is_quiet(self) -> bool:
        """True if no letter is on its way or about to be sent."""
        return (
            not any(map(letters_due, self.servers.values())) and not self.waiting.unfinished_tasks
        )


def letters_due(server: Served) -> int:
    with closing(sqlite3.connect(server.home / "pbmserv.sqlite")) as database, database:
        (count,) = database.execute("SELECT count(*) FROM outbox WHERE state = 'due'").fetchone()
    database.close()
    return int(count)


@contextmanager
def opened(post: Post) -> Iterator[int]:
    """The port of the post's SMTP server, which runs in a thread of its own."""
    with loop_in_thread() as running:
        loop = running.loop
        opening = loop.create_server(lambda: SMTP(post, loop=loop), "127.0.0.1", 0)
        server = running.run(opening)
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            loop.call_soon_threadsafe(server.close)


@contextmanager
def posted(home: Path, *addresses: str, dropped: Collection[str] = ()) -> Iterator[Post]:
    """Servers of these addresses, each in a home of its own, and the post between them.

    They have each other, and themselves, as players.  No signup may name an address of ours any
    more, so the players are older than the server's address.
    """
    with ExitStack() as stack:
        post = Post(dropped)
        port = stack.enter_context(opened(post))
        carrying = threading.Thread(target=post.carry)
        carrying.start()
        stack.callback(carrying.join)
        stack.callback(post.waiting.put, None)
        for address in addresses:
            place = home.parent / address
            settings = f'address = "{address}"\ndelivery = "smtp"\nrelay = "127.0.0.1:{port}"\n'
            place.mkdir(mode=0o700)
            (place / "pbmserv.toml").write_text(settings.replace(address, BEFORE), "utf-8")
            for each in addresses:
                name = each.partition("@")[2].partition(".")[0]
                done = typed(place, "pbmserv", "signup", name, PASSWORD, each)
                assert done.returncode == 0, done.stderr
            post.servers[address] = stack.enter_context(served(place, settings))
        yield post


def carried_until_silent(post: Post) -> int:
    """How many letters the post carried until nobody wrote any more."""

    def is_silent() -> bool:
        before, was_quiet = post.carried, post.is_quiet
        return was_quiet and post.is_quiet and post.carried == before

    until(is_silent, 60.0)
    return post.carried


def begin(post: Post, sender: str, to: str, subject: str) -> None:
    raw = mail(sender, subject, "What is this?", message_id="<1@elsewhere.example>", to=to)
    post.servers[to].send(raw, sender, to)


def test_two_servers_that_write_to_each_other_stop_within_three_letters(home: Path) -> None:
    """Each has the other as a player, and so as somebody who gets many answers."""
    with posted(home, ALPHA, BETA) as post:
        begin(post, BETA, ALPHA, "Hello")
        begin(post, ALPHA, BETA, "perudo move 1 alpha 2-2s")
        assert 2 <= carried_until_silent(post) <= 3


def test_a_game_between_two_servers_goes_no_further_than_its_letters(home: Path) -> None:
    with posted(home, ALPHA, BETA) as post:
        begin(post, BETA, ALPHA, "perudo challenge -inorder alpha beta")
        assert carried_until_silent(post) == 2, "one to each player, one of whom is alpha itself"


def test_a_server_that_writes_to_itself_stops_at_once(home: Path) -> None:
    with posted(home, ALPHA) as post:
        begin(post, ALPHA, ALPHA, "perudo challenge alpha house")
        typed(post.servers[ALPHA].home, "perudo", "challenge", "alpha", "house")
        assert carried_until_silent(post) <= 3


def test_the_message_id_stops_a_loop_if_forwarders_remove_our_headers(home: Path) -> None:
    with posted(home, ALPHA, BETA, dropped=(*MARKS, *THREADS)) as post:
        begin(post, BETA, ALPHA, "Hello")
        assert 1 <= carried_until_silent(post) <= 3


def test_the_reply_budgets_end_a_loop_of_unrecognized_letters(home: Path) -> None:
    """Each thinks that the other is a person who does not listen, and gives up on him."""
    with posted(home, ALPHA, BETA, dropped=(*MARKS, *THREADS, "message-id")) as post:
        begin(post, BETA, ALPHA, "Hello")
        assert 3 < carried_until_silent(post) <= 4 * MOST_ALIKE


def test_a_server_recognizes_its_own_address_without_our_headers(home: Path) -> None:
    with posted(home, ALPHA, dropped=(*MARKS, *THREADS, "message-id")) as post:
        typed(post.servers[ALPHA].home, "perudo", "challenge", "alpha", "house")
        assert 1 <= carried_until_silent(post) <= 3
