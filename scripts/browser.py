"""Debian's Chromium, driven by Playwright: one browser and one page that show many letters."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
WAIT = 30_000  # milliseconds; a busy machine starts a browser in ten seconds


class NoBrowser(Exception):
    """No page can be opened; the message says what to install."""


@contextmanager
def opened_page() -> Iterator[Page]:
    """A page of an own browser, closed at the end; raises NoBrowser.

    It reaches no network: what a letter loads would not arrive.
    """
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        raise NoBrowser("chromium is missing, please type: sudo apt install chromium")
    try:
        playwright_api = import_module("playwright.sync_api")
    except ImportError:
        raise NoBrowser("playwright is missing, please type: scripts/setup pictures") from None
    with playwright_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, chromium_sandbox=False, timeout=WAIT
        )
        try:
            page = browser.new_page(offline=True)
            page.set_default_timeout(WAIT)
            yield page
        finally:
            browser.close()
