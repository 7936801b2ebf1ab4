"""Convert HTML to lines of plain text, for email without another text.

This is a reader of our own, because the standard library's takes quadratic time on hostile pages.
It only moves forward, and does not repeat a search that failed once.  Quotations are returned as `>
…`.  The frames around the answered email in Outlook and Yahoo become a dividing line that
`reply_text` recognises.
"""

from __future__ import annotations

import re

from pbmserv.mail.hidden_text import Style, decoded, sheet_of

DIVIDER = "-----Original Message-----"
DEEPEST_QUOTE = 20

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9:]{0,20})|<!--|<[!?]")
_TAG_END = re.compile(r"[>\"']")
_BLANKS = re.compile(r"[ \t\n\f]+")
_QUOTE_FRAME = re.compile(
    r"yahoo_quoted|divRplyFwdMsg|OLK_SRC_BODY_SECTION|name=[\"']?quote[\"' >]|"
    r"appendonsend|zmail_extra|(?:mail-editor|ms-outlook-mobile)-reference-message|OutlookMessageHeader|stopSpelling|zwchr",
    re.ASCII,
)
_SIGNATURE_FRAME = re.compile(
    r"(?:class|id)=[\"']?(?:gmail_signature\b|moz-signature|Signature[\"' >]|"
    r"ms-outlook-mobile-signature|AppleMailSignature|ymail_android_signature)|data-signatureblock|data-smartmail",
    re.ASCII,
)
_VOID = frozenset((
    "img", "br", "hr", "input", "meta", "link", "col", "area", "base", "embed", "source", "wbr",
))  # fmt: skip
_CLOSED_BY_THE_NEXT = frozenset({"p", "li", "td", "th", "tr", "dt", "dd", "option"})
_UNSEEN = frozenset((
    "head", "style", "script", "title", "template", "noscript", "svg", "iframe", "object",
    "select", "textarea", "noframes", "math", "dialog", "datalist", "canvas", "audio", "video",
))  # fmt: skip
_CLOSING = {name: re.compile("</" + name, re.IGNORECASE | re.ASCII) for name in _UNSEEN}
_BLOCKS = frozenset((
    "p", "div", "br", "hr", "li", "ul", "ol", "dl", "dt", "dd", "tr", "table", "h1", "h2", "h3",
    "h4", "h5", "h6", "pre", "blockquote", "center", "address", "article", "section", "header",
    "footer", "form", "body", "html",
))  # fmt: skip
_SPACED = frozenset({"p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "pre", "blockquote"})


def plain_text(page: str) -> list[str]:
    """The lines that a reader of that page sees; `> ` marks each level of quotation."""
    return _Page(page).lines()


class _Page:
    """One page that is read from its beginning to its end."""

    def __init__(self, page: str) -> None:
        self.page = page
        self.out: list[str] = []
        self.line: list[str] = []
        self.inked = False  # the line holds more than blanks
        self.quoted = 0
        self.kept_blanks = 0  # depth of <pre>
        self.hidden = ""  # the element that hides the current text, and how often it is nested
        self.hidden_depth = 0
        self.sheet = sheet_of(page)
        self.grounds: dict[str, int] = {}  # elements with a background, and how often nested
        self.kept: dict[str, int] = {}  # elements that keep the ends of lines, in the same way
        self.gone: set[str] = set()  # searches that failed once and would fail again

    def lines(self) -> list[str]:
        position = 0
        page = self.page
        while tag := _TAG.search(page, position):
            self._text(page[position : tag.start()])
            position = self._after(tag)
        self._text(page[position:])
        self._end_line()
        while self.out and not self.out[-1].strip("> "):
            self.out.pop()
        return self.out

    def _after(self, tag: re.Match[str]) -> int:
        """Process the tag; returns the position at which reading continues."""
        page = self.page
        if tag[0] == "<!--":
            end = page.find("-->", tag.end())
            return end + 3 if end >= 0 else len(page)
        end = self._tag_end(tag.end())
        if tag[2] is None:
            return end
        name = tag[2].lower()
        if self._is_hidden(name, bool(tag[1]), page[tag.end() : end]):
            return end
        if name in _UNSEEN and not tag[1]:
            return self._closing(name, end)
        if name in _BLOCKS:
            self._block(name, bool(tag[1]), page[tag.end() : end])
        elif name == "td" and tag[1]:
            self.line.append(" ")
        return end

    def _is_hidden(self, name: str, closes: bool, attributes: str) -> bool:
        """Whether this tag begins or ends hidden text, or is in it."""
        if self.hidden_depth:
            if name != self.hidden:
                return True
            if closes or name not in _CLOSED_BY_THE_NEXT:
                self.hidden_depth += -1 if closes else 1
                return True
            self.hidden_depth = 0
        if name in _VOID:
            return False
        if closes:
            self._nest(name, None)
            return False
        style = self.sheet.style(name, attributes)
        if style.hidden or (style.white and not (self.grounds or self.sheet.background)):
            self.hidden, self.hidden_depth = name, 1
            return True
        self._nest(name, style)
        return False

    def _nest(self, name: str, begins: Style | None) -> None:
        """Count that an element begins with a style, or (None) that one with this name ends."""
        for nested, is_one in (
            (self.grounds, begins and begins.background),
            (self.kept, begins and begins.keeps_lines),
        ):
            if is_one or name in nested:
                depth = nested.pop(name, 0) + (1 if begins else -1)
                if depth > 0:
                    nested[name] = depth

    def _tag_end(self, position: int) -> int:
        """The position behind the `>` that ends a tag; one inside quotation marks does not."""
        while found := _TAG_END.search(self.page, position):
            position = found.end()
            if found[0] == ">":
                return position
            if found[0] not in self.gone:
                end = self.page.find(found[0], position)
                if end >= 0:
                    position = end + 1
                else:
                    self.gone.add(found[0])
        return len(self.page)

    def _closing(self, name: str, position: int) -> int:
        """The position of `</name`; if there is none, the text that follows is shown."""
        if name in self.gone:
            return position
        found = _CLOSING[name].search(self.page, position)
        if found:
            return found.start()
        self.gone.add(name)
        return position

    def _block(self, name: str, closes: bool, attributes: str) -> None:
        if name == "br" or self.inked:
            self._end_line()
        else:
            self.line.clear()
        if name in _SPACED and self.out and self.out[-1].strip("> "):
            self.out.append(self._marks().rstrip())
        if name == "blockquote":
            self.quoted = max(0, self.quoted - 1) if closes else self.quoted + 1
        elif name == "pre":
            self.kept_blanks = max(0, self.kept_blanks - 1) if closes else self.kept_blanks + 1
        elif not closes and not self.quoted and attributes:
            if _QUOTE_FRAME.search(attributes):
                self.out.append(DIVIDER)
            elif _SIGNATURE_FRAME.search(attributes):
                self.out.append("-- ")

    def _text(self, text: str) -> None:
        if not text or self.hidden_depth:
            return
        text = decoded(text)
        self.inked = self.inked or not text.isspace()
        if self.kept_blanks or self.kept:
            first, *others = text.split("\n")
            self.line.append(first)
            for other in others:
                self._end_line()
                self.line.append(other)
                self.inked = bool(other.strip())
        else:
            self.line.append(_BLANKS.sub(" ", text))

    def _marks(self) -> str:
        return "> " * min(self.quoted, DEEPEST_QUOTE)

    def _end_line(self) -> None:
        text = "".join(self.line)
        if not self.kept_blanks:
            text = _BLANKS.sub(" ", text).strip(" ")
        self.line.clear()
        self.inked = False
        self.out.append(self._marks() + text)
