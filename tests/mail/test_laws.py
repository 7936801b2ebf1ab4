"""The laws of `laws.py` hold: for bytes that hypothesis makes, and for all that once broke one.

`crashers/LAW-NAME` are inputs that broke a law, found by `scripts/fuzz` or by hand, each kept
when it was mended.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbmserv.games.perudo.position_notation import read_rules
from pbmserv.games.perudo.record import Record
from tests.examples import examples
from tests.games.games import write_record
from tests.mail.hostile import HOSTILE, HOSTILE_BOUNCES, filled
from tests.mail.laws import LAWS

pytestmark = pytest.mark.long

HERE = Path(__file__).parent
MAILS = sorted((HERE / "data").glob("*.eml"))

# What emails are made of, so that chance meets its edges more often.
PIECES = st.sampled_from(
    [
        *(b"\n", b"\r\n", b"\r", b" ", b"\t", b">", b"<", b"*", b"--", b"-- \n", b"--b", b"\n\n"),
        *(b"On Fri, 5 x", b" wrote:", b"From: ", b"Sent: ", b"To: ", b"Subject: ", b"=?utf-8?q?"),
        *(b"=C3", b"?=", b"=", b"Content-Type: ", b"multipart/mixed; boundary=b", b"text/html"),
        *(b"\xff", b"\0", b"<div", b"</p>", b"<!--", b"&#x110000;", b"&#0;", b"charset="),
        *(b"utf-16", b"utf-7", b"+AAA-", b"format=flowed", b"; delsp=yes", b'"', b"\\", b":"),
        *(b"@", b";", b"Content-Transfer-Encoding: base64", b"quoted-printable", b"hz", b"(", b")"),
        *(b"Message-ID: <", b"\xe2\x9a", b"5-5s", b"perudo ", b"move ", b"#", b"12 ", b"dudo"),
        *(b"References: <a.b@c>", b"<p hidden>", b"<pre>", b"<blockquote>", b"</blockquote>"),
        *(b"-----Original Message-----", b"-----BEGIN PGP SIGNED MESSAGE-----", b"*0*=", b"''"),
        *(b">>> a >>>", b"____________", b"Sent from my ", b"this message", b"Hello,", b"\xc2\xa0"),
    ]
)


@pytest.mark.parametrize("name", LAWS)
def test_a_law_holds_for_random_bytes(name: str) -> None:
    @given(st.lists(st.one_of(PIECES, st.binary(max_size=8)), max_size=60).map(b"".join))
    # To read an email in every way takes longer than what other laws do.
    @settings(max_examples=examples(30 if name == "request_reader" else 300))
    def holds(data: bytes) -> None:
        LAWS[name](data)

    holds()


@pytest.mark.parametrize("name", LAWS)
def test_a_law_holds_for_every_email_that_we_have(name: str) -> None:
    """This includes emails that once broke it."""
    for file in (*MAILS, *(HERE / "crashers").glob(f"{name}-*")):
        LAWS[name](file.read_bytes())


SEALED = write_record(Record(1, read_rules("pbmserv"), ("ann", "bob"))).encode()
RECORDS = [SEALED, *(file.read_bytes() for file in sorted(HERE.parent.glob("games/data/games/*")))]
# A record's numbers are read but once in a process: these are read again each time.
NUMBERED = b"perudo move 12 ann - 5-5s #3"
ANSWERED = (
    b"In-Reply-To: <12.1700000000." + b"A" * 32 + b"@perudo.example>\n"
    b"List-Id: Perudo board 12 <12.board.perudo.perudo.example>\n\n4-2s\n"
)
PROGRAM = HERE.parents[1] / "pbmserv"
WRITERS = {"composing.py", "transport.py", "incoming.py", "__init__.py"}  # they read nothing
READERS = [
    *(file for file in sorted((PROGRAM / "mail").glob("*.py")) if file.name not in WRITERS),
    *(
        PROGRAM / f"{name}.py"
        for name in (
            *(
                f"intake/{each}"
                for each in (
                    "credential_check",
                    "excerpt",
                    "replies/affirmation",
                    "replies/greetings",
                )
            ),
            *(f"intake/{each}" for each in ("password_redaction", "request")),
            "intake/kept_emails/stored_mail",
            *("commands/email_parser", "commands/framework", "commands/parser"),
            *("security/credentials", "security/tokens"),
            *("text/normalize", "text/subject_prefixes", "text/numbers"),
            *(f"games/perudo/{each}" for each in ("move_parser", "record", "referee", "verify")),
            *(f"games/perudo/{each}" for each in ("event_notation", "position_notation", "replay")),
        )
    ),
]


def test_the_laws_reach_everything_that_reads_a_strangers_words() -> None:
    """A new file in `mail/` that none of them calls is noticed."""
    called, wanted = set[str](), {*map(str, READERS)}

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_name != "<module>":
            called.add(frame.f_code.co_filename)

    hostile = [filled(*each, 512) for each in (HOSTILE | HOSTILE_BOUNCES).values()]
    reports = sorted((HERE / "reports").glob("*.eml"))[::5]
    mails = [file.read_bytes() for file in [*MAILS[::10], *reports]]
    inputs = [NUMBERED, ANSWERED, *mails[::-1], SEALED, *hostile[::-2], *RECORDS]
    for law in LAWS.values():
        law(b"")  # what is built but once is built now
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        for data in inputs:
            if wanted <= called:
                break
            for law in LAWS.values():
                law(data)
    finally:
        sys.setprofile(before)
    missed = [str(file.relative_to(PROGRAM)) for file in READERS if str(file) not in called]
    assert missed == []
