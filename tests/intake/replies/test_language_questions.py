"""Questions about the language of the letters, and the language of people without accounts."""

from __future__ import annotations

from pathlib import Path

from pbmserv.intake.replies.language_questions import wanted
from tests.letters.pages import read
from tests.rows import each_row
from tests.stories.town import PASSWORD, Town, town_at

ANN, IVAN, ZOE = "ann@example.org", "ivan@example.org", "zoe@example.net"


@each_row(
    ("text", "language"),
    [
        ("почему все на английском?", "ru"),
        ("Почему всё по-английски?", "ru"),
        ("можно по-русски?", "ru"),
        ("Здравствуйте! А можно на русском языке?", "ru"),
        ("почему не на русском?", "ru"),
        ("я не понимаю английский", "ru"),
        ("Pourquoi en anglais ?", "fr"),
        ("En français s’il vous plaît", "fr"),
        ("je ne parle pas anglais", "fr"),
        ("en español por favor", "es"),
        ("¿Por qué en inglés?", "es"),
        ("Hola! ¿me pueden escribir en español?\nGracias", "es"),
        ("why is this in Russian?", "en"),
        ("English please", "en"),
        ("Can you write in French?", "fr"),
        # The language that is denied is not the one that is asked for.
        ("I don't understand French", "en"),
        # Other words do not ask so, nor do two languages.
        ("I like an English breakfast", ""),
        ("hablas español, bob?", ""),
        ("french or spanish?", ""),
        ("4-2s", ""),
        ("bonjour", ""),
        ("en en en en en en en en en en en en en en en en français", ""),
        ("", ""),
    ],
)
def test_a_text_that_asks_about_the_language_is_recognised(text: str, language: str) -> None:
    assert wanted("", text.split("\n")) == language
    assert wanted(f"Re: {text}", []) == (language if "\n" not in text else wanted("", [text]))


def test_a_player_is_told_how_to_change_the_language(town: Town) -> None:
    """In that language; a button does it at once."""
    town.write(ANN, f"set ann {PASSWORD} format=both")
    (told,) = town.write(ANN, "pourquoi en anglais ?")
    assert told.subject == "La langue de vos e-mails"
    assert "  set ann PASSWORD language=fr\n" in told.body
    assert "****" not in told.body
    body = told.message.get_body(("html",))
    assert body is not None
    links = {each.text.strip(): each for each in read(body.get_content()).anchors}
    pressed = town.write(ANN, links["Français"].subject, links["Français"].body)
    assert "language vaut maintenant fr" in pressed[-1].body
    assert town.write(ANN, "perudo show 1")[0].body.count("Vous recevez") == 1


def test_a_question_in_reply_to_a_game_letter_goes_to_nobody_else(town: Town) -> None:
    (told,) = town.reply(town.last_letter_to(ANN), "¿Por qué está todo en inglés?")
    assert (told.to, told.subject) == (ANN, "El idioma de tus correos")
    assert "no se ha enviado a los demás" in " ".join(told.body.split())


@each_row(
    ("text", "waits"),
    [
        ("OK in French", "La nulle est proposée."),
        ("ok mais en français", "La nulle est proposée."),
        ("yes, in Spanish please", "Hay una propuesta de empate."),
        ("Vale, pero en español", "Hay una propuesta de empate."),
        ("Хорошо, но на русском", "Предложена ничья."),
        ("OK but in English", "A draw is on offer."),
    ],
)
def test_a_question_leaves_the_offer_of_a_draw_as_it_is_and_says_so(
    town: Town, text: str, waits: str
) -> None:
    town.move("ann", "propose")
    (told,) = town.reply(town.last_letter_to("bob@example.org"), text)
    assert told.to == "bob@example.org"
    assert waits in " ".join(told.body.split()).replace("\xa0", " ")


def test_a_question_in_reply_to_an_invitation_leaves_it_as_it_is_and_says_so(home: Path) -> None:
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        town.write("bob@example.org", f"set bob {PASSWORD} challenges=ask")
        town.challenge("ann", "bob")
        (told,) = town.reply(town.last_letter_to("bob@example.org"), "OK in French")
        text = " ".join(told.body.split()).replace("\xa0", " ")
        assert "Votre invitation à une partie attend toujours votre réponse." in text
        assert told.subject == "La langue de vos e-mails"


def test_words_to_a_player_about_languages_are_talk(town: Town) -> None:
    """In reply to that player's words."""
    town.move("ann", "1-2s", text="Good luck, bob!")
    heard = town.last_letter_to("bob@example.org")
    said = town.reply(heard, "chat\n\nhablas español, ann?")
    assert [each.to for each in said if "hablas español" in each.body] == [ANN]


def test_a_new_player_who_asks_has_the_language_from_then_on(town: Town) -> None:
    (letter,) = town.write(IVAN, f"signup ivan {PASSWORD}")
    assert letter.subject == "Please confirm your address, ivan"
    (asked,) = town.reply(letter, "почему все на английском?")
    assert asked.subject == "Это было согласие?"
    assert "Ваши письма будут на русском языке." in asked.body
    (works,) = town.reply(letter, "yes")
    assert works.subject == "Ваш аккаунт работает, ivan"


def test_a_question_changes_nothing_once_an_address_is_confirmed(town: Town) -> None:
    """Anybody may have written it."""
    town.write(ANN, f"signoff ann {PASSWORD}")
    asked = next(each for each in reversed(town.letters) if each.is_to_be_confirmed)
    (told,) = town.reply(asked, "en español por favor")
    assert "Tus correos estarán" not in told.body
    (page,) = town.write(ANN, f"set ann {PASSWORD}")
    assert "language=en  ✓ English" in page.body


def test_a_yes_shows_the_language_that_the_sign_up_did_not(town: Town) -> None:
    (letter,) = town.write(ZOE, f"signup zoe {PASSWORD}")
    (works,) = town.reply(letter, "Oui, c'est bien moi")
    assert works.subject == "Votre compte est prêt, zoe"


def test_the_language_of_a_first_email_is_that_of_the_next(home: Path) -> None:
    """For some days; a stranger who asked in Russian signs up by a command alone."""
    with town_at(home, is_unhurried=False) as town:
        (how,) = town.write(IVAN, "почему все на английском?")
        assert how.subject == "Как играть в перудо по почте"
        assert "Если вы сейчас зарегистрируетесь, письма будут на русском" in how.body
        town.waited(26)
        (letter,) = town.write(IVAN, f"signup ivan {PASSWORD}")
        assert letter.subject == "Подтвердите ваш адрес, ivan"
        (other,) = town.write(ZOE, f"signup zoe {PASSWORD}")
        assert other.subject == "Please confirm your address, zoe"


def test_a_sign_up_in_russian_words_is_answered_in_russian(town: Town) -> None:
    """The words are a password, a name and a signature."""
    sender = "Иван Петров <ivan@example.org>"
    (letter,) = town.write(sender, "signup ivan зелёныйчай", "\n-- \nС уважением, Иван Петров")
    assert letter.subject == "Подтвердите ваш адрес, ivan"


@each_row("text", ["do you speak French?", "You are French", "I am Spanish"])
def test_talk_about_languages_goes_to_the_table(town: Town, text: str) -> None:
    letters = town.reply(town.last_letter_to(ANN), f"{text} To be honest, I ask.")
    assert "bob@example.org" in {each.to for each in letters}
    assert wanted("", [text], at_table=True) == ""
