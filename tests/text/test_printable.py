"""Text of others is made safe for a terminal, a log and a letter."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pbmserv.text.printable import printable
from tests.rows import each_row


@each_row(
    ("said", "shown"),
    [
        ("250 2.0.0 Ok: queued as 4Xw", "250 2.0.0 Ok: queued as 4Xw"),
        ("two\r\n lines\tand  blanks ", "two lines and blanks"),
        ("\x1b[2J\x1b]0;x\x07", "?[2J?]0;x?"),
        ("\u202egnorw\u2066", "?gnorw?"),
        ("a\u2028b\x85c", "a b c"),
        (b"M\xc3\xbcller \xff", "Müller \ufffd"),
        ("\udcff", "?"),
        ("", ""),
    ],
)
def test_invisible_characters_become_a_question_mark(said: str | bytes, shown: str) -> None:
    assert printable(said) == shown


@given(st.text() | st.binary())
def test_any_text_is_shown_on_one_line(said: str | bytes) -> None:
    shown = printable(said, 20)
    assert shown.isprintable() or shown == ""
    assert len(shown) <= 20
