"""The proofs: the dice follow from what was committed, and a changed record says where."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from pbmserv.errors import Refused
from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.commitments import chain_of, commitment
from pbmserv.games.perudo.dice import SealedDice, cups_from
from pbmserv.games.perudo.player_salts import has_part, part_of, salt_of
from pbmserv.games.perudo.record import Record, read_record
from pbmserv.games.perudo.referee import referee
from pbmserv.games.perudo.rules import RULE_SETS
from pbmserv.games.perudo.table import Bade, Called, Dealt, Event, Resigned, Revealed
from pbmserv.games.perudo.verify import Proof, is_over, verify
from tests.games.games import write_record

from .games import proven_game, sealed, without_proof


@pytest.fixture(scope="module")
def record() -> Record:
    return proven_game(RULE_SETS["pbmserv"], 4, Random(7))


def changed(record: Record, round: int, kind: type[Event], **changes: object) -> Record:
    """The record with one event of a round changed: the first of its kind."""
    events, running = list(record.events), 0
    for place, event in enumerate(events):
        if isinstance(event, Dealt):
            running = event.round
        if running == round and isinstance(event, kind):
            events[place] = replace(event, **changes)  # type: ignore[arg-type] # any field
            return replace(record, events=tuple(events))
    raise AssertionError("no such event")


def revealed(record: Record, round: int) -> Revealed:
    return [event for event in record.events if isinstance(event, Revealed)][round - 1]


def broken(record: Record) -> tuple[object, object]:
    """Which round fails, and why; the referee must name a line, too."""
    with pytest.raises(Refused) as refused:
        verify(record)
    assert refused.value.code == "proof_broken"
    report = referee(write_record(record), "changed.txt")
    assert report.fault
    assert report.where.startswith("changed.txt:")
    return refused.value.facts["round"], refused.value.facts["reason"]


def other_hex(text: str) -> str:
    return ("0" if text[0] != "0" else "1") + text[1:]


def with_other_die(record: Record, round: int) -> Record:
    opened = revealed(record, round)
    first, *rest = opened.cups
    cups = ((first[0] % 6 + 1, *first[1:]), *rest)
    return changed(record, round, Revealed, cups=cups)


def rounds_of(record: Record) -> int:
    return sum(isinstance(event, Dealt) for event in record.events)


def test_an_honest_game_is_proven(record: Record) -> None:
    found = verify(record)
    assert [each.round for each in found if each.proven] == [*range(1, rounds_of(record) + 1)]


def test_a_proof_names_the_players_who_have_added_to_the_dice(record: Record) -> None:
    """Of round 1 those in the header; of later ones those who moved in the round before."""
    found = verify(record)
    assert found[0].salted == {1}
    moved: set[int] = set()
    number = 0
    for event in record.events:
        if isinstance(event, Dealt):
            assert number == 0 or found[number].salted == moved - {0}  # seat 0 is a bot
            number, moved = event.round, set()
        elif isinstance(event, Bade | Called | Resigned):
            moved.add(event.seat)
    assert number == len(found)


def test_the_salt_is_the_beginning_of_a_digest_that_everybody_can_compute() -> None:
    """`printf %s 'first@example.org' | sha256sum`."""
    assert salt_of("<first@example.org>") == salt_of("first@example.org") == "7f425b93"
    assert salt_of("<first@example.org>", "foo") == "7f425b93+2c26b46b"
    assert salt_of("", "foo") == ""
    assert has_part("7f425b93+2c26b46b", part_of("foo"))
    assert not has_part("7f425b93+2c26b46b", "2c26")


def test_another_salt_gives_other_dice() -> None:
    """The seed of round 2 was committed before: only the salt of a move in round 1 differs."""
    secret, fresh, start = bytes([1] * 32), bytes([2] * 32), bytes(32)
    rolls = {
        SealedDice(None, secret, fresh, start).roll((Bade(0, Bid(1, 2), salt),), (5, 5), 6).cups
        for salt in ("", "7f425b93", "7f425b93+2c26b46b", "2c26b46b")
    }
    assert len(rolls) == 4


@pytest.mark.parametrize("round", [1, 4, -1])
def test_a_changed_die_fails_naming_the_round(record: Record, round: int) -> None:
    number = round if round > 0 else rounds_of(record)
    if record.events and not revealed(record, number).cups[0]:
        cups = revealed(record, number).cups
        seat = next(seat for seat, cup in enumerate(cups) if cup)
        cup = (cups[seat][0] % 6 + 1, *cups[seat][1:])
        other = changed(record, number, Revealed, cups=(*cups[:seat], cup, *cups[seat + 1 :]))
    else:
        other = with_other_die(record, number)
    assert broken(other) == (number, "dice")
    # and a forger who seals again is caught as well, in all but the blame for the last round
    again = sealed(other)
    assert broken(again)[0] in {number, number - 1}


@pytest.mark.parametrize("round", [1, 3])
def test_a_changed_seed_fails_naming_the_round(record: Record, round: int) -> None:
    seed = revealed(record, round).seed
    assert seed is not None
    assert broken(changed(record, round, Revealed, seed=other_hex(seed))) == (round, "seed")


@pytest.mark.parametrize("round", [1, 3])
def test_a_changed_bid_fails_naming_the_round(record: Record, round: int) -> None:
    """Even one that keeps the rules, and even when the seal is made again."""
    other = changed(record, round, Bade, bid=Bid(3, 3))
    assert broken(other) == (round, "history")
    assert broken(sealed(other)) == (round, "history")


def test_a_changed_bid_of_the_last_round_breaks_the_seal(record: Record) -> None:
    last = rounds_of(record)
    assert broken(changed(record, last, Bade, bid=Bid(1, 5))) == (last, "seal")


def test_a_changed_commitment_fails_naming_the_round(record: Record) -> None:
    """The round whose seed was committed; that of a round never played breaks the seal."""
    committed = record.commitment
    assert committed is not None
    assert broken(replace(record, commitment=other_hex(committed))) == (1, "seed")
    deal = changed(record, 2, Dealt, commitment=other_hex(committed))
    assert broken(deal) == (3, "seed")
    last = rounds_of(record)
    assert broken(changed(record, last, Dealt, commitment=committed)) == (last, "seal")


def test_a_changed_seal_fails_naming_the_last_round(record: Record) -> None:
    assert record.seal is not None
    last = rounds_of(record)
    assert broken(replace(record, seal=other_hex(record.seal))) == (last, "seal")


def test_a_changed_header_fails(record: Record) -> None:
    assert broken(replace(record, board=13)) == (1, "header")


def test_a_record_with_missing_proof_lines_fails(record: Record) -> None:
    """A seed not opened, a commitment not made, dice that were dealt and not opened."""
    assert broken(changed(record, 2, Revealed, seed=None)) == (2, "seed_missing")
    assert broken(changed(record, 2, Dealt, commitment=None)) == (3, "commitment_missing")
    cups = revealed(record, 2).cups
    fewer = (*cups[:-1], cups[-1][:-1])
    assert broken(changed(record, 2, Revealed, cups=fewer)) == (2, "counts")


@pytest.mark.parametrize("round", [1, 2, -1])
def test_a_round_without_seed_and_commitment_is_not_proven(record: Record, round: int) -> None:
    """A server could leave out those of the rounds whose dice it chose."""
    number = round if round > 0 else rounds_of(record)
    last = rounds_of(record)
    whole = set(range(1, last + 1))
    for rounds in ({number}, set(range(number, last + 1)) - {1}, whole - {number}):
        forged = without_proof(record, rounds)
        assert broken(forged) == (min(rounds), "commitment_missing")
        assert referee(write_record(forged), "forged.txt").code == "proof_broken"


def test_the_beginning_of_a_record_is_said_to_be_one(record: Record) -> None:
    assert is_over(record)
    assert not referee(write_record(record), "whole.txt").running
    for most in (1, 7):
        begun = proven_game(RULE_SETS["bga"], 3, Random(3), most_moves=most)
        assert not is_over(begun)
        assert referee(write_record(begun), "begun.txt").running


def test_a_plain_game_proves_nothing_and_fails_nothing(record: Record) -> None:
    """Without seeds and commitments there is nothing to prove."""
    events = tuple(
        replace(event, commitment=None)
        if isinstance(event, Dealt)
        else replace(event, seed=None)
        if isinstance(event, Revealed)
        else event
        for event in record.events
    )
    plain = sealed(replace(record, commitment=None, events=events))
    assert {proof.why for proof in verify(plain)} == {"plain"}
    assert referee(write_record(plain), "plain.txt").fault == {}


def test_a_running_round_is_not_proven_yet() -> None:
    running = proven_game(RULE_SETS["bga"], 3, Random(3), most_moves=1)
    assert verify(running) == [Proof(1, False, "running")]
    assert verify(sealed(Record(1, RULE_SETS["bga"], ("ann", "bob")))) == []


def test_an_empty_record_with_a_wrong_seal_fails() -> None:
    empty = Record(1, RULE_SETS["bga"], ("ann", "bob"), seal="0" * 64)
    with pytest.raises(Refused, match="proof_broken"):
        verify(empty)


def test_a_die_changed_before_a_running_round_is_named() -> None:
    """If no later round is opened, the seal distinguishes dice from history."""
    for moves in range(3, 30):
        record = proven_game(RULE_SETS["pyrudo"], 2, Random(5), most_moves=moves)
        if isinstance(record.events[-1], Dealt) and rounds_of(record) > 1:
            break
    number = rounds_of(record) - 1
    assert broken(with_other_die(record, number)) == (number, "dice")
    forged = sealed(with_other_die(record, number))
    assert broken(forged)[0] in {number, number - 1}


@pytest.mark.parametrize(("faces", "most"), [(2, 12), (6, 22), (7, 24), (20, 44)])
def test_every_face_is_equally_likely(faces: int, most: float) -> None:
    """Chi-square over 60,000 dice of fixed seeds, below the 0.1 % point of its distribution."""
    dice = Counter[int]()
    for number in range(600):
        seed = chain_of([f"seed {number}"])
        cups = cups_from(seed, chain_of([f"digest {number}"]), (20,) * 5, faces)
        dice.update(die for cup in cups for die in cup)
    expected = 60_000 / faces
    assert sorted(dice) == list(range(1, faces + 1))
    assert sum((found - expected) ** 2 / expected for found in dice.values()) < most


def test_the_place_in_the_cups_does_not_matter() -> None:
    """Chi-square for each place by itself, and for pairs of neighbours."""
    places = [Counter[int]() for _ in range(10)]
    pairs = Counter[tuple[int, int]]()
    for number in range(7200):
        one, two = cups_from(chain_of([f"{number}"]), bytes(32), (5, 5), 6)
        for place, die in enumerate((*one, *two)):
            places[place][die] += 1
        pairs[one[4], two[0]] += 1
    for found in places:
        assert sum((n - 1200) ** 2 / 1200 for n in found.values()) < 22
    assert sum((n - 200) ** 2 / 200 for n in pairs.values()) < 67


def test_the_derivation_is_the_documented_one() -> None:
    """A fixed example, so that no later version can read old records differently."""
    cups = cups_from(bytes(range(32)), bytes(32), (5, 5, 0, 1), 6)
    assert cups == ((2, 3, 6, 6, 2), (1, 3, 6, 3, 1), (), (5,))
    assert commitment(bytes(32)) == (
        "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925"
    )


def test_sealed_dice_depend_on_everything_before_them() -> None:
    """Another line of history, another secret: other dice.  The same: the same."""
    secret, fresh, start = bytes([1] * 32), bytes([2] * 32), bytes(32)
    rolled = SealedDice(None, secret, fresh, start).roll((), (5, 5), 6)
    assert rolled == SealedDice(None, secret, fresh, start).roll((), (5, 5), 6)
    assert rolled.commitment == commitment(fresh)
    bid = (Bade(0, Bid(1, 2)),)
    assert SealedDice(None, secret, fresh, start).roll(bid, (5, 5), 6).cups != rolled.cups
    assert SealedDice(None, fresh, fresh, start).roll((), (5, 5), 6).cups != rolled.cups
    assert SealedDice(secret, secret, fresh, start).seed == secret.hex()


def test_a_record_reads_back_with_other_line_ends(record: Record) -> None:
    text = write_record(record)
    assert read_record(text.replace("\n", "\r\n")) == record
    assert read_record(text.rstrip("\n")) == record


def test_a_resealed_record_with_a_broken_rule_fails(record: Record) -> None:
    """A forger who seals again must keep the rules, too: the round and the line are named."""
    last = rounds_of(record)
    forged = sealed(changed(record, last, Bade, bid=Bid(9, 9)))
    with pytest.raises(Refused) as refused:
        verify(forged)
    assert refused.value.code == "broken_record"
    assert refused.value.facts["round"] == last
    line = refused.value.facts["line"]
    assert isinstance(line, int)
    assert " 9-9s" in forged.lines[line - 1]
    fault = {"why": "refused", "named": "bid_range", "turn": "-"}
    assert refused.value.facts["fault"] == {**fault, "event": forged.lines[line - 1]}
