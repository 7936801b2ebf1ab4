"""`scripts/picture`: draw the top of a real turn email with chromium, as mail programs show it."""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from email.message import EmailMessage
from html import escape
from pathlib import Path

from scripts.browser import NoBrowser, opened_page
from tests.stories.town import town_at

PICTURE = Path(__file__).parents[1] / "docs" / "letter.png"
PLAYERS = ("ann", "bob", "cleo", "dan")
READER = "cleo@example.org"
SEED = 6  # of the dice
WIDTH = 480  # pixels
FRAME = """
<div style="color:#555;border-bottom:1px solid #ccc;padding:14px 16px 8px;font:14px sans-serif">
From: {sender}<br>To: {to}<br><b style="color:#000">{subject}</b></div>
"""


def turn_email() -> EmailMessage:
    """The email that tells cleo that it is her turn; the same at every call."""
    with tempfile.TemporaryDirectory() as folder, town_at(Path(folder), SEED) as town:
        town.sign_up(*PLAYERS)
        town.write("ann@example.org", f"perudo challenge -inorder -rules=bga {' '.join(PLAYERS)}")
        town.move("ann", "3-2s")
        town.move("bob", "4-2s", text="Good luck, cleo!")
        return town.last_letter_to(READER).message


def framed(email: EmailMessage) -> str:
    """The HTML part of the email below its From, To and Subject, up to the story of the game."""
    body = email.get_body(("html",))
    assert body is not None
    page = str(body.get_content()).partition("<h2")[0]
    heads = {"sender": email["From"], "to": email["To"], "subject": email["Subject"]}
    frame = FRAME.format_map({name: escape(str(value)) for name, value in heads.items()})
    return re.sub(r"<body[^>]*>", lambda found: found[0] + frame, page, count=1)


def drawn(page: str, file: Path) -> None:
    """Have chromium write a picture of the page, as high as the page is, into the file."""
    try:
        with opened_page() as shown:
            shown.set_viewport_size({"width": WIDTH, "height": 100})
            shown.set_content(page)
            shown.locator("body").screenshot(path=file)
    except NoBrowser as missing:
        sys.exit(f"picture: {missing}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser("scripts/picture", description=__doc__)
    parser.add_argument(
        "file", type=Path, nargs="?", default=PICTURE, help="instead of %(default)s"
    )
    target = parser.parse_args().file
    drawn(framed(turn_email()), target)
    print(f"{target}: {target.stat().st_size} bytes")
