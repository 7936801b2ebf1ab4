"""Find the line with which a mail program introduces a quotation: `On DATE, NAME wrote:`.

It may be in many languages and on up to four lines.  It may follow the typed text on the same line.
Every test looks at a bounded stretch of text, so reading takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from pbmserv.text.phrases import one_of, words_of

# The words between a date and the beginning of its sentence: "NAME schrieb am 20.11.2026 …".
_LEADS_TO_DATE = re.compile(
    r"(?:\b(?:am|at|on|dated|de|da|do|of|in|el|le|il|den|op|em|dia|dnia|from|v|la)|[вВ]|от|на)"
    r"\s{1,2}(?:\d{1,2}[:.]\d{2}(?:[:.]\d{2})?\s{1,2}(?:de\s)?)?[(\[]?$|\d{1,2}:\d{2}\s{1,2}$",
    re.IGNORECASE,
)
_INVISIBLE_MARKS = re.compile("[\u200b\u2060\ufeff\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]+")
_STYLES = "*_"  # bold and italic type of an HTML part, as programs write it in the plain part
_MARKS_BEFORE = f"{_STYLES}- "  # of an attribution; they are not typed

LONGEST = 400  # characters of an attribution, names and addresses included
MOST_LINES = 4
_WEEKDAY = re.compile(r"^(?:[^\W\d_]{1,3}\s)?[^\W\d_]{1,12}[.,]{1,2}\s$")  # "пт, ", "В Пт, "

_VERBS = words_of("wrote")
_VERB = re.compile(one_of("wrote"))  # one search: it may run on ten thousand lines
_SPEAKING = re.compile(rf"> (?:{one_of('wrote')})")
_RUNNING_ON = [f"{verb}: " for verb in _VERBS]
_CITES = words_of("cites")
_LONGEST_GREETING = 60
_THE_BAT = words_of("you_wrote")

# An opening word with a date behind it.  Every repetition is bounded.
_OPENING = re.compile(
    rf"(?:{one_of('date_opens')})\s{{1,3}}"
    r"(?:[^\W\d_]{2,12}\.?,?\s{1,2}(?:[^\W\d_]{1,3}\s){0,1}){0,3}\d{1,4}"
)
_NUMERIC_DATE = re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{2,4}")
# As it begins with a digit, a search takes half the time.
_TIME_OR_YEAR = re.compile(r"\d(?:[:.h]\d{2}|(?<=\b2)0\d\d|(?<=2)0\d\d年)")


OUR_NAMES = ("Perudo game server",)
"""How From of our letters names this server, if the settings do not say otherwise."""
_EXTENSION = re.compile(r"\+[\w-]{1,64}@")
_LONGEST_NAMED = 40  # characters behind the name: a verb, a colon
# Tuta: a date and a time, `by` in some language, a name or an address.
_DATE_BY = re.compile(
    r"(?:\d{1,2}\.? [^\W\d_]{3,12}\.?|[^\W\d_]{3,12}\.? \d{1,2})(?: de)?,? \d{4},?"
    rf" \d{{1,2}}[:.]\d{{2}}(?: ?[ap]\.?m\.?)? (?:{one_of('sent_by')}) \S.{{0,150}}[:：]",
    re.IGNORECASE,
)


# "PG> …": The Bat! and Gnus put initials or a name in front of the mark.
_INITIALS = re.compile(r"[^\W\d_][\w.]{0,11}>{1,9}(?:\s|$)")
_INVISIBLE = " \t\xa0\ufeff\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c"

# A move may be typed in front of an attribution, or of a sentence that ends with "Bob wrote:".  A
# word of a move may also be a name: "Dudo, Max <max@example.org> wrote:".
_BID = re.compile(
    r"[\s*_\"'“„«]{0,9}(\d{1,2} ?(?:[-–] ?\d{1,2}s|[x×] ?\d{1,2}s?))(?=[\s.,;:!*_\"'“”»]|$)",
    re.IGNORECASE,
)
_CALL = re.compile(r"[\s*_\"'“„«]{0,9}(dudo|calza|pacao)[*_\"'“”»]?(?=[.,;:!])", re.IGNORECASE)


def is_quoted(line: str) -> bool:
    """True for a line with a quote mark in front."""
    if line[:1] == ">":  # faster than `startswith`
        return True
    if ">" not in line and "＞" not in line:
        return False
    text = line.lstrip() if line.isascii() else line.lstrip().lstrip(_INVISIBLE)
    if text[:1] in {">", "＞"}:
        return True
    return text[:1].isupper() and _INITIALS.match(text) is not None


def next_is_quoted(lines: Sequence[str], position: int) -> bool:
    """Whether the next non-empty line from `position` on is quoted."""
    while position < len(lines) and not lines[position].strip():
        position += 1
    return position < len(lines) and is_quoted(lines[position])


def attribution(
    lines: Sequence[str], start: int, names: Sequence[str] = OUR_NAMES
) -> tuple[str, int] | None:
    """The text typed before an attribution that begins in line `start`, and its number of lines.

    None if there is no attribution.  The typed text is "" unless it is on the same line.  A move
    that a line begins with is always typed.  `names` are the name and the address in From of our
    letters.
    """
    if (found := _attribution(lines, start, names)) and not found[0]:
        return _move(lines[start]), found[1]
    return found


def _move(line: str) -> str:
    """The move that a line begins with, or ""."""
    found = _BID.match(line) or (_CALL.match(line) if "@" not in line else None)
    return found[1] if found else ""


def tells_when(lines: Sequence[str], names: Sequence[str] = OUR_NAMES) -> bool:
    """Whether the lines of an attribution have an address or a time, or name this server."""
    text = " ".join(lines)[: MOST_LINES * LONGEST]
    return _tells_when(text) or any(name.lower() in text.lower() for name in names)


def _attribution(lines: Sequence[str], start: int, names: Sequence[str]) -> tuple[str, int] | None:
    first = _plain(lines[start])
    tail = first[-LONGEST:]
    if _is_ours(tail, names):
        return "", 1
    if _ends(tail):
        begins = _beginning(tail)
        if begins is not None:
            return _typed(first, tail, begins), 1
    if _between_dashes(tail, lines[start + 1 : start + 2]):
        return "", 2
    if _stands_alone(tail) or _runs_on(first[:LONGEST]):
        return "", 1
    if _says_when_or_who(tail) and _is_next_quoted_closely(lines, start + 1):
        return "", 1
    if _greets(lines, start, first):
        return "", 3
    return _on_several_lines(lines, start, first, tail)


def _greets(lines: Sequence[str], start: int, first: str) -> bool:
    """Whether The Bat! greets here, above its attribution: `Friday, …, you wrote:`."""
    if not first.endswith(",") or len(first) > _LONGEST_GREETING or start + 2 >= len(lines):
        return False
    third = _plain(lines[start + 2])[-LONGEST:]
    is_empty = not lines[start + 1].strip()
    return is_empty and third.lower().endswith(_THE_BAT) and _tells_when(third)


def _is_next_quoted_closely(lines: Sequence[str], position: int) -> bool:
    """Whether a quotation begins here, or below one empty line."""
    return any(is_quoted(line) for line in lines[position : position + 1]) or (
        next_is_quoted(lines[position : position + 2], 0)
    )


def _on_several_lines(
    lines: Sequence[str], start: int, first: str, tail: str
) -> tuple[str, int] | None:
    opening = _last_opening(tail)
    is_named = _name_stands_alone(tail)
    if opening is None and not is_named and not _TIME_OR_YEAR.search(tail):
        return None
    joined = tail
    for further in range(1, MOST_LINES):
        if start + further >= len(lines):
            return None
        line = _plain(lines[start + further]).strip()
        if not line or line.startswith(">") or len(joined) + len(line) > LONGEST:
            return None
        joined = f"{joined} {line}"
        # A date alone begins many a sentence: AOL's next line has the address.
        if opening is None and not is_named and "@" not in line:
            return None
        is_told = further == 1 or "@" in joined or _says_who_last(joined)
        if is_told and _ends(joined) and _tells_when(joined) and _beginning(joined) is not None:
            return _typed(first, tail, opening or 0), further + 1
        if opening is None:
            return None
    return None


def _says_who_last(text: str) -> bool:
    """Whether a text ends with a verb such as `wrote:`; three lines of prose seldom do."""
    return text.lower().rstrip(":： ").endswith(_VERBS)


def _tells_when(text: str) -> bool:
    """Whether a text tells more than a day, unlike "On 5 we agree" with "He wrote" below it."""
    return "@" in text or bool(_TIME_OR_YEAR.search(text) or _NUMERIC_DATE.search(text))


def _plain(line: str) -> str:
    """The line without invisible marks, and without the end of bold type behind a colon."""
    line = line.rstrip()
    line = line if line.isascii() else _INVISIBLE_MARKS.sub("", line).rstrip()
    return line.rstrip(_STYLES) if line[-3:].rstrip(_STYLES).endswith(":") else line


def _is_ours(text: str, names: Sequence[str]) -> bool:
    """Forms that Tuta, nmh and web.de write, for letters of this server.

    `DATE by ADDRESS:`, `NAME writes:` and, without a colon, `Am DATE schrieb NAME`.
    """
    if _ends(text) and _DATE_BY.fullmatch(text.strip()):
        return True
    lowered = _EXTENSION.sub("@", text.lower()).strip(" *_")
    for name, spellings in _spellings(tuple(names)):
        if lowered.startswith(spellings) and _ends(lowered):
            is_short = len(lowered) < len(name) + _LONGEST_NAMED
            if is_short and lowered.rstrip(":： ").endswith(_VERBS):
                return True
        if lowered.endswith(spellings) and _OPENING.match(text.lstrip(" *_")):
            return _tells_when(text) and bool(_VERB.search(lowered))
    return False


@lru_cache(maxsize=16)  # of the names of one server
def _spellings(names: tuple[str, ...]) -> Sequence[tuple[str, tuple[str, ...]]]:
    """Each name in lower case, with what a line may have in its place."""
    lowered = map(str.lower, names)
    return [(name, (name, f'"{name}"', f"'{name}'", f"<{name}>")) for name in lowered]


def _between_dashes(text: str, following: Sequence[str]) -> bool:
    """Whether an attribution between dashes is wrapped: `---- On DATE`, `NAME wrote ----`."""
    first = text.strip()
    if not following or first[:2] != "--" or first.endswith("--"):
        return False
    below = _plain(following[0])[-LONGEST:].strip()
    if not below.endswith("--"):
        return False
    return bool(_TIME_OR_YEAR.search(first)) and _stands_alone(f"{first} {below}")


def _stands_alone(text: str) -> bool:
    """Forms without a colon at the end: between dashes, `Quoting NAME (DATE)`, `…寫道：NAME`."""
    lowered = text.lower().strip()
    if lowered.startswith(_CITES):
        return lowered.endswith(":") or bool(_TIME_OR_YEAR.search(lowered))
    if lowered.startswith("--") and lowered.endswith("--"):
        return lowered.strip("- :").endswith(_VERBS) and bool(lowered.strip("- "))
    found = _NUMERIC_DATE.search(lowered)
    return bool(found) and "寫道：" in lowered[found.end() if found else 0 :]


def _says_when_or_who(text: str) -> bool:
    """Whether a line above a quotation introduces it, in any language."""
    lowered = text.lower()
    dated = bool(_NUMERIC_DATE.search(text) or _TIME_OR_YEAR.search(text))
    if _ends(text):
        return dated or "@" in text or _says_who_last(text)
    return dated and bool(_OPENING.match(text)) and bool(_VERB.search(lowered))


def _runs_on(text: str) -> bool:
    """Whether the quotation is on the same line, as Yahoo's mail program for phones writes it."""
    if not (": " in text and _is_addressed(text) and _OPENING.match(text.lstrip())):
        return False
    lowered = text.lower()
    ends = max(map(lowered.find, _RUNNING_ON))
    return ends > 0 and _is_addressed(text[:ends])


def _typed(line: str, tail: str, begins: int) -> str:
    typed = line[: len(line) - len(tail) + begins].rstrip()
    return typed if typed[-LONGEST:].strip(_MARKS_BEFORE) else ""


def _ends(text: str) -> bool:
    return text.endswith((":", "：", "︰"))


def _name_stands_alone(text: str) -> bool:
    """`NAME <address>`, perhaps with a date, or only `NAME <`: the rest is on the next line."""
    if text.endswith("<"):
        return True
    lowered = text.lower()
    return _is_addressed(text) and (
        text.endswith(">") or bool(_TIME_OR_YEAR.search(text)) or bool(_SPEAKING.search(lowered))
    )


def _is_addressed(text: str) -> bool:
    return "@" in text and "<" in text


def _last_opening(text: str) -> int | None:
    begins = None
    for found in _OPENING.finditer(text):
        begins = found.start()
    return begins


def _begins_earlier(text: str, date: int) -> bool:
    """Whether the words before a date belong to it: `NAME schrieb am`, `In a message dated`."""
    return _LEADS_TO_DATE.search(text[max(0, date - 30) : date]) is not None


def _beginning(text: str) -> int | None:
    """The place in `text` (which ends in a colon) where the attribution begins, or None."""
    speaks = _VERB.search(text.lower().replace("\xa0", " ")) is not None
    if not speaks and "@" not in text:
        return None
    opening = _last_opening(text)
    addressed = _is_addressed(text)
    dated = opening is not None and _TIME_OR_YEAR.search(text, opening) is not None
    if opening is not None and (speaks or (dated and "@" in text)):
        before = text[:opening].strip(_MARKS_BEFORE)
        whole = before.endswith(">") or not before or _begins_earlier(text, opening)
        return 0 if whole else opening
    date = _NUMERIC_DATE.search(text)
    if speaks and date and not addressed:
        before = text[: date.start()].strip()
        short = not before or _WEEKDAY.search(text[: date.start()]) is not None
        short = short or _begins_earlier(text, date.start())
        return 0 if short else date.start()
    if speaks and (addressed or _TIME_OR_YEAR.search(text)):
        return 0
    if addressed and _TIME_OR_YEAR.search(text):
        return 0
    return None
