"""A signature that a writer repeats from email to email is not a chat."""

from __future__ import annotations

from pbmserv.database.engine import reading
from pbmserv.intake.unmarked_signatures import without_signature
from pbmserv.letters.wrapping import LEFT_OUT
from tests.stories.town import PASSWORD, Town

SIGNATURE = "Ann Miller\nMiller & Sons, Leeds\nmiller.example"


def said(town: Town, userid: str, text: str) -> str:
    """The words of a chat that the other player gets."""
    letters = town.write(f"{userid}@example.org", f"perudo chat 1 {userid} {PASSWORD}", text)
    heard = [
        "\n".join(line[1:].strip() for line in each.text.split("\n") if line.startswith("|"))
        for each in letters
        if each.to != f"{userid}@example.org"
    ]
    return heard[0].strip() if heard else ""


def test_a_signature_is_left_out_from_the_second_email_on(town: Town) -> None:
    assert said(town, "ann", f"Take that!\n\n{SIGNATURE}") == f"Take that!\n\n{SIGNATURE}"
    for _ in range(3):
        assert said(town, "ann", f"And that!\n\n{SIGNATURE}") == "And that!"


def test_lines_that_are_not_the_writers_own_signature_are_kept(town: Town) -> None:
    said(town, "ann", f"Take that!\n\n{SIGNATURE}")
    for writer, text in (
        ("bob", f"As you say:\n\n{SIGNATURE}"),
        ("ann", f"{SIGNATURE}\n\nThat is my card."),
        ("ann", "Well\n\nGood luck!"),
        ("ann", "Hm\n\nGood luck!"),
    ):
        assert said(town, writer, text) == text


def test_a_move_with_nothing_but_the_signature_brings_no_words(town: Town) -> None:
    said(town, "ann", f"Take that!\n\n{SIGNATURE}")
    letters = town.move("ann", "2-2s", text=SIGNATURE)
    assert {each.to for each in letters} == {"ann@example.org", "bob@example.org"}
    assert not any("Miller" in each.text for each in letters)


def test_a_note_about_left_out_lines_stays(town: Town) -> None:
    said(town, "ann", f"Take that!\n\n{SIGNATURE}")
    with reading(town.engine) as connection:
        signed = f"And that!\n\n{SIGNATURE}\n{LEFT_OUT}"
        assert without_signature(connection, {1}, signed) == f"And that!\n{LEFT_OUT}"
        assert without_signature(connection, set(), signed) == signed


def test_the_same_words_once_more_are_kept(town: Town) -> None:
    for _ in range(2):
        assert said(town, "ann", "Well done, bob!\nSee you.") == "Well done, bob!\nSee you."
