"""Regular expressions under attack: all those of the program, and their own worst inputs.

An expression takes long where it can match a piece of a text in many ways, and not the rest.  It
also takes long where a search begins anew at every character and each time gets far.  Its parse
tree shows such pieces: a repeated part, the part before it, and the beginning of a match.  Such a
piece, many times over, is the input tried here.
"""

from __future__ import annotations

import ast
import importlib
import re
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice, product, zip_longest
from pathlib import Path
from re import _constants as op  # type: ignore[attr-defined]  # it has no types
from re import _parser as parser  # type: ignore[attr-defined]  # it has no types
from time import thread_time
from typing import Any

TOP = Path(__file__).parents[1]
METHODS = {"match", "fullmatch", "search", "sub", "subn", "findall", "finditer", "split"}
_OF_ANOTHER_KIND = {"regex", "re2", "fnmatch", "sre_compile"}  # modules
Pattern = re.Pattern[str] | re.Pattern[bytes]


@dataclass(frozen=True, slots=True)
class Expression:
    """A compiled expression of the program: `name` with its module, and how it is used there."""

    name: str
    pattern: Pattern
    methods: frozenset[str]


# --- all that there are


@cache
def texts() -> Mapping[str, str]:
    """Every module of the program, as it is written."""
    return {
        ".".join(file.relative_to(TOP).with_suffix("").parts).removesuffix(
            ".__init__"
        ): file.read_text("utf-8")
        for file in sorted((TOP / "pbmserv").rglob("*.py"))
    }


@cache
def source(module: str) -> ast.Module:
    """A module of the program, parsed."""
    return ast.parse(texts()[module])


def sources() -> Mapping[str, ast.Module]:
    """The parsed modules that may name an expression; parsing all would take seconds.

    The expressions have one of these names, as a module or in front of a dot.
    """
    named = re.compile(rf"\b(?:{'|'.join(['re', *_OF_ANOTHER_KIND])})\b")
    return {module: source(module) for module, text in texts().items() if named.search(text)}


def compiled_in(tree: ast.Module) -> Iterator[str | None]:
    """The name under which each `re.compile` of a module can be found; None where there is none.

    The name of a module has it as its value, or a cached function without arguments returns it.
    """
    known: dict[ast.AST, str] = {}
    for statement in tree.body:
        name = ""
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            name = statement.targets[0].id
        elif isinstance(statement, ast.FunctionDef) and not statement.args.args:
            cached = any(isinstance(each, ast.Name) and each.id == "cache"
                         for each in statement.decorator_list)  # fmt: skip
            name = statement.name if cached else ""
        if name:
            known |= dict.fromkeys(ast.walk(statement), name)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _attribute_of_re(node.func) == "compile":
            yield known.get(node)


def hidden_in(tree: ast.Module) -> Iterator[str]:
    """Uses of expressions in a module that `expressions` cannot find, as `line: use`."""
    for node in ast.walk(tree):
        if _attribute_of_re(node) in METHODS | {"template"}:
            yield f"{getattr(node, 'lineno', 0)}: re.{_attribute_of_re(node)}"
        elif isinstance(node, ast.ImportFrom) and node.module == "re":
            yield f"{node.lineno}: from re import"
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names = [each.name for each in node.names] + [getattr(node, "module", None) or ""]
            if _OF_ANOTHER_KIND & set(names):
                yield f"{node.lineno}: expressions of another kind"


def _attribute_of_re(node: ast.AST) -> str:
    of_re = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    return node.attr if of_re and node.value.id == "re" else ""  # type: ignore[attr-defined]  # of_re


def _uses(tree: ast.Module) -> Mapping[str, set[str]]:
    """For each name, the methods by which a module uses its value, or a part of its value."""
    found: dict[str, set[str]] = {}
    each_of: dict[str, str] = {}  # `for each in NAME`
    for node in ast.walk(tree):
        if isinstance(node, ast.For | ast.comprehension) and isinstance(node.target, ast.Name):
            each_of[node.target.id] = getattr(node.iter, "id", "")
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in METHODS:
            base = node.value
            if isinstance(base, ast.Subscript):
                base = base.value
            elif isinstance(base, ast.Call):
                base = base.func
            if isinstance(base, ast.Name):
                for name in (base.id, each_of.get(base.id, "")):
                    found.setdefault(name, set()).add(node.attr)
    return found


def expressions() -> list[Expression]:
    """Every expression of the program."""
    found = []
    for module, text in texts().items():
        if "compile" not in text:  # parsing all modules takes a second
            continue
        tree = source(module)
        names = dict.fromkeys(name for name in compiled_in(tree) if name)
        uses = _uses(tree) if names else {}
        for name in names:
            value = getattr(importlib.import_module(module), name)
            several = _several(value() if callable(value) else value)
            for number, each in enumerate(several):
                title = f"{module}.{name}" + (f"[{number}]" if len(several) > 1 else "")
                found.append(Expression(title, each, frozenset(uses.get(name, ()))))
    return found


def _several(value: Any) -> list[Pattern]:
    """The expressions in a value of a module; raises AssertionError where there is none."""
    if isinstance(value, re.Pattern):
        return [value]
    is_several = isinstance(value, Mapping | Sequence | Set) and not isinstance(value, str)
    assert is_several, f"no expression in {value!r}"
    inside = value.values() if isinstance(value, Mapping) else value
    return [pattern for each in inside for pattern in _several(each)]


# --- what older versions of Python get wrong

_SINGLE = {op.LITERAL, op.NOT_LITERAL, op.IN, op.ANY}


def repeats_a_group_possessively(pattern: Pattern) -> bool:
    """Whether an expression has `(...)++`, `(...)*+` or `(...)?+` around more than one character.

    Python before 3.11.5, as in Debian 12, goes on from where the last try of the group failed
    (https://github.com/python/cpython/issues/106052).  It gets `(?>(?:...)+)` right.
    """
    source = pattern.pattern
    text = source if isinstance(source, str) else source.decode("latin-1")
    return _has_possessive_group(list(parser.parse(text, pattern.flags)))


def _has_possessive_group(nodes: Sequence[Any]) -> bool:
    for kind, value in nodes:
        repeated = kind in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)
        inside = [list(value[2])] if repeated else list(_inside(kind, value))
        if kind is op.POSSESSIVE_REPEAT and [each in _SINGLE for each, _ in inside[0]] != [True]:
            return True
        if any(map(_has_possessive_group, inside)):
            return True
    return False


# --- what could be slow

_CHARACTERS = "a 0\tA.-=:'\"<>/@[]()*\n\0,_;x1é是！\u0301"  # tried where a set of them is to be met
_ENDS = ("", "\0", "x", " ", "!")
_MOST_SAMPLES, _MOST_ATTACKS = 24, 300


@dataclass(frozen=True, slots=True)
class Attack:
    """A text that an expression may be slow on: a piece many times, something around it."""

    before: str
    piece: str
    behind: str

    def of(self, size: int) -> str:
        """The text, about so many characters long."""
        return self.before + self.piece * max(1, size // len(self.piece)) + self.behind


def attacks(pattern: Pattern) -> list[Attack]:
    """The inputs on which the expression may be slow, by its parse tree."""
    source = pattern.pattern
    text = source if isinstance(source, str) else source.decode("latin-1")
    tree = parser.parse(text, pattern.flags)
    groups = [
        (Attack(front, piece, end) for piece, front, end in product(pieces, before, _ENDS) if piece)
        for before, pieces in _repeated(list(tree), [""])
    ]
    found = dict[Attack, None]()
    # A few of every part of the expression are tried before many of one.
    for each in filter(None, chain.from_iterable(zip_longest(*groups))):
        found[each] = None
        if len(found) == _MOST_ATTACKS:
            break
    return list(found)


def _repeated(nodes: Sequence[Any], before: list[str]) -> Iterator[tuple[list[str], list[str]]]:
    """What may come in front, and pieces that may come many times; the search repeats any."""
    fronts = before
    for position, (kind, value) in enumerate(nodes):
        here = _samples([(kind, value)])
        begins = _joined(fronts, here)
        yield [""], begins
        if kind in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
            body = _samples(list(value[2]))
            behind = _samples(list(nodes[position + 1 :]))
            yield ["", *fronts[:2]], [*body, *_joined(body[:5], body[:5]), *_joined(body, behind)]
            yield from _repeated(list(value[2]), fronts)
        for inner in _inside(kind, value):
            yield from _repeated(inner, fronts)
        fronts = begins or fronts


def _inside(kind: Any, value: Any) -> Iterator[list[Any]]:
    """The sequences inside a node that is not a repetition."""
    if kind is op.SUBPATTERN:
        yield list(value[3])
    elif kind is op.ATOMIC_GROUP:
        yield list(value)
    elif kind is op.BRANCH:
        yield from (list(each) for each in value[1])
    elif kind in (op.ASSERT, op.ASSERT_NOT):
        yield list(value[1])


def _joined(some: Sequence[str], others: Sequence[str]) -> list[str]:
    every = (a + b for a, b in product(some, others))
    return list(islice(dict.fromkeys(every), _MOST_SAMPLES))


def _samples(nodes: Sequence[Any]) -> list[str]:
    """Texts that these match one after the other, as far as nothing around them matters."""
    found = [""]
    for kind, value in nodes:
        found = _joined(found[:6], _sample(kind, value))
    return found


def _sample(kind: Any, value: Any) -> list[str]:
    if kind is op.LITERAL:
        return [chr(value)]
    if kind in (op.IN, op.NOT_LITERAL, op.ANY):
        return _matching(kind, value)
    if kind in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
        body = _samples(list(value[2]))
        least = max(1, value[0])
        return [each * least for each in body] + ([""] if value[0] == 0 else [])
    if kind in (op.SUBPATTERN, op.ATOMIC_GROUP, op.BRANCH):
        every = (each for inner in _inside(kind, value) for each in _samples(inner))
        return list(islice(dict.fromkeys(every), _MOST_SAMPLES))
    return [""]


def _matching(kind: Any, value: Any) -> list[str]:
    """A few characters of a set: common ones, and its own first ones."""
    if kind is op.ANY:
        return ["a", " "]
    if kind is op.NOT_LITERAL:
        return [each for each in "a 0." if ord(each) != value][:3]
    own = [chr(each if what is op.LITERAL else each[0])
           for what, each in value if what in (op.LITERAL, op.RANGE)]  # fmt: skip
    single = parser.SubPattern(parser.State(), [(op.IN, value)])
    fits = re._compiler.compile(single).fullmatch  # type: ignore[attr-defined]  # has no types
    return [each for each in (*own[:3], *_CHARACTERS) if fits(each)][:5]


# --- how slow it is

ENOUGH = 0.004  # seconds: an input that takes so long is large enough to be judged
MOST_GROWTH = 3.0  # of the time, when the input doubles
_SMALL, _LARGE = 1000, 8000  # characters; an expression that is fast by far is tried once
_SUSPICIOUS = 12.0  # times as long for eight times as much
_MEASURABLE = 0.00002  # seconds
# The same for half as many characters: an expression that is as fast as this is tried once, too.
_HALF_SUSPICIOUS, _HALF_MEASURABLE = 10.0, 0.000005
_FOR_EVER = 0.5  # seconds of one try; a linear expression takes a tenth of it at most
_LONG = 0.01  # seconds; a linear expression takes a tenth of it for the largest text
_FEWEST_TRIES, _MOST_TRIES = 3, 4
_CLEARLY_LINEAR = 2.4  # times as long when the input doubles: one try that says so is enough


class ForEverError(Exception):
    """The call takes too long."""


@contextmanager
def _patience() -> Iterator[None]:
    def give_up(*_: object) -> None:
        raise ForEverError

    before = signal.signal(signal.SIGVTALRM, give_up)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _seconds(use: Callable[[str], object], text: str) -> float:
    signal.setitimer(signal.ITIMER_VIRTUAL, _FOR_EVER)
    begun = thread_time()
    use(text)
    return thread_time() - begun


def _user(pattern: Pattern, method: str) -> Callable[[str], object]:
    """The method, called as the program does; every match is read to the end."""
    called: Any = getattr(pattern, method)
    if method in ("sub", "subn"):
        called = lambda text, change=called: change(text[:0], text)  # noqa: E731 # bytes or text
    if method == "finditer":
        called = lambda text, find=called: sum(1 for _ in find(text))  # noqa: E731 # as above
    if isinstance(pattern.pattern, bytes):
        return lambda text: called(text.encode("latin-1", "replace"))
    use: Callable[[str], object] = called
    return use


def slow(pattern: Pattern, methods: Iterable[str], longest: int) -> str:
    """An attack on which an expression is slow, as `method: attack`; "" without one.

    `longest` is the most characters that its caller gives it.
    """
    tried = attacks(pattern)
    with _patience():
        for method in sorted(methods):
            worst = _worst(_user(pattern, method), tried, longest)
            if worst:
                return f"{method}: {worst}"
    return ""


def _worst(use: Callable[[str], object], tried: Sequence[Attack], longest: int) -> Attack | None:
    """The first attack that explodes, of the slowest and those faster than their length."""
    slowest, most = None, 0.0
    for attack in tried:
        try:
            half = _seconds(use, attack.of(min(_LARGE // 2, longest)))
            if _is_suspicious(use, attack, longest, half):
                if _explodes(use, attack, longest):
                    return attack
            elif half > most:
                slowest, most = attack, half
        except ForEverError:
            return attack
    return slowest if slowest and _explodes(use, slowest, longest) else None


def _is_suspicious(use: Callable[[str], object], attack: Attack, longest: int, half: float) -> bool:
    """Whether eight times as much takes by far more than eight times as long, at every try.

    `half` is how long half of the largest text took.
    """

    def seconds(size: int) -> float:
        return _seconds(use, attack.of(min(size, longest)))

    if half <= _HALF_MEASURABLE * _HALF_SUSPICIOUS:
        return False
    if half <= max(seconds(_SMALL // 2), _HALF_MEASURABLE) * _HALF_SUSPICIOUS:
        return False
    small, large = seconds(_SMALL), seconds(_LARGE)
    for _ in range(_MOST_TRIES):
        if large <= max(small, _MEASURABLE) * _SUSPICIOUS:
            return False
        if large > _LONG:  # this is not an accident of the machine
            return True
        small, large = min(small, seconds(_SMALL)), min(large, seconds(_LARGE))
    return True


def _grows(use: Callable[[str], object], attack: Attack, size: int) -> bool:
    """Whether the time more than triples when this input doubles.

    The least time of several tries counts: a busy machine only ever makes a try too long.
    """
    texts = attack.of(size), attack.of(size * 2)
    least = [float("inf"), float("inf")]
    for number in range(1, _MOST_TRIES + 1):
        for place, text in enumerate(texts):
            least[place] = min(least[place], _seconds(use, text))
        most = MOST_GROWTH if number >= _FEWEST_TRIES else _CLEARLY_LINEAR
        if least[1] <= most * least[0]:
            return False
    return True


def _explodes(use: Callable[[str], object], attack: Attack, longest: int) -> bool:
    """Whether the time more than triples, twice running, when an input of enough time doubles.

    Twice, for memory that has to grow may cost as much, once.
    """
    try:
        size = min(_SMALL, longest)
        while size < longest and _seconds(use, attack.of(size)) < ENOUGH:
            size *= 2
        if size >= longest:
            return False
        return all(_grows(use, attack, each) for each in (size, size * 2))
    except ForEverError:
        return True
