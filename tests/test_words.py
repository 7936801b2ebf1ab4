"""One word for one thing: the texts keep to the glossary of docs/style.md."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from babel.messages.pofile import read_po

from tests.rows import each_row

TOP = Path(__file__).parents[1]
STYLE = TOP / "docs" / "style.md"
SOURCES = sorted((TOP / "pbmserv").rglob("*.py"))
TESTS = sorted((TOP / "tests").rglob("*.py"))
STORIES = sorted((TOP / "tests" / "stories").glob("*.txt"))
PAGES = [TOP / "README.md", TOP / "ARCHITECTURE.md", *sorted((TOP / "docs").glob("*.md"))]
HELP = sorted((TOP / "pbmserv" / "letters" / "en" / "help").glob("*.txt"))
MOST_TERMS = 28
CLASS = re.compile(r"^class ([A-Za-z]\w*)", re.MULTILINE)  # public ones
FORMS = {
    "models",
    "payloads",
    "document",
}  # of a thing: its row, its payload, its block in a letter
RIDDLES = (  # plain words are: is not a, email, spectator, watch, anybody who
    r"(?<!there\s)(?:is|are|was|were)\s+no(?!\s+(?:longer|more|better|smaller|larger|later)\b)",
    r"(?:an?|the|this|that|one|each|every|any|another|two|same)\s+mails?(?![\s#]+(?:program|server|provider|command)s?\b)",
    r"whoever",
    r"bystander",
    r"look(?:s|ed|ing)?\s+on",
)
HEADING = re.compile(r"^##? .*", re.MULTILINE)
QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"")  # names of things, and words of others


@cache
def never() -> tuple[str, ...]:
    """The words that have a better one, as docs/style.md lists them."""
    (line,) = re.findall(r"^Never: (.*)\.$", STYLE.read_text("utf-8"), re.MULTILINE)
    return tuple(line.split(", "))


def prose_of(source: Path) -> Iterator[str]:
    """The docstrings, the comments and the names of tests of a module.

    It is parsed only if a worse word is in it.
    """
    text = source.read_text("utf-8")
    if not worse().search(text.replace("_", " ")):
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node.name.replace("_", " ")
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


@cache
def worse() -> re.Pattern[str]:
    return re.compile(rf"\b({'|'.join((*never(), *RIDDLES))})s?\b", re.IGNORECASE)


def worse_words(text: str) -> list[str]:
    return worse().findall(QUOTED.sub("", text)) if worse().search(text) else []


def test_the_glossary_has_at_most_28_terms() -> None:
    rows = re.findall(r"^\| (?!word \|)\w", STYLE.read_text("utf-8"), re.MULTILINE)
    assert 0 < len(rows) <= MOST_TERMS


@each_row("source", SOURCES)
def test_no_docstring_or_comment_has_a_worse_word(source: Path) -> None:
    assert [found for text in prose_of(source) if (found := worse_words(text))] == []


def test_no_name_docstring_or_comment_of_a_test_has_a_worse_word() -> None:
    prose = ((source, text) for source in TESTS for text in prose_of(source))
    assert [(source, found) for source, text in prose if (found := worse_words(text))] == []


def test_no_heading_of_a_story_has_a_worse_word() -> None:
    headings = [each for file in STORIES for each in HEADING.findall(file.read_text("utf-8"))]
    assert len(headings) > len(STORIES)
    assert [each for each in headings if worse_words(each)] == []


@each_row("page", [*PAGES, *HELP])
def test_no_page_has_a_worse_word(page: Path) -> None:
    text = page.read_text("utf-8")
    if page == STYLE:  # its table and its list name them
        text = re.sub(r"^(\||Never:).*$", "", text, flags=re.MULTILINE)
    assert worse_words(re.sub(r"```.*?```", "", text, flags=re.DOTALL)) == []


def test_no_sentence_of_a_letter_has_a_worse_word() -> None:
    catalogue = TOP / "pbmserv" / "letters" / "fr" / "messages.po"
    with catalogue.open("rb") as file:
        sentences = [
            form
            for message in read_po(file)
            for form in ([message.id] if isinstance(message.id, str) else message.id)
        ]
    assert len(sentences) > 1000
    assert {each: found for each in sentences if (found := worse_words(each))} == {}


@each_row("text", ["Two computers play.", "# an administrator", "A letter from a Robot"])
def test_a_worse_word_is_found(text: str) -> None:
    assert worse_words(text)
    assert not worse_words('`computer` is what a player wrote: "the robots"')


@each_row(
    "text",
    [
        "A password is no move.",
        "these words\nare no command",
        "# Whoever asks is answered.",
        "a bystander sees no dice",
        "ann looks on",
        "a mail of bob",
        "two mails",
    ],
)
def test_a_riddle_is_found(text: str, tmp_path: Path) -> None:
    assert worse_words(text)
    module = tmp_path / "test_riddles.py"
    module.write_text(f"def test_{'_'.join(re.findall('[a-z]+', text.lower()))}(): ...\n")
    assert [each for each in prose_of(module) if worse_words(each)]


@each_row(
    "text",
    [
        "there is no command",
        "it is no longer open",
        "a password is not a move",
        "a mail\n# program quotes",
        "an email",
    ],
)
def test_a_plain_sentence_is_not_found(text: str) -> None:
    assert worse_words(text) == []


def named_alike(sources: Iterable[Path]) -> dict[str, set[Path]]:
    """The folders of public classes that share a name; rows, payloads and blocks do not count."""
    folders: dict[str, set[Path]] = {}
    for source in sources:
        if source.parent.name in FORMS or source.stem in FORMS:
            continue
        for name in CLASS.findall(source.read_text("utf-8")):
            folders.setdefault(name, set()).add(source.parent)
    return {name: found for name, found in folders.items() if len(found) > 1}


def test_classes_of_two_packages_have_one_name_only_if_they_are_forms_of_one_thing() -> None:
    assert named_alike(SOURCES) == {}


def test_classes_of_one_name_are_found(tmp_path: Path) -> None:
    for folder in ("mail", "letters", "models"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "writer.py").write_text("class Writer: ...\n")
    assert {*named_alike(tmp_path.rglob("*.py"))} == {"Writer"}
