"""Replies of mail programs to real letters with an HTML form: the move is read, no die leaks.

Each program quotes the letter in its own way: Gmail quotes as text with stars and as the page
itself.  Outlook quotes below a block of headers without marks.  Others quote with marks, some with
the titles of buttons.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from email import policy
from email.message import EmailMessage
from html import escape, unescape
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.stories.town import PASSWORD, Letter, Town, answering, town_at

ANN, BOB, CLEO = "ann@example.org", "bob@example.org", "cleo@example.org"
WORDS = "Good luck, everybody!"
DATE = "Mon, 23 Nov 2026 at 10:05"
Parts: TypeAlias = tuple[str, str]  # the text and the HTML of a reply; "" for a part that it lacks
Client: TypeAlias = Callable[[Letter, str], Parts]

pytestmark = pytest.mark.long


def page_of(letter: Letter) -> str:
    body = letter.message.get_body(("html",))
    assert isinstance(body, EmailMessage)
    return str(body.get_content())


def inner(page: str) -> str:
    """The page as a program puts it into its own: without its head."""
    return re.sub(r"^.*?<body[^>]*>|</body>.*$", "", page, flags=re.DOTALL)


def told(
    page: str, *, bold: str = "", link: Callable[[str, str], str] = lambda text, _: text
) -> str:
    """The page as programs turn it into text: a line for each row and each block."""
    text = re.sub(r"<!--.*?-->", "", inner(page), flags=re.DOTALL)
    text = re.sub(r"\s+", " ", text)
    text = re.sub(
        r'<a [^>]*href="([^"]*)"[^>]*>(.*?)</a>',
        lambda found: link(re.sub(r"<br>|<[^>]*>", " ", found[2]).strip(), unescape(found[1])),
        text,
    )
    text = re.sub(r"</?(?:b|h1|h2)\b[^>]*>", bold, text) if bold else text
    text = re.sub(r"</t[dh]>", " ", text)
    text = re.sub(r"</?(?:p|div|h1|h2|tr|table|br|li|ul)\b[^>]*>", "\n", text)
    text = unescape(re.sub(r"<[^>]*>", "", text))
    return re.sub(r"\n\s*\n+", "\n\n", text).strip()


def marked(text: str, mark: str = "> ") -> str:
    return "\n".join((mark + line).rstrip() for line in text.split("\n"))


def html_of(typed: str) -> str:
    return "<br>".join(escape(line) for line in typed.split("\n"))


def gmail(letter: Letter, typed: str) -> Parts:
    us = letter.reply_to
    page, attribution = page_of(letter), f"On {DATE} Perudo game server <{us}> wrote:"
    text = f"{typed}\n\nOn {DATE} Perudo game server <\n{us}> wrote:\n\n"
    text += marked(told(page, bold="*", link=lambda title, to: f"{title}\n<{to}>"))
    return text + "\n", (
        f'<div dir="ltr">{html_of(typed)}</div><br>'
        '<div class="gmail_quote gmail_quote_container">'
        f'<div dir="ltr" class="gmail_attr">{escape(attribution)}<br></div><blockquote '
        'class="gmail_quote" style="margin:0px 0px 0px 0.8ex;border-left:1px solid;'
        f'padding-left:1ex">{inner(page)}</blockquote></div>'
    )


def gmail_html(letter: Letter, typed: str) -> Parts:
    return "", gmail(letter, typed)[1]


def head_of(letter: Letter) -> str:
    return (
        f"From: Perudo game server <{letter.reply_to}>\nSent: Monday, November 23, 2026 10:05 AM\n"
        f"To: {letter.to} <{letter.to}>\nSubject: {letter.subject}\n"
    )


def outlook(letter: Letter, typed: str) -> Parts:
    page = page_of(letter)
    quoted = told(page, link=lambda title, to: f"{title}<{to}>")
    head = "<br>".join(
        f"<b>{escape(line.partition(':')[0])}:</b>{escape(line.partition(':')[2])}"
        for line in head_of(letter).strip().split("\n")
    )
    return f"{typed}\n\n________________________________\n{head_of(letter)}\n{quoted}\n", (
        f'<html><body dir="ltr"><div class="elementToProof">{html_of(typed)}</div>'
        '<div id="appendonsend"></div><hr style="display:inline-block;width:98%" tabindex="-1">'
        f'<div id="divRplyFwdMsg" dir="ltr"><font face="Calibri">{head}</font><div>&nbsp;</div>'
        f"</div><div>{inner(page)}</div></body></html>"
    )


def outlook_desktop(letter: Letter, typed: str) -> Parts:
    """Word writes no name on its frames: a border above the headers is all."""
    page = page_of(letter)
    head = "<br>".join(
        f"<b>{escape(line.partition(':')[0])}:</b>{escape(line.partition(':')[2])}"
        for line in head_of(letter).strip().split("\n")
    )
    quoted = told(page, link=lambda title, to: f"{title} <{to}> ")
    return f"{typed}\n\n{head_of(letter)}\n{quoted}\n", (
        f'<html><body><div class="WordSection1"><p class="MsoNormal">{html_of(typed)}</p>'
        '<p class="MsoNormal">&nbsp;</p><div style="border:none;border-top:solid #E1E1E1 1.0pt;'
        f'padding:3.0pt 0cm 0cm 0cm"><p class="MsoNormal">{head}</p></div>{inner(page)}</div>'
        "</body></html>"
    )


def outlook_mobile(letter: Letter, typed: str) -> Parts:
    text, page = outlook(letter, typed)
    signed = "Get Outlook for iOS<https://aka.ms/o0ukef>\n________________________________"
    return text.replace("________________________________", signed), page.replace(
        '<div id="appendonsend">',
        '<div id="ms-outlook-mobile-signature">Get <a href="https://aka.ms/o0ukef">Outlook for '
        'iOS</a></div><div id="appendonsend">',
    )


def apple_mail(letter: Letter, typed: str) -> Parts:
    page, us = page_of(letter), letter.reply_to
    attribution = f"On 23 Nov 2026, at 10:05, Perudo game server <{us}> wrote:"
    text = f"{typed}\n\n> {attribution}\n> \n{marked(told(page, link=lambda t, to: f'{t} <{to}>'))}"
    return text, (
        '<html><head></head><body style="overflow-wrap: break-word;">'
        f'{html_of(typed)}<br id="lineBreakAtBeginningOfMessage"><div><br><blockquote type="cite">'
        f'<div>{escape(attribution)}</div><br class="Apple-interchange-newline"><div>{inner(page)}'
        "</div></blockquote></div><br></body></html>"
    )


def iphone(letter: Letter, typed: str) -> Parts:
    page, us = page_of(letter), letter.reply_to
    attribution = f"On 23 Nov 2026, at 10:05, Perudo game server <{us}> wrote:"
    text = (
        f"{typed}\n\nSent from my iPhone\n\n> {attribution}\n> \n> \ufeff\n{marked(told(page))}\n"
    )
    return text, (
        f'<html><body dir="auto">{html_of(typed)}<br><br><div dir="ltr">Sent from my iPhone</div>'
        f'<div dir="ltr"><br><blockquote type="cite">{escape(attribution)}<br><br></blockquote>'
        f'</div><blockquote type="cite">'
        f'<div dir="ltr">\ufeff{inner(page)}</div></blockquote></body></html>'
    )


def thunderbird(letter: Letter, typed: str) -> Parts:
    page = page_of(letter)
    text = f"{typed}\n\nOn 23/11/2026 10:05, Perudo game server wrote:\n"
    text += marked(told(page, bold="*", link=lambda title, to: f"{title} <{to}>"))
    return text, (
        f'<html><head></head><body><p>{html_of(typed)}</p><br><div class="moz-cite-prefix">On '
        '23/11/2026 10:05, Perudo game server wrote:<br></div><blockquote type="cite" '
        f'cite="mid:x@perudo.example">{inner(page)}</blockquote></body></html>'
    )


def thunderbird_below(letter: Letter, typed: str) -> Parts:
    text, _ = thunderbird(letter, "")
    return f"{text.strip()}\n\n{typed}\n", ""


def k9(letter: Letter, typed: str) -> Parts:
    page, us = page_of(letter), letter.reply_to
    text = f"{typed}\n\nOn 23 November 2026 10:05:00 CET, Perudo game server <{us}> wrote:\n"
    return text + marked(told(page), ">"), (
        f'<!DOCTYPE html><html><body>{html_of(typed)}<br><br><div class="gmail_quote">'
        f'<div dir="auto">On 23 November 2026 10:05:00 CET, Perudo &lt;{us}&gt; wrote:</div>'
        '<blockquote class="gmail_quote" style="margin: 0pt 0pt 0pt 0.8ex;">'
        f"{inner(page)}</blockquote></div></body></html>"
    )


def k9_headers(letter: Letter, typed: str) -> Parts:
    """The other style of K-9: no marks, and headers as in Outlook."""
    return (
        f"{typed}\n\n-------- Original Message --------\n"
        f"From: Perudo game server <{letter.reply_to}>\nSent: 23 November 2026 10:05:00 CET\n"
        f"To: {letter.to}\nSubject: {letter.subject}\n\n{told(page_of(letter))}\n",
        "",
    )


def mutt(letter: Letter, typed: str) -> Parts:
    text = f"{typed}\n\nOn Mon, Nov 23, 2026 at 10:05:00AM +0100, Perudo game server wrote:\n"
    return text + marked(letter.body), ""


def mutt_below(letter: Letter, typed: str) -> Parts:
    text = "On Mon, Nov 23, 2026 at 10:05:00AM +0100, Perudo game server wrote:\n"
    return f"{text}{marked(letter.body)}\n\n{typed}\n", ""


def proton(letter: Letter, typed: str) -> Parts:
    text, page = gmail(letter, typed)
    quoted = text.partition("wrote:\n\n")[2]
    us = letter.reply_to
    head = f"On Monday, November 23rd, 2026 at 10:05, Perudo game server <{us}> wrote:"
    return f"{typed}\n\nSent with Proton Mail secure email.\n\n{head}\n\n{quoted}", page.replace(
        "gmail_quote", "protonmail_quote"
    )


def samsung(letter: Letter, typed: str) -> Parts:
    head = (
        f"From: Perudo game server <{letter.reply_to}>\nDate: 23/11/2026 10:05 (GMT+01:00)\n"
        f"To: {letter.to}\nSubject: {letter.subject}"
    )
    page = page_of(letter)
    text = f"{typed}\n\n\nSent from my Galaxy\n\n\n-------- Original message --------\n{head}\n\n"
    return text + told(page), (
        f'<html><body dir="auto"><div dir="auto">{html_of(typed)}</div><div dir="auto"><br></div>'
        '<div id="composer_signature" dir="auto"><div>Sent from my Galaxy</div></div>'
        f'<div align="left" dir="auto"><div>-------- Original message --------</div><div>'
        f"{html_of(head)}</div><div><br></div></div>{inner(page)}</body></html>"
    )


def yahoo(letter: Letter, typed: str) -> Parts:
    head = f"On Monday, November 23, 2026 at 10:05:00 AM GMT+1, Perudo <{letter.reply_to}> wrote:"
    page = page_of(letter)
    return f"{typed}\n\n    {head}\n\n{told(page)}\n", (
        f'<html><body><div class="ydpstyle yahoo-style-wrap"><div dir="ltr">{html_of(typed)}</div>'
        f'</div><div id="yahoo_quoted_1" class="yahoo_quoted"><div><div>{escape(head)}</div>'
        f"<div>{inner(page)}</div></div></div></body></html>"
    )


def without_introduction(letter: Letter, typed: str) -> Parts:
    """The reply of a program that repeats the letter without an introduction or marks."""
    return f"{typed}\n\n{told(page_of(letter))}\n", ""


def outlook_html(letter: Letter, typed: str) -> Parts:
    return "", outlook(letter, typed)[1]


CLIENTS = (
    gmail, gmail_html, outlook, outlook_html, outlook_desktop, outlook_mobile, apple_mail, iphone,
    thunderbird, thunderbird_below, k9, k9_headers, mutt, mutt_below, proton, samsung, yahoo,
    without_introduction,
)  # fmt: skip
IN_LANGUAGES = (gmail, outlook, thunderbird, without_introduction)
EVERY = [("en", client) for client in CLIENTS] + [
    (language, client) for language in ("fr", "ru", "es") for client in IN_LANGUAGES
]
TALK = "I was at the wedding of my sister, sorry that it took so long."


def send(town: Town, letter: Letter, parts: Parts) -> list[Letter]:
    """The reply of a program, as it arrives."""
    message = EmailMessage(policy=policy.SMTP)
    message["From"], message["To"] = letter.to, letter.reply_to
    message["Subject"] = f"Re: {letter.subject}"
    message["Message-ID"] = town.next_message_id()
    for name, value in answering(letter).items():
        message[name] = value
    text, page = parts
    if text:
        message.set_content(text)
    if text and page:
        message.add_alternative(page, subtype="html")
    elif page:
        message.set_content(page, subtype="html")
    return town.carry(message.as_bytes(), letter.to, letter.reply_to)


def words_in(letter: Letter) -> list[str]:
    """The words of a player in a letter."""
    return [line[2:] for line in letter.text.split("\n") if line.startswith("|")]


def begin(town: Town, language: str) -> None:
    """Three players begin a board; they read letters as pages in one language."""
    town.sign_up("ann", "bob", "cleo")
    for name in ("ann", "bob", "cleo"):
        chosen = f"set {name} {PASSWORD} language={language} format=both"
        town.write(f"{name}@example.org", chosen)
    town.challenge("ann", "bob", "cleo", options=("-inorder", "-rules=bga"))


def turn_letter(town: Town, address: str) -> Letter:
    """The newest letter about the board to an address."""
    found = (each for each in reversed(town.letters) if each.to == address)
    return next(each for each in found if "board=" in str(each.message["X-Perudo"]))


@pytest.mark.parametrize(
    ("language", "client"), EVERY, ids=[f"{client.__name__}-{code}" for code, client in EVERY]
)
def test_a_reply_is_a_move_and_its_words_and_nothing_else(
    home: Path, language: str, client: Client
) -> None:
    """A bid, a call and a chat, each with words below it; the letters show dice and buttons."""
    with town_at(home) as town:
        begin(town, language)
        town.move("ann", "1-2s")
        for address, typed in ((BOB, "2-2s"), (CLEO, "dudo"), (BOB, TALK)):
            letter = turn_letter(town, address)
            made = send(town, letter, client(letter, f"{typed}\n\n{WORDS}"))
            heard = {each.to: words_in(each) for each in made if each.to != address}
            said = [TALK, "", WORDS] if typed == TALK else [WORDS]
            others = {ANN, BOB, CLEO} - {address}
            assert heard == dict.fromkeys(others, said), [each.text for each in made]
