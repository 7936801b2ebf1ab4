"""Whole numbers, as people write them."""

from __future__ import annotations

from pbmserv.text.unicode_forms import with_plain_digits


def whole(text: str, most: int, least: int = 0) -> int | None:
    """The number from `least` to `most` that the digits write; None for any other text."""
    if not (text.isascii() and text.isdigit()):
        return None
    digits = text.lstrip("0") or "0"
    if len(digits) > len(str(most)):  # int() would refuse thousands of digits
        return None
    return number if least <= (number := int(digits)) <= most else None


def whole_of_any_script(text: str, most: int, least: int = 0) -> int | None:
    """The same, where people may write the decimal digits of any script, such as Arabic ones."""
    return whole(with_plain_digits(text), most, least)
