"""A word alone that may be a mistyped password goes to nobody, and its writer is told."""

from __future__ import annotations

from pathlib import Path

from tests.intake.new_towns import town_with_bid
from tests.rows import each_row
from tests.stories.town import PASSWORD, Letter, Town

ANN, BOB, LUC = "ann@example.org", "bob@example.org", "luc@example.org"
WHY = "An unusual word alone may be a password with a typing error."
BESIDE = (
    *("bob swordfsh", "swordfsh bob", "bob: swordfsh", "bob/swordfsh", "BOB SWORDFSH"),
    *("sign off bob swordfsh", "sign off swordfsh", "log in bob swordfsh", "dudo bob swordfsh"),
    *("my login is bob swordfsh", "usuario bob swordfsh", "identifiant bob swordfsh"),
    *("логин bob swordfsh", "bob ыцщквашыр", "Login: bob swordfsh", "user bob, swordfsh"),
)
ALONE = "swordfsh", "SWORDFSH", "sword1fsh", "(swordfsh)", "*swordfsh*", "ыцщквашыр", "sw0rdfish"
TALK = (
    *("woohoo", "hihihi", "brrr", "sunny", "boring", "superb", "merde", "génial", "aburrido"),
    *("скучно", "дача", "schade", "Lisbon", "lisbon!", "Xyzzy Bay", "youtube.com", "Bobby"),
    *("Bob Xyzzy", "bob here", "Zedrick", "yes we can", "nachos\nguacamole\nquesadillas"),
    *("log in for me tomorrow", "user friendly as ever", "sign off for today"),
)


def told_to_others(letters: list[Letter], writer: str) -> str:
    return "\n".join(each.text for each in letters if each.to != writer)


def told(letters: list[Letter], writer: str) -> str:
    """What the writer is told, in one line."""
    return " ".join(" ".join(each.text for each in letters if each.to == writer).split())


def message_of_ann(town: Town) -> Letter:
    town.write(ANN, f"perudo chat 1 ann {PASSWORD}", "How was your weekend?")
    return town.last_letter_to(BOB)


@each_row("line", (*BESIDE, *ALONE))
def test_such_a_line_below_a_move_goes_to_nobody(line: str, tmp_path: Path) -> None:
    """The move is made, and the other lines are sent."""
    with town_with_bid(tmp_path) as town:
        letters = town.reply(town.last_letter_to(BOB), f"4-2s\nSee you on Friday\n{line}")
        assert "| See you on Friday" in told_to_others(letters, BOB)
        assert line not in told_to_others(letters, BOB)
        assert "You bid four 2s" in told(letters, BOB)
        assert WHY in told(letters, BOB)
        assert "Your other lines were sent." in told(letters, BOB)


@each_row("text", ["swordfsh", "luc swordfsh", "It was great!\n\nluc\nswordfsh"])
def test_nor_does_it_in_reply_to_a_message(text: str, tmp_path: Path) -> None:
    with town_with_bid(tmp_path) as town:
        message_of_ann(town)
        letters = town.reply(town.last_letter_to(LUC), text)
        assert "swordfsh" not in told_to_others(letters, LUC)
        assert WHY in told(letters, LUC)


@each_row("line", ["swordfsh", "bob swordfsh", "sign off bob swordfsh"])
def test_nor_does_it_below_words_to_one_player(line: str, tmp_path: Path) -> None:
    with town_with_bid(tmp_path) as town:
        town.write(ANN, f"message ann {PASSWORD} bob", "How are you?")
        letters = town.reply(town.last_letter_to(BOB), f"It will be fun!\n{line}")
        assert "| It will be fun!" in told_to_others(letters, BOB)
        assert "swordfsh" not in told_to_others(letters, BOB)


@each_row("words", TALK)
def test_everyday_words_and_names_are_sent(words: str, tmp_path: Path) -> None:
    with town_with_bid(tmp_path) as town:
        letters = town.reply(town.last_letter_to(BOB), f"4-2s\n{words}")
        assert f"| {words}".replace("\n", "\n| ") in told_to_others(letters, BOB)


@each_row("chat", ["chat", "чат", "charla"])
def test_below_the_word_chat_the_word_is_sent(chat: str, tmp_path: Path) -> None:
    with town_with_bid(tmp_path) as town:
        letters = town.reply(message_of_ann(town), f"{chat}\nswordfsh")
        assert "| swordfsh" in told_to_others(letters, BOB)


def test_the_right_password_is_called_so(tmp_path: Path) -> None:
    with town_with_bid(tmp_path) as town:
        letters = town.reply(message_of_ann(town), f"It was great!\n{PASSWORD}")
        assert "A line of your message has your password" in told(letters, BOB)
        assert WHY not in told(letters, BOB)
