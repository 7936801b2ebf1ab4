"""The templates that all languages share: the sentences of letters, marked for translation.

`_("…")` and `ngettext` in a template mark a sentence for the catalogue of a language (gettext).
The server's templates are in `letters/templates/`, a game's in `games/GAME/letters/`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from gettext import NullTranslations
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined, Template

from pbmserv.letters.dates import day, full_date
from pbmserv.letters.wrapping import lined


def _source(name: str) -> str | None:
    game, slash, own = name.partition("/")
    path = f"games/{game}/letters/{own}.jinja" if slash else f"letters/templates/{name}.jinja"
    file = files("pbmserv").joinpath(*path.split("/"))
    return file.read_text("utf-8") if file.is_file() else None


class PayloadEnvironment(Environment):
    """Jinja with a faster attribute access for payloads, which are dictionaries."""

    def getattr(self, obj: Any, attribute: str) -> Any:
        """`each.name`: for a dictionary its item, if there is one."""
        if type(obj) is dict and attribute in obj:
            return obj[attribute]
        return super().getattr(obj, attribute)


@cache
def environment(language: str) -> Environment:
    """The shared templates, in a language."""
    found = PayloadEnvironment(
        loader=FunctionLoader(_source),
        undefined=StrictUndefined,
        autoescape=False,  # documents are plain text: the HTML form escapes them
        trim_blocks=True,
        lstrip_blocks=True,
    )
    translations = NullTranslations()
    found.globals |= {
        "_": partial(_one, translations.gettext),
        "ngettext": partial(_some, translations.ngettext),
    }
    found.filters |= {
        "day": partial(day, language=language),
        "full_date": partial(full_date, language=language),
        "listed": lambda items: lined(items, "and"),
    }
    return found


def _one(translate: Callable[[str], str], message: str, /, **values: object) -> str:
    """A message in the language, with its values: `%(name)s`."""
    return translate(message) % values if values else translate(message)


def _some(
    translate: Callable[[str, str, int], str], one: str, many: str, count: int, /, **values: object
) -> str:
    """The form of a message for a number, which is its value `num`."""
    return translate(one, many, count) % {"num": count, **values}


def template(name: str, language: str) -> Template:
    """A shared template: `perudo/sentences` is the game's, `bug` the server's."""
    return environment(language).get_template(name)


@cache
def is_shared(name: str) -> bool:
    """Whether there is a shared template of this name."""
    return _source(name) is not None
