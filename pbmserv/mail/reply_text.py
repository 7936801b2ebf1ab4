"""Extract what a person typed in a reply: the lines above, between and below quotations.

It removes quotations and the lines that introduce them (`attribution`).  It removes the email that
Outlook repeats below a dividing line (`unmarked_quotes`).  It also removes signatures, disclaimers
and the advertisements of phones.  The words of each language are in `text/phrases/`.  It passes
over the lines once, with bounded lookahead.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pbmserv.mail.attribution import OUR_NAMES, attribution, is_quoted, next_is_quoted, tells_when
from pbmserv.mail.pgp import unarmored
from pbmserv.mail.unmarked_quotes import opens_unmarked, repeated_mail
from pbmserv.text.phrases import one_of, words_of

MOST_LINES = 5_000  # an email of 256 KB in lines of 72 columns has 3,600

_SIGNATURE = ("--", "—", "––")  # RFC 3676, 4.3: "-- ", which programs change
_SENT_FROM = words_of("sent_from")
_SENT_FROM_ENDS = words_of("sent_from_ends")
_DEVICE = re.compile(one_of("devices"))
_SENT = re.compile(one_of("sent"))
_MOST_WORDS = 8  # of a line that names a device and says "sent", wherever it says so
# Characters without width, which mail programs put around their own lines and into empty ones.
_UNSEEN = "\u00ad\u180e\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\ufeff"
_AROUND = f"{_UNSEEN}*_-[ \xa0\u200e\u200f\u061c\u202a\u202b\u202c\u2066\u2067\u2068\u2069"
_LONGEST_SENT_FROM = 160  # characters; such a line often contains a link
_DISCLAIMER_HEADINGS = words_of("disclaimers")
_DISCLAIMER_OPENINGS = words_of("disclaimer_openings")
_SECRECY = words_of("secrecy")
_DISCLAIMER_LINES = 8  # within which a disclaimer states its purpose
_BOLD = re.compile(r"(?<![\w*])\*([^\s*](?:[^*]*[^\s*])?)\*(?![\w*])")

# Programs that wrap quoted text at 72 to 80 columns leave the rest of a line unmarked.
_NARROWEST_WRAP = 71
_LONGEST_REST = 40


def typed_and_below(
    lines: Sequence[str], names: Sequence[str] = OUR_NAMES
) -> tuple[tuple[str, ...], str]:
    """The lines a person wrote, and the text below the mark of a signature.

    The lines have no blank ones at the ends, nor two of them in a row.  The text below ends at
    another mark, at a quotation, and at what is hardly a person's words.  Lines beyond MOST_LINES
    are not read.  `names` are the name and the address in From of our letters.
    """
    reply = _Reply(unarmored(lines[:MOST_LINES]), names)
    return reply.typed(), "\n".join(reply.below)


class _Reply:
    """One reply that is read from its first line to its last."""

    def __init__(self, lines: Sequence[str], names: Sequence[str]) -> None:
        self.lines = [each if each.isascii() else each.strip(_UNSEEN) for each in lines]
        self.names = tuple(filter(None, names))
        self.kept: list[str] = []
        self.below: list[str] = []
        self.noting = False  # the lines of `below`
        self.signing = False  # below the line of a signature, until a quotation
        self.last_quoted = len(lines) - 1
        while self.last_quoted >= 0 and not is_quoted(lines[self.last_quoted]):
            self.last_quoted -= 1

    def typed(self) -> tuple[str, ...]:
        """The typed lines."""
        position = 0
        while position < len(self.lines):
            position = self._after(position)
        while self.kept and not self.kept[-1]:
            self.kept.pop()
        return tuple(self.kept)

    def _after(self, position: int) -> int:
        """Keep what was typed in this line; returns the position at which reading continues."""
        line = self.lines[position]
        if is_quoted(line):
            return self._below_quotation(position)
        if position and self._is_rest_of_quote(position):
            return position + 1
        if not line.strip():
            self._break()
            return position + 1
        if found := attribution(self.lines, position, self.names):
            before, count = found
            self._keep(before)
            self._quotation()
            introduction = self.lines[position : position + count]
            certain = not before and tells_when(introduction, self.names)
            return self._below_introduction(position + count, certain)
        if count := repeated_mail(self.lines, position):
            self._quotation()
            position += count
            return position if next_is_quoted(self.lines, position) else len(self.lines)
        if line.rstrip() in _SIGNATURE:
            self.noting, self.signing = not (self.signing or self.below), True
            return position + 1
        if self._is_disclaimer(position):
            self.noting, self.signing = False, True
        if _is_advertisement(line):
            self.noting = False
        else:
            self._keep(line)
        return position + 1

    def _below_quotation(self, position: int) -> int:
        """The position below the quoted lines that begin here."""
        self._quotation()
        lines, end = self.lines, len(self.lines)
        while (below := position + 1) < end and is_quoted(lines[below]):
            position = below
        ends_here = opens_unmarked(lines[position]) and not next_is_quoted(lines, below)
        return end if ends_here else below

    def _below_introduction(self, position: int, certain: bool) -> int:
        """The position below an introduction, and below its quotation if that has no marks.

        A person who typed above a `certain` introduction did not type between it and a quotation.
        The marks further down are of what the quoted email quoted.
        """
        if self.last_quoted < position:
            return self._below_indented(position)
        if certain and any(self.kept) and not next_is_quoted(self.lines, position):
            return self._below_indented(position)
        return position

    def _below_indented(self, position: int) -> int:
        """The position below a quotation indented by tabs (POSIX mailx).

        Without indentation the quotation extends to the end of the email.
        """
        end = position
        while end < len(self.lines) and (not (line := self.lines[end]).strip() or line[0] == "\t"):
            end += 1
        is_indented = any(line.strip() for line in self.lines[position:end])
        return end if is_indented else len(self.lines)

    def _quotation(self) -> None:
        self.signing = self.noting = False
        self._break()

    def _break(self) -> None:
        if self.kept and self.kept[-1]:
            self.kept.append("")

    def _keep(self, line: str) -> None:
        text = _plain(line)
        if text and not self.signing:
            self.kept.append(text)
        elif text and self.noting:
            self.below.append(text)

    def _is_rest_of_quote(self, position: int) -> bool:
        """True for a piece that was wrapped off the quoted line above."""
        above, line = self.lines[position - 1].rstrip(), self.lines[position]
        if not is_quoted(above) or len(above) + 1 + len(line.partition(" ")[0]) < _NARROWEST_WRAP:
            return False
        begins_a_sentence = line[:1].isupper() or line[:1].isspace() or not line
        return not (begins_a_sentence or above.endswith((".", "!", "?", ":", ";"))) and (
            len(line) <= _LONGEST_REST or " " not in line.strip()
        )

    def _is_disclaimer(self, position: int) -> bool:
        line = self.lines[position].strip().strip("*_ ").lower()
        if line.startswith(_DISCLAIMER_HEADINGS):
            return True
        if not line.startswith(_DISCLAIMER_OPENINGS):
            return False
        paragraph = " ".join(self.lines[position : position + _DISCLAIMER_LINES])[:1000].lower()
        return any(word in paragraph for word in _SECRECY)


def _is_advertisement(line: str) -> bool:
    """True for `Sent from my telephone`, in many languages."""
    text = line.strip()
    if len(text) > _LONGEST_SENT_FROM:
        return False
    text = text.strip(_AROUND).lower()
    if text.startswith(_SENT_FROM) or text.endswith(_SENT_FROM_ENDS):
        return True
    return text.count(" ") < _MOST_WORDS and bool(_DEVICE.search(text) and _SENT.search(text))


def _plain(line: str) -> str:
    """The line without trailing blanks and the asterisks of bold type."""
    line = line.rstrip()
    return _BOLD.sub(r"\1", line) if "*" in line else line
