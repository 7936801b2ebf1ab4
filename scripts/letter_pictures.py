"""Pictures of letters as mail programs show them, and contact sheets of them.

A letter is drawn light and dark, as wide as a phone, a small window and a large one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from scripts.letter_samples import Written

if TYPE_CHECKING:
    from playwright.sync_api import Page

WIDTHS = (320, 600, 1000)  # pixels
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
FOLDER = "pictures"  # below the folder of a language
COLUMNS = {320: 6, 600: 4, 1000: 3}  # of a sheet, by the width of its letters
ROWS = 2
LONGEST = 2000  # pixels of a letter on a sheet, which does not show the end of a longer one
_SHEET = """<!DOCTYPE html><meta charset="utf-8"><style>
body{margin:8px;background:#777;font:14px sans-serif}
main{display:flex;gap:8px;align-items:flex-start}section{flex:1}
figure{margin:0 0 12px;background:#ccc}figcaption{padding:2px 4px;overflow-wrap:anywhere}
img{display:block;width:100%;object-fit:cover;object-position:top}
</style>"""
_PAGE = """<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Letters</title><style>
body{background:#777;font:14px sans-serif;color:#fff}a{color:#fff}
.letter{display:flex;gap:8px;align-items:flex-start;overflow-x:auto;max-height:90vh}
</style><h1>Letters</h1>
"""


@dataclass(frozen=True)
class Picture:
    """A letter, and how it is looked at."""

    letter: Written
    width: int
    scheme: Literal["light", "dark"]

    @property
    def look(self) -> str:
        """The folder of pictures of this width and these colours."""
        return f"{self.width}-{self.scheme}"

    @property
    def file(self) -> str:
        """The file, below the folder of pictures."""
        return f"{self.look}/{self.letter.sample.place}.png"


def pictures_of(letters: Sequence[Written]) -> Iterator[Picture]:
    """Every picture of these letters; a letter without an HTML part has none."""
    for letter in letters:
        if letter.form("html"):
            for scheme in SCHEMES:
                yield from (Picture(letter, width, scheme) for width in WIDTHS)


def draw(
    page: Page, letters: Sequence[Written], folder: Path, progress: Callable[[str], None]
) -> int:
    """Draw the letters of a language into its folder, with their sheets; the number of pictures."""
    target = folder.resolve() / FOLDER
    drawn = list(pictures_of(letters))
    before = None
    for number, picture in enumerate(drawn, 1):
        progress(f"picture {number} of {len(drawn)}: {picture.file}")
        if picture.letter is not before:
            page.set_content(picture.letter.form("html"))
            before = picture.letter
        page.emulate_media(color_scheme=picture.scheme)
        page.set_viewport_size({"width": picture.width, "height": 200})
        file = target / picture.file
        file.parent.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=file, full_page=True)
    (folder / "pictures.html").write_text(_overview(drawn), "utf-8")
    for width in WIDTHS:
        for scheme in SCHEMES:
            progress(f"contact sheets, {width} pixels wide, {scheme}")
            looked_at = [each for each in drawn if each.look == f"{width}-{scheme}"]
            sheets(page, looked_at, COLUMNS[width], target)
    return len(drawn)


def _overview(pictures: Sequence[Picture]) -> str:
    """A page with all pictures of each letter in a row."""
    found, before = [_PAGE], None
    for picture in pictures:
        if picture.letter is not before:
            place = picture.letter.sample.place
            found.append("</div>\n" if before else "")
            found.append(f'<h2><a href="{place}.html">{escape(place)}</a></h2><div class="letter">')
            before = picture.letter
        file = escape(f"{FOLDER}/{picture.file}")
        found.append(f'<img loading="lazy" src="{file}" alt="{picture.look}">\n')
    return "".join(found) + ("</div>" if before else "") + "</html>\n"


def sheets(page: Page, pictures: Sequence[Picture], columns: int, target: Path) -> None:
    """Draw contact sheets of pictures of one look, each with some letters side by side."""
    page.emulate_media(color_scheme="light")
    for number, first in enumerate(range(0, len(pictures), columns * ROWS), 1):
        some = pictures[first : first + columns * ROWS]
        page.set_viewport_size({"width": columns * (some[0].width + 8) + 8, "height": 200})
        source = target / "sheet.html"
        source.write_text(_sheet(some, columns), "utf-8")
        page.goto(source.as_uri())
        page.screenshot(path=target / f"sheet-{some[0].look}-{number:02}.png", full_page=True)
        source.unlink()


def _sheet(pictures: Sequence[Picture], count: int) -> str:
    columns = ["" for _ in range(count)]
    for number, picture in enumerate(pictures):
        title = escape(picture.letter.sample.place)
        columns[number % count] += (
            f'<figure><figcaption>{title}</figcaption><img src="{picture.file}"></figure>'
        )
    sections = "".join(f"<section>{column}</section>" for column in columns)
    return f"{_SHEET}<style>img{{max-height:{LONGEST}px}}</style><main>{sections}</main>"
