"""Text that a person wrote, in plain signs."""

from __future__ import annotations

from pbmserv.text.normalize import plain


def test_the_signs_of_ascii_become_plain_beside_any_others() -> None:
    for sign in map(chr, range(128)):
        assert plain(sign) == plain(f"{sign}é").removesuffix("é")
    assert plain("don`t\tgo") == "don't go"
