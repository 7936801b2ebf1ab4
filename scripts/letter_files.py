"""`scripts/letters`: write every kind of letter in every language, for people to look at.

DIR/LANGUAGE/kinds has the letters of the server.  `rounds` has those of some rounds of each rule
set.  `games` has those of a whole game of each, played by email.  Each letter is a file `.eml`, as
it is sent, and its forms `.txt` and `.html`.
"""

from __future__ import annotations

from pathlib import Path

import click

from pbmserv.cli.terminal_output import HELP, progress
from scripts.browser import NoBrowser, opened_page
from scripts.letter_pictures import draw
from scripts.letter_samples import Sample, Written, languages, samples, written

FORMS = {"plain": ".txt", "html": ".html"}


def write(letter: Written, folder: Path) -> None:
    """Write a letter and its forms below the folder of its language."""
    file = folder / letter.sample.place
    file.parent.mkdir(parents=True, exist_ok=True)
    _with_suffix(file, ".eml").write_bytes(letter.data)
    for form, suffix in FORMS.items():
        if text := letter.form(form):
            _with_suffix(file, suffix).write_text(text, "utf-8")


def _with_suffix(file: Path, suffix: str) -> Path:
    return file.with_name(file.name + suffix)


def chosen(only: tuple[str, ...]) -> list[Sample]:
    """The letters whose places fit a pattern; all if there is no pattern.

    Raises UsageError if none fits.
    """
    found = list(samples(only, progress))
    progress("")
    if not found:
        raise click.UsageError(f"No letter is named {' or '.join(only)}; try --only kinds/confirm")
    return found


@click.command(context_settings=HELP)
@click.option(
    "--out",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    metavar="DIR",
    help="Write the files here; the folder is made if it does not exist, and must be empty.",
)
@click.option(
    "--language",
    "asked",
    type=click.Choice(languages()),
    multiple=True,
    help="Only this language; can be repeated.",
)
@click.option(
    "--only",
    metavar="PATTERN",
    multiple=True,
    help="Only these letters: kinds/confirm, or 'games/bga/*-ann-*'; can be repeated.",
)
@click.option("--pictures", is_flag=True, help="Draw them with Chromium, too, on contact sheets.")
def letters(folder: Path, asked: tuple[str, ...], only: tuple[str, ...], pictures: bool) -> None:
    """Write every kind of letter in every language, as it is sent, as text and as HTML.

    --pictures draws the HTML at 320, 600 and 1000 pixels, light and dark.  Open
    DIR/LANGUAGE/pictures.html, or look at DIR/LANGUAGE/pictures/sheet-*.png.
    """
    if folder.exists() and any(folder.iterdir()):
        raise click.UsageError(f"{folder} is not empty; name a new folder")
    found, count = chosen(only), 0
    spoken = asked or languages()
    everything: dict[str, list[Written]] = {}
    for language in spoken:
        everything[language] = []
        for number, each in enumerate(found, 1):
            progress(f"{language}: letter {number} of {len(found)}: {each.place}")
            everything[language].append(written(each, language))
            write(everything[language][-1], folder / language)
    if pictures:
        try:
            with opened_page() as page:
                for language, several in everything.items():
                    count += draw(page, several, folder / language, progress)
        except NoBrowser as missing:
            raise click.ClickException(str(missing)) from None
    progress("")
    drawn = f" and {count} pictures" if pictures else ""
    click.echo(f"{folder}: {len(found)} letters in {' '.join(spoken)}{drawn}")


if __name__ == "__main__":
    letters(prog_name="scripts/letters")
