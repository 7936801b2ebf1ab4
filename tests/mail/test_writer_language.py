"""What an email shows of its writer: the language, and the clock."""

from __future__ import annotations

from pbmserv.mail.writer_facts import Writer
from pbmserv.mail.writer_language import of_words
from tests.rows import each_row


@each_row(
    ("text", "language"),
    [
        ("Bonjour, je voudrais jouer avec vous", "fr"),
        ("Salut, j’aimerais jouer au Perudo", "fr"),
        ("D'accord, je veux bien. C'est pour mon frère et moi.", "fr"),
        ("Hola, quiero jugar con mis amigos", "es"),
        ("¿Cómo puedo jugar? Gracias", "es"),
        ("Здравствуйте, хочу играть", "ru"),
        ("Привет! Как мне начать?", "ru"),
        ("Hello, I would like to play with you", "en"),
        # Languages beside them, of which we have no letters: they are not taken for these.
        ("Olá, eu quero jogar com você", "pt"),
        ("Ciao, vorrei giocare con voi, grazie", "it"),
        ("Hola, vull jugar amb el meu germà", "ca"),
        ("Привіт, хочу грати", "uk"),
        ("Здравейте, искам да играя", "bg"),
        ("Hallo, ich möchte mit spielen", "de"),
        # Too little, or of two languages at once.
        ("signup zoe swordfish", ""),
        ("perudo challenge ann bob", ""),
        ("con", ""),
        ("oui", ""),
        ("la una", ""),
        ("4-2s", ""),
        ("", ""),
    ],
)
def test_the_words_of_an_email_show_its_language(text: str, language: str) -> None:
    assert of_words([text]) == language
    assert of_words(text.upper().split()) == language


@each_row(
    ("text", "language"),
    [
        ("да, с удовольствием!", "ru"),
        ("да, на игру с", "ru"),  # as many words are Bulgarian
        ("Sí, con mucho gusto", "es"),
        ("Oui, avec plaisir", "fr"),
        ("Здравейте, искам да играя", "bg"),
        ("Hola, vull jugar amb el meu germà", "ca"),
        ("Olá, eu quero jogar com você", "pt"),
        ("da", ""),
    ],
)
def test_an_offered_language_wins_over_another_that_has_as_many_words(
    text: str, language: str
) -> None:
    assert of_words([text], ("en", "es", "fr", "ru")) == language


@each_row(
    ("declared", "line", "sender", "language"),
    [
        ("fr", "", "zoe@example.org", "fr"),
        ("fr-CH, en", "", "zoe@example.org", "fr"),
        ("es_MX", "I would like to play", "zoe@example.org", "es"),
        ("en-US", "Bonjour, je voudrais jouer", "zoe@example.org", "fr"),
        ("en-US", "signup zoe swordfish", "zoe@example.fr", "en"),
        ("de", "signup zoe swordfish", "zoe@example.fr", "de"),
        ("tlh", "", "zoe@example.fr", ""),
        ("", "signup zoe swordfish", "zoe@example.fr", "fr"),
        # The word of a command tells it, also beside a header of a program in English.
        ("", "inscription zoe swordfish", "zoe@example.net", "fr"),
        ("en-US", "Inscription zoe swordfish", "zoe@example.net", "fr"),
        ("", "perudo défi zoe ann", "zoe@example.net", "fr"),
        ("", "помощь", "zoe@example.net", "ru"),
        ("", "¡Ayuda!", "zoe@example.net", "es"),
        ("", "registro zoe swordfish", "zoe@example.fr", "fr"),
        ("", "I passe zoe", "zoe@example.net", ""),
        # Pieces of a token or an address are not words.
        ("", "reject zoe token=no-a3y-y.es-en", "zoe@example.net", ""),
        ("", "perudo challenge ann no@la.es", "zoe@example.net", ""),
        ("", "Hola, quiero jugar", "zoe@example.fr", "es"),
        ("", "", "zoe@example.ru", "ru"),
        ("", "", "zoe@example.es", "es"),
        ("", "", "zoe@example.com.mx", "es"),
        ("", "", "zoe@example.co.uk", "en"),
        # Countries of several languages, and none.
        ("", "", "zoe@example.be", ""),
        ("", "", "zoe@example.ch", ""),
        ("", "", "zoe@example.com", ""),
        ("", "", "", ""),
        ("", "", "fr", ""),
    ],
)
def test_a_header_is_asked_then_the_words_then_the_domain(
    declared: str, line: str, sender: str, language: str
) -> None:
    assert Writer(declared=declared, lines=(line,), sender=sender).language == language


@each_row(
    ("date", "minutes"),
    [
        ("Sat, 21 Nov 2026 14:05:00 +0100", 60),
        ("Sat, 21 Nov 2026 14:05:00 -0330 (NST)", -210),
        ("21 Nov 2026 14:05 +0000", 0),
        ("Sat, 21 Nov 2026 14:05:00 -0000", None),  # RFC 5322: it says nothing about the zone
        ("Sat, 21 Nov 2026 14:05:00 +9900", None),
        ("Sat, 21 Nov 2026 14:05:00 EST", None),
        ("+0100", None),
        ("", None),
    ],
)
def test_the_date_shows_how_far_the_clock_is_from_utc(date: str, minutes: int | None) -> None:
    assert Writer(date=date).offset == minutes


@each_row(
    ("lines", "language"),
    [
        (("signup zoe swordfish", "Bonjour"), "fr"),
        (("signup zoe swordfish", "", "¡Hola!"), "es"),
        (("signup zoe swordfish", "Привет всем"), "ru"),
        (("signup zoe swordfish", "", "", "Merci"), "fr"),
        (("signup zoe swordfish", "Hello"), ""),
        (("signup hola bonjour", "Zoe"), ""),
    ],
)
def test_a_greeting_alone_shows_the_language(lines: tuple[str, ...], language: str) -> None:
    """An English one does not: people of all languages use it."""
    offered = ("en", "es", "fr", "ru")
    assert Writer("", lines, "zoe@example.org", offered=offered).language == language


@each_row(
    ("name", "shown", "sender", "language"),
    [
        ("Иван Петров", (), "zoe@example.org", "ru"),
        ("", ("зелёныйчай",), "zoe@example.org", "ru"),
        ("", ("-- ", "С уважением, Zoe"), "zoe@example.org", "ru"),
        ("", ("", "Envoyé de mon iPhone"), "zoe@example.org", "fr"),
        ("", ("Cordialement,", "Zoe"), "zoe@example.org", "fr"),
        ("", ("Un saludo,", "Zoe"), "zoe@example.org", "es"),
        ("", ("Enviado desde mi iPhone",), "zoe@example.org", "es"),
        ("", ("Sent from my iPhone",), "zoe@example.org", ""),
        # They say more than the domain of a country whose language is offered.
        ("Иван Петров", (), "zoe@example.fr", "ru"),
        ("Іван Петренко", (), "zoe@example.org", ""),
        ("Иван Петров", (), "zoe@example.bg", "bg"),
        ("Zoé François", (), "zoe@example.org", ""),
        ("", ("> С уважением, Иван",), "zoe@example.org", ""),
        ("", ("Saludos, Cordialement",), "zoe@example.org", ""),  # of two languages
        ("", ("Please pass my saludos to the family in Madrid",), "zoe@example.org", ""),
    ],
)
def test_a_name_and_a_signature_show_the_language_of_a_command(
    name: str, shown: tuple[str, ...], sender: str, language: str
) -> None:
    """The lines typed are a command alone, in no language."""
    offered = ("en", "es", "fr", "ru")
    lines = ("signup zoe swordfish",)
    found = Writer("", lines, sender, offered=offered, name=name, shown=shown).language
    assert found == language


@each_row(
    ("content_type", "language"),
    [
        ('text/plain; charset="koi8-r"', "ru"),
        ("text/plain; charset=Windows-1251; format=flowed", "ru"),
        ("text/plain; charset=utf-8", ""),
        ("text/plain", ""),
    ],
)
def test_a_charset_shows_the_language_where_nothing_else_does(
    content_type: str, language: str
) -> None:
    lines, offered = ("signup zoe swordfish",), ("en", "ru")
    for sender, found in (("zoe@example.org", language), ("zoe@example.co.uk", "en")):
        writer = Writer("", lines, sender, offered=offered, content_type=content_type)
        assert writer.language == found
