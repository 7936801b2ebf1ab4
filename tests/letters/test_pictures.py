"""Every letter in every language, as Debian's Chromium shows it: widths, buttons, contrast, sizes.

`scripts/letters` writes the same letters to look at.  The parts of a letter are below each other.
So each different part is measured once, in a frame of 320 pixels for all letters.  The library
axe-core (https://github.com/dequelabs/axe-core) judges contrast and names.  It judges one letter
for each kind of element, because its answer depends on styles and not on words.
"""

from __future__ import annotations

import os
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from email import message_from_bytes
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from pbmserv.letters import payloads
from pbmserv.letters.payloads.letter import Kind
from pbmserv.letters.wrapping import columns_of
from scripts.browser import NoBrowser, opened_page
from scripts.letter_files import letters as command
from scripts.letter_pictures import SCHEMES, WIDTHS
from scripts.letter_samples import Written, languages, samples, written
from scripts.picturing import FRAME, WIDTH
from tests.examples import DECIDES

if TYPE_CHECKING:
    from playwright.sync_api import Page

PHONE = 320  # pixels
IN_ONE_PAGE = 1000  # parts of letters
MARGIN = 11  # pixels: of 16 at the right a row of buttons may take 5
BUTTON = 44  # pixels: the least height that a finger hits
LARGEST_PAGE, LARGEST_LETTER = 24 * 1024, 40 * 1024  # bytes, as sent
LOOKED_AT = [f"{width}-{scheme}" for width in WIDTHS for scheme in SCHEMES]
COMMAND = re.compile(r" {2,3}(?:perudo|set) ")
SERIOUS = {"serious", "critical"}
LOADS = re.compile(r"https?:|url\(|@import|\s(?:src|srcset|background|poster|data)=", re.IGNORECASE)

_STYLES = re.compile("<style>.*?</style>", re.DOTALL)
_HEAD_OR_END = re.compile(r"^.*?<body[^>]*>|</body>.*$", re.DOTALL)
_TAG = re.compile(r"<(/?)([a-z][a-z0-9]*)[^>]*>|<!--.*?-->", re.DOTALL)
_WITHOUT_END = {"br", "hr", "img", "wbr"}
_ADDRESS = re.compile(r' href="[^"]*"')
_TAG_OR_DIGIT = re.compile(r"<[^>]*>|&#[^;]*;|\d")
_END_OF_TABLE = "</td></tr></table>"
PHONES = f"<style>.phone{{width:{PHONE}px;overflow-x:hidden}}.part{{overflow-x:hidden}}</style>"
DICE = """() => [...document.querySelectorAll("table.d, table.dc")].map(e => {
  const box = e.getBoundingClientRect();
  return [Math.round(box.width), Math.round(box.height)]; })"""
# For each part: where it ends at the right, in pixels; its low buttons; and a number for the
# elements, classes and styles that give each text its colours.
MEASURE = """() => {
  const numbers = (globalThis.numbers ??= new Map()), known = new Map();
  const look = e => {
    if (!known.has(e)) known.set(e, e.className == 'part' ? '' :
      look(e.parentElement) + '/' + e.tagName + '.' + e.className + '.' +
      [...e.style].filter(name => /color|font-size|font-weight|display/.test(name))
        .map(name => e.style.getPropertyValue(name)).join());
    return known.get(e);
  };
  const number = look => numbers.get(look) ?? (numbers.set(look, numbers.size), numbers.size - 1);
  return [...document.querySelectorAll('.part')].map(part => {
    const looks = new Set();
    const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    while (texts.nextNode())
      if (texts.currentNode.textContent.trim())
        looks.add(number(look(texts.currentNode.parentElement)));
    return {
      end: part.getBoundingClientRect().left + part.scrollWidth,
      low: [...part.querySelectorAll('a')].filter(a => getComputedStyle(a).display == 'block')
        .filter(a => a.getBoundingClientRect().height < HEIGHT).map(a => a.textContent),
      looks: [...looks],
    };
  });
}""".replace("HEIGHT", str(BUTTON))

Measured = dict[str, list[dict[str, Any]]]  # by letter, of each of its parts


@pytest.fixture(scope="module")
def letters() -> list[Written]:
    """Every letter in every language; of games those to one player, for all get the same ones.

    Only a run that decides over a change looks at a game of each rule set: their rounds are alike.
    """
    wanted = () if DECIDES else ("kinds", "rounds", "games/pbmserv")
    found = [each for each in samples(wanted) if each.group != "games" or "-ann-" in each.name]
    return [written(each, language) for language in languages() for each in found]


@pytest.fixture(scope="module")
def pages(letters: list[Written]) -> dict[str, str]:
    """Every different HTML form, by a name for messages."""
    found = {f"{each.language}/{each.sample.place}": each.form("html") for each in letters}
    return {name: page for name, page in found.items() if page}


@pytest.fixture(scope="module")
def browser(letters: list[Written]) -> Iterator[Page]:
    """A page of Chromium; tests that need it are skipped where there is none.

    The letters are made before: while Playwright runs, its thread has no place for other loops.
    """
    assert letters
    try:
        with opened_page() as page:
            yield page
    except NoBrowser as missing:
        pytest.skip(f"no Chromium: {missing}")


def parts(page: str) -> tuple[tuple[str, str], list[str]]:
    """The frame of a letter, before and behind its parts, and its parts.

    They are without addresses of links, which nobody sees.  Their digits are all the same, because
    digits are equally wide.
    """
    body = _ADDRESS.sub(' href="mailto:a@example.org"', _HEAD_OR_END.sub("", page))
    *preview, table = elements(body)
    begin = table.index(">", table.index('<td class="t"')) + 1
    inside, *end = table[begin:].rsplit(_END_OF_TABLE, 3)
    found = [_with_equal_digits(each) for each in (*preview, *elements(inside))]
    return (table[:begin], _END_OF_TABLE.join(["", *end])), found


def _with_equal_digits(text: str) -> str:
    return _TAG_OR_DIGIT.sub(lambda found: "8" if found[0].isdecimal() else found[0], text)


def elements(text: str) -> list[str]:
    """The elements one after the other, each with the text before it; raises AssertionError.

    It is raised where an element has no end.
    """
    found, depth, begin = list[str](), 0, 0
    for tag in _TAG.finditer(text):
        if tag[2] and tag[2] not in _WITHOUT_END:
            depth += -1 if tag[1] else 1
            if depth == 0:
                found.append(text[begin : tag.end()])
                begin = tag.end()
    assert depth == 0, text
    rest = text[begin:]
    return [*found, rest] if rest.strip() else found


def framed(styles: str, frame: tuple[str, str], some: Sequence[str]) -> str:
    """One page with these parts of letters."""
    inner = "".join(f'<div class="part">{each}</div>' for each in some)
    phone = f'<div class="phone g" lang="en">{inner.join(frame)}</div>'
    return (
        f"<!DOCTYPE html><html lang='en'><head>{styles}{PHONES}</head><body>{phone}</body></html>"
    )


@pytest.fixture(scope="module")
def measured(browser: Page, pages: dict[str, str]) -> Measured:
    """What MEASURE says of each part of each page, as a phone shows it."""
    browser.set_viewport_size({"width": PHONE, "height": 800})
    split = {name: parts(page) for name, page in pages.items()}
    (frame,) = {frame for frame, _ in split.values()}
    styles = "".join({style: "" for page in pages.values() for style in _STYLES.findall(page)})
    every, found = list({part: "" for _, some in split.values() for part in some}), dict[str, Any]()
    for first in range(0, len(every), IN_ONE_PAGE):
        some = every[first : first + IN_ONE_PAGE]
        browser.set_content(framed(styles, frame, some))
        found |= dict(zip(some, browser.evaluate(MEASURE), strict=True))
    return {name: [found[part] for part in some] for name, (_, some) in split.items()}


# --- without a browser


def test_every_kind_of_letter_is_here(letters: list[Written]) -> None:
    declared = {
        kind.name
        for module in pkgutil.iter_modules(payloads.__path__)
        for kind in vars(import_module(f"{payloads.__name__}.{module.name}")).values()
        if isinstance(kind, Kind)
    }
    assert {each.sample.row["kind"] for each in letters} >= declared


def test_a_letter_is_small_and_its_lines_are_short(letters: list[Written]) -> None:
    """RFC 5322, 2.1.1: a line has at most 998 characters."""
    large = {}
    for each in letters:
        name = f"{each.language}/{each.sample.place}"
        if len(each.data) > LARGEST_LETTER:
            large[name] = len(each.data)
        for part in message_from_bytes(each.data).walk():
            if part.get_content_type() == "text/html" and len(part.as_bytes()) > LARGEST_PAGE:
                large[name] = len(part.as_bytes())
        assert max(map(len, each.data.split(b"\r\n"))) <= 998, name
    assert large == {}


def test_the_text_of_a_letter_is_72_columns_wide(letters: list[Written]) -> None:
    """But a command stays on one line, because its reader copies the line."""
    wide = {
        f"{each.language}/{each.sample.place}: {line}"
        for each in letters
        for line in each.form("plain").split("\n")
        if columns_of(line.rstrip()) > 72 + line.startswith(" ")  # a stuffed blank, RFC 3676, 4.4
        and not COMMAND.match(line)
    }
    assert wide == set()


def test_a_page_names_its_language_and_loads_nothing(pages: dict[str, str]) -> None:
    for name, page in pages.items():
        language = re.search('<html lang="(..)"', page)
        # A letter that cannot be written in a language is in English, all of it.
        assert language is not None and language[1] in {name[:2], "en"}, name
        assert LOADS.search(re.sub(r">[^<]*<", "><", page)) is None, name
        is_old = "/kinds/help/" in name and "<pre" in page  # queued by an older version
        assert page.count("<h1") == 1 or is_old, name


# --- in Chromium


def test_dice_are_square(browser: Page, pages: dict[str, str]) -> None:
    """In a letter on phones of two widths, and below the frame of README's picture."""
    page = next(each for each in pages.values() if 'class="dc"' in each)
    frame = FRAME.format(sender="", to="", subject="")
    for width in (PHONE, WIDTH):
        for shown in (page, page.replace("<body", f"{frame}<body", 1)):
            browser.set_viewport_size({"width": width, "height": 800})
            browser.set_content(shown)
            sizes = browser.evaluate(DICE)
            assert sizes and all(across == high for across, high in sizes)


@pytest.mark.long
def test_no_letter_is_wider_than_a_phone_and_no_button_too_low(measured: Measured) -> None:
    each_part = [(name, part) for name, some in measured.items() for part in some]
    assert [(name, part["end"]) for name, part in each_part if part["end"] > PHONE - MARGIN] == []
    assert [(name, part["low"]) for name, part in each_part if part["low"]] == []


@pytest.mark.long
def test_every_look_of_a_text_has_contrast_light_and_dark(
    browser: Page, pages: dict[str, str], measured: Measured
) -> None:
    """WCAG 2, level AA: 4.5 to 1; links and tables have names, and headings are in order."""
    looks = {name: {look for part in some for look in part["looks"]}
             for name, some in measured.items()}  # fmt: skip
    unseen, judged = set[int]().union(*looks.values()), list[str]()
    while unseen:  # the letter with most that is new
        judged.append(max(looks, key=lambda name: len(looks[name] & unseen)))
        unseen -= looks[judged[-1]]
    browser.evaluate((files("axe_playwright_python") / "axe.min.js").read_text("utf-8"))
    wrong = list[str]()
    for scheme in SCHEMES:
        browser.emulate_media(color_scheme=scheme)
        for name in judged:
            browser.set_content(pages[name])
            # Nothing else depends on the colours.
            rules = ["color-contrast"] if scheme == "dark" else []
            wrong += [f"{name} {scheme}: {each}" for each in violations(browser, rules)]
    assert wrong == []


def violations(page: Page, rules: Sequence[str]) -> list[str]:
    """What axe-core finds serious in the page that is open, by these rules or by all."""
    options = {"resultTypes": ["violations"], **({"runOnly": rules} if rules else {})}
    found = page.evaluate("options => axe.run(options)", options)["violations"]
    return [
        f"{each['id']}: {node['html']} {node['failureSummary']}"
        for each in found
        if each["impact"] in SERIOUS or each["id"] == "heading-order"
        for node in each["nodes"]
    ]


# --- scripts/letters


def test_letters_are_written_in_all_forms_with_pictures(tmp_path: Path) -> None:
    wanted = ("fr", "ru")
    words = ["--out", "new", "--only", "kinds/confirm/2", "--pictures"]
    words += [word for language in wanted for word in ("--language", language)]
    done = subprocess.run(
        [sys.executable, "-P", "-m", "scripts.letter_files", *words],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        check=False,
    )
    if "is missing" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert (done.returncode, done.stderr) == (0, "")
    assert {each.name for each in (tmp_path / "new").iterdir()} == {*wanted}
    for language in wanted:
        folder = tmp_path / "new" / language
        for form in ("eml", "txt", "html"):
            assert (folder / f"kinds/confirm/2.{form}").stat().st_size > 100
        assert b"multipart/alternative" in (folder / "kinds/confirm/2.eml").read_bytes()
        pictures = {file.relative_to(folder).as_posix() for file in folder.rglob("*.png")}
        assert {f"pictures/{look}/kinds/confirm/2.png" for look in LOOKED_AT} < pictures
        assert "pictures/sheet-320-light-01.png" in pictures
        overview = (folder / "pictures.html").read_text("utf-8")
        assert all(f"pictures/{look}/kinds/confirm/2.png" in overview for look in LOOKED_AT)


def test_wrong_arguments_of_letters_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for words, said in (
        ((), "Missing option '--out'"),
        (("--out", str(tmp_path)), "is not empty"),
        (("--out", str(tmp_path / "new"), "--only", "kinds/none"), "No letter is named"),
        (("--out", str(tmp_path / "new"), "--language", "tlh"), "'tlh' is not"),
        (("--out", str(tmp_path / "new"), "more"), "unexpected extra argument"),
    ):
        done = CliRunner().invoke(command, words)
        assert done.exit_code == 2
        assert said in " ".join(done.output.split())
