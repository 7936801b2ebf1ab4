"""A password among the words of a command that takes none is neither shown again nor stored."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest

from pbmserv.security.passwords import Passwords
from tests.rows import each_row
from tests.stories.town import OUR_ADDRESS, PASSWORD, Town, answering, town_at

ANN, BOB = "ann@example.org", "bob@example.org"


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    with town_at(tmp_path / "home") as made:
        made.sign_up_and_challenge("ann", "bob")
        yield made


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The words that are compared with a password, in their order."""
    words: list[str] = []
    prove = Passwords.prove

    def counted(self: Passwords, key: str, stored: str | None, word: str, now: int) -> bool:
        words.append(word)
        return prove(self, key, stored, word, now)

    monkeypatch.setattr(Passwords, "prove", counted)
    return words


COMMANDS = (
    *("challenge bob {}", "perudo challenge ann bob {}", "challenge bob -rules={}", "help {}"),
    *("list {}", "perudo show {}", "stats {}", "record {}", "perudo verify {}", "history {}"),
    *("games {}", "queue {}", "perudo help {}", "challenge bob;{}", "challenge bob,{}"),
)


@each_row("command", COMMANDS)
def test_a_password_where_none_belongs_is_not_shown_again(command: str, town: Town) -> None:
    """As a Subject, as a line, and in a reply; also with other capitals."""
    letter = town.last_letter_to(ANN)
    line = command.format(PASSWORD)
    for letters in (
        town.write(ANN, line),
        town.write(ANN, "", line),
        town.reply(letter, command.format(PASSWORD.upper())),
    ):
        assert letters
        assert PASSWORD not in "".join(each.raw.decode() for each in letters).lower()


def test_no_byte_of_the_home_holds_a_password_in_the_wrong_command(town: Town) -> None:
    for command in COMMANDS:
        town.now += 3600
        town.write(ANN, command.format(PASSWORD))
    files = [each for each in town.home.rglob("*") if each.is_file()]
    assert [each for each in files if PASSWORD.encode() in each.read_bytes()] == []


UNKNOWN = (  # the Subject, and the text
    *(("{}", ""), ("{} 4-2s", ""), ("{} dudo", ""), ("hello {}", "how are you"), ("perudo {}", "")),
    *(("multiple", "{}"), ("multiple", "list\n{}\n4-2s"), ("multiple", "list\n{} ann\nlist")),
    *(("multiple", "list\nperudo {} 1"), ("multiple", "list\n{};ann"), ("", "help\n{}\n4-2s")),
)


@each_row("password", [PASSWORD, "histori1", "Fußball77", "стрекоза", "libélula"])
@each_row(("subject", "text"), UNKNOWN)
def test_a_password_in_place_of_a_command_is_neither_shown_again_nor_stored(
    subject: str, text: str, password: str, tmp_path: Path
) -> None:
    """Also if it is like a command; in a new email, and in a reply."""
    with town_at(Path(mkdtemp(dir=tmp_path)) / "home") as town:

        def do() -> None:
            town.sign_up_and_challenge("ann", "bob")
            town.write(ANN, f"change password ann {PASSWORD} {password}")

        town.done_once(("another password", password), do)
        letter = town.last_letter_to(ANN)
        for to in (OUR_ADDRESS, town.last_letter_to(ANN).reply_to):
            town.now += 3600
            headers = {} if to == OUR_ADDRESS else answering(letter)
            said = [each.format(password) for each in (subject, text)]
            letters = town.write(ANN, *said, to=to, headers=headers)
            assert letters
            assert password not in "".join(each.text + each.subject for each in letters)
        files = [each for each in town.home.rglob("*") if each.is_file()]
        assert [each for each in files if password.encode() in each.read_bytes()] == []


def test_a_word_that_is_mistyped_is_shown_again(town: Town) -> None:
    (told,) = town.write(ANN, "challenge ann bobb")
    assert 'There is no player "bobb".' in told.text
    (told,) = town.write(ANN, "histori ann")
    assert '"histori" is not a command. Did you mean history?' in told.text
    (told,) = town.write(ANN, "multiple", "list\nabracadabra 1")
    assert "abracadabra" in told.text
    (told,) = town.write(ANN, "help palifcio")
    assert 'The manual has no page "palifcio".' in told.text


def test_known_words_are_not_compared(town: Town, compared: list[str]) -> None:
    """Nor are those of a command with the right password, which none of them can be."""
    known = "challenge ann bob", "help tutorial", "help rules bga", "games ann", "record 1"
    assert all(town.write(ANN, command) for command in known)
    assert compared == []
    town.write(ANN, f"set ann {PASSWORD} language=klingon")
    assert set(compared) <= {PASSWORD}


def test_few_words_of_an_email_are_compared(town: Town, compared: list[str]) -> None:
    """So an email costs no more than a text with rare words."""
    town.write(ANN, "challenge bob alpaca bisons coyote dromedary elephant ferret")
    assert compared == ["alpaca", "bisons", "coyote", "dromedary"]


def test_words_from_an_address_of_nobody_are_not_compared(town: Town, compared: list[str]) -> None:
    """Somebody else could learn from the answer whether a guess was right."""
    letter = town.last_letter_to(ANN)
    for headers in ({}, {"In-Reply-To": str(letter.message["Message-ID"])}):
        town.write("eve@example.net", f"help {PASSWORD}", to=letter.reply_to, headers=headers)
    assert compared == []


def test_the_options_of_a_refused_command_are_shown_again(town: Town) -> None:
    """Who sends the line again has the same game; what may be a password is left out."""
    (told,) = town.write(ANN, f"challenge -rules=bga -inorder ann bobb -calza={PASSWORD}")
    assert "perudo challenge -inorder -rules=bga ann bobb\n" in told.text
    assert PASSWORD not in told.text
