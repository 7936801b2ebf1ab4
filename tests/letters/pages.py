"""Read the HTML form of a letter as a mail program shows it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import parse_qs, urlsplit

from pbmserv.letters.forms.shared_blocks import Pieces
from pbmserv.letters.render import WordedLetter
from pbmserv.letters.reply_link import LetterLinks

SERVER, REPLIES = "perudo@example.org", "perudo+token@example.org"
_VOID = {"br", "wbr", "meta", "hr", "img", "input", "link"}
_BLOCKS = {"br", "div", "h1", "h2", "li", "p", "table", "td", "th", "tr"}
Attributes = dict[str, str]


def page_of(words: WordedLetter, reply_to: str = REPLIES) -> str:
    """The HTML form of a letter; without `reply_to` a reply to it is not understood."""
    links = LetterLinks(SERVER, token_of(reply_to), "plus", words.subject)
    return "".join(Pieces(words.document).page(links))


def token_of(address: str) -> str:
    """The token in an address that takes replies, or ""."""
    return address.partition("+")[2].partition("@")[0]


@dataclass
class Anchor:
    """A link: its styles, its text, and the reply or email that it opens."""

    href: str
    style: dict[str, str]
    text: str = ""
    lines: list[int] = field(default_factory=list)  # heights in pixels

    @property
    def height(self) -> int:
        """The pixels that a finger can hit, by the styles; 0 for a link in a line of text."""
        if self.style.get("display") != "block":
            return 0
        if not self.lines:
            return pixels(self.style["line-height"])
        return 2 * pixels(self.style["padding"]) + sum(self.lines)

    @property
    def to(self) -> str:
        """The address of the email."""
        return urlsplit(self.href).path.replace("%2B", "+")

    @property
    def subject(self) -> str:
        """The Subject of the email."""
        return self._of("subject")

    @property
    def body(self) -> str:
        """The text of the email, without the line of a signature."""
        return self._of("body").partition("\r\n-- \r\n")[0].rstrip()

    def _of(self, name: str) -> str:
        found = parse_qs(urlsplit(self.href).query, keep_blank_values=True)
        return found.get(name, [""])[0]


@dataclass
class Page(HTMLParser):
    """A page that was read: its visible text, its hidden preview, and its elements."""

    text: str = ""
    preview: str = ""
    anchors: list[Anchor] = field(default_factory=list)
    elements: list[tuple[str, Attributes]] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)
    said: str = ""  # the words of people
    told: str = ""  # the visible text without labels of links; buttons are not links

    def __post_init__(self) -> None:
        super().__init__()
        self._open: list[str] = []
        self._marks: list[frozenset[str]] = [frozenset()]  # of each element, with those around it
        self._heights: list[str] = [""]  # of a line, which an element has from those around it

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.elements.append((tag, attributes))
        if tag in _BLOCKS:
            self.text += " "
            self.told += " "
        if "a" in self._marks[-1] and tag in {"b", "br"}:
            own = styles(attributes) if tag == "b" else self.anchors[-1].style
            self.anchors[-1].lines.append(pixels(own["line-height"]))
        if tag in _VOID:
            return
        self._open.append(tag)
        self._marks.append(self._marks[-1].union(_marks(tag, attributes)))
        self._heights.append(styles(attributes).get("line-height") or self._heights[-1])
        if tag == "a":
            height = {"line-height": self._heights[-1]} if self._heights[-1] else {}
            self.anchors.append(Anchor(attributes["href"], height | styles(attributes)))
        if tag in {"h1", "h2"}:
            self.headings.append("")

    def handle_endtag(self, tag: str) -> None:
        opened = self._open.pop()
        self._marks.pop()
        self._heights.pop()
        assert opened == tag, f"<{opened}> ends with </{tag}>"
        if tag in _BLOCKS:
            self.text += " "
            self.told += " "

    def handle_data(self, data: str) -> None:
        marks = self._marks[-1]
        if "head" in marks:
            return
        if "preview" in marks:
            self.preview += data
        elif "aria-hidden" not in marks:
            self.text += data
            if "label" not in marks:
                self.told += data
            if "a" in marks:
                self.anchors[-1].text += data
            if "said" in marks:
                self.said += data
            if "heading" in marks:
                self.headings[-1] += data

    def close(self) -> None:
        super().close()
        assert not self._open


def _marks(tag: str, attributes: Attributes) -> Iterator[str]:
    """What an element makes of the text in it."""
    if tag in {"a", "head"}:
        yield tag
    if tag in {"h1", "h2"}:
        yield "heading"
    if tag == "a" and attributes.get("class") == "l":
        yield "label"
    if "display:none" in attributes.get("style", ""):
        yield "preview"
    if "aria-hidden" in attributes:
        yield "aria-hidden"
    if attributes.get("dir") == "auto":
        yield "said"


def pixels(value: str) -> int:
    """The first length of a property."""
    return int(value.split(maxsplit=1)[0].removesuffix("px"))


def styles(attributes: Attributes) -> dict[str, str]:
    """The properties of a style attribute."""
    pairs = (each.partition(":") for each in attributes.get("style", "").split(";") if each)
    return {name.strip(): value.strip() for name, _, value in pairs}


def read(page: str) -> Page:
    """The page as a mail program shows it, with its text on one line; every element ends."""
    found = Page()
    found.feed(page)
    found.close()
    found.text = " ".join(found.text.split())
    found.said = " ".join(found.said.split())
    found.told = " ".join(found.told.split())
    found.preview = " ".join(found.preview.replace("\u034f", "").replace("\u200c", "").split())
    return found
