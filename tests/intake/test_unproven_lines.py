"""Lines of an opening message that nothing proves are held if they may have the password."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

import pytest
from sqlalchemy import select

from pbmserv.database import models
from pbmserv.database.engine import reading
from pbmserv.intake.unproven_lines import may_tell_password
from tests.rows import each_row
from tests.stories.snapshots import Snapshot
from tests.stories.town import PASSWORD, town_at

ANN = "ann@example.org"
HELD = (
    f"ann {PASSWORD}", f"Ann: {PASSWORD}", f"ann, {PASSWORD}", f"{PASSWORD} ann",
    f"move ann {PASSWORD}", f"Ann Smith {PASSWORD}", f"hi bob, {PASSWORD}", f"ok {PASSWORD}",
    f"{PASSWORD} 1", f"{PASSWORD} hello", f"hi bob, ann {PASSWORD}", f"ann - {PASSWORD}",
    f"ann:{PASSWORD} hello", f"2-2s ann {PASSWORD}", f"hi bob, {PASSWORD}!",
    f"salut bob, {PASSWORD}", f"Привет, ann {PASSWORD}", f"gracias {PASSWORD}",
    f"Hello Cleo, Ann {PASSWORD}!", "ann summer", "ann солнышко", "Ann = trout99",
    f"Hello all, shall we play a quick game? ann {PASSWORD}",
    f"Ann: {PASSWORD} - hello all, shall we play a quick game",
)  # fmt: skip
STORED = (
    "Hi Bob!", "Hello Bob, Ann here", "Good luck, Cleo!", "Good luck everybody", "Have fun, Bob",
    "Shall we play, bob?", "Let's play!", "Send me your money!", "Best wishes from Copenhagen",
    "See you, Ann", "Cheers, Ann", "Ann is back", "This is Ann.", "Hello friends", "Hello Bobby!",
    "Dear Bob and Cleo,", "Bob and Cleo, ready?", "bob wants revenge", "One more game?",
    "Hello all, I would like to play a game of Perudo, Ann",
    "So lively a game!", "Una partida rápida",
    "Bonjour Bob, c'est Ann", "Bonne chance à tous", "À bientôt, Ann", "Amusez-vous bien",
    "Hola Bob", "¡Hola a todos!", "Un abrazo, Ann", "Saludos, Ann",
    "Привет, Cleo!", "Всем привет", "Удачи всем!", "До встречи, Ann", "Давай сыграем",
)  # fmt: skip


@dataclass
class Challenge:
    """Ann challenges bob and cleo by an email that nothing proves; each is the first one."""

    homes: Path
    began: Snapshot
    now: int

    def stored(self, text: str, sender: str = ANN) -> tuple[str, str]:
        """The opening message that waits with this text, and the letter to ann, in one line."""
        with town_at(Path(mkdtemp(dir=self.homes)) / "home") as town:
            town.restore(self.began)
            town.now = self.now
            letters = town.write(sender, "perudo challenge -inorder ann bob cleo", text)
            with reading(town.engine) as connection:
                opening = connection.execute(select(models.Board.opening)).scalar_one()
        return opening, " ".join(next(each.text for each in letters if each.to == ANN).split())


@pytest.fixture(scope="module")
def challenge(tmp_path_factory: pytest.TempPathFactory) -> Challenge:
    homes = tmp_path_factory.mktemp("homes")
    with town_at(homes / "home") as town:
        town.sign_up("ann", "bob", "cleo")
        return Challenge(homes, town.snapshot(), town.now)


@each_row("line", HELD)
def test_a_line_with_the_userid_or_one_rare_word_is_not_stored(
    line: str, challenge: Challenge
) -> None:
    opening, told = challenge.stored(f"Have fun!\n{line}\nShall we play?")
    assert opening == "Have fun!\nShall we play?"
    assert "A line of your message may be your password, so it was not sent." in told


@each_row("line", STORED)
def test_an_everyday_line_is_stored_and_needs_no_notice(line: str, challenge: Challenge) -> None:
    opening, told = challenge.stored(f"{line}\nShall we play?")
    assert opening == f"{line}\nShall we play?"
    assert "may be your password" not in told


def test_the_name_beside_the_address_is_not_a_password(challenge: Challenge) -> None:
    sender = f"Ann Herringham <{ANN}>"
    opening, told = challenge.stored("Have fun!\nAnn Herringham wishes luck", sender)
    assert opening == "Have fun!\nAnn Herringham wishes luck"
    assert "may be your password" not in told
    opening, told = challenge.stored(f"Have fun!\nAnn Herringham {PASSWORD}", sender)
    assert opening == "Have fun!"
    assert "may be your password" in told


def test_userids_are_read_only_for_a_line_with_a_word_that_is_not_frequent() -> None:
    def own() -> set[str]:
        raise AssertionError

    assert not any(may_tell_password(each, own, ()) for each in ("Good luck!", "ok", "Hello!"))
