"""A password that its player writes above a text for others goes to nobody."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stories.town import PASSWORD, Town, town_at

P = PASSWORD
ABOVE = (
    P, f"{P}\n", f"*{P}*", f"_{P}_", f'"{P}"', f"\u201c{P}\u201d",
    f"{P}.", f"{P},", f"({P})", f"<{P}>", f"» {P}", f"> {P}",
    f"\xa0{P} ", f"\u200b{P}\u200b", "\u00ad".join(P), f"{P} 2-2s",
    f"2-2s {P}", f"Password: {P}", f"mein Kennwort ist {P}", f"pass={P}",
    f"ann {P}", f"{P}\n{P}", f"- {P}", f"ann: {P}!",
)  # fmt: skip


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    """A town in which bob has written to ann, who answers with a token."""
    with town_at(tmp_path_factory.mktemp("homes") / "home") as town:
        town.sign_up("ann", "bob")
        town.challenge("bob", "ann")
        town.write("bob@example.org", f"perudo chat 1 bob {PASSWORD}", "Your turn soon!")
        yield town


@pytest.mark.parametrize("above", ABOVE)
def test_it_is_left_out_of_a_reply(above: str, town: Town) -> None:
    town.now += 3601  # a few words an hour are tried
    letter = next(each for each in town.letters if each.subject.startswith("Perudo chat"))
    letters = town.reply(letter, f"{above}\nHello bob!")
    (to_bob,) = [each for each in letters if each.to == "bob@example.org"]
    assert PASSWORD not in to_bob.text
    assert "\n| Hello bob!\n" in to_bob.text


@pytest.mark.parametrize("above", [each for each in ABOVE if "2-2s" not in each])
def test_it_is_left_out_below_a_command_with_it(above: str, town: Town) -> None:
    """Where the command shows it, every word of the text is compared with it."""
    town.now += 3601
    subject = f"message ann {PASSWORD} bob"
    letters = town.write("ann@example.org", subject, f"Hello bob!\n{above}\nSee you!")
    (to_bob,) = [each for each in letters if each.to == "bob@example.org"]
    assert PASSWORD not in to_bob.text
    assert "| Hello bob!" in to_bob.text


@pytest.mark.parametrize(
    "text", ["Hello bob!", "I'll pass", "Haha", "2-2s was bold", "ann: hi", "-"]
)
def test_other_words_go_out(text: str, town: Town) -> None:
    town.now += 3601
    letter = next(each for each in town.letters if each.subject.startswith("Perudo chat"))
    letters = town.reply(letter, f"{text}\nSee you!")
    (to_bob,) = [each for each in letters if each.to == "bob@example.org"]
    assert f"| {text}\n| See you!\n" in to_bob.text


def test_the_password_of_a_seat_above_a_text_goes_to_nobody(tmp_path: Path) -> None:
    """A reply by token needs none; whoever writes it all the same has not written it to others."""
    with town_at(tmp_path / "home") as town:
        town.sign_up("ann", "bob")
        town.challenge("ann", "bob")
        letter = town.last_letter_to("ann@example.org")
        letters = town.reply(letter, f"2-2s\n{PASSWORD}\nHello!")
        assert PASSWORD not in "".join(each.text for each in letters)
        assert "| Hello!" in letters[-1].text
        town.reply(town.last_letter_to("bob@example.org"), "2-3s\nThanks!")
        assert "| Thanks!" in town.last_letter_to("ann@example.org").text
