"""After a story full of passwords, no byte of the home holds one."""

from __future__ import annotations

import re
from base64 import b64encode
from pathlib import Path

import pytest

from tests.cli.processes import Served, served, typed, until
from tests.stories.town import OUR_ADDRESS, Letter, answering, letters_in, mail

pytestmark = pytest.mark.long

ANN, BOB, CLEO = "Ann-Sesame7531", "Bob-Sesame8642", "Cleo-Sesame9753"
WRONG, REFUSED, SHORT = "Wrong-Sesame1", "Refused-Sesame2", "Q7x"
MISSPELT, SWAPPED, LOST = "Misspelt-Sesame3", "Swapped-Sesame4", "Lost-Sesame5"
ALONE, TWICE, SHELL = "Alone-Sesame6", "Twice-Sesame7", "Shell-Sesame8"
CHANGED, RESET = "Changed-Sesame10", "Reset-Sesame11"
OPEN = "Open-Sesame9"  # written where a userid is expected: the writer is told it, nobody else
SECRETS = (
    ANN,
    BOB,
    CLEO,
    WRONG,
    REFUSED,
    MISSPELT,
    SWAPPED,
    LOST,
    ALONE,
    TWICE,
    SHELL,
    CHANGED,
    RESET,
)


class Story:
    """A person who writes many emails to a running server."""

    def __init__(self, home: Path, server: Served) -> None:
        self.home = home
        self.server = server
        self.number = 0

    def write(
        self,
        who: str,
        subject: str,
        text: str = "",
        *,
        answers: Letter | None = None,
        encoding: str | None = None,
    ) -> None:
        """Send an email; with `answers` as the answer to a letter."""
        self.number += 1
        address = f"{who}@example.org"
        to = answers.reply_to if answers else OUR_ADDRESS
        raw = mail(
            address,
            subject,
            text,
            message_id=f"<{self.number}@client.example>",
            to=to,
            headers=answering(answers) if answers else None,
            encoding=encoding,
        )
        self.server.send(raw, address, to)

    def letter(self, who: str, subject: str) -> Letter:
        """The latest letter to an address with this Subject; waits for it."""
        address = f"{who}@example.org"

        def found() -> list[Letter]:
            letters = letters_in(self.home)
            return [each for each in letters if each.to == address and subject in each.subject]

        until(lambda: bool(found()))
        return found()[-1]


REPLY = "Re: Your turn: Perudo board 1"


def sign_up(story: Story) -> None:
    """Sign up in a Subject, a body, base64; with a refused userid, and a refused password."""
    story.write("ann", f"signup ann {ANN}")
    story.write("bob", "Hello", f"signup bob {BOB}\n", encoding="base64")
    encoded = b64encode(f"signup cleo {CLEO}".encode()).decode()
    story.write("cleo", "x")  # a header that Python's own composer would not leave as it is
    raw = f"From: cleo@example.org\nMessage-ID: <b64@x>\nSubject: =?utf-8?b?{encoded}?=\n\n"
    story.server.send(raw.encode(), "cleo@example.org", OUR_ADDRESS)
    for who in ("ann", "bob", "cleo"):
        story.write(who, "Re: confirm", "yes", answers=story.letter(who, "Please confirm"))
        story.letter(who, "Your account works")
    story.write("ann", f"signup ANN {REFUSED}")
    story.write("ann", f"signup 5star {REFUSED}")
    story.write("ann", f"signup dora {SHORT}")
    story.write("ann", f"signup dora {REFUSED} {REFUSED}")
    story.write("ann", f"signup dora {REFUSED}'")
    story.write("ann", f"Register dora with password {REFUSED}")


def play(story: Story) -> None:
    """Write right and wrong passwords at every possible place."""
    story.write("ann", "perudo challenge -inorder ann bob cleo")
    game = story.letter("ann", "Your turn: Perudo board 1")
    story.write("ann", f"perudo move 1 ann {WRONG} 2-2s")
    story.write("ann", f"perudo move 1 {SWAPPED} ann 2-2s")
    story.write("ann", f"perudo showas 1 ann {SWAPPED}")
    story.write("ann", f"Re: Your turn: Perudo board 1 ann 2-2s {SWAPPED}")
    story.write("ann", f"perudo mooove 1 ann {MISSPELT} 2-2s")
    story.write("ann", f"sing-up dora {MISSPELT}")
    story.write("ann", f"perudo move 1 ann {TWICE}", f"perudo move 1 ann {TWICE} 2-2s")
    story.write("ann", f"perudo resign 1 ann {TWICE} {TWICE}")
    story.write("ann", f"perudo move 1 ann {ANN} {ANN} 2-2s")
    story.write("ann", f"perudo show 1 {OPEN}")
    story.write("ann", f"perudo games ann {OPEN}")
    story.write("ann", "Re: Your turn: Perudo board 1", f"{ALONE} 2-2s\n", answers=game)
    story.write(
        "ann", "Re: Your turn: Perudo board 1", f"perudo mvoe 1 ann {ALONE} 2-2s\n", answers=game
    )
    lines = f"perudo move 1 ann {ANN} 2-2s\n\nGood luck!\nperudo resign 1 ann {ANN}\n"
    story.write("ann", "multiple", f"{lines}perudo mooove 1 ann {MISSPELT} dudo\n")
    game = story.letter("bob", "Your turn: Perudo board 1")
    quoted = (
        f"3-2s\n\nHa!\nSubject: Re: Perudo Board 1 ann ** {LOST} 2-2s\n"
        f"Subject: Re: Your turn: Perudo board 1 ann {LOST} 2-2s\n"
        f"perudo chat 1 bob {LOST}\n> perudo move 1 ann {LOST} 2-2s\n"
    )
    story.write(
        "bob", "Re: Your turn: Perudo board 1", quoted, answers=game, encoding="quoted-printable"
    )
    story.letter("cleo", "Your turn: Perudo board 1")
    story.write("cleo", f"perudo chat 1 cleo {CLEO}", "Well!", encoding="base64")
    story.write("bob", f"perudo showas bob {BOB} 1")
    story.write("bob", f"perudo showas bob {WRONG} 1")
    story.write("bob", f"perudo resign 1 bob {BOB}")
    story.letter("bob", "Perudo board 1")
    story.write("cleo", f"Re: Your turn: Perudo board 1 cleo {CLEO} dudo")
    story.letter("cleo", "Perudo board 1")


def change_accounts(story: Story) -> None:
    """Set new passwords, by `change` and by `reset`."""
    story.write("cleo", f"change password cleo {CLEO} {CHANGED}")
    story.letter("cleo", "Your password was changed")
    story.write("cleo", f"change password cleo {CHANGED} {RESET} {RESET}")
    story.write("cleo", f"change pasword cleo {CHANGED} {RESET}")
    story.write("cleo", f"chnage password cleo {CHANGED} {RESET}")
    story.write("cleo", f"message cleo {CHANGED} bob", f"Hello!\nchange password cleo {RESET}")
    story.write("cleo", f"reset cleo {RESET}")
    story.write("cleo", "reset cleo")
    token = story.letter("cleo", "A new password, cleo").token
    story.write("cleo", f"reset cleo {token} {RESET}")
    story.write("cleo", f"set cleo {RESET} timezone=Europe/Zurich")
    story.letter("cleo", "The preferences of cleo")


def at_a_shell(home: Path) -> str:
    """Passwords as arguments, in the environment, and by the pipe; the output of the commands."""
    said = []
    for words in (
        ("pbmserv", "signup", "emil", SHELL),
        ("perudo", "showas", "emil", SHELL),
        ("perudo", "showas", "emil", WRONG),
        ("perudo", "challenge", "emil", "ann"),
        ("pbmserv", "change", "password", "emil", SHELL, CHANGED),
        ("pbmserv", "change", "password", "emil", CHANGED, SHELL),
        ("perudo", "move", "2", "emil", SHELL, "1-2s", "--message=Hello"),
    ):
        said.append(typed(home, *words))
    said.append(
        typed(home, "perudo", "resign", "2", "emil", "-", environ={"PBMSERV_PASSWORD": SHELL})
    )
    said.append(typed(home, "pbmserv", "multiple", text=f"perudo showas emil {SHELL}\nperudo x\n"))
    raw = mail("bob@example.org", f"perudo showas bob {BOB} 1", message_id="<pipe@x>")
    said.append(typed(home, "pbmserv", "receive", "--sender", "bob@example.org", text=raw))
    said.append(typed(home, "pbmserv", "queue", "list", "--all"))
    return "".join(each.stdout + each.stderr for each in said)


def holders(home: Path, log: bytes, said: str) -> list[tuple[str, str]]:
    """The files that hold a password, in any encoding, each with that password."""
    places = {
        str(file.relative_to(home)): file.read_bytes() for file in home.rglob("*") if file.is_file()
    }
    places |= {"(log)": log, "(said)": said.encode()}
    places |= {f"(letter {each.number})": each.text.encode() for each in letters_in(home)}
    return [
        (place, secret)
        for place, held in places.items()
        for secret in (*SECRETS, *(() if "ann@" in place or "letter" in place else (OPEN,)))
        for form in (secret.encode(), secret.lower().encode(), b64encode(secret.encode())[:12])
        if form in held or secret.encode("utf-16-le") in held
    ]


def test_no_byte_of_the_home_holds_a_password(home: Path) -> None:
    """Emails and shell commands full of passwords, right and wrong; then the server ends.

    The test searches the database and its log, the mailboxes, and the output of the shell commands.
    It also searches the server's own log with all details.
    """
    chosen = 'log_level = "debug"\nunproven_daily = 100\n'  # every mistake is answered
    with served(home, chosen) as server:
        story = Story(home, server)
        sign_up(story)
        play(story)
        change_accounts(story)
        said = at_a_shell(home)
        until(lambda: "Nothing waits." in typed(home, "pbmserv", "queue", "list").stdout)
        assert server.stop() == 0
    log = server.log.read_bytes()
    assert b"SMTP on" in log
    assert not (home / "pbmserv.sqlite-wal").exists()
    assert b"$argon2id$" in (home / "pbmserv.sqlite").read_bytes()
    assert holders(home, log, said) == []


def test_no_log_line_holds_a_letters_token(home: Path) -> None:
    """A token is as good as a password for one move."""
    with served(home, 'log_level = "debug"\n') as server:
        story = Story(home, server)
        story.write("ann", f"signup ann {ANN}")
        letter = story.letter("ann", "Please confirm")
        story.write("ann", "Re: confirm", "yes", answers=letter)
        story.letter("ann", "Your account works")
        server.stop()
    assert not re.search(letter.token.encode(), server.log.read_bytes(), re.IGNORECASE)
