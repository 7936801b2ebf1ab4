"""A password that its player writes above a message goes to nobody."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

import pytest
from sqlalchemy import delete, select, update

from pbmserv.database import models
from pbmserv.database.engine import reading, writing
from pbmserv.intake import comparison_budgets, stray_passwords
from pbmserv.intake.comparison_budgets import (
    BESIDE,
    BESIDE_DAILY,
    FIRST_LINES,
    LONG_DAILY,
    LONG_LINES,
    MOST_OF_A_DAY,
    MOST_OF_A_MOVE,
    MOST_PROVEN,
    SPELLINGS,
    SPELLINGS_DAILY,
)
from pbmserv.intake.likely_passwords import likely_passwords_of_long_lines
from pbmserv.intake.stray_passwords import MOST_BESIDE
from pbmserv.ratelimit import fixed_window, token_bucket
from pbmserv.ratelimit.fixed_window import Quota
from pbmserv.security.passwords import Passwords
from pbmserv.text.unicode_forms import plain_letters
from pbmserv.timeunits import DAY
from tests.rows import each_row
from tests.stories.town import PASSWORD, Letter, Town, answering, town_at

P = PASSWORD
TRUSTING = 'authserv_id = "mail.example.org"\n'  # the settings of a server that believes proofs
VERDICT = "mail.example.org; dmarc=pass header.from=example.org"
ABOVE = (
    P, f"{P}\n", f"*{P}*", f"_{P}_", f'"{P}"', f"\u201c{P}\u201d",
    f"{P}.", f"{P},", f"({P})", f"<{P}>", f"» {P}", f"> {P}",
    f"\xa0{P} ", f"\u200b{P}\u200b", "\u00ad".join(P), f"{P} 2-2s",
    f"2-2s {P}", f"Password: {P}", f"mein Kennwort ist {P}", f"pass={P}",
    f"ann {P}", f"{P}\n{P}", f"- {P}", f"ann: {P}!",
    f"the word is {P}", f"{P} is my key", f"mi palabra es {P}", f"la llave: {P}, amigo",
    f"{P} est le mot", f"Mon mdp : {P} !", f"ключ {P}", f"Моё слово: {P}, друзья",
    f"my secret is {P} today",
    f"thanks, {P}", f"{P} please", f"Merci {P} !", f"hola {P}, gracias", f"{P}, спасибо",
)  # fmt: skip


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    """A town in which bob has written to ann, who answers with a token."""
    with town_at(tmp_path_factory.mktemp("homes") / "home") as town:
        town.sign_up("ann", "bob")
        town.challenge("bob", "ann")
        town.write("bob@example.org", f"perudo chat 1 bob {PASSWORD}", "Your turn soon!")
        yield town


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The words that are compared with a password from now on."""
    words: list[str] = []
    prove = Passwords.prove

    def noted(self: Passwords, key: str, stored: str | None, word: str, now: int) -> bool:
        words.append(word)
        return prove(self, key, stored, word, now)

    monkeypatch.setattr(Passwords, "prove", noted)
    return words


def use_up_first_lines(town: Town) -> None:
    """Count as many words of ann's first lines at move 1 of board 1 as are compared in an hour."""
    limit, _ = FIRST_LINES.limits
    with writing(town.engine) as connection:
        fixed_window.note(connection, limit.what, "1 1 1", limit.seconds, town.now, limit.most)


@each_row("above", [each for each in ABOVE if "2-2s" not in each])
def test_a_password_is_removed_from_a_reply(above: str, town: Town) -> None:
    town.now += 3601  # a few words an hour are tried
    letter = next(each for each in town.letters if each.opening == "A message from bob.")
    letters = town.reply(letter, f"{above}\nHello bob!")
    (to_bob,) = [each for each in letters if each.to == "bob@example.org"]
    assert PASSWORD not in to_bob.text
    assert "\n| Hello bob!\n" in to_bob.text


@each_row("above", [each for each in ABOVE if "2-2s" in each])
def test_nothing_is_sent_of_a_reply_out_of_turn_with_a_password_beside_a_bid(
    above: str, town: Town
) -> None:
    """The bid would be told to the others, too."""
    town.now += 3601
    letter = next(each for each in town.letters if each.opening == "A message from bob.")
    (asked,) = town.reply(letter, f"{above}\nHello bob!")
    assert (asked.to, asked.subject) == ("ann@example.org", "What did you mean?")
    assert PASSWORD not in asked.text


@each_row("above", [each for each in ABOVE if "2-2s" not in each])
def test_a_password_is_removed_below_a_command_that_shows_it(above: str, town: Town) -> None:
    """Every word of the text is compared with the password in the command."""
    town.now += 3601
    subject = f"message ann {PASSWORD} bob"
    letters = town.write("ann@example.org", subject, f"Hello bob!\n{above}\nSee you!")
    (to_bob,) = [each for each in letters if each.to == "bob@example.org"]
    assert PASSWORD not in to_bob.text
    assert "| Hello bob!" in to_bob.text


@each_row(
    "text",
    [
        *("Hello bob!", "I'll pass by", "Haha", "2-2s was bold", "ann: hi", "-"),
        *("I give you my word", "ma parole, quel mot", "palabra de honor", "честное слово"),
    ],
)
def test_other_words_are_sent(text: str, town: Town) -> None:
    town.now += 3601
    letter = next(each for each in town.letters if each.opening == "A message from bob.")
    letters = town.reply(letter, f"{text}\nSee you!")
    (to_bob,) = [each for each in letters if each.to == "bob@example.org"]
    assert f"| {text}\n| See you!\n" in to_bob.text


def test_a_seats_password_above_a_text_is_sent_to_no_player(tmp_path: Path) -> None:
    """A reply by token needs none; a player who writes one does not mean it for others."""
    with town_at(tmp_path / "home") as town:
        town.sign_up("ann", "bob")
        town.challenge("ann", "bob")
        letter = town.last_letter_to("ann@example.org")
        letters = town.reply(letter, f"2-2s\n{PASSWORD}\nHello!")
        assert PASSWORD not in "".join(each.text for each in letters)
        assert "| Hello!" in town.last_letter_to("bob@example.org").text
        town.reply(town.last_letter_to("bob@example.org"), "2-3s\nThanks!")
        assert "| Thanks!" in town.last_letter_to("ann@example.org").text


@pytest.mark.parametrize(
    ("subject", "text"),
    [
        ("challenge ann bob", PASSWORD),
        ("perudo challenge ann bob", f"Hello!\n{PASSWORD}"),
        ("challenge (ann), bob!", f"gg {PASSWORD}"),
        ("", f"challenge ann bob\n\nHi\n{PASSWORD}"),
    ],
)
def test_a_password_below_a_challenge_in_a_reply_is_sent_to_no_player(
    subject: str, text: str, tmp_path: Path
) -> None:
    """A challenge needs no password, but the letter that it answers says whose it may be."""
    with town_at(tmp_path / "home") as town:
        town.sign_up("ann", "bob")
        town.challenge("ann", "bob")
        letter = town.last_letter_to("bob@example.org")
        to, headers = letter.reply_to, answering(letter)
        letters = town.write("bob@example.org", subject, text, to=to, headers=headers)
        assert "Board 2" in "".join(each.text for each in letters if each.to == "ann@example.org")
        assert PASSWORD not in "".join(each.text for each in letters)
        (told,) = [each for each in letters if each.to == "bob@example.org"]
        assert "has your password, so it was not sent." in told.text


@pytest.mark.parametrize(
    "text",
    [
        f"Hello!\n{PASSWORD}\nsee you",
        f"Hello!\n\n{PASSWORD}",
        f"Hello!\nmy password is {PASSWORD}\nYours",
        f"{PASSWORD}\nHello!",
    ],
)
def test_a_password_below_a_challenge_that_nothing_proves_is_sent_to_no_player(
    text: str, tmp_path: Path, compared: list[str]
) -> None:
    """The opening message is sent with the first move.  Nobody learns whether a guess was right."""
    with town_at(tmp_path / "home") as town:
        town.sign_up("ann", "bob")
        town.write("ann@example.org", "perudo challenge -inorder ann bob", text)
        letters = town.reply(town.last_letter_to("ann@example.org"), "2-2s")
        (to_bob,) = [each for each in letters if each.to == "bob@example.org"]
        assert "| Hello!" in to_bob.text
        assert PASSWORD not in "".join(each.text for each in town.letters)
        assert compared == []
        stored = [each for each in town.home.rglob("*") if each.is_file()]
        assert [each for each in stored if PASSWORD.encode() in each.read_bytes()] == []


@pytest.mark.parametrize(
    "text",
    [
        "Sorry my friends, it was a long trip.\nSwordfish",
        "2-2s\nHello to all of you\nSwordfish",
        "2-2s\nHello to all of you\nSwordfish\nAnnabel",
        "2-2s\nHello to all of you\n\n*Swordfish*\n",
    ],
)
def test_a_password_below_a_text_is_sent_to_no_player(text: str, tmp_path: Path) -> None:
    """With a capital it looks like the name at the end of a letter; a name is sent."""
    with town_at(tmp_path / "home") as town:
        town.sign_up("ann", "bob")
        town.write("ann@example.org", f"change password ann {PASSWORD} Swordfish")
        town.challenge("ann", "bob")
        letters = town.reply(town.last_letter_to("ann@example.org"), text)
        (to_bob,) = [each for each in letters if each.to == "bob@example.org"]
        assert "Swordfish" not in "".join(each.text for each in letters)
        assert "| Sorry my friends" in to_bob.text or "| Hello to all of you" in to_bob.text
        assert ("| Annabel" in to_bob.text) == ("Annabel" in text)


SPELLED = (
    ("Swordfish", "swordfish"), ("SWORDFISH", "swordfish"), ("swordfish", "Swordfish"),
    ("\uff33\uff37\uff2f\uff32\uff24\uff26\uff29\uff33\uff28", "swordfish"),
    ("Thanks!", "thanks"), ("Good-luck", "good-luck"), ("CHEERS", "Cheers"), ("straße2", "Straße2"),
)  # fmt: skip


@each_row(("written", "password"), SPELLED)
def test_a_password_with_other_capitals_goes_to_nobody(
    written: str, password: str, town: Town, letter_of_bob: Letter
) -> None:
    """Also as a polite word, in the first and the last line."""
    with_password(town, password)
    for text in (f"{written}\nHello bob!", f"Hello bob!\nHow are you?\n{written}"):
        letters = town.reply(letter_of_bob, text)
        (to_bob,) = [each for each in letters if each.to == "bob@example.org"]
        assert "| Hello bob!" in to_bob.text
        assert plain_letters(written) not in plain_letters(to_bob.text)
        assert any("has your password" in each.text for each in letters)


@each_row(
    ("line", "password"),
    [
        *(("gg zanzibar", "Zanzibar"), ("gg ZANZIBAR", "zanzibar"), ("gg STRASSE77", "straße77")),
        *(("STRASSE77", "straße77"), ("strasse77", "straße77")),
        *(("bonne chance zanzibar", "Zanzibar"), ("buena suerte ZANZIBAR", "Zanzibar")),
        ("удачи всем, занзибар", "Занзибар"),
        ("That was a really nice game and my zanzibar is fun", "Zanzibar"),
        ("That was a really nice game and my ZANZIBAR is fun", "zanzibar"),
        ("Great weekend, thanks.\nBy the way I use zanzibar to log in", "zanzibar"),
        ("Great weekend\nWe ate Zanzibar on the beach", "zanzibar"),
        ("Great weekend\nwe had a grilled ZANZIBAR", "zanzibar"),
        *(("zanzibar,zanzibar", "zanzibar"), ("zanzibar/Zanzibar", "zanzibar")),
    ],
)
def test_a_password_with_other_capitals_beside_wishes_and_in_long_lines_goes_to_nobody(
    line: str, password: str, town: Town, letter_of_bob: Letter
) -> None:
    with_password(town, password)
    letters = town.reply(letter_of_bob, f"chat\nHello bob!\n{line}\nHave a nice day!")
    (to_bob,) = [each for each in letters if each.to == "bob@example.org"]
    assert "| Hello bob!" in to_bob.text
    assert plain_letters(password) not in plain_letters(to_bob.text)


@each_row(("written", "password"), SPELLED)
def test_a_password_with_other_capitals_is_not_shown_again(
    written: str, password: str, tmp_path: Path
) -> None:
    with town_at(Path(mkdtemp(dir=tmp_path)) / "home") as town:
        town.sign_up_and_challenge("ann", "bob")
        with_password(town, password)
        letter = town.last_letter_to("ann@example.org")
        for text in (
            f"4-2s? or 5-2s {written} hmm",
            f"I am not sure that {written} is good\n4-2s?",
        ):
            (asked,) = town.reply(letter, text)
            assert asked.subject == "What did you mean?"
            assert plain_letters(written) not in plain_letters(asked.text)
            assert "********" in asked.text


@pytest.mark.parametrize("written", ["Swordfish", "SWORDFISH!", "(swordFish)", "xSwordfishx"])
def test_a_password_with_other_capitals_is_removed_below_a_command_that_shows_it(
    written: str, town: Town
) -> None:
    town.now += 3601
    text = f"Hello bob!\n{written}\nSee you!"
    letters = town.write("ann@example.org", f"message ann {PASSWORD} bob", text)
    (to_bob,) = [each for each in letters if each.to == "bob@example.org"]
    assert PASSWORD not in to_bob.text.lower()
    assert "| Hello bob!" in to_bob.text
    subject = f"perudo move 1 ann {PASSWORD} {written.strip('!()x')}"
    (refused,) = town.write("ann@example.org", subject)
    assert PASSWORD not in refused.text.lower()


def test_words_are_compared_with_other_capitals_from_a_budget_of_their_own(
    town: Town, letter_of_bob: Letter, compared: list[str]
) -> None:
    town.reply(letter_of_bob, "marvellous\nSee you!")
    assert compared == ["marvellous", "Marvellous"]
    (limit,) = SPELLINGS.limits
    with writing(town.engine) as connection:
        fixed_window.note(connection, limit.what, "1", DAY, town.now, SPELLINGS_DAILY - 2)
    for word, others in (("gadzooks", ["Gadzooks"]), ("heavens", [])):
        compared.clear()
        letters = town.reply(letter_of_bob, f"chat\n{word}\nSee you!")
        assert any(f"| {word}" in each.text for each in letters)
        assert compared == [word, *others]


def test_a_writer_is_told_that_all_words_were_left_out(tmp_path: Path) -> None:
    """A message is refused, and a move is made; there is one letter about both."""
    with town_at(tmp_path / "home") as town:
        town.sign_up_and_challenge("ann", "bob")
        first = town.last_letter_to("ann@example.org")
        (refused,) = town.reply(first, f"chat\n{PASSWORD}")
        assert "A line of your message has your password" in refused.text
        letters = town.reply(first, f"2-2s\n{PASSWORD}")
        (receipt,) = [each for each in letters if each.to == "ann@example.org"]
        assert "You bid two 2s.\n\nA line of your message has your password" in receipt.text
        assert PASSWORD not in "".join(each.text for each in letters)
        town.move("bob", "2-3s")
        last = town.last_letter_to("ann@example.org")
        letters = town.reply(last, f"2-4s\n{PASSWORD}\nHello!\nperudo move 1 ann {PASSWORD} 3-3s")
        (receipt,) = [each for each in letters if each.to == "ann@example.org"]
        assert "has your password" in receipt.text  # it is not said only once a day
        assert "looks like a command" in receipt.text
        assert "You bid two 4s." in receipt.text
        assert PASSWORD not in "".join(each.text for each in letters)
        late = town.reply(last, f"2-4s\n{PASSWORD}\nHello again!")
        assert any("has your password" in each.text for each in late)


@pytest.mark.parametrize("which", ["turns", "all"])
@pytest.mark.parametrize(
    ("text", "opening"),
    [
        ("4-2s\ngood luck GUESS\nHello!", "You bid four 2s."),
        ("4-2s\ngood luck GUESS", "You bid four 2s."),
        ("chat\ngood luck GUESS\nHello!", "Sent to ann; it is still your turn."),
        ("dudo\ngood luck GUESS", ""),
    ],
)
def test_one_letter_answers_an_email_with_a_password(
    text: str, opening: str, which: str, tmp_path: Path
) -> None:
    """Whether its writer wants a letter for each move or not."""
    with town_at(tmp_path / "home") as town:
        town.sign_up_and_challenge("ann", "bob")
        town.write("bob@example.org", f"set bob {PASSWORD} letters={which}")
        town.move("ann", "2-2s")
        letters = town.reply(
            town.last_letter_to("bob@example.org"), text.replace("GUESS", PASSWORD)
        )
        (told,) = [each for each in letters if each.to == "bob@example.org"]
        assert told.opening.startswith(opening)
        assert "A line of your message has your password, so it was not sent" in told.text
        assert PASSWORD not in "".join(each.text for each in letters)


def test_a_late_move_with_a_password_below_it_brings_one_letter(tmp_path: Path) -> None:
    with town_at(tmp_path / "home") as town:
        town.sign_up_and_challenge("ann", "bob")
        first = town.last_letter_to("ann@example.org")
        town.move("ann", "2-2s")
        letters = town.reply(first, f"3-2s\n{PASSWORD}\nHello bob, how are you?")
        told = [each for each in letters if each.to == "ann@example.org"]
        assert len(told) == 1
        assert PASSWORD not in "".join(each.text for each in letters)


PROSE = (
    f"{P}\nGood luck to all of you!",
    f"the word is {P} and so on",
    f"mi palabra es {P}",
    f"{P} est le mot",
    f"это ключ {P} на завтра",
    P,
)


@pytest.mark.parametrize("text", PROSE)
def test_words_that_a_reply_is_taken_for_hold_no_password(text: str, tmp_path: Path) -> None:
    """A reply without a move that is plainly prose goes to the table, and so does a chat."""
    with town_at(tmp_path / "home") as town:
        town.sign_up_and_challenge("ann", "bob")
        letters = town.reply(town.last_letter_to("ann@example.org"), text)
        letters += town.reply(town.last_letter_to("ann@example.org"), f"chat\n{text}\nSee you!")
        assert PASSWORD not in "".join(each.text for each in letters)
        assert "| See you!" in town.last_letter_to("bob@example.org").text


@pytest.mark.parametrize("text", ["tigre de la nuit", "это тигр в ночи", "the tiger of the night"])
def test_no_password_has_several_words(text: str, tmp_path: Path) -> None:
    """So words that look like one of several may go to the table."""
    with town_at(tmp_path / "home") as town:
        letters = town.write("ann@example.org", f"signup ann {text}")
        assert not any(each.is_to_be_confirmed for each in letters)
        town.sign_up_and_challenge("ann", "bob")
        letters = town.reply(town.last_letter_to("ann@example.org"), text)
        assert f"| {text}" in letters[0].text


def test_an_old_token_reveals_no_password_of_its_player(tmp_path: Path) -> None:
    """A thief of one could guess by what is left out, and no failure would be counted."""
    with town_at(tmp_path / "home") as town:
        town.sign_up("ann", "bob", "cleo")
        town.write("ann@example.org", f"change password ann {PASSWORD} treasure")
        old = town.challenge("ann", "bob")[0]
        assert old.to == "ann@example.org"
        town.challenge("bob", "cleo")
        town.write("ann@example.org", "perudo move 1 ann treasure 1-2s")
        lines = f"perudo chat 2 bob {PASSWORD}\nperudo move 1 ann {old.token} 1-3s\n"
        told = [
            [each.text.replace(guess, "GUESS") for each in letters if each.to == "cleo@example.org"]
            for guess in ("treasure", "monkeys1")
            for letters in [town.write("bob@example.org", "multiple", f"{lines}\n{guess}\nHello!")]
        ]
        assert told[0] == told[1]
        assert "| Hello!" in told[0][0]
        with reading(town.engine) as connection:
            counted = connection.execute(select(models.Counter.what)).scalars()
            assert not any("first lines" in each for each in counted)


@pytest.mark.parametrize(
    "text", ["chat\nGUESS hello", "chat\nGUESS", "chat\nHello bob!\nmy password is GUESS"]
)
def test_a_stranger_with_a_live_letter_cannot_guess_the_password(home: Path, text: str) -> None:
    """The letters that follow are the same for the right word and a wrong one."""
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        town.challenge("ann", "bob")
        letter = next(each for each in town.letters if each.subject.startswith("Your turn"))
        name = letter.to.partition("@")[0]
        town.write(letter.to, f"change password {name} {PASSWORD} treasure")
        told = []
        for guess in ("treasure", "monkeys1"):
            subject, said = f"Re: {letter.subject}", text.replace("GUESS", guess)
            letters = town.write("mallory@evil.example", subject, said, to=letter.reply_to)
            told.append(sorted((each.to, each.text.replace(guess, "GUESS")) for each in letters))
        assert told[0] == told[1]
        assert any(to == "mallory@evil.example" for to, _ in told[0])


def test_a_last_word_that_is_not_compared_is_left_out_unless_it_greets(town: Town) -> None:
    """The words that may be compared within an hour are used up."""
    town.now += DAY
    letter = next(each for each in town.letters if each.opening == "A message from bob.")
    use_up_first_lines(town)
    for last, is_told in ((PASSWORD.title(), False), ("Hello!", True)):
        letters = town.reply(letter, f"That was bold of you, bob!\n{last}")
        (to_bob,) = [each for each in letters if each.to == "bob@example.org"]
        assert "| That was bold of you, bob!" in to_bob.text
        assert (f"| {last}" in to_bob.text) is is_told


def test_few_words_are_compared_in_an_hour_and_each_form_of_one_counts(town: Town) -> None:
    """Only the first form of the last word is compared. An unchecked word is removed.

    Without the word `chat` none of them is sent: each may be a mistyped password.
    """
    town.now += DAY  # so few words of hers are at the board
    letter = next(each for each in town.letters if each.opening == "A message from bob.")
    words = [*(f"marvel{number}" for number in range(MOST_OF_A_MOVE - 1)), "(marvellous)"]
    letters = [town.reply(letter, f"chat\n{each}\nSee you!") for each in words]
    told = [next(each.text for each in some if each.to == "bob@example.org") for some in letters]
    is_told = ["| " + each in text for each, text in zip(words, told, strict=True)]
    assert is_told == [True] * (MOST_OF_A_MOVE - 1) + [False]
    assert all("| See you!" in each for each in told)
    assert not any(
        "We have compared too many such words" in each.text
        for some in letters[:-1]
        for each in some
    )
    (notice,) = [each for each in letters[-1] if each.to == "ann@example.org"]
    assert notice.opening.startswith("Sent to bob")
    assert "We have compared too many such words" in re.sub(r"\s+", " ", notice.text)
    assert "Your other lines were sent." in notice.text
    again = town.reply(letter, f"chat\n{words[0]}\nSee you!")  # it was compared before
    assert any("| marvel0" in each.text for each in again)
    refused = town.reply(letter, "chat\nmarvellous")[0]
    assert "We have compared too many such words" in re.sub(r"\s+", " ", refused.text)


def test_no_word_of_a_fast_game_is_left_out(tmp_path: Path) -> None:
    """Each move has words of its own to compare, within a day's limit."""
    with town_at(tmp_path / "home") as town:
        town.sign_up_and_challenge("ann", "bob")
        for number in range(2, 8):
            for name in ("ann", "bob"):
                letter = town.last_letter_to(f"{name}@example.org")
                bid = f"{number}-{2 if name == 'ann' else 5}s"
                words = [f"Huzzah{bid[0]}!", f"Gosh{number}", f"yikes{number}?"]
                letters = town.reply(letter, f"{bid}\n{words[0]}")
                for word in words[1:]:
                    letters += town.reply(town.last_letter_to(letter.to), f"chat\n{word}")
                read = "".join(each.text for each in letters if each.to != letter.to)
                assert all(f"| {word}" in read for word in words)


def test_a_day_has_a_limit_of_words_for_any_number_of_moves(town: Town) -> None:
    """Otherwise a reader of copies of many letters could guess as often as there are moves."""
    town.now += DAY
    limit = FIRST_LINES.limits[1]
    assert (limit.most, limit.seconds, limit.of_move) == (MOST_OF_A_DAY, DAY, False)
    with writing(town.engine) as connection:
        fixed_window.note(connection, limit.what, "1", DAY, town.now, MOST_OF_A_DAY - 1)
    letter = next(each for each in town.letters if each.opening == "A message from bob.")
    for word, is_told in (("gadzooks", True), ("heavens", False)):
        letters = town.reply(letter, f"chat\n{word}\nSee you!")
        (to_bob,) = [each for each in letters if each.to == "bob@example.org"]
        assert (f"| {word}" in to_bob.text) is is_told


@pytest.mark.parametrize("remark", ["Haha!", "Unbelievable!", "wonderful, Bob"])
def test_a_first_line_that_was_compared_is_sent_again_and_again(
    remark: str, town: Town, letter_of_bob: Letter
) -> None:
    """A word that was wrong is not compared again, so it uses up nothing."""
    for _ in range(12):
        letters = town.reply(letter_of_bob, f"chat\n{remark}")
        assert any(f"| {remark}" in each.text for each in letters if each.to == "bob@example.org")


def test_words_of_a_proven_sender_are_compared_with_a_spent_token_too(tmp_path: Path) -> None:
    """A proven writer may answer an older letter with any words."""
    with town_at(tmp_path / "home", settings=TRUSTING) as town:
        town.sign_up("ann", "bob")
        town.challenge("ann", "bob")
        letters = town.write("bob@example.org", f"perudo chat 1 bob {PASSWORD}", "Your turn soon!")
        (old,) = [each for each in letters if each.to == "ann@example.org"]
        town.move("ann", "1-2s")
        for first, is_told in (("wonderful", True), (PASSWORD, False)):
            headers = {**answering(old), "Authentication-Results": VERDICT}
            subject = f"Re: {old.subject}"
            text = f"{first}\nSee you!"
            letters = town.write(old.to, subject, text, to=old.reply_to, headers=headers)
            (to_bob,) = [each for each in letters if each.to == "bob@example.org"]
            assert ("| " + first in to_bob.text) == is_told
            assert "| See you!" in to_bob.text
            told = [each.text for each in letters if "has your password" in each.text]
            assert bool(told) is not is_told


def test_a_proven_sender_has_words_to_compare_that_nobody_else_uses_up(tmp_path: Path) -> None:
    verdict = {"Authentication-Results": VERDICT}
    with town_at(tmp_path / "home", settings=TRUSTING) as town:
        town.sign_up_and_challenge("ann", "bob")
        letter = town.last_letter_to("ann@example.org")
        subject = f"Re: {letter.subject}"
        use_up_first_lines(town)
        for headers, is_told in ((answering(letter), False), (answering(letter) | verdict, True)):
            words = f"chat\nAhoy{len(headers)}"
            letters = town.write(letter.to, subject, words, to=letter.reply_to, headers=headers)
            assert any("| Ahoy" in each.text for each in letters) is is_told
        limit = comparison_budgets.PROVEN_LINES.limits[0]
        with reading(town.engine) as connection:
            counted = fixed_window.room(
                connection, [Quota(limit.what, "1", MOST_PROVEN)], limit.seconds, town.now
            )
        assert counted == [MOST_PROVEN - 1]


@pytest.mark.parametrize(
    "below", [f"\n{P}", f"see you {P}", f"my password is {P}", f"{P}\nwonderful", f"wonderful\n{P}"]
)
def test_a_password_beside_a_word_that_is_not_compared_goes_to_nobody(
    below: str, town: Town
) -> None:
    """Too many words were compared: the first is left out, other lines are searched."""
    town.now += DAY
    letter = next(each for each in town.letters if each.opening == "A message from bob.")
    with_password(town, PASSWORD)
    use_up_first_lines(town)
    letters = town.reply(letter, f"chat\nfantastic\nHello bob, that was bold.\n{below}")
    (to_bob,) = [each for each in letters if each.to == "bob@example.org"]
    assert PASSWORD not in to_bob.text
    assert "fantastic" not in to_bob.text
    assert "| Hello bob, that was bold." in to_bob.text


FORMS = Path(__file__).with_name("password_forms.txt").read_text("utf-8").splitlines()


def with_password(town: Town, password: str) -> None:
    """Let ann's password be another one, and no word be counted."""
    with writing(town.engine) as connection:
        stored = town.processor.passwords.hash(password)
        mine = update(models.Player).where(models.Player.userid == "ann")
        connection.execute(mine.values(password_hash=stored))
        for each in (models.Counter, models.Talk):
            connection.execute(delete(each))


@pytest.fixture
def letter_of_bob(town: Town) -> Iterator[Letter]:
    """A letter with words of bob's for ann, whose password is PASSWORD again afterwards."""
    town.now += DAY
    with_password(town, PASSWORD)
    yield next(each for each in town.letters if each.opening == "A message from bob.")
    with_password(town, PASSWORD)


@pytest.mark.parametrize(
    "above", ["", pytest.param("chat\nHello bob, that was a bold move.\n", marks=pytest.mark.long)]
)
@each_row("form", [each for each in FORMS if each and not each.startswith("#")])
def test_a_password_beside_everyday_words_goes_to_nobody(
    form: str, above: str, town: Town, letter_of_bob: Letter
) -> None:
    before, password, after = re.split(r"[\[\]]", form)
    with_password(town, password)
    letters = town.reply(letter_of_bob, f"{above}{before}{password}{after}\nHave a nice day!")
    (to_bob,) = [each for each in letters if each.to == "bob@example.org"]
    assert password not in to_bob.text
    assert "| Have a nice day!" in to_bob.text


PROSE_OF_LINES = """chat
Well, well: the dice were not kind to me.
My brother visited us on Sunday.
He lost seven games of chess!
Rain again, and the garden flooded.
Who brings cake next Friday?"""


def test_few_words_of_an_email_are_compared_and_none_twice(
    town: Town, letter_of_bob: Letter, compared: list[str]
) -> None:
    """Beyond the budget the words are sent: only four of an email, and forty of a day, are.

    Words spelled otherwise come last among those of an email.  They have their own budget of a day.
    """
    for _ in range(2):
        letters = town.reply(letter_of_bob, PROSE_OF_LINES)
        assert any("| Who brings cake next Friday?" in each.text for each in letters)
    assert len(compared) == len(set(compared)) == 2 * MOST_BESIDE
    for number in range(BESIDE_DAILY):
        town.reply(letter_of_bob, f"chat\nI have {number} sisters.\nzeb{number} was the other")
    with reading(town.engine) as connection:
        quota = Quota(SPELLINGS.limits[0].what, "1", SPELLINGS_DAILY)
        (room,) = fixed_window.room(connection, [quota], DAY, town.now)
    every = BESIDE_DAILY + SPELLINGS_DAILY - room
    assert len(compared) == len(set(compared)) == every
    town.now += DAY
    town.reply(letter_of_bob, "chat\nyellow submarine, bob")
    assert compared[every:] == ["submarine", "yellow", "submarine,", "Submarine"]


def test_words_of_all_players_are_compared_from_one_budget(
    town: Town, letter_of_bob: Letter, monkeypatch: pytest.MonkeyPatch
) -> None:
    (share,) = comparison_budgets.BESIDE.shared
    budget = replace(comparison_budgets.BESIDE, shared=(replace(share, daily=4),))
    monkeypatch.setattr(stray_passwords, "BESIDE", budget)
    is_told = []
    for word in ("yellow", PASSWORD):
        letters = town.reply(letter_of_bob, f"chat\nHello to all!\nbravo {word}")
        (to_bob,) = [each for each in letters if each.to == "bob@example.org"]
        is_told.append(word in to_bob.text)
    assert is_told == [True, True]
    town.now += DAY
    letters = town.reply(letter_of_bob, f"chat\nHello again!\nbravo {PASSWORD}")
    assert PASSWORD not in "".join(each.text for each in letters)


def test_words_from_elsewhere_are_not_compared(town: Town, letter_of_bob: Letter) -> None:
    """Somebody with the letter neither guesses nor uses up what is compared in a day."""
    text, to = f"chat\nHello bob!\nbravo {PASSWORD}", letter_of_bob.reply_to
    headers = answering(letter_of_bob)
    town.write("elsewhere@example.net", "Re: it", text, to=to, headers=headers)
    with reading(town.engine) as connection:
        counted = connection.execute(select(models.Counter.what, models.Counter.who)).all()
    assert not any("words beside" in part for each in counted for part in each)


def test_usual_words_of_prose_are_not_likely_passwords_of_long_lines() -> None:
    """A comparison takes a tenth of a second; what people often choose as one is compared."""
    usual = (
        "Sorry for the late answer, my brother was visiting us yesterday",
        "Désolé pour le retard, mon frère était chez nous hier",
        "Mañana salimos de vacaciones con los niños y vuelvo dentro de dos semanas",
        "Извините за задержку, вчера приезжал мой брат и мы забыли про игру",
    )
    assert [likely_passwords_of_long_lines([line], "ann") for line in usual] == [[]] * len(usual)
    chosen = "monkey dragon banana sunshine princess chocolate chouchou mariposa любовь солнышко"
    found = {
        word: likely_passwords_of_long_lines([f"{line} {word}"], "ann")
        for word in chosen.split()
        for line in usual
    }
    assert found == {word: [word] for word in chosen.split()}


def test_plain_words_of_long_lines_use_up_half_of_a_days_words(
    town: Town, letter_of_bob: Letter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So a player of many words has others left for the lines that are likelier."""
    limits = [
        replace(each, most=most) for each, most in zip(LONG_LINES.limits, (2, 1), strict=True)
    ]
    monkeypatch.setattr(stray_passwords, "BESIDE", replace(BESIDE, limits=tuple(limits[:1])))
    monkeypatch.setattr(stray_passwords, "LONG_LINES", replace(LONG_LINES, limits=tuple(limits)))
    is_told = []
    for line in ("there is a walrus", "there is a PASSWORD", "bravo PASSWORD"):
        words = line.replace("PASSWORD", PASSWORD) + (" in this game of ours" * ("is a" in line))
        letters = town.reply(letter_of_bob, f"chat\nGood luck!\n{words}")
        (to_bob,) = [each for each in letters if each.to == "bob@example.org"]
        is_told.append(words in to_bob.text)
    assert is_told == [True, True, False]
    assert (LONG_LINES.limits[1].most, LONG_LINES.limits[0]) == (LONG_DAILY, BESIDE.limits[0])


def test_a_proven_writer_of_a_new_email_is_shown_rare_words_but_the_password(
    tmp_path: Path,
) -> None:
    """Without a proof, and where two players have the address, rare words are hidden."""
    proven = {"Authentication-Results": VERDICT}
    with town_at(tmp_path / "home", settings=TRUSTING) as town:
        town.sign_up_and_challenge("ann", "bob")
        text = f"Whatever, horsefeathers\n{PASSWORD.title()} or jabberwocky"
        for headers, hides in ((proven, "Sword"), ({}, "horse")):
            (told,) = town.write("ann@example.org", "Well then", text, headers=headers)
            assert ("horsefeathers" in told.text) == (hides == "Sword")
            assert PASSWORD not in told.text.lower()
            assert "********" in told.text
        (asked,) = town.write("ann@example.org", "signup ann2 fishsword ann@example.org")
        assert town.reply(asked, "yes")
        (told,) = town.write("ann@example.org", "Well then", text, headers=proven)
        assert "horsefeathers" not in told.text


def test_a_password_in_an_email_with_a_proven_address_goes_to_nobody(tmp_path: Path) -> None:
    """This holds where others have used up the words that are compared without a proof."""
    with town_at(tmp_path / "home", settings=TRUSTING) as town:
        town.sign_up_and_challenge("ann", "bob")
        with writing(town.engine) as connection:
            for each in LONG_LINES.limits:
                fixed_window.note(connection, each.what, "1", each.seconds, town.now, each.most)
            while not token_bucket.waiting(connection, LONG_LINES.shared, town.now):
                token_bucket.turn(connection, LONG_LINES.shared, town.now, patience=0)
        headers = {"Authentication-Results": VERDICT}
        text = f"Hello!\nsee you {PASSWORD}"
        letters = town.write("ann@example.org", "perudo move 1 ann - 2-2s", text, headers=headers)
        (to_bob,) = [each for each in letters if each.to == "bob@example.org"]
        assert PASSWORD not in to_bob.text
        assert "| Hello!" in to_bob.text


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        *((each, True) for each in ("good a game!", "Good game!", "thanks, good try")),
        *((each, True) for each in ("Haha!", "Hello!", "Merci !", "Thanks")),
        *((each, False) for each in (f"thanks {PASSWORD}", f"my word: {PASSWORD}", "game!")),
    ],
)
def test_frequent_words_are_sent_where_nothing_is_compared(
    text: str, is_told: bool, town: Town, letter_of_bob: Letter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So in a reply to an old letter; another word beside them is left out."""
    none = replace(FIRST_LINES, limits=(replace(FIRST_LINES.limits[0], most=0),))
    monkeypatch.setattr(stray_passwords, "FIRST_LINES", none)
    letters = town.reply(letter_of_bob, f"chat\n{text}\nHave a nice day!")
    (to_bob,) = [each for each in letters if each.to == "bob@example.org"]
    assert (f"| {text}" in to_bob.text) is is_told
    assert "| Have a nice day!" in to_bob.text
