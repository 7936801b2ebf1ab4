"""The catalogues of languages: how they are read, and how `scripts/messages` keeps them."""

from __future__ import annotations

from pathlib import Path

import pytest
from babel.messages.catalog import Catalog

from pbmserv.letters import catalogues as letters
from pbmserv.letters.catalogues import Untranslated
from scripts import catalogues

HEAD = """
msgid ""
msgstr ""
"Content-Type: text/plain; charset=utf-8\\n"
"Plural-Forms: nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 &&"
" (n%100<10 || n%100>=20) ? 1 : 2);\\n"
"""
RUSSIAN = f"""{HEAD}
# A note of the translator.
msgid "die"
msgid_plural "dice"
msgstr[0] "кость"
msgstr[1] "кости"
msgstr[2] "костей"

msgid "round"
msgid_plural "rounds"
msgstr[0] "раунд"
msgstr[1] ""
msgstr[2] "раундов"

msgid "Your turn, %(name)s"
msgstr "Ход за вами, %(name)s"

msgid "no"
msgstr ""
"""


def template() -> Catalog:
    found = Catalog()
    found.add("Your turn, %(name)s", locations=[("b.jinja", 3)])
    found.add(("die", "dice"), locations=[("b.jinja", 7)], auto_comments=["What one rolls."])
    found.add("New", locations=[("c.jinja", 1)])
    return found


def in_russian(text: str, folder: Path) -> Catalog:
    file = folder / "ru" / "messages.po"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, "utf-8")
    return catalogues.read(file)


def test_a_catalogue_answers_with_the_form_of_a_number() -> None:
    russian = letters.read(RUSSIAN.encode(), "ru")
    assert russian.gettext("Your turn, %(name)s") == "Ход за вами, %(name)s"
    said = [russian.ngettext("die", "dice", number) for number in (1, 2, 5, 11, 21)]
    assert said == ["кость", "кости", "костей", "костей", "кость"]


def test_a_catalogue_raises_for_what_it_lacks() -> None:
    """Also for a message that lacks one of its forms."""
    russian = letters.read(RUSSIAN.encode(), "ru")
    for lacking in ("no", "yes"):
        with pytest.raises(Untranslated):
            russian.gettext(lacking)
    for number in (1, 2, 5):
        with pytest.raises(Untranslated):
            russian.ngettext("round", "rounds", number)


def test_english_is_what_the_templates_say() -> None:
    english = letters.catalogue("en")
    assert english.gettext("yes") == "yes"
    assert [english.ngettext("die", "dice", number) for number in (1, 2)] == ["die", "dice"]


def test_an_update_adds_and_removes_and_keeps_what_a_translator_wrote(tmp_path: Path) -> None:
    text = catalogues.written(catalogues.updated(in_russian(RUSSIAN, tmp_path), template()))
    assert text.partition("\n\n")[2] == (
        "#: b.jinja\n"
        "#, python-format\n"
        'msgid "Your turn, %(name)s"\n'
        'msgstr "Ход за вами, %(name)s"\n\n'
        "# A note of the translator.\n"
        "#. What one rolls.\n"
        "#: b.jinja\n"
        'msgid "die"\n'
        'msgid_plural "dice"\n'
        'msgstr[0] "кость"\n'
        'msgstr[1] "кости"\n'
        'msgstr[2] "костей"\n\n'
        "#: c.jinja\n"
        'msgid "New"\n'
        'msgstr ""\n'
    )
    again = catalogues.written(catalogues.updated(in_russian(text, tmp_path), template()))
    assert again == text


def test_missing_unused_and_wrong_messages_are_named(tmp_path: Path) -> None:
    russian = in_russian(RUSSIAN.replace("вами, %(name)s", "вами, %(nome)s"), tmp_path)
    updated = catalogues.updated(in_russian(RUSSIAN, tmp_path), template())
    assert [*catalogues.problems(updated, template())] == ["missing: 'New'"]
    assert sorted(catalogues.problems(russian, template())) == [
        "missing: 'New'",
        "unknown named placeholder 'nome': 'Your turn, %(name)s'",
        "unused: 'no'",
        "unused: ('round', 'rounds')",
    ]


@pytest.mark.slow
def test_every_marked_message_is_found_with_its_comment() -> None:
    found = catalogues.extracted()
    assert "%(name)s wins" in found
    assert found.get(("%(num)s day left", "%(num)s days left"))
    assert sorted(catalogues.catalogues()) == ["es", "fr", "ru"]
