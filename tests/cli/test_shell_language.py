"""The language of a shell."""

from __future__ import annotations

from pbmserv.cli.shell_language import shell_language
from tests.rows import each_row


@each_row(
    ("environ", "language"),
    [
        ({"LANG": "fr_FR.UTF-8"}, "fr"),
        ({"LANG": "ru_RU.utf8"}, "ru"),
        ({"LANG": "es.UTF-8@euro"}, "es"),
        ({"LANG": "fr_FR.UTF-8", "LC_MESSAGES": "es_ES.UTF-8"}, "es"),
        ({"LANG": "fr_FR.UTF-8", "LC_ALL": "C.UTF-8"}, "c"),
        ({"LANG": "fr_FR.UTF-8", "LC_ALL": ""}, "fr"),
        ({"LANG": "ru_RU.KOI8-R"}, ""),
        ({"LANG": "fr_FR"}, ""),
        ({"LANG": "C"}, ""),
        ({}, ""),
    ],
)
def test_the_first_variable_that_is_set_counts(environ: dict[str, str], language: str) -> None:
    assert shell_language(environ) == language
