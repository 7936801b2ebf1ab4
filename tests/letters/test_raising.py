"""Refusals where they are raised: each gives all the facts that its words name."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from jinja2 import nodes
from jinja2.meta import find_undeclared_variables

from pbmserv.letters import refusals
from pbmserv.letters.document_writer import DocumentWriter
from pbmserv.letters.payloads.boards import NO_ERRORS
from pbmserv.letters.templates import environment

SOURCE = Path(refusals.__file__).parents[1]
FOLDERS = (SOURCE / "letters" / "templates", SOURCE / "games" / "perudo" / "letters")
ADDED = {
    "zone",
    "account",
    "refuse",
    "in_a_line",
    *DocumentWriter("en").words(),
}  # to every refusal
PARSER = environment("en")
PARAMETERS = ("code", "otherwise")  # by which a function is told what to refuse with
OF_BIDS = {"over_cap", "palifico_face", "opening_ones", "to_ones", "from_ones", "both_raised"}
OF_BIDS |= {"not_a_raise", "repeated_bid", "no_raise_left", "bid_range"}
"""What the rules of bidding find, and `play._refuse` raises."""


def needed(text: str) -> set[str]:
    """The facts that words name, but for those that they do without."""
    tree = PARSER.parse(text)
    optional = {
        each.node.name
        for each in tree.find_all((nodes.Test, nodes.Filter))
        if each.name in {"defined", "default"} and isinstance(each.node, nodes.Name)
    }
    return find_undeclared_variables(tree) - set(environment("en").globals) - ADDED - optional


def words() -> dict[str, str]:
    """The words of every refusal, and of the letters that stand for one."""
    found: dict[str, str] = {}
    for folder in FOLDERS:
        for file in (folder / "refusals").glob("*.jinja"):
            found |= refusals.macros_of(file.read_text("utf-8"))
    for code in NO_ERRORS:
        (file,) = (SOURCE / "letters").glob(f"*/{code}.*")
        found[code] = file.read_text("utf-8")
    return found


def keys(tree: ast.AST) -> set[str]:
    """The names of all facts that are put together somewhere in a piece of code."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            found |= texts_of([each for each in node.keys if isinstance(each, ast.Constant)])
        elif isinstance(node, ast.Subscript):
            found |= texts_of([node.slice])
        elif isinstance(node, ast.Call):
            found |= {each.arg for each in node.keywords if each.arg}
    return found


@cache
def raisers(tree: ast.Module) -> dict[str, tuple[int, ast.AST]]:
    """Functions and classes that are told the code: at which place, and what they are."""
    found: dict[str, tuple[int, ast.AST]] = {}
    for node in ast.walk(tree):
        body = node.body if isinstance(node, ast.ClassDef) else [node]
        for each in body:
            named = not isinstance(node, ast.ClassDef) or getattr(each, "name", "") == "__init__"
            if isinstance(each, ast.FunctionDef) and named:
                for place in places_of_code(each):
                    found[getattr(node, "name", "")] = (place, node)
    return found


def places_of_code(function: ast.FunctionDef) -> list[int]:
    names = [each.arg for each in function.args.args if each.arg != "self"]
    return [names.index(name) for name in PARAMETERS if name in names]


@cache
def trees() -> Mapping[str, ast.Module]:
    """Every module of the program, parsed: that takes seconds."""
    return {
        str(module.relative_to(SOURCE)): ast.parse(module.read_text("utf-8"))
        for module in SOURCE.rglob("*.py")
    }


@cache
def functions_of(tree: ast.Module) -> list[ast.FunctionDef]:
    return [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]


@cache
def calls_in(function: ast.FunctionDef) -> list[ast.Call]:
    return [each for each in ast.walk(function) if isinstance(each, ast.Call)]


def places(codes: set[str]) -> Iterator[tuple[str, str, set[str]]]:
    """Every place that refuses: where it is, the code, and the facts that it gives."""
    known: dict[str, tuple[int, ast.AST]] = {"Refused": (0, ast.Module([], []))}
    known["__init__"] = known["Refused"]  # of a subclass
    for tree in trees().values():
        known |= {name: found for name, found in raisers(tree).items() if name != "__init__"}
    for module, tree in trees().items():
        functions = functions_of(tree)
        for function in functions:
            for call in calls_in(function):
                name = getattr(call.func, "id", getattr(call.func, "attr", ""))
                place, raiser = known.get(name, (len(call.args), tree))
                for code in texts_of(call.args[place : place + 1]) & codes:
                    given = keys(raiser) | given_to(call, function, functions)
                    yield f"{module}:{call.lineno}", code, given
            for code in texts_of(function.args.defaults) & codes:
                yield f"{module}:{function.lineno}", code, keys(tree)


def texts_of(several: list[ast.expr]) -> set[str]:
    return {
        str(node.value)
        for each in several
        for node in ast.walk(each)
        if isinstance(node, ast.Constant)
    }


def given_to(call: ast.Call, function: ast.FunctionDef, others: list[ast.FunctionDef]) -> set[str]:
    """The facts of a call: its keywords, and where a dictionary is unpacked what may be in it."""
    found: set[str] = set()
    for keyword in call.keywords:
        if keyword.arg:
            found.add(keyword.arg)
        elif isinstance(keyword.value, ast.Call):
            made_by = getattr(keyword.value.func, "id", "")
            found = found.union(*(keys(each) for each in others if each.name == made_by))
        else:
            found |= keys(function)
    return found


def test_every_raise_gives_the_facts_used_by_its_words() -> None:
    known = {code: needed(text) for code, text in words().items()}
    found = list(places(set(known)))
    lacking = [(where, code, known[code] - given) for where, code, given in found]
    assert [each for each in lacking if each[2]] == []
    assert len(found) > 150


def test_a_refused_bid_comes_with_every_fact_of_its_refusal() -> None:
    tree = ast.parse((SOURCE / "games" / "perudo" / "play.py").read_text("utf-8"))
    (refuse,) = [
        each
        for each in ast.walk(tree)
        if isinstance(each, ast.FunctionDef) and each.name == "_refuse"
    ]
    said = words()
    assert set().union(*(needed(said[code]) for code in OF_BIDS)) <= keys(refuse)


def test_every_code_with_facts_is_found_in_the_code() -> None:
    """Codes that are chosen elsewhere have words without facts, or are those of bids."""
    known: Mapping[str, set[str]] = {code: needed(text) for code, text in words().items()}
    seen = {code for _, code, _ in places(set(known))}
    assert {code for code, facts in known.items() if facts} - seen <= OF_BIDS


def test_words_with_an_undeclared_fact_are_found() -> None:
    assert needed("{{ bord }} {% if rule is defined %}{{ rule }}{% endif %}") == {"bord"}
    code = "def shown(word):\n    raise Refused('no_such_board', board=word, **more(word))"
    function = ast.parse(code).body[0]
    other = ast.parse("def more(word):\n    return {'last': 1}").body[0]
    assert isinstance(function, ast.FunctionDef) and isinstance(other, ast.FunctionDef)
    (call,) = [each for each in ast.walk(function) if getattr(each, "keywords", None)]
    assert isinstance(call, ast.Call)
    assert given_to(call, function, [other]) == {"board", "last"}
