"""The writer's own name at the end of a reply, and words such as "Best," above it, go to nobody."""

from __future__ import annotations

import pytest

from pbmserv.intake.own_signatures import names_of_writer, unsigned
from tests.stories.town import PASSWORD, Letter, Town, answering

ANN, BOB = "ann@example.org", "bob@example.org"
SIGNED = (  # the name in From, and the signature
    ("", "Ann"),
    ("Ann Miller", "Ann Miller"),
    ("Anya Petit", "Best,\nAnya"),
    ("", "Kind regards\n\nAnn"),
    ("", "Cheers,\nAnn"),
    ("", "Amicalement,\nAnn"),
    ("", "Bien à toi, Ann"),
    ("Iván", "Saludos,\nIván"),
    ("", "Un fuerte abrazo,\n\n– ann"),
    ("Иван Петров", "С уважением,\nИван"),
    ("", "Искренне ваша,\nAnn"),
)


def reply(town: Town, letter: Letter, text: str, name: str = "") -> list[Letter]:
    """Answer a letter as its reader, with a name beside the address."""
    sender = f"{name} <{letter.to}>" if name else letter.to
    headers = answering(letter)
    return town.write(sender, f"Re: {letter.subject}", text, to=letter.reply_to, headers=headers)


def messages(letters: list[Letter], reader: str) -> list[str]:
    """The lines that this reader gets as messages of players."""
    lines = (line for each in letters if each.to == reader for line in each.text.split("\n"))
    return [line[1:].strip() for line in lines if line.startswith("|") and line[1:].strip()]


@pytest.mark.parametrize(("name", "signature"), SIGNED)
def test_a_signature_below_a_move_goes_to_nobody(town: Town, name: str, signature: str) -> None:
    letters = reply(town, town.last_letter_to(ANN), f"2-2s\n\n{signature}", name)
    assert any("You bid two 2s" in each.text for each in letters)
    assert not messages(letters, BOB)
    assert not any("password" in each.text for each in letters if each.to == ANN)


@pytest.mark.parametrize(("name", "signature"), SIGNED)
def test_a_signature_below_a_message_is_left_out(town: Town, name: str, signature: str) -> None:
    letters = reply(town, town.last_letter_to(ANN), f"2-2s\nGood luck!\n\n{signature}", name)
    assert messages(letters, BOB) == ["Good luck!"]


@pytest.mark.parametrize("text", ["merci", "bravo Bob", "¡gracias!", "спасибо", "Nice one!"])
def test_a_remark_is_understood_above_a_signature(town: Town, text: str) -> None:
    town.move("ann", "2-2s")
    letters = reply(town, town.last_letter_to(ANN), f"{text}\n\nAnn")
    assert messages(letters, BOB) == [text]


@pytest.mark.parametrize("line", ["2-2s - Ann", "2-2s, ann", "trois 2 / Ann", "Cuatro doses. Ann"])
def test_a_name_behind_a_move_is_a_signature(town: Town, line: str) -> None:
    letters = reply(town, town.last_letter_to(ANN), line)
    assert any("You bid" in each.text for each in letters)
    assert not messages(letters, BOB)


@pytest.mark.parametrize(
    "line",
    [
        *("2-2s Ann?", "2-2s... Ann", "¿2-2s, ann?", "resign, Ann?", "resign ann ?"),
        *("abandono la partida, Ann?", "j'abandonne la partie, Ann ?", "выхожу из игры, ann?"),
        *("resign, Ann!", "abandono la partida, Ann", "выхожу из игры, Ann"),
    ],
)
def test_a_question_or_resign_in_front_of_a_name_is_not_carried_out(town: Town, line: str) -> None:
    """`resign` cannot be taken back, and a player may ask another one of that name to resign."""
    (answer,) = reply(town, town.last_letter_to(ANN), line)
    assert answer.to == ANN
    assert answer.subject in {"What did you mean?", "Your command was refused"}


def test_a_signature_below_an_illegal_bid_is_not_called_an_unsent_message(town: Town) -> None:
    town.move("ann", "3-3s")
    letters = reply(town, town.last_letter_to(BOB), "2-2s\n\nBest,\nBob")
    assert [each.to for each in letters] == [BOB]
    assert "does not raise 3-3s" in letters[0].text
    assert "Your message was not sent" not in letters[0].text


@pytest.mark.parametrize("last", ["Bob", "Best, Bob", "Good luck", "Ann?", "To Ann"])
def test_other_last_lines_are_messages(town: Town, last: str) -> None:
    letters = reply(town, town.last_letter_to(ANN), f"2-2s\nWell, well!\n{last}")
    assert messages(letters, BOB) == ["Well, well!", last]


@pytest.mark.parametrize("signature", ["Ann", "Best,\nAnn", "Saludos,\nann", "С уважением, Ann"])
def test_a_signature_below_a_command_in_the_subject_goes_to_nobody(
    town: Town, signature: str
) -> None:
    assert not messages(town.move("ann", "2-2s", text=signature), BOB)
    town.move("bob", "3-2s")
    assert messages(town.move("ann", "3-3s", text=f"Well!\n\n{signature}"), BOB) == ["Well!"]
    letters = town.write(ANN, f"perudo chat 1 ann {PASSWORD}", f"Well!\n\n{signature}")
    assert messages(letters, BOB) == ["Well!"]
    assert messages(town.write(ANN, f"perudo chat 1 ann {PASSWORD}", "Ann"), BOB) == ["Ann"]


def test_a_name_of_players_who_share_an_address_is_a_message(town: Town) -> None:
    letter = town.last_letter_to(ANN)
    town.write(ANN, "pbmserv signup luc haddocks ann@example.org")
    town.reply(town.last_letter_to(ANN), "yes")
    assert messages(reply(town, letter, "2-2s\nWell!\nLuc", "Luc"), BOB) == ["Well!", "Luc"]
    asked = f"perudo chat 1 ann {PASSWORD}"
    assert messages(town.write(f"Luc <{ANN}>", asked, "Well!\nLuc"), BOB) == ["Well!", "Luc"]


@pytest.mark.parametrize("name", [PASSWORD, "Ann"])
@pytest.mark.parametrize("closing", ["", "Best,\n", "Cordialement, "])
def test_a_password_is_sent_to_nobody_even_if_it_is_a_name(
    town: Town, name: str, closing: str
) -> None:
    signed = f"2-2s\nWell, well!\n\n{closing}{PASSWORD}"
    letters = reply(town, town.last_letter_to(ANN), signed, name)
    assert "Well, well!" in messages(letters, BOB)
    assert not any(PASSWORD in each.text for each in letters)


@pytest.mark.parametrize(
    ("typed", "left"),
    [
        (("4-2s", "", "Ann"), ("4-2s",)),
        (("4-2s", "Ann?"), ("4-2s", "Ann?")),
        (("4-2s", "⚀ Ann"), ("4-2s", "⚀ Ann")),
        (("4-2s", "Best", "", "(Ann.)"), ("4-2s",)),
        (("4-2s", "Best of luck", "Ann"), ("4-2s", "Best of luck")),
        (("Ann",), ("Ann",)),
        (("Best,",), ("Best,",)),
        (("4-2s", "", "Best,"), ("4-2s",)),
        (("4-2s", "Kind regards"), ("4-2s",)),
        (("4-2s", "Good luck", "", "Cordialement,"), ("4-2s", "Good luck")),
        (("4-2s", "Saludos"), ("4-2s",)),
        (("4-2s", "С уважением,"), ("4-2s",)),
        (("4-2s", "Un abrazo,"), ("4-2s",)),
        (("4-2s", "Un abrazo"), ("4-2s", "Un abrazo")),
        (("4-2s", "xxx"), ("4-2s", "xxx")),
        (("Best,", "", "Ann"), ("Best,", "", "Ann")),
        (("Thanks,", "Ann"), ("Thanks,",)),
        (("4-2s", f"{'-' * 80} Ann"), ("4-2s", f"{'-' * 80} Ann")),
        ((), ()),
    ],
)
def test_what_is_left(typed: tuple[str, ...], left: tuple[str, ...]) -> None:
    assert unsigned(typed, {"ann"}) == left


def test_words_that_may_answer_and_names_of_others_are_not_taken_for_a_signature() -> None:
    found = names_of_writer("Luc", "Ann Petit", "luc.petit+games@example.org", ["ann"])
    assert found == {"luc", "ann petit", "luc petit"}
    assert names_of_writer("undo", "No One", "x@example.org", ()) == {"no one"}
    assert unsigned(("ha", "dudo"), {"dudo"}) == ("ha", "dudo")
    assert unsigned(("ha", "ann"), ()) == ("ha", "ann")
