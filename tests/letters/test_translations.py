"""What translators write: complete, with the same facts, and nothing left in English."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

import pytest

from pbmserv.commands.manual import payload_of
from pbmserv.games.perudo.rules import RULE_SETS, rules_named
from pbmserv.letters import catalogues, render
from pbmserv.letters.catalogues import DEFAULT_LANGUAGE, languages
from pbmserv.letters.wrapping import columns_of
from pbmserv.text.phrases import by_language
from scripts import catalogues as sources
from tests.letters import samples, test_refusals
from tests.letters.game_letters import HELLO, first_moves, kinds_of
from tests.letters.lines_to_send import wide_lines
from tests.rows import each_row

FILES = sources.catalogues()
TRANSLATED = [language for language in languages() if language != DEFAULT_LANGUAGE]
PLACEHOLDER = re.compile(r"%\((\w+)\)s")
LETTERS = re.compile(r"[^\W\d_]+")
# Commands, options, keys and names of chapters, which are not translated.
TYPED = re.compile(r'\w+=\S+|\w+_\w+|`[^`]*`|"[^"]*"|«[^»]*»|^> .*$', re.MULTILINE)
# Words of messages that some languages write as English does; a single word may always be one.
ALIKE = {"dudo", "calza", "pacao", "palifico", "perudo"}
# Frequent words that are not part of any command, option or key.
ENGLISH = frozenset(
    {"the", "your", "you", "is", "are", "of", "with", "this", "that", "these", "have", "has"}
    | {"was", "were", "they", "their", "for", "from", "by", "on", "please", "reply", "letter"}
)
NOT_ENGLISH_ALONE = {"fr": {"on"}, "es": {"has"}}  # words that a language has as well
# Of a bid of one die: "not even a single one", because the bid would need another case.
WITHOUT_BID = {"нет ни одной", "на столе нет ни одной"}
Forms = tuple[str, ...]


def messages(language: str) -> Iterator[tuple[Forms, Forms]]:
    """Every translated message of a catalogue: its English forms, and its own."""
    for message in sources.read(FILES[language]):
        own = message.string if isinstance(message.string, tuple) else (message.string,)
        if message.id and any(own):
            english = message.id if isinstance(message.id, tuple) else (message.id,)
            yield tuple(map(str, english)), tuple(map(str, own))


def facts_in(text: str) -> set[str]:
    return set(PLACEHOLDER.findall(text))


@pytest.mark.parametrize("language", FILES)
def test_a_translation_tells_the_same_facts_in_each_of_its_forms(language: str) -> None:
    """A form for a single number may leave the number out."""
    single = {number for number, count in numbers_of_forms(language).items() if count == 1}
    for english, own in messages(language):
        named = [facts_in(form) for form in english]
        everything = named[0] | named[-1]
        varying = everything - (named[0] & named[-1]) | {"num", "number"}
        for number, form in enumerate(own):
            may_lack = varying if len(own) > 1 and number in single else set()
            needed = set() if form in WITHOUT_BID else everything - may_lack
            assert needed <= facts_in(form) <= everything, form
            assert not everything or form % dict.fromkeys(everything, "4"), form


def numbers_of_forms(language: str) -> dict[int, int]:
    """For how many numbers from 1 to 200 each plural form is."""
    catalogue = sources.read(FILES[language])
    forms = "".join(f'msgstr[{each}] "{each}"\n' for each in range(catalogue.num_plurals))
    head = sources.written(catalogue).partition("\n\n")[0]
    text = f'{head}\n\nmsgid "a"\nmsgid_plural "b"\n{forms}'
    found = catalogues.read(text.encode(), language)
    counts: dict[int, int] = {}
    for number in range(1, 201):
        form = int(found.ngettext("a", "b", number))
        counts[form] = counts.get(form, 0) + 1
    return counts


@pytest.mark.parametrize("language", FILES)
def test_a_translated_message_has_every_plural_form(language: str) -> None:
    number = sources.read(FILES[language]).num_plurals
    for english, own in messages(language):
        assert len(own) == (number if len(english) > 1 else 1), english
        assert all(form.strip() for form in own), english


@pytest.mark.parametrize("language", FILES)
def test_no_message_is_left_in_english(language: str) -> None:
    english_words = ENGLISH - NOT_ENGLISH_ALONE.get(language, set())
    for english, own in messages(language):
        for form in own:
            bare = PLACEHOLDER.sub("", TYPED.sub("", form))
            words = [word.lower() for word in LETTERS.findall(bare)]
            assert english_words.isdisjoint(words), form
            if form in english and len(words) > 1:
                assert ALIKE.issuperset(words), form


@pytest.mark.parametrize("language", FILES)
def test_a_translation_has_no_blank_at_its_ends_that_the_message_has_not(language: str) -> None:
    for english, own in messages(language):
        for form in own:
            assert (form == form.strip(" \n")) == (english[0] == english[0].strip(" \n")), form


@pytest.mark.parametrize("language", FILES)
def test_no_translation_has_a_straight_quotation_mark(language: str) -> None:
    """French, Russian and Spanish write «…», in French with blanks at which no line ends."""
    opening, closing = ("«\u00a0", "\u00a0»") if language == "fr" else ("«", "»")
    texts = [form for _, own in messages(language) for form in own]
    folder = catalogues.folder(language) / "help"
    texts += [folder.joinpath(name).read_text("utf-8") for name in catalogues.pages(language)]
    for text in texts:
        assert '"' not in text
        assert text.count("«") == text.count(opening) == text.count("»") == text.count(closing)


@pytest.mark.parametrize("language", ["fr", "ru", "es"])
def test_words_that_a_question_asks_about_are_in_quotes(language: str) -> None:
    """They are several words there, as in "¿Querías decir «abandono la partida»?"."""
    asked = [
        each
        for known, own in messages(language)
        if "Did you mean %(nearest)s" in str(known)
        for each in own
    ]
    assert asked
    assert [each for each in asked if not re.search(r"«\s?%\(nearest\)s\s?»", each)] == []


@pytest.mark.parametrize(
    ("language", "torn"),
    [
        ("fr", r"[^\s(] [:;?!»]|« |\b(?:partie|coup|manche)s? %\("),
        ("ru", r"[^\s:] —|\b[Пп]арти[яиюе]й? %\(|\b[Хх]оде? %\(|\b[Рр]аунд[а-я]* %\("),
    ],
)
def test_no_line_ends_before_a_mark_or_a_number(language: str, torn: str) -> None:
    """French marks, Russian dashes and the numbers of boards stay with the word before them."""
    forms = [form for _, own in messages(language) for form in own]
    if language == "fr":
        forms += [line for line in lines_of_pages(language) if not line.lstrip().startswith(">")]
    assert [form for form in forms if re.search(torn, TYPED.sub("", form))] == []


def lines_of_pages(language: str) -> list[str]:
    """The lines of the written pages of help, with lines to send."""
    folder = catalogues.folder(language) / "help"
    texts = [folder.joinpath(name).read_text("utf-8") for name in catalogues.pages(language)]
    return [line for text in texts for line in text.split("\n")]


@each_row("language", languages())
@each_row("kind", ["our_letters", "our_titles"])
def test_our_letters_have_lines_that_begin_with_the_recognised_words(
    kind: str, language: str
) -> None:
    """A page that a mail program repeats without any marks is cut there, in every language."""
    place = 0 if language == DEFAULT_LANGUAGE else 1
    sentences = {
        form.replace("\u00a0", " ").lower()
        for message in messages("fr" if language == DEFAULT_LANGUAGE else language)
        for form in message[place]
    }
    known = by_language("our_letters" if kind == "our_letters" else "our_titles")
    for phrase in known[language]:
        assert any(each.startswith(phrase) for each in sentences), phrase


@each_row("language", languages())
@each_row("opening", ["Your dice:", "Your die:", "For the rules, "])
def test_a_repeated_letter_is_cut_at_the_readers_dice_and_at_its_foot(
    language: str, opening: str
) -> None:
    place = 0 if language == DEFAULT_LANGUAGE else 1
    lines = [
        message[place][0].replace("\u00a0", " ").lower()
        for message in messages("fr" if language == DEFAULT_LANGUAGE else language)
        if message[0][0].startswith(opening) and message[0][0].endswith(":")
    ]
    known = tuple(by_language("our_letters")[language])
    assert lines and all(each.startswith(known) for each in lines), lines


def test_every_language_with_a_catalogue_is_offered() -> None:
    """A language is offered once its catalogue and its help are complete."""
    missing = {DEFAULT_LANGUAGE, *FILES} - set(languages())
    assert not missing, f"{sorted(missing)}: see what is missing with scripts/messages --check"


@pytest.mark.slow
@pytest.mark.parametrize("language", TRANSLATED)
def test_an_offered_language_has_exactly_the_messages_of_the_sources(language: str) -> None:
    assert [*sources.problems(sources.read(FILES[language]), extracted())] == []


@cache
def extracted() -> Any:
    return sources.extracted()


@pytest.mark.parametrize("language", TRANSLATED)
def test_the_pages_of_help_have_no_english_left(language: str) -> None:
    english_words = ENGLISH - NOT_ENGLISH_ALONE.get(language, set())
    assert catalogues.pages(language) == catalogues.pages(DEFAULT_LANGUAGE)
    for name in catalogues.pages(language):
        text = catalogues.folder(language).joinpath("help", name).read_text("utf-8")
        words = {word.lower() for word in LETTERS.findall(TYPED.sub("", text))}
        assert english_words.isdisjoint(words), name


@pytest.mark.parametrize("language", TRANSLATED)
@each_row(("kind", "facts"), samples.EVERY, ids=[kind for kind, _ in samples.EVERY])
def test_every_letter_is_in_the_language(kind: str, facts: dict[str, Any], language: str) -> None:
    assert render.word(kind, facts, language).language == language


@pytest.mark.parametrize("language", TRANSLATED)
@each_row("code", sorted(test_refusals.SAMPLES))
def test_every_refusal_is_in_the_language(code: str, language: str) -> None:
    for facts in test_refusals.SAMPLES[code]:
        assert render.refusal(code, facts, language) != render.refusal(code, facts, "en")


@pytest.mark.parametrize("language", TRANSLATED)
@each_row("name", sorted(catalogues.pages(DEFAULT_LANGUAGE)))
def test_every_page_of_help_is_in_the_language(name: str, language: str) -> None:
    subject = name.removesuffix(".txt").split("-")
    words = render.word("help", payload_of("", subject), language)
    assert words.language == language
    assert all(columns_of(line) <= 72 for line in words.text.split("\n"))


@pytest.mark.slow
@pytest.mark.parametrize("language", TRANSLATED)
@each_row("rules", RULE_SETS)
def test_every_letter_of_a_game_is_in_the_language(rules: str, language: str) -> None:
    names = ["ann", "bob", "cleo"]
    for game in first_moves(rules_named(rules), len(names), Random(1), names):
        for kind in kinds_of(game):
            for reader in (None, 0, 1):
                facts = game.facts(reader, message=HELLO)
                words = render.word(f"perudo/{kind}", facts, language)
                assert words.language == language
                assert wide_lines(words.text, words.document) == []
