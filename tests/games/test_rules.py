"""Rule sets are values, and an option of a challenge changes one field of one."""

from __future__ import annotations

import pytest

from pbmserv.errors import Refused
from pbmserv.games.perudo.rules import (
    OPTIONS,
    RULE_SETS,
    options_of,
    rules_named,
    with_options,
)
from tests.rows import each_row


def test_rules_are_found_by_name_in_any_case() -> None:
    assert rules_named("BGA") is RULE_SETS["bga"]
    assert [rules.name for rules in RULE_SETS.values()] == list(RULE_SETS)


@pytest.mark.parametrize(
    ("name", "nearest"), [("bgaa", "bga"), ("pbmsrv", "pbmserv"), ("chess", None), ("", None)]
)
def test_an_unknown_rule_set_is_refused_with_the_nearest(name: str, nearest: str | None) -> None:
    with pytest.raises(Refused) as refused:
        rules_named(name)
    assert refused.value.code == "unknown_rules"
    assert refused.value.facts == {"name": name, "known": list(RULE_SETS), "nearest": nearest}


@pytest.mark.parametrize("name", list(RULE_SETS))
def test_every_option_changes_its_field_and_reads_back(name: str) -> None:
    rules = RULE_SETS[name]
    assert options_of(rules) == {}
    for option, choice in OPTIONS[name].items():
        for word, value in choice.values.items():
            changed = with_options(rules, {option.upper(): word.upper()})
            assert getattr(changed, choice.field) == value
            assert with_options(rules, options_of(changed)) == changed
            assert set(options_of(changed)) <= {option}


def test_each_document_has_its_own_options() -> None:
    assert {name: set(options) - {"dice", "faces"} for name, options in OPTIONS.items()} == {
        "pbmserv": {"raise"},
        "classic": {"raise", "to1", "palifico", "pal_wild", "calza"},
        "bga": {"to1", "calza", "hidden"},
        "pyrudo": {"pal_wild"},
        "pacao": set(),
    }


def test_a_bare_flag_means_yes() -> None:
    assert with_options(RULE_SETS["bga"], {"calza": ""}).calza
    assert with_options(RULE_SETS["classic"], {"palifico": "on"}).palifico == "every"
    assert not with_options(RULE_SETS["pyrudo"], {"pal_wild": "off"}).palifico_wild


def test_a_number_may_have_leading_zeros() -> None:
    assert with_options(RULE_SETS["bga"], {"dice": "0007", "faces": "020"})[-2:] == (7, 20)


def test_an_option_of_another_rule_set_is_refused() -> None:
    with pytest.raises(Refused) as refused:
        with_options(RULE_SETS["pacao"], {"calza": "yes"})
    assert refused.value.code == "unknown_option"
    known = ["dice", "faces"]
    assert refused.value.facts == {
        "option": "calza",
        "rules": "pacao",
        "known": known,
        "always": False,
    }


@each_row(
    ("rules", "option", "always"),
    [
        ("pyrudo", "Calza", True),
        ("bga", "palifico", True),
        ("pacao", "palifico", True),
        ("pbmserv", "palifico", False),
        ("pacao", "hidden", False),
    ],
)
def test_the_refusal_of_an_option_says_that_the_rules_have_it_anyway(
    rules: str, option: str, always: bool
) -> None:
    with pytest.raises(Refused) as refused:
        with_options(RULE_SETS[rules], {option: "yes"})
    assert refused.value.facts["always"] is always


@each_row(
    ("option", "value"),
    [
        ("dice", "0"),
        ("dice", "11"),
        ("dice", "0011"),
        ("dice", "000"),
        ("dice", ""),
        ("dice", "٥"),
        ("faces", "1"),
        ("faces", "21"),
        ("raise", "higher"),
        ("raise", ""),
    ],
)
def test_a_value_out_of_range_is_refused(option: str, value: str) -> None:
    with pytest.raises(Refused) as refused:
        with_options(RULE_SETS["pbmserv"], {option: value})
    assert refused.value.code == "option_value"
    assert refused.value.facts["option"] == option
    assert refused.value.facts["allowed"] == OPTIONS["pbmserv"][option].allowed


def test_each_rule_set_says_when_ones_are_wild() -> None:
    """It is not for a bid on ones; in a Palifico round as the document says."""
    for name, plain, palifico in (
        ("pbmserv", False, False),
        ("classic", True, True),
        ("bga", True, False),
        ("pyrudo", True, True),
        ("pacao", True, True),
    ):
        rules = RULE_SETS[name]
        assert rules.counts_wild(3, palifico=False) is plain
        assert rules.counts_wild(3, palifico=True) is palifico
        assert not rules.counts_wild(1, palifico=False)
