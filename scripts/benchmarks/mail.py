"""Figure 7: composing and parsing email, compared with the standard library's modern API.

Both sides do the same work, which is checked first.  The content is the same when parsed again, and
so are the fields of the same emails.  They alternate, and medians are compared.
"""

from __future__ import annotations

import email
import email.policy
from collections.abc import Callable
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from pathlib import Path
from statistics import median
from time import process_time

from pbmserv.mail.composing import compose
from pbmserv.mail.reading import read

REPLIES = ("mutt-top", "s-nail-bottom", "thunderbird-html-top", "gmail-top", "outlook-plain")
DATA = Path(__file__).parents[2] / "tests" / "mail" / "data"
ROUNDS = 41
REPEATS = 20
NOW = 1_795_210_340
TOKEN = "ABCDEFGHIJKLMNOPQRSTUVWX23"
OWN = "perudo@perudo.example"
REFERENCES = tuple(f"<12.{move}.{TOKEN}@perudo.example>" for move in range(12, 17))
TEXT = """\
Bob raised to 4-5s. It is your turn.

Your dice: 2 3 3 5 6  (⚁ ⚂ ⚂ ⚄ ⚅)
The bid to beat: 4-5s
Smallest legal raises: 4-6s, 5-2s, 2-1s
Calls you may make: dudo

17 dice in play: ann 5, bob 4, zoë 5, dan 3.
Rules: pbmserv. Ones are wild.

Last rounds
  ann 3-2s, bob 3-4s, zoë 4-4s, dan dudo. Count 5: dan loses a die.
  dan 2-5s, ann 3-5s, bob calza. Count 3: bob gains a die.

Next round's commitment:
  0f343b0931126a20f133d67c2b018a3b1d9c2e5d1f0c9a1b6a1d2b8f3c4d5e6f

Reply to this mail with your move, such as "4-6s" or "dudo".
--\x20
Perudo game server: mail help to perudo@perudo.example
"""


def figures(quick: bool = False) -> list[dict[str, object]]:
    """Figure 7, as `scripts/bench --json` writes it: CPU ratios to the standard library."""
    _check_same_content()
    mails = [(DATA / f"{name}.eml").read_bytes() for name in REPLIES]
    _check_same_fields(mails)
    rounds = 1 if quick else ROUNDS
    composing = _ratio(_ours, _theirs, rounds)
    parsing = _ratio(
        lambda: [_read(raw) for raw in mails], lambda: [_parsed(raw) for raw in mails], rounds
    )
    return [
        _figure("compose CPU, to EmailMessage", composing, 0.1),
        _figure("parse CPU, to message_from_bytes(policy=default)", parsing, 0.12),
    ]


def _figure(what: str, figure: float, goal: float) -> dict[str, object]:
    return {
        "target": 7,
        "what": what,
        "figure": round(figure, 4),
        "goal": f"<= {goal}",
        "met": figure <= goal,
    }


def _ratio(ours: Callable[[], object], theirs: Callable[[], object], rounds: int) -> float:
    """The median CPU time of ours to that of theirs, measured alternately."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for side, work in enumerate((ours, theirs)):
            begun = process_time()
            for _ in range(REPEATS):
                work()
            times[side].append(process_time() - begun)
    return median(times[0]) / median(times[1])


def _ours() -> bytes:
    return compose(
        sender_name="Perudo game server",
        sender=OWN,
        to="zoe@example.org",
        subject="Your turn: Perudo board 12 zoë",
        text=TEXT,
        message_id=f"<12.17.{TOKEN}@perudo.example>",
        date=NOW,
        reply_to=f"perudo+{TOKEN}@perudo.example",
        in_reply_to=REFERENCES[-1],
        references=REFERENCES,
    )


def _theirs() -> bytes:
    message = EmailMessage(policy=email.policy.SMTP)
    message["From"] = Address("Perudo game server", addr_spec=OWN)
    message["To"] = "zoe@example.org"
    message["Subject"] = "Your turn: Perudo board 12 zoë"
    message["Date"] = datetime.fromtimestamp(NOW, UTC)
    message["Message-ID"] = f"<12.17.{TOKEN}@perudo.example>"
    message["Reply-To"] = f"perudo+{TOKEN}@perudo.example"
    message["In-Reply-To"] = REFERENCES[-1]
    message["References"] = " ".join(REFERENCES)
    message["Auto-Submitted"] = "auto-replied"
    message["X-Pbmserv"] = "letter"
    message.set_content(TEXT, cte="quoted-printable")
    return message.as_bytes()


def _default(raw: bytes) -> EmailMessage:
    message = email.message_from_bytes(raw, policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    return message


def _parsed(raw: bytes) -> tuple[str, ...]:
    """The fields that a reply needs, by the modern API."""
    message = _default(raw)
    sender = message["from"].addresses[0].addr_spec
    automatic = [message[name] for name in ("auto-submitted", "precedence", "list-id")]
    automatic += [message[name] for name in ("list-unsubscribe", "x-auto-response-suppress")]
    assert automatic == [None] * len(automatic)
    part = message.get_body(preferencelist=("plain", "html"))
    assert part is not None
    return (
        sender,
        str(message["subject"]),
        message["message-id"] or "",
        message["in-reply-to"] or "",
        message["references"] or "",
        part.get_content(),
    )


def _read(raw: bytes) -> tuple[str, ...]:
    mail = read(raw, envelope_sender="zoe@example.org", recipient=OWN, own=OWN)
    assert not mail.automatic
    return (mail.sender, mail.subject, mail.message_id, mail.references[-1], *mail.typed)


def _check_same_content() -> None:
    ours, theirs = _default(_ours()), _default(_theirs())
    assert ours.get_content().replace("\r\n", "\n") == theirs.get_content().replace("\r\n", "\n")
    for name in set(theirs.keys()) - {"Content-Transfer-Encoding", "Content-Type"}:
        assert str(ours[name]).split() == str(theirs[name]).split(), name


def _check_same_fields(mails: list[bytes]) -> None:
    for raw in mails:
        ours, theirs = _read(raw), _parsed(raw)
        assert ours[:4] == theirs[:4]
        assert all(line in theirs[-1] for line in ours[4:])


if __name__ == "__main__":
    for line in figures():
        print(line)
