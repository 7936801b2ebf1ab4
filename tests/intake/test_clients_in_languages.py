"""Replies of mail programs that speak the reader's language: the move is read, no die leaks.

Programs and phones name the quoted letter in their own language, above or without marks.
`test_clients.py` has how each of them quotes.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from html import escape
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.intake.test_clients import (
    ANN,
    BOB,
    CLEO,
    WORDS,
    Client,
    Parts,
    begin,
    html_of,
    inner,
    marked,
    page_of,
    send,
    told,
    turn_letter,
    words_in,
)
from tests.stories.town import Letter, town_at

pytestmark = pytest.mark.long

Speech: TypeAlias = Mapping[str, str]
US = "Perudo game server <{us}>"
# What programs write in a language; `head` is how Outlook calls From, Sent, To and Subject.
SPEECH: Mapping[str, Speech] = {
    "en": {
        "gmail": f"On Mon, Nov 23, 2026 at 10:05 AM {US} wrote:",
        "apple": f"On Nov 23, 2026, at 10:05 AM, {US} wrote:",
        "thunderbird": "On 11/23/26 10:05, Perudo game server wrote:",
        "proton": f"On Monday, November 23rd, 2026 at 10:05 AM, {US} wrote:",
        "head": "From|Sent|To|Subject", "outlook": "Get Outlook for Android",
        "phone": "Sent from my iPad", "galaxy": "Sent from my Galaxy",
        "original": "-------- Original message --------",
        "sent with": "Sent with Proton Mail secure email.",
    },
    "fr": {
        "gmail": f"Le lun. 23 nov. 2026 à 10:05, {US} a écrit\xa0:",
        "apple": f"Le 23 nov. 2026 à 10:05, {US} a écrit\xa0:",
        "thunderbird": "Le 23/11/2026 à 10:05, Perudo game server a écrit\xa0:",
        "proton": f"Le lundi 23 novembre 2026 à 10:05, {US} a écrit :",
        "head": "De|Envoyé|À|Objet", "outlook": "Télécharger Outlook pour iOS",
        "phone": "Envoyé de mon iPhone", "galaxy": "Envoyé depuis mon appareil Galaxy",
        "original": "-------- Message d'origine --------",
        "sent with": "Envoyé avec la messagerie sécurisée Proton Mail.",
    },
    "es": {
        "gmail": "El lun, 23 nov 2026 a las 10:05, Perudo game server (<{us}>) escribió:",
        "apple": f"El 23 nov 2026, a las 10:05, {US} escribió:",
        "thunderbird": "El 23/11/2026 a las 10:05, Perudo game server escribió:",
        "proton": f"El lunes, 23 de noviembre de 2026 a las 10:05, {US} escribió:",
        "head": "De|Enviado|Para|Asunto", "outlook": "Obtener Outlook para iOS",
        "phone": "Enviado desde mi iPhone", "galaxy": "Enviado desde mi Galaxy",
        "original": "-------- Mensaje original --------",
        "sent with": "Enviado con el correo electrónico seguro de Proton Mail.",
    },
    "ru": {
        "gmail": f"пн, 23 нояб. 2026 г. в 10:05, {US}:",
        "apple": f"23 нояб. 2026 г., в 10:05, {US} написал(а):",
        "thunderbird": "23.11.2026 10:05, Perudo game server пишет:",
        "proton": f"понедельник, 23 ноября 2026 г. в 10:05, {US} написал:",
        "head": "От|Отправлено|Кому|Тема", "outlook": "Получить Outlook для iOS",
        "phone": "Отправлено с iPhone", "galaxy": "Отправлено с моего Galaxy",
        "original": "-------- Исходное сообщение --------",
        "sent with": "Отправлено с помощью защищённой почты Proton Mail.",
    },
}  # fmt: skip
YANDEX = '23.11.2026, 10:05, "Perudo game server" <{us}>:'
MAIL_RU = "Понедельник, 23 ноября 2026, 10:05 +03:00 от Perudo game server <{us}>:"
ZOHO = "---- On Mon, 23 Nov 2026 10:05:00 +0100 Perudo game server <{us}> wrote ---"


def line(speech: Speech, name: str, letter: Letter) -> str:
    """What a program writes: by its name in the language, or else as it is."""
    return speech.get(name, name).format(us=letter.reply_to)


def head(speech: Speech, letter: Letter) -> str:
    sender, sent, to, subject = speech["head"].split("|")
    above = f"{sender}: Perudo game server <{letter.reply_to}>\n{sent}: 23.11.2026 10:05"
    return f"{above}\n{to}: {letter.to}\n{subject}: {letter.subject}"


def below(speech: Speech, name: str, mark: str = "> ", above: str = "") -> Client:
    def made(letter: Letter, typed: str) -> Parts:
        parts = (typed, line(speech, above, letter), line(speech, name, letter))
        said = "\n\n".join(filter(None, parts))
        return f"{said}\n\n{marked(told(page_of(letter)), mark)}\n", ""

    return made


def in_html(speech: Speech, name: str, quote: str, above: str = "") -> Client:
    def made(letter: Letter, typed: str) -> Parts:
        page, said = inner(page_of(letter)), escape(line(speech, name, letter))
        return "", (
            f"<div>{html_of(typed)}</div><div>{line(speech, above, letter)}</div><br>"
            f'<div class="{quote}">{said}<br><blockquote class="{quote}">{page}</blockquote></div>'
        )

    return made


def apple(speech: Speech, letter: Letter, typed: str) -> Parts:
    above = f"{typed}\n\n{speech['phone']}\n\n> {line(speech, 'apple', letter)}"
    return f"{above}\n> \n> \ufeff\n{marked(told(page_of(letter)))}\n", ""


def thunderbird_below(speech: Speech, letter: Letter, typed: str) -> Parts:
    return f"{line(speech, 'thunderbird', letter)}\n{marked(letter.body)}\n\n{typed}\n", ""


def outlook_mobile(speech: Speech, letter: Letter, typed: str) -> Parts:
    rule = f"{speech['outlook']}<https://aka.ms/o0ukef>\n{'_' * 32}"
    quoted = told(page_of(letter), link=lambda text, to: f"{text}<{to}>")
    return f"{typed}\n\n{rule}\n{head(speech, letter)}\n\n{quoted}\n", ""


def samsung(speech: Speech, letter: Letter, typed: str) -> Parts:
    above = f"{speech['galaxy']}\n\n{speech['original']}\n{head(speech, letter)}"
    return f"{typed}\n\n{above}\n\n{told(page_of(letter))}\n", ""


def clients(speech: Speech) -> Mapping[str, Client]:
    """The programs of a language, by name."""
    return {
        "the Gmail app": below(speech, "gmail"),
        "Gmail": in_html(speech, "gmail", "gmail_quote"),
        "Outlook on a phone": partial(outlook_mobile, speech),
        "Mail on a phone": partial(apple, speech),
        "Thunderbird": below(speech, "thunderbird"),
        "Thunderbird, below": partial(thunderbird_below, speech),
        "Proton": below(speech, "proton", above="sent with"),
        "Proton in HTML": in_html(speech, "proton", "protonmail_quote", "sent with"),
        "Samsung": partial(samsung, speech),
        "Yandex": in_html(speech, YANDEX, ""),
        "Yandex as text": below(speech, YANDEX),
        "Mail.ru": in_html(speech, MAIL_RU, ""),
        "Zoho": below(speech, ZOHO, ""),
        "HEY": below(speech, "gmail", "| "),
    }


@pytest.mark.parametrize("language", SPEECH)
def test_a_reply_in_the_readers_language_is_a_move_and_its_words(home: Path, language: str) -> None:
    """Each program makes the next bid of one round, with words below it."""
    bids = [f"{quantity}-2s" for quantity in range(1, 16)]
    players = (ANN, BOB, CLEO)
    with town_at(home) as town:
        begin(town, language)
        town.move("ann", bids[0])
        for number, (name, client) in enumerate(clients(SPEECH[language]).items(), 1):
            writer = players[number % 3]
            letter = turn_letter(town, writer)
            said = f"{WORDS} {number}."
            made = send(town, letter, client(letter, f"{bids[number]}\n\n{said}"))
            heard = {each.to: " ".join(words_in(each)) for each in made if each.to != writer}
            assert heard == dict.fromkeys({*players} - {writer}, said), name
            assert all(f"move={number + 2}" in str(each.message["X-Perudo"]) for each in made), name
