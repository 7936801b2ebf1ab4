"""`scripts/messages`: every marked sentence of the sources into the catalogue of every language."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path

import click
from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.pofile import read_po, write_po

from pbmserv.cli import group_help
from pbmserv.cli.main import pbmserv, perudo
from pbmserv.commands import manual

TOP = Path(__file__).parents[1]
LETTERS = TOP / "pbmserv" / "letters"
# Where sentences are marked, and the extractor of each: the one list.
SOURCES = {
    "pbmserv/letters/templates/**/*.jinja": "jinja2.ext:babel_extract",
    "pbmserv/letters/forms/*.html": "jinja2.ext:babel_extract",
    "pbmserv/games/*/letters/**/*.jinja": "jinja2.ext:babel_extract",
    "pbmserv/letters/**/*.py": "python",
}
KEYWORDS = {"_": None, "ngettext": (1, 2)}
OPTIONS = {"trim_blocks": "true", "lstrip_blocks": "true", "silent": "false"}
HEADER = """\
# {name} messages of pbmserv. `scripts/messages` adds new messages and removes unused ones.
msgid ""
msgstr ""
"Language: {language}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: {plurals}\\n"

"""


def extracted() -> Catalog:
    """Every sentence of the sources, in the order of files and lines."""
    found = Catalog()
    for pattern, method in SOURCES.items():
        for file in sorted(TOP.glob(pattern)):
            with file.open("rb") as source:
                each = extract(method, source, KEYWORDS, ["Translators:"], OPTIONS, True)
                for line, message, comments, context in each:
                    place = (file.relative_to(TOP).as_posix(), line)
                    found.add(message, None, [place], auto_comments=comments, context=context)
    for message, usage in manual.messages():  # the help of the commands is marked by nothing
        found.add(message, None, [("pbmserv/commands", 0)], auto_comments=[f"help of: {usage}"])
    for message in of_shells():
        found.add(message, None, [("pbmserv/cli", 0)], auto_comments=["help at a shell"])
    return found


def of_shells() -> Iterator[str]:
    """What `perudo --help` and `pbmserv --help` print."""
    groups = [perudo, pbmserv]
    yield from group_help.messages(groups)
    for group in groups:
        for heading, rows in group.listed(click.Context(group)).items():
            yield f"{heading}:"
            yield from (about for _, about in rows)


def catalogues() -> dict[str, Path]:
    """The file of each language: every folder of `letters/` that has one."""
    return {file.parent.name: file for file in sorted(LETTERS.glob("*/messages.po"))}


def read(file: Path) -> Catalog:
    """The catalogue in a file; an empty file is a new one."""
    with file.open("rb") as written:
        return read_po(written, locale=file.parent.name, abort_invalid=True)


def updated(catalogue: Catalog, template: Catalog) -> Catalog:
    """The catalogue with exactly the messages of the template, each as it was, or empty."""
    catalogue.update(template, no_fuzzy_matching=True)
    catalogue.obsolete.clear()
    return catalogue


def written(catalogue: Catalog) -> str:
    """The file of a catalogue: no date and no number of a line, which would change every time."""
    body = BytesIO()
    write_po(body, catalogue, width=0, omit_header=True, include_lineno=False)
    assert catalogue.locale is not None
    head = HEADER.format(
        name=catalogue.locale.english_name,
        language=catalogue.locale,
        plurals=catalogue.plural_forms,
    )
    return head + body.getvalue().decode().rstrip("\n") + "\n"


def problems(catalogue: Catalog, template: Catalog) -> Iterator[str]:
    """What a catalogue lacks, what it has and nobody uses, and what cannot be right."""
    for message in template:
        if message.id and not _is_translated(catalogue, message.id):
            yield f"missing: {message.id!r}"
    for message in catalogue:
        if message.id and template.get(message.id) is None:
            yield f"unused: {message.id!r}"
    for message, errors in catalogue.check():
        if _is_translated(catalogue, message.id):
            yield from (f"{error}: {message.id!r}" for error in errors)


def _is_translated(catalogue: Catalog, text: str | Iterable[str]) -> bool:
    found = catalogue.get(text if isinstance(text, str) else tuple(text))
    if found is None or found.fuzzy:
        return False
    return all(found.string) if isinstance(found.string, tuple) else bool(found.string)


def main() -> None:
    """Update the catalogues, or check them."""
    parser = argparse.ArgumentParser(prog="scripts/messages", description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="print what is missing or unused, and write nothing"
    )
    check = parser.parse_args().check
    template, wrong = extracted(), 0
    for language, file in catalogues().items():
        catalogue = read(file)
        if check:
            found = [f"{language}: {each}" for each in problems(catalogue, template)]
            print(*found, sep="\n", end="\n" * bool(found))
            wrong += len(found)
        else:
            file.write_text(written(updated(catalogue, template)), "utf-8")
            lacking = sum(
                bool(each.id) and not _is_translated(catalogue, each.id) for each in template
            )
            print(f"{language}: {len(template)} messages, {lacking} to translate")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
