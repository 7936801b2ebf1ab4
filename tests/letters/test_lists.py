"""Lists, numbers and our own notes in each language."""

from __future__ import annotations

import pytest

from pbmserv.letters.document import Said
from pbmserv.letters.document_writer import DocumentWriter
from pbmserv.letters.forms import text as text_form
from pbmserv.letters.lists import decimal, listed, listed_or, thousands
from pbmserv.letters.wrapping import LEFT_OUT
from tests.rows import each_row


@pytest.mark.parametrize(
    ("language", "all_of_them", "one_of_them", "number"),
    [
        ("en", "ann, bob and cleo", "ann, bob or cleo", "+1.3"),
        ("fr", "ann, bob et cleo", "ann, bob ou cleo", "+1,3"),
        ("ru", "ann, bob и cleo", "ann, bob или cleo", "+1,3"),
        ("es", "ann, bob y cleo", "ann, bob o cleo", "+1,3"),
    ],
)
def test_a_list_and_a_number(
    language: str, all_of_them: str, one_of_them: str, number: str
) -> None:
    names = ["ann", "bob", "cleo"]
    assert listed(names, language) == all_of_them
    assert listed_or(iter(names), language) == one_of_them
    assert listed(names[:1], language) == "ann"
    assert listed([], language) == ""
    assert decimal("+1.3", language) == number
    assert decimal(12, language) == "12"


@each_row(
    ("names", "all_of_them", "one_of_them"),
    [
        (["ann", "Ines"], "ann e Ines", "ann o Ines"),
        (["ann", "hilda"], "ann e hilda", "ann o hilda"),
        (["ann", "hiawatha"], "ann y hiawatha", "ann o hiawatha"),
        (["ines", "ann"], "ines y ann", "ines o ann"),
        (["ann", "bob", "olga"], "ann, bob y olga", "ann, bob u olga"),
        (["7-3s", "8-2s"], "7-3s y 8-2s", "7-3s u 8-2s"),
        (["10", "11"], "10 y 11", "10 u 11"),
        (["10", "110"], "10 y 110", "10 o 110"),
        (["ines"], "ines", "ines"),
        ([], "", ""),
    ],
)
def test_spanish_and_and_or_change_before_their_own_sound(
    names: list[str], all_of_them: str, one_of_them: str
) -> None:
    assert listed(names, "es") == all_of_them
    assert listed_or(names, "es") == one_of_them


@pytest.mark.parametrize(
    ("language", "note"),
    [
        ("en", "(quoted lines were left out)"),
        ("fr", "(des lignes citées ont été omises)"),
        ("ru", "(процитированные строки опущены)"),
        ("es", "(se omitieron las líneas citadas)"),
    ],
)
def test_our_note_below_words_of_a_player_is_in_the_letters_language(
    language: str, note: str
) -> None:
    writer = DocumentWriter(language)
    writer.said("bob", f"Hello\n{LEFT_OUT}")
    writer.said("bob", "Hello")
    assert writer.document.blocks == [Said("bob", "Hello", note), Said("bob", "Hello")]
    assert text_form.written(writer.document) == f"bob\n| Hello\n{note}\n\nbob\n| Hello\n"


@pytest.mark.parametrize(
    ("language", "number"),
    [("en", "10,000"), ("fr", "10\u202f000"), ("ru", "10\u00a0000"), ("es", "10.000")],
)
def test_thousands_are_parted(language: str, number: str) -> None:
    assert thousands(10_000, language) == number
    assert thousands(999, language) == "999"
