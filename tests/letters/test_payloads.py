"""Payloads: the templates use exactly the keys that `letters/payloads` declares."""

from __future__ import annotations

import ast
import pkgutil
import re
import types
from collections.abc import Iterator, Mapping, Sequence, Set
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

from jinja2 import nodes
from jinja2.meta import find_undeclared_variables

from pbmserv.letters import payloads, render
from pbmserv.letters.catalogues import languages
from pbmserv.letters.document_writer import DocumentWriter
from pbmserv.letters.payloads.letter import Kind
from pbmserv.letters.payloads.perudo import BOARDS, Known
from pbmserv.letters.perudo.context import ByAll, ByOne
from pbmserv.letters.perudo.letters import BOARD_LETTERS, SECTION
from pbmserv.letters.templates import environment
from pbmserv.outbox.held_letters import OF_BOARDS
from pbmserv.outbox.recipients import MESSAGE, OF_ACCOUNTS, OF_OWN_GAMES, WANTED_THERE
from tests.letters.samples import EVERY
from tests.rows import each_row

SOURCE = Path(render.__file__).parents[1]
CONSTANTS: Mapping[str, Kind[Any]] = {
    name: value
    for module in pkgutil.iter_modules(payloads.__path__)
    for name, value in vars(import_module(f"{payloads.__name__}.{module.name}")).items()
    if isinstance(value, Kind)
}
KINDS = {kind.name: kind for kind in CONSTANTS.values()}
OF_THE_SERVER = sorted(name for name in KINDS if "/" not in name)
ADDED = {"zone", "account", render.LAST_UNPROVEN}  # any letter of the server may have them
MADE: Mapping[str, tuple[set[str], set[str]]] = {
    "help": ({"asked", "blocks"}, {"subject", "written"}),
    "unsure": ({"blocks"}, set()),
}
"""What wording gives a template in place of some of a letter's facts."""
OUTSIDE = {"intake/answering/answers.py": 1, "outbox/recipients.py": 1}
"""Letters made without a kind: of a refusal's facts, and to look at one that is made already."""


SHARED = SOURCE / "letters" / "templates"
OF_THE_WRITER = set(DocumentWriter("en").words())
PARSER = environment("en")


def source(folder: Path, name: str) -> str:
    """A template, with what it includes in its place; the English one where there is no other."""
    if (shared := SHARED / f"{name}.jinja").exists():
        return shared.read_text("utf-8")
    file = folder / f"{name}.txt"
    text = (file if file.exists() else folder.parent / "en" / file.name).read_text("utf-8")
    return re.sub(r'{% include "(\w+)" %}', lambda found: source(folder, found[1]), text)


def variables(folder: Path, name: str, known: Set[str] = frozenset()) -> set[str]:
    """The names that a template must be given; those that it sets by itself only if `known`."""
    found = undeclared(source(folder, name), known)
    return found - OF_THE_WRITER - {"refuse"} if (SHARED / f"{name}.jinja").exists() else found


def undeclared(text: str, known: Set[str] = frozenset()) -> set[str]:
    tree = PARSER.parse(text)
    stored = {each.name for each in tree.find_all(nodes.Name) if each.ctx == "store"}
    found = find_undeclared_variables(tree) - (stored - known)
    return found - set(environment("en").globals)


def given(name: str) -> set[str]:
    """The names that the template of a kind is given, but for those of every letter."""
    made, instead_of = MADE.get(name, (set(), set()))
    return (set(get_type_hints(KINDS[name].payload)) - instead_of) | made


def test_every_kind_is_declared_once() -> None:
    assert len(KINDS) == len(CONSTANTS)
    assert set(MADE) <= set(KINDS)


@each_row("name", OF_THE_SERVER)
def test_a_template_uses_exactly_the_keys_of_its_payload(name: str) -> None:
    folder = SOURCE / "letters" / "en"
    assert variables(folder, name, given(name)) - ADDED == given(name)


@each_row("language", languages())
@each_row("name", OF_THE_SERVER)
def test_no_language_uses_an_undeclared_key(name: str, language: str) -> None:
    folder = SOURCE / "letters" / language
    assert variables(folder, name, given(name)) <= given(name) | ADDED


def test_the_games_sentences_use_exactly_the_values_of_their_view() -> None:
    """What no sentence names, `letters/perudo/letters.py` or the view of one reader uses."""
    folder = SOURCE / "games" / "perudo" / "letters"
    letter = {*get_type_hints(ByOne), *get_type_hints(ByAll)}
    for_all, for_reader = (
        (folder / f"{name}.jinja").read_text("utf-8") for name in ("sentences", "reader_sentences")
    )
    named = undeclared(for_all, letter) | undeclared(for_reader, letter)
    macros = {each.name for each in PARSER.parse(for_all).find_all(nodes.Macro)}
    assert named - letter - macros == {"bid_words", "number", "strong"}
    code = SOURCE / "letters" / "perudo"
    assert letter - named <= {*words_in(code / "letters.py"), *words_in(code / "view.py")}


def test_the_sentences_that_all_letters_of_a_move_share_read_no_value_of_one_reader() -> None:
    file = SOURCE / "games" / "perudo" / "letters" / "sentences.jinja"
    of_one = set(get_type_hints(ByOne))
    assert not undeclared(file.read_text("utf-8"), of_one) & of_one


def test_the_letter_of_several_boards_uses_exactly_its_payload() -> None:
    """Its tokens say whether it has buttons; `outbox.outgoing_email` reads them for its links."""
    file = SOURCE / "games" / "perudo" / "letters" / "boards.jinja"
    several = set(get_type_hints(BOARDS.payload)) | {"sections"}
    assert undeclared(file.read_text("utf-8"), several) - OF_THE_WRITER == several


def test_every_key_of_the_games_letters_is_used() -> None:
    """Templates do not name these keys: `letters/perudo/view.py` reads them."""
    read = set(words_in(SOURCE / "letters" / "perudo" / "view.py"))
    for name, kind in KINDS.items():
        if name.startswith("perudo/") and name != BOARDS.name:
            assert set(get_type_hints(kind.payload)) <= read, name
    assert set(get_type_hints(Known)) <= read


def words_in(module: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_a_misspelt_name_in_a_template_is_found(tmp_path: Path) -> None:
    """This includes names in an included part, but none that a template sets itself."""
    (tmp_path / "one.txt").write_text('{{ bord }}{% set here = 1 %}{% include "two" %}')
    (tmp_path / "two.txt").write_text("{{ here }}{% for each in rows %}{{ each.x }}{% endfor %}")
    assert variables(tmp_path, "one") == {"bord", "rows"}
    (tmp_path / "one.txt").write_text("{% set state = state | default(1) %}{{ state }}")
    assert variables(tmp_path, "one", {"state"}) == {"state"}


def test_every_template_has_a_kind_and_every_kind_a_template() -> None:
    """Letters about a board are functions, of which one is a part of another letter."""
    server = {file.stem for file in (SOURCE / "letters" / "en").glob("*.txt")}
    shared = {file.stem for file in SHARED.glob("[!_]*.jinja")}
    assert not server & shared
    assert server | shared | set(BOARD_LETTERS) - {SECTION} | {BOARDS.name} == set(KINDS)


def test_the_sets_of_kinds_name_only_existing_kinds() -> None:
    """A name that is misspelt there would go unnoticed: its letters would be treated as others."""
    for several in (OF_ACCOUNTS, OF_OWN_GAMES, WANTED_THERE, {MESSAGE}, OF_BOARDS):
        assert several <= set(KINDS)


def calls_and_names(module: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield f"{node.func.id}()"
        elif isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr


def test_every_kind_is_sent_and_no_letter_is_made_without_one() -> None:
    """Then mypy has checked its payload."""
    used: set[str] = set()
    made: dict[str, int] = {}
    for module in SOURCE.rglob("*.py"):
        if module.parent != SOURCE / "letters" / "payloads":
            found = list(calls_and_names(module))
            used |= set(found)
            if number := found.count("Letter()"):
                made[str(module.relative_to(SOURCE))] = number
    assert set(CONSTANTS) - used == set()
    assert made == OUTSIDE


def misfits(value: Any, wanted: Any, where: str = "") -> Iterator[str]:
    """Where a value of JSON is not what a type says."""
    if is_typeddict(wanted) and isinstance(value, dict):
        yield from misfits_in(value, wanted, where)
    elif get_origin(wanted) in {Union, types.UnionType}:
        if all(list(misfits(value, each)) for each in get_args(wanted)):
            yield f"{where} is none of {wanted}"
    elif get_origin(wanted) is Sequence and isinstance(value, list | tuple):
        for place, each in enumerate(value):
            yield from misfits(each, get_args(wanted)[0], f"{where}[{place}]")
    elif get_origin(wanted) is Literal:
        if value not in get_args(wanted):
            yield f"{where} is none of {wanted}"
    elif is_typeddict(wanted) or not isinstance(value, get_origin(wanted) or wanted):
        yield f"{where} is no {wanted}"


def misfits_in(known: dict[str, Any], wanted: Any, where: str) -> Iterator[str]:
    for name in wanted.__required_keys__ - set(known):
        yield f"{where}.{name} is missing"
    hints = get_type_hints(wanted)
    for name, value in known.items():
        if name in hints:
            yield from misfits(value, hints[name], f"{where}.{name}")
        elif name not in ADDED:
            yield f"{where}.{name} is not known"


@each_row(("name", "sample"), EVERY, ids=[name for name, _ in EVERY])
def test_the_samples_have_the_declared_keys(name: str, sample: dict[str, Any]) -> None:
    """So the templates' uses of table rows are tested with the declared fields."""
    assert list(misfits(sample, KINDS[name].payload)) == []


@each_row(("name", "sample"), EVERY, ids=[name for name, _ in EVERY])
def test_a_letter_queued_by_an_older_version_can_be_worded(
    name: str, sample: dict[str, Any]
) -> None:
    """It lacks keys that are new since then. The templates name a `default` for them."""
    text = source(SOURCE / "letters" / "en", name)
    new = set(re.findall(r"\b(\w+) \| default\(", text))
    older = {key: value for key, value in sample.items() if key not in new}
    assert render.word(name, older, "en").text
