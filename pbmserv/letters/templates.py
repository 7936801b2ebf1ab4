"""The templates that all languages share: the sentences of letters, marked for translation.

`_("…")` and `ngettext` in a template mark a sentence for the catalogue of a language (gettext).
The server's templates are in `letters/templates/`, a game's in `games/GAME/letters/`.  A file
whose name begins with `_` has macros for several letters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial
from importlib.resources import files
from importlib.resources.abc import Traversable
from keyword import iskeyword
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined, Template, nodes, pass_context
from jinja2.compiler import CodeGenerator, Frame, MacroRef
from jinja2.runtime import Context
from jinja2.utils import missing
from markupsafe import Markup, escape

from pbmserv.games import GAMES
from pbmserv.letters.catalogues import catalogue, own_name, with_own_name
from pbmserv.letters.compiled_templates import COMPILED
from pbmserv.letters.dates import day, full_date, short_date
from pbmserv.letters.lists import decimal, listed, listed_or, thousands
from pbmserv.letters.payloads.guests import GUEST
from pbmserv.letters.wrapping import dashed, printable, quoted
from pbmserv.text import board_subjects, message_subjects


def source(name: str) -> str | None:
    """The text of a template; None if there is none of this name."""
    file = _place(_path(f"{name}.jinja"))
    return file.read_text("utf-8") if file.is_file() else None


def _named_source(name: str) -> tuple[str, str, None] | None:
    """The text of a template, with the name of its file for the report of a bug."""
    text = source(name)
    return None if text is None else (text, f"pbmserv/{_path(name)}.jinja", None)


def templates_in(folder: str) -> Sequence[str]:
    """The names of the templates in a folder, such as `refusals` or `perudo/refusals`."""
    files = sorted(each.name for each in _place(_path(folder)).iterdir())
    return [f"{folder}/{name.removesuffix('.jinja')}" for name in files if name.endswith(".jinja")]


def _path(name: str) -> str:
    """A file or folder in pbmserv: a name that begins with a game's is the game's, others ours."""
    game, _, own = name.partition("/")
    return f"games/{game}/letters/{own}" if game in GAMES else f"letters/templates/{name}"


def _place(path: str) -> Traversable:
    return files("pbmserv").joinpath(*path.split("/"))


class _DirectCode(CodeGenerator):
    """Compiles a call to a call, and a macro to a function.

    At each call Jinja's own code checks whether the function wants the context.  It also sorts the
    arguments of a macro.  That takes longer than most macros.
    """

    def visit_Call(  # noqa: N802 - as jinja names it
        self, node: nodes.Call, frame: Frame, forward_caller: bool = False
    ) -> None:
        """A call with the arguments that the template gives it."""
        names = [each.key for each in node.kwargs]
        if forward_caller or node.dyn_args or node.dyn_kwargs or any(map(iskeyword, names)):
            super().visit_Call(node, frame, forward_caller=forward_caller)
            return
        self.visit(node.node, frame)
        self.write("(")
        for each in (*node.args, *node.kwargs):
            self.visit(each, frame)
            self.write(", ")
        self.write(")")

    def macro_def(self, macro_ref: MacroRef, frame: Frame) -> None:
        """A macro whose arguments are all given in order is its function."""
        is_special = macro_ref.accesses_kwargs or macro_ref.accesses_varargs
        if is_special or macro_ref.accesses_caller or macro_ref.node.defaults:
            super().macro_def(macro_ref, frame)
        else:
            self.write("macro")

    def _output_child_pre(
        self, node: nodes.Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo
    ) -> None:
        """A value of HTML is escaped by the environment."""
        context = frame.eval_ctx
        if context.volatile or not context.autoescape or finalize.src is not None:
            super()._output_child_pre(node, frame, finalize)
        else:
            self.write("environment.escaped(")

    def visit_Getattr(  # noqa: N802 - as jinja names it
        self, node: nodes.Getattr, frame: Frame
    ) -> None:
        """An attribute is Python's own, where no value is a dictionary."""
        if isinstance(self.environment, PayloadEnvironment) or iskeyword(node.attr):
            super().visit_Getattr(node, frame)
            return
        self.visit(node.node, frame)
        self.write(f".{node.attr}")

    def return_buffer_contents(self, frame: Frame, force_unescaped: bool = False) -> None:
        """What a macro returns is marked as escaped by itself, and not by its caller."""
        super().return_buffer_contents(frame)


_escaped = lru_cache(maxsize=1024, typed=True)(escape)  # letters share names, bids and numbers


class Names(dict[str, Any]):
    """Values by their names, in which macros look up what they read: `make_module(values)`."""

    def __missing__(self, name: str) -> object:
        return missing  # as jinja calls it


class _DirectContext(Context):
    """A context whose names are found by one look-up; a macro finds its neighbours without it."""

    def __init__(self, environment: Environment, parent: dict[str, Any], *more: Any, **named: Any):
        super().__init__(environment, parent, *more, **named)
        if isinstance(parent, Names):
            self.resolve_or_missing = parent.__getitem__  # type: ignore[assignment] # Jinja calls it with a name alone


class DirectEnvironment(Environment):
    """Jinja with faster calls and names; a function cannot ask for the context."""

    code_generator_class = _DirectCode
    context_class = _DirectContext

    @staticmethod
    def escaped(value: object) -> str:
        """The value, escaped for HTML; what is escaped already is not made anew, as by `escape`."""
        return value if type(value) is Markup else _escaped(value)


class PayloadEnvironment(DirectEnvironment):
    """Jinja with a faster attribute access, too, for payloads, which are dictionaries."""

    def getattr(self, obj: Any, attribute: str) -> Any:
        """`each.name`: for a dictionary its item, if there is one."""
        try:
            return obj[attribute] if type(obj) is dict else getattr(obj, attribute)
        except (KeyError, AttributeError):
            return super().getattr(obj, attribute)


@cache
def environment(language: str) -> Environment:
    """The shared templates, in a language."""
    found = PayloadEnvironment(
        loader=FunctionLoader(_named_source),
        undefined=StrictUndefined,
        autoescape=False,  # documents are plain text: the HTML form escapes them
        trim_blocks=True,
        lstrip_blocks=True,
        bytecode_cache=COMPILED,
    )
    translations = catalogue(language)
    person = partial(_person, translations.gettext)
    found.globals |= {
        "_": partial(_one, translations.gettext),
        "ngettext": partial(_some, translations.ngettext),
        "turn_subject": partial(board_subjects.of_turn, language=language),
        "board_subject": partial(board_subjects.of_board, language=language),
        "refused_subject": partial(board_subjects.of_refusal, language=language),
        "message_subject": partial(message_subjects.of_message, language=language),
    }
    found.filters |= {
        "dashed": dashed,
        "printable": printable,
        "day": partial(day, language=language),
        "full_date": partial(full_date, language=language),
        "short_date": partial(short_date, language=language),
        "decimal": partial(decimal, language=language),
        "thousands": partial(thousands, language=language),
        "listed": lambda items: listed(map(person, items), language),
        "person": person,
        "call_word": partial(_call_word, translations.gettext),
        "listed_or": partial(listed_or, language=language),
        "quoted": pass_context(partial(_quoted, translations.gettext)),
        "own_name": own_name,
        "with_own_name": with_own_name,
    }
    return found


def _one(translate: Callable[[str], str], message: str, /, **values: object) -> str:
    """A sentence in the language, with its values: `%(name)s`."""
    return translate(message) % values if values else translate(message)


def _person(_: Callable[[str], str], name: object) -> object:
    """A userid, or in the language's words somebody who was invited by address."""
    # Translators: stands in lists of names, in place of the name of a person who is not known yet
    return _("a guest") if name == GUEST else name


def _call_word(_: Callable[[str], str], call: str) -> str:
    """A call as players of the language say it, such as "дудо"; any other word as it is."""
    words = {"dudo": _("dudo"), "calza": _("calza"), "pacao": _("pacao")}
    return words.get(call, call)


def _quoted(_: Callable[[str], str], __: Context, text: str) -> str:
    """A word that somebody wrote, in the quotation marks of the language.

    It takes the context so that jinja does not compute it as it compiles.  All languages share the
    compiled templates.
    """
    return quoted(text, _('"%(text)s"'))


def _some(
    translate: Callable[[str, str, int], str], one: str, many: str, count: int, /, **values: object
) -> str:
    """The form of a sentence for a number, which is its value `num`."""
    return translate(one, many, count) % {"num": count, **values}


def template(name: str, language: str) -> Template:
    """A shared template: `perudo/sentences` is the game's, `bug` the server's."""
    return environment(language).get_template(name)
