"""A password that a player tells the server in a message, such as a new one, goes to nobody."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

import pytest

from pbmserv.intake.password_phrases import differ_by_one, is_about_own_password
from pbmserv.intake.told_passwords import without_told_passwords
from tests.rows import each_row
from tests.stories.snapshots import Snapshot
from tests.stories.town import PASSWORD, Letter, town_at

BOB = "bob@example.org"
TOLD = (
    "new password: trout99", "My new password should be trout99", "password=trout99",
    "Please change my password to trout99", "As my password: trout99", "my pw: trout99",
    "mon nouveau mot de passe : trout99", "Changez mon mot de passe en trout99",
    "nouveau mot de passe trout99", "Je veux trout99 comme mot de passe",
    "nueva contraseña: trout99", "Cambia mi contraseña a trout99, por favor",
    "Quiero trout99 como contraseña", "mi contrasena es trout99",
    "новый пароль: trout99", "Смените мой пароль на trout99", "Пароль: trout99",
)  # fmt: skip
SHAPES = (  # with a label in the middle, without a colon, mistyped, or said to be refused
    "username: bob, password: trout99", "Логин: bob, пароль: trout99", "user bob pass: trout99",
    "usuario: bob contraseña: trout99", "identifiant : bob, mot de passe : trout99",
    "PASSWORD trout99", "Password - trout99", "mot de passe trout99", "mdp trout99",
    "contraseña trout99", "clave trout99", "пароль trout99", "мой пароль trout99",
    "my new passowrd: trout99", "pasword is trout99", "contraeña trout99", "пороль trout99",
    "bob / trout99 is my password", "My password was trout99, now it fails",
    "password trrout99", "mot de passe = trout99", "mi contraseña trout99",
    "password swordfsh is wrong?", "I tried swordfsh and it says wrong password",
    "j'ai essayé swordfsh, mot de passe refusé", "probé swordfsh y dice contraseña incorrecta",
    "пробовал ыцщквашыр, пишет неверный пароль", "PASSWORD swordfsh", "мой пароль ыцщквашыр",
)  # fmt: skip
ASKED = (
    "My password doesn't work", "I'd like a new password", "I have forgotten my password",
    "Mon mot de passe ne marche pas", "Je voudrais un nouveau mot de passe",
    "Mi contraseña no funciona", "Quiero una nueva contraseña",
    "Мой пароль не подходит", "Хочу новый пароль",
)  # fmt: skip
SENT = (
    "The new password of our wiki is on the board", "You shall not pass!", "It is a code of honour",
    "I forgot my password, so I am late", "J'ai oublié mon mot de passe, désolé du retard",
    "Olvidé mi contraseña, perdón", "Забыл пароль, поэтому так поздно",
    "What is the wifi password there?", "Is there a password for the film?",
    "Je passe à 20h30", "I passed the B2 exam", "La clave: no perder dados",
    "The password is on the fridge", "I had to change 20 passwords today", "Password forgotten",
    "La contraseña del wifi está en la nevera", "Пароль от вайфая на холодильнике",
    "The password to happiness is coffee", "We need a password for the party on the 10th",
    "mot de passe perdu", "пароль забыт",
)  # fmt: skip


@dataclass
class Weekend:
    """Bob is on turn, and ann has written to all; each reply of bob is the first one."""

    homes: Path
    began: Snapshot
    now: int

    def told(self, text: str) -> list[Letter]:
        """What a reply of bob to ann's message leads to."""
        with town_at(Path(mkdtemp(dir=self.homes)) / "home") as town:
            town.restore(self.began)
            town.now = self.now
            mine = (each for each in town.letters if each.to == BOB)
            return town.reply(next(each for each in mine if "from ann" in each.opening), text)


@pytest.fixture(scope="module")
def weekend(tmp_path_factory: pytest.TempPathFactory) -> Weekend:
    homes = tmp_path_factory.mktemp("homes")
    with town_at(homes / "home") as town:
        town.sign_up_and_challenge("ann", "bob", "luc")
        town.move("ann", "3-2s")
        town.write("ann@example.org", f"perudo chat 1 ann {PASSWORD}", "How was your weekend?")
        return Weekend(homes, town.snapshot(), town.now)


def to_others(letters: list[Letter]) -> str:
    """What the letters to others than bob say."""
    return "\n".join(each.text for each in letters if each.to != BOB)


@each_row("line", TOLD)
def test_a_line_that_tells_a_password_goes_to_nobody(line: str, weekend: Weekend) -> None:
    """Neither as the answer to a message of a player, nor below words, nor below a move."""
    assert without_told_passwords(line) == ""
    (asked,) = weekend.told(line)
    assert (asked.to, asked.subject) == (BOB, "What did you mean?")
    for first in ("It was great!", "4-2s\nIt was great!"):
        letters = weekend.told(f"{first}\n{line}")
        assert "| It was great!" in to_others(letters)
        assert "trout99" not in to_others(letters)
        told = "\n".join(each.text for each in letters if each.to == BOB)
        assert "change password USERID PASSWORD NEWPASSWORD" in told


@each_row("line", SHAPES)
def test_a_line_with_the_shape_of_a_told_password_goes_to_nobody(
    line: str, weekend: Weekend
) -> None:
    assert without_told_passwords(f"Hello\n{line}") == "Hello"
    letters = weekend.told(f"4-2s\nIt was great!\n{line}")
    assert "| It was great!" in to_others(letters)
    assert line not in to_others(letters)


@each_row("word", ["passwrd", "passwords", "passwodr", "pasword", "passw0rd", "paassword"])
def test_one_mistyped_letter_is_seen(word: str) -> None:
    assert differ_by_one(word, "password")
    assert not differ_by_one(word, "contrasena")


def test_two_mistyped_letters_are_another_word() -> None:
    assert not differ_by_one("passage", "password")
    assert not differ_by_one("король", "пароль")
    assert not differ_by_one("password", "password")


@each_row(
    "above", ["My new password:", "Please change my password to", "mot de passe :", "Пароль:"]
)
def test_a_password_below_such_words_goes_to_nobody(above: str, weekend: Weekend) -> None:
    assert without_told_passwords(f"Hello\n{above}\n\ntrout99\nSee you") == "Hello\n\nSee you"
    letters = weekend.told(f"4-2s\nIt was great!\n{above}\ntrout99")
    assert "| It was great!" in to_others(letters)
    assert "trout99" not in to_others(letters)


def test_a_message_by_a_command_tells_no_new_password(weekend: Weekend) -> None:
    words = f"chat 1 bob {PASSWORD}\nHello\nMy new password should be trout99"
    assert "trout99" not in to_others(weekend.told(words))


@each_row(
    "text",
    [
        f"perudo move 1 bob {PASSWORD} 4-2s\nHello\nMy new password:\n\ntrout99\nIt was great!",
        f"perudo chat 1 bob {PASSWORD}\nHello\nMy new password:\n\ntrout99\nIt was great!",
        f"chat 1 bob {PASSWORD}\nПривет\nМой новый пароль:\n\n\ntrout99\nIt was great!",
        "perudo challenge bob ann\nHello\nMy new password:\n\ntrout99\nIt was great!",
        "perudo challenge bob ann\nMot de passe :\n\ntrout99\nIt was great!",
    ],
)
def test_a_password_below_an_announcement_among_commands_goes_to_nobody(
    text: str, weekend: Weekend
) -> None:
    """The lines at a command are read as commands, up to the first empty line."""
    letters = weekend.told(text)
    assert "| It was great!" in to_others(letters)
    assert "trout99" not in to_others(letters)
    told = "\n".join(each.text for each in letters if each.to == BOB)
    assert "change password USERID PASSWORD NEWPASSWORD" in told


def test_an_announcement_may_be_the_last_line_above_a_message() -> None:
    message = "trout99\nSee you"
    assert without_told_passwords(message, ["Hello", "My password:", ""]) == "See you"
    assert without_told_passwords(message, ["My password:", "Hello"]) == message
    assert without_told_passwords(message, ["My password is late"]) == message


@each_row("line", ASKED)
def test_a_reply_about_the_own_password_alone_is_asked_about(line: str, weekend: Weekend) -> None:
    (asked,) = weekend.told(line)
    assert (asked.to, asked.subject) == (BOB, "What did you mean?")


@each_row("line", SENT)
def test_other_talk_of_passwords_is_sent(line: str, weekend: Weekend) -> None:
    assert without_told_passwords(f"Hello\n{line}") == f"Hello\n{line}"
    assert f"| {line}" in to_others(weekend.told(f"Hello all\n{line}"))


def test_several_lines_are_not_a_reply_about_the_own_password_alone() -> None:
    assert not is_about_own_password(["My weekend was great", "but I forgot my password"])
    assert is_about_own_password(["", "I forgot my password", ""])
