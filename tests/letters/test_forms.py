"""The two forms of a letter, text and HTML: they tell the same, and arrive as they are meant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email import message_from_bytes
from email.message import Message
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.games.perudo.rules import Rules, rules_named, with_options
from pbmserv.letters import render
from pbmserv.letters.document import (
    Answers,
    Commands,
    Cups,
    Definitions,
    Document,
    Headline,
    Links,
    Listing,
    OwnDice,
    Paragraph,
    Printed,
    Said,
    unmarked,
)
from pbmserv.letters.render import WordedLetter
from pbmserv.letters.reply_link import LetterLinks
from pbmserv.letters.shortening import Notes
from pbmserv.mail.composing import compose
from pbmserv.mail.format_flowed import unflowed
from pbmserv.outbox.letter_sizes import formed
from tests.games.games import randoms, rule_sets, seats
from tests.letters import samples
from tests.letters.lines_to_send import wide_lines
from tests.letters.pages import REPLIES, SERVER, page_of, read, token_of
from tests.letters.plays import NAMES
from tests.letters.two_forms import FEW, NOW, letters_of, told

LONG_NAMES = [f"{'longest-name'.ljust(17, 'e')}-{place}" for place in range(1, 7)]
NUMBERS = [
    *("no", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
]
BY_HAND = (  # how to answer: each is in one form alone
    "Reply with your move on the first line, a message to others below it.",
    "You can also reply by hand: your move on the first line, a message to others below it.",
    "A button opens a reply with your move: press Send.",
    "To write to the others, reply with your message.",
    "To leave the game, reply with resign.",
    "Not your challenge? Reply with decline: you leave the game, and it does not count for you.",
    "Don't want to play? Reply with decline: you leave the game, and it does not count for you.",
    "To call calza, reply with calza on the first line.",
    "To answer, reply with accept or reject on the first line.",
    "To take it back, reply with reject on the first line.",
    "To write back, reply with your message.",
    "To play again with the same players, reply with rematch on the first line.",
    "To play again with the same players, rules and times, reply with rematch on the first line.",
    "Other words go to the players.",
    "Reply with one of these on the first line:",
    "For more, reply to this letter with one of these lines:",
    "another bid",
    "Another bid",
    "Accept the game ends as a draw",
    "Reject the game goes on",
    "accept the game ends as a draw",
    "reject the game goes on",
    "Play again",
    "You can check every roll now. For the whole game and its proof, send an email with one of "
    "these Subjects:",
    "You can check every roll now. For the whole game and its proof, reply with one of these "
    "lines:",
    "You can check every roll now.",
)
ONE_FORM = re.compile(  # other words for a fact that the other form tells, too
    r"The bid to beat(?:, by| is)|\bBeat(?: your own)?\b|, or call\."
    r"|the least raises?|for example|'s\b"
    r"|For the rules, (?:reply with the line|send an email with the Subject): help \S+(?: \w+)?|"
    r"perudo (?:record|verify)(?= \d)"
)
FORMS = ("text", "html")
GLUE = {"board", "round", "by"}


# --- both forms


@pytest.mark.slow
@FEW
@given(rules=rule_sets(), players=seats, random=randoms)
def test_text_and_html_tell_the_same(rules: Rules, players: int, random: Random) -> None:
    """Every name, number, bid, die, date and word of one form is in the other one."""
    for kind, facts in letters_of(rules, players, random, list(NAMES)):
        words = told(kind, facts)
        text, page = facts_of_text(words), facts_of_html(words, has_replies=facts["reply"])
        assert text == page, (kind, text ^ page)


@pytest.mark.slow
@FEW
@given(rules=rule_sets(), players=seats, random=randoms)
def test_dice_and_words_of_people_are_in_both_forms_one_by_one(
    rules: Rules, players: int, random: Random
) -> None:
    for kind, facts in letters_of(rules, players, random, list(NAMES)):
        words = told(kind, facts)
        text = " ".join(re.sub(r"[][|]", " ", words.text).split())
        page = read(page_of(words)).text
        for block in words.document.blocks:
            for row in rows_of(block):
                assert row in text
                assert row in page


def rows_of(block: object) -> Iterator[str]:
    """What a block with dice or words says, in the order in which it is read."""
    match block:
        case OwnDice(label=label, dice=dice):
            yield f"{label} {' '.join(str(die.face) for die in dice)}"
        case Cups(cups=cups):
            for cup in cups:
                count = "" if cup.counted is None else f" {cup.counted}"
                yield f"{cup.name} {' '.join(str(die.face) for die in cup.dice)}{count}"
        case Said(by=by, text=text):
            yield f"{by} {' '.join(text.split())}"


def test_the_samples_of_other_letters_tell_the_same_in_both_forms() -> None:
    """Sentences about buttons, or for replies by hand, are in one form alone.

    Even so, their numbers and names are in both forms.
    """
    for kind, facts in samples.EVERY:
        words = render.word(kind, {"zone": "UTC", **facts}, "en")
        text, page = facts_of_text(words), facts_of_html(words, has_replies=True)
        in_text, in_html = (facts_in(" ".join(sentences_of(words, form))) for form in FORMS)
        assert text - in_text <= page, (kind, text - page)
        assert page - in_html <= text, (kind, page - text)
        for said in (in_text - page) | (in_html - text):
            assert said.isalpha(), (kind, said)


def sentences_of(words: WordedLetter, form: str) -> Iterator[str]:
    """The sentences that only one form has, and the titles of buttons and links."""
    for block in (*words.document.blocks, *words.document.foot):
        if isinstance(block, Headline | Paragraph) and block.only == form:
            yield unmarked(block.text if isinstance(block, Paragraph) else block.title)
        if isinstance(block, Commands) and block.only == form:
            yield from block.lines
        if isinstance(block, Definitions) and block.only == form:
            for row in block.rows:
                yield row.term
                yield from (each.text for each in row.body if isinstance(each, Paragraph))
        if form == "html" and isinstance(block, Links):
            yield from (each.title for each in block.links)
        if form == "html" and isinstance(block, Answers):
            yield from (each.title for each in block.others if not each.words)


def facts_of_text(words: WordedLetter) -> set[str]:
    text = " ".join(words.text.replace("\n| ", "\n").split())
    for block in words.document.blocks:
        if isinstance(block, Answers):
            for answer in block.others:
                if answer.meaning:
                    text = text.replace(unmarked(answer.meaning), unmarked(answer.words))
    return facts_in(text)


def facts_of_html(words: WordedLetter, *, has_replies: bool) -> set[str]:
    return facts_in(read(page_of(words, REPLIES if has_replies else "")).told)


def facts_in(text: str) -> set[str]:
    """The words of a form, without those that the other form need not have."""
    for sentence in BY_HAND:
        text = text.replace(sentence, " ")
    text = re.sub(r"\b(\d+)-(\d+)s\b", in_words, ONE_FORM.sub(" ", text))
    found = {word for word in re.findall(r"[^\W_]+", text.casefold()) if set(word) != {"x"}}
    return {str(NUMBERS.index(word)) if word in NUMBERS[1:] else word for word in found - GLUE}


def in_words(bid: re.Match[str]) -> str:
    """`4-2s` as "four 2s"; a bid of one is "one 2"."""
    count = int(bid[1])
    return f"{count} {bid[2]}{'s' if count > 1 else ''}"


# --- sizes


@FEW
@given(rules=rule_sets(), random=randoms, dice=st.sampled_from(["5", "10"]))
def test_a_letter_of_six_players_is_small(rules: Rules, random: Random, dice: str) -> None:
    """An HTML part has 24 KB at most, and a whole letter 40 KB as it is sent."""
    rules = with_options(rules_named(rules.name), {"dice": dice})
    said = "Words & more words. " * 15
    for kind, facts in letters_of(rules, 6, random, LONG_NAMES, said):
        words = told(kind, facts)
        data = sent(words)
        assert len(data) <= 40 * 1024
        page = parts_of(data)[1].as_bytes()
        assert len(page.replace(b"\n", b"\r\n")) <= 24 * 1024, kind
        assert b"quoted-printable" not in page


def parts_of(data: bytes) -> tuple[Message, Message]:
    """The text and the page of an email."""
    _, text, page = message_from_bytes(data).walk()
    return text, page


def text_of(part: Message) -> str:
    content = part.get_payload(decode=True)
    assert isinstance(content, bytes)
    return content.decode().replace("\r\n", "\n")


def sent(words: WordedLetter) -> bytes:
    """The letter as it is sent: a very large page is shortened."""
    links = LetterLinks(SERVER, token_of(REPLIES), "plus", words.subject)
    text, page, _ = formed(
        words, (), links, Notes("The rest is left out.", "The rest is left out.")
    )
    return compose(
        sender_name="Perudo",
        sender=SERVER,
        to=f"{'x' * 40}@example.org",
        subject=words.subject,
        text=text,
        page=page,
        flowed=True,
        message_id="<1.2.3@example.org>",
        date=NOW,
        reply_to=REPLIES,
        in_reply_to="<1.2.3@example.org>",
        references=["<board-12@example.org>"],
    )


# --- flowed text


def test_the_last_cell_of_a_row_goes_on_in_the_next_line() -> None:
    """A player who loses dice in many rounds has a long line in the last letter."""
    rows = (("1. cleo", "2 dice left"), ("2. ann", "lost a die in rounds " + "3, 8, 15, 18, " * 5))
    document = Document("en", "Hello", blocks=[Listing((), rows)])
    first, second, third = WordedLetter(document).text.rstrip("\n").split("\n")
    assert first == "  1. cleo  2 dice left"
    assert second.startswith("  2. ann   lost a die in rounds 3, 8, 15,")
    assert third.startswith("           ") and third[11].isdigit()
    assert len(second) <= 72


@FEW
@given(rules=rule_sets(), players=seats, random=randoms)
def test_flowed_text_joins_to_whole_paragraphs(rules: Rules, players: int, random: Random) -> None:
    for kind, facts in letters_of(rules, players, random, LONG_NAMES):
        words = told(kind, facts)
        lines = text_of(parts_of(sent(words))[0]).split("\n")
        assert wide_lines(words.text, words.document) == []
        stuffed = [line for line in lines if line.startswith(" ")]
        assert all(line.startswith("   ") for line in stuffed)  # rows begin with two blanks
        joined = [line.rstrip() for line in unflowed(lines, deleting_space=False)]
        for block in (*words.document.blocks, *words.document.foot):
            if isinstance(block, Paragraph) and block.only != "html":
                assert unmarked(block.text) in joined


def test_a_line_of_the_text_that_looks_quoted_is_stuffed() -> None:
    """RFC 3676, 4.4: else a mail program would take the blank, or the line for a quotation."""
    rows = Printed("> no quotation\nFrom here\n  a row\n")
    words = WordedLetter(Document("en", "Hello", blocks=[rows]))
    assert text_of(parts_of(sent(words))[0]) == " > no quotation\n From here\n   a row\n"


def test_no_form_of_an_answer_has_control_characters_of_its_command() -> None:
    """Some of them are marks of documents."""
    facts: dict[str, Any] = {"line": "help \x02a\x03 b\x04c\x05", "code": "no_message", "facts": {}}
    words = render.word("refused", {**facts, "board": None}, "en")
    assert "help a bc" in words.text
    for form in (words.text, str(page_of(words))):
        assert not re.search("[\x00-\x08]", form)


def test_the_last_column_of_a_table_lines_up() -> None:
    """A row that goes on below ends where the others end."""
    rows = (("ann", "1", "on time"), ("bob", "2"))
    listing = Listing(("Player", "Games"), rows, frozenset({1}))
    page = str(page_of(WordedLetter(Document("en", "Hello", blocks=[listing]))))
    assert len(re.findall(r'style="padding:6px 0px 6px 0">[12]<', page)) == 2
