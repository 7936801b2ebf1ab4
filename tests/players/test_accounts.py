"""Players: accounts, their addresses, and the proof of a password."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from sqlalchemy import Engine, delete, func, insert, select, update

from pbmserv.database import models
from pbmserv.database.engine import reading, writing
from pbmserv.errors import Fact, Refused
from pbmserv.outbox.recipients import recipients_of
from pbmserv.players import accounts, confirmations
from pbmserv.players.accounts import CONFIRMATION_SECONDS, Player, authenticate
from pbmserv.players.login_throttle import SECONDS
from pbmserv.security.passwords import Passwords
from pbmserv.security.tokens import Tokens, digest
from pbmserv.timeunits import DAY
from tests.boards.contexts import context_on

NOW = 1_800_000_000
ANN = ("ann@example.org",)
TOKENS = Tokens(bytes(32))


class AccountStore:
    """Where people sign up and prove who they are, at a given moment."""

    def __init__(self, engine: Engine, passwords: Passwords) -> None:
        self.engine = engine
        self.passwords = passwords

    def sign_up(
        self,
        userid: str,
        addresses: Sequence[str] = ANN,
        *,
        confirmed: bool = True,
        password: str = "secret",
        now: int = NOW,
    ) -> tuple[int, dict[int, str]]:
        with writing(self.engine) as connection:
            return accounts.sign_up(
                connection,
                userid,
                self.passwords.hash(password),
                addresses,
                confirmed=confirmed,
                now=now,
            )

    def ask(self, address_id: int, now: int = NOW) -> str:
        token = TOKENS.confirmation()
        with writing(self.engine) as connection:
            accounts.ask_confirmation(connection, address_id, digest(token), now)
        return token

    def confirm(self, token: str, now: int = NOW) -> tuple[Player, str]:
        with writing(self.engine) as connection:
            return accounts.confirm(connection, digest(token), now)

    def prove(
        self,
        userid: str,
        password: str,
        origin: str = "",
        now: int = NOW,
        *,
        proven: bool = False,
    ) -> Player:
        shown = self.engine, self.passwords, userid, password, origin, now
        return authenticate(*shown, proven=proven)

    def refusal(self, userid: str, password: str, origin: str = "", now: int = NOW) -> str:
        with pytest.raises(Refused) as caught:
            self.prove(userid, password, origin, now)
        return str(caught.value)


@pytest.fixture
def store(engine: Engine, passwords: Passwords) -> AccountStore:
    return AccountStore(engine, passwords)


def refused(code: str, **facts: Fact) -> pytest.RaisesExc[Refused]:
    return pytest.RaisesExc(Refused, check=lambda it: (it.code, it.facts) == (code, facts))


def test_a_player_is_found_in_any_case_and_spelled_as_at_the_signup(store: AccountStore) -> None:
    number, addresses = store.sign_up("Ann", ["Ann@Example.org", "ann2@example.org"])
    assert list(addresses.values()) == ["ann@example.org", "ann2@example.org"]
    with reading(store.engine) as connection:
        for userid in ("ann", "ANN", "Ann"):
            assert accounts.find(connection, userid) == Player(number, "Ann", "en")
        assert accounts.find(connection, "bob") is None


def test_players_are_named_in_the_order_asked_for(store: AccountStore) -> None:
    numbers = [store.sign_up(userid)[0] for userid in ("ann", "bob", "cleo")]
    with reading(store.engine) as connection:
        named = accounts.named(connection, [numbers[2], numbers[0], numbers[2]])
        assert [player.userid for player in named] == ["cleo", "ann", "cleo"]
        with pytest.raises(KeyError):
            accounts.named(connection, [99])


def test_letters_go_to_confirmed_addresses_only(store: AccountStore) -> None:
    ann, addresses = store.sign_up("ann", ["a@x.org", "b@x.org"], confirmed=False)
    bob, _ = store.sign_up("bob", ["bob@x.org"])
    store.confirm(store.ask(max(addresses)))
    with reading(store.engine) as connection:
        assert accounts.addresses_of(connection, [ann, bob]) == {
            ann: ["b@x.org"],
            bob: ["bob@x.org"],
        }
        everything = accounts.addresses_of(connection, {ann}, confirmed=False)
        assert everything == {ann: ["a@x.org", "b@x.org"]}
        found = accounts.player_of_address(connection, "B@x.org")
        assert found is not None
        assert found.userid == "ann"
        assert accounts.player_of_address(connection, "a@x.org") is None
        assert accounts.player_of_address(connection, "no address") is None


def test_players_at_one_address_have_separate_accounts(store: AccountStore) -> None:
    first, _ = store.sign_up("ann", ["family@x.org"])
    store.sign_up("bob", ["family@x.org"])
    with reading(store.engine) as connection:
        found = accounts.player_of_address(connection, "family@x.org")
    assert found is not None
    assert found.id == first


def test_a_userid_is_taken_in_upper_and_lower_case(store: AccountStore) -> None:
    store.sign_up("ann")
    with refused("userid_taken", userid="ANN"):
        store.sign_up("ANN")


@pytest.mark.parametrize("userid", ["ann.", "A-nn", "Iann"])
def test_a_userid_similar_to_another_one_is_refused(store: AccountStore, userid: str) -> None:
    store.sign_up("ann")
    with refused("userid_alike", userid=userid, like="ann"):
        store.sign_up(userid)


def test_a_userid_similar_to_an_unconfirmed_account_is_free(
    store: AccountStore,
) -> None:
    store.sign_up("ann", confirmed=False)
    with refused("userid_alike", userid="ann.", like="ann"):
        store.sign_up("ann.")
    store.sign_up("ann.", now=NOW + CONFIRMATION_SECONDS)


def test_unconfirmed_accounts_and_addresses_are_deleted_after_14_days(store: AccountStore) -> None:
    """An account, and an address of an account that works; nothing of that one else."""
    ann, old = store.sign_up("ann")
    thief, others = store.sign_up("thief", ["thief@x.org"], confirmed=False)
    with writing(store.engine) as connection:
        row = {"player_id": ann, "address": "new@x.org", "replaces": True}
        new = connection.execute(insert(models.Address).returning(models.Address.id), row).scalar()
    assert new is not None
    store.ask(new)
    store.ask(min(others))
    for later, left in ((CONFIRMATION_SECONDS - 1, 3), (CONFIRMATION_SECONDS, 1)):
        with writing(store.engine) as connection:
            accounts.forget_unconfirmed(connection, NOW + later, 10)
            numbers = connection.execute(select(models.Address.id)).scalars().all()
            assert len(numbers) == left
            known = set(connection.execute(select(models.Player.id)).scalars())
            assert known == ({ann, thief} if left == 3 else {ann})
    assert numbers == list(old)


def test_new_addresses_wait_as_long_as_the_old_ones_are_asked(store: AccountStore) -> None:
    ann, _ = store.sign_up("ann")
    with writing(store.engine) as connection:
        row = {"player_id": ann, "address": "new@x.org", "replaces": True}
        connection.execute(insert(models.Address), row)
        confirmations.ask(replace(context_on(connection), now=NOW), ann, confirmations.ADDRESSES)
        for later, left in ((CONFIRMATION_SECONDS - 1, 2), (CONFIRMATION_SECONDS, 1)):
            accounts.forget_unconfirmed(connection, NOW + later, 10)
            found = connection.execute(select(func.count()).select_from(models.Address))
            assert found.scalar() == left


def test_a_refused_signup_leaves_nothing(store: AccountStore) -> None:
    with refused("no_address"):
        store.sign_up("ann", [])
    with refused("too_many_addresses", most=5, given=6):
        store.sign_up("ann", [f"{number}@x.org" for number in range(6)])
    with refused("bad_address", address="ann@"):
        store.sign_up("ann", ["a@x.org", "ann@"])
    with refused("bad_address", address=""):  # it may be a password
        store.sign_up("ann", ["a@x.org", "nowhere"])
    with refused("bad_userid", userid="all", why="reserved", least=2, most=20):
        store.sign_up("all")
    with reading(store.engine) as connection:
        assert connection.execute(select(func.count()).select_from(models.Player)).scalar() == 0


def test_one_address_written_twice_is_one_address(store: AccountStore) -> None:
    assert len(store.sign_up("ann", ["a@x.org", "A@X.org"])[1]) == 1


def test_an_unconfirmed_userid_is_free_again_after_14_days(store: AccountStore) -> None:
    _, addresses = store.sign_up("ann", ["thief@x.org"], confirmed=False, password="stolen")
    old = store.ask(min(addresses))
    with refused("userid_taken", userid="Ann"):
        store.sign_up("Ann", now=NOW + CONFIRMATION_SECONDS - 1)
    later = NOW + CONFIRMATION_SECONDS
    again, mine = store.sign_up("Ann", password="mine!", now=later)
    with reading(store.engine) as connection:
        assert accounts.addresses_of(connection, [again], confirmed=False) == {again: list(ANN)}
        assert connection.execute(select(models.Confirmation)).all() == []
    with refused("confirmation_unknown"):
        store.confirm(old, later)
    assert store.prove("ann", "mine!").userid == "Ann"
    assert store.refusal("ann", "stolen") == "wrong_password"
    assert list(mine.values()) == list(ANN)


def test_a_queued_letter_does_not_reserve_a_userid(store: AccountStore) -> None:
    number, _ = store.sign_up("ann", confirmed=False)
    row = {
        "address": "a@x.org", "player_id": number, "kind": "confirm", "language": "en",
        "payload": "{}", "written_at": NOW, "state": "due", "due_at": NOW,
    }  # fmt: skip
    with writing(store.engine) as connection:
        connection.execute(insert(models.OutboxLetter), row)
    store.sign_up("ann", now=NOW + CONFIRMATION_SECONDS)
    with reading(store.engine) as connection:
        assert connection.execute(select(models.OutboxLetter.player_id)).scalar() is None


def test_an_account_with_one_confirmed_address_is_never_taken_over(store: AccountStore) -> None:
    _, addresses = store.sign_up("ann", ["a@x.org", "b@x.org"], confirmed=False)
    store.confirm(store.ask(min(addresses)))
    with refused("userid_taken", userid="ann"):
        store.sign_up("ann", now=NOW + 10 * CONFIRMATION_SECONDS)


def test_a_departed_players_userid_is_never_free_again(store: AccountStore) -> None:
    """Without an address, as signing off leaves it, and long after."""
    number, _ = store.sign_up("ann")
    with writing(store.engine) as connection:
        mine = models.Player.id == number
        connection.execute(update(models.Player).where(mine).values(left_at=NOW))
        connection.execute(delete(models.Address))
    with refused("userid_taken", userid="ANN"):
        store.sign_up("ANN", now=NOW + 10 * CONFIRMATION_SECONDS)


def test_a_departed_player_gets_nothing_at_any_address(store: AccountStore) -> None:
    number, _ = store.sign_up("ann")
    with writing(store.engine) as connection:
        assert set(recipients_of(connection, {number})) == {number}
        connection.execute(update(models.Player).values(left_at=NOW))
        assert recipients_of(connection, {number}) == {}


def test_a_confirmation_identifies_player_and_address_and_may_be_repeated(
    store: AccountStore,
) -> None:
    number, addresses = store.sign_up("ann", confirmed=False)
    token = store.ask(min(addresses))
    told = (Player(number, "ann", "en"), "ann@example.org")
    assert store.confirm(token) == told
    assert store.confirm(token.lower(), NOW + 60) == told
    with reading(store.engine) as connection:
        assert connection.execute(select(models.Address.confirmed_at)).scalar() == NOW


def test_a_confirmation_is_valid_for_14_days(store: AccountStore) -> None:
    _, addresses = store.sign_up("ann", confirmed=False)
    token = store.ask(min(addresses))
    with refused("confirmation_unknown"):
        store.confirm(token, NOW + CONFIRMATION_SECONDS)
    store.confirm(token, NOW + CONFIRMATION_SECONDS - 1)
    with refused("confirmation_unknown"):
        store.confirm(TOKENS.confirmation())


def test_expired_confirmations_leave_no_rows(store: AccountStore) -> None:
    _, addresses = store.sign_up("ann", confirmed=False)
    store.ask(min(addresses))
    store.ask(min(addresses), NOW + CONFIRMATION_SECONDS)
    with reading(store.engine) as connection:
        asked = connection.execute(select(models.Confirmation.asked_at)).scalars().all()
    assert asked == [NOW + CONFIRMATION_SECONDS]


def test_the_database_holds_no_token_and_no_password(store: AccountStore) -> None:
    _, addresses = store.sign_up("ann", confirmed=False, password="open-sesame")
    token = store.ask(min(addresses))
    with reading(store.engine) as connection:
        hashes = connection.execute(select(models.Player.password_hash)).scalars().all()
        kept = connection.execute(select(models.Confirmation.digest)).scalars().all()
    assert all(each.startswith("$argon2id$") for each in hashes)
    assert token not in kept


def test_the_right_password_identifies_the_player(store: AccountStore) -> None:
    number, _ = store.sign_up("Ann")
    assert store.prove("aNN", "secret") == Player(number, "Ann", "en")


def test_a_wrong_password_and_an_unknown_userid_are_refused_alike(store: AccountStore) -> None:
    store.sign_up("ann")
    assert store.refusal("ann", "wrong") == store.refusal("nobody", "wrong") == "wrong_password"


def test_only_the_right_password_reveals_that_an_account_is_unconfirmed(
    store: AccountStore,
) -> None:
    store.sign_up("ann", confirmed=False)
    assert store.refusal("ann", "wrong") == "wrong_password"
    assert store.refusal("ann", "secret") == "not_confirmed {'userid': 'ann'}"


@pytest.mark.parametrize("userid", ["ann", "nobody"])
def test_after_ten_failures_a_userid_has_to_wait_an_hour(store: AccountStore, userid: str) -> None:
    """Whether it exists or not, and even for the right password: nothing is hashed any more."""
    store.sign_up("ann")
    for second in range(10):
        assert store.refusal(userid, "wrong", f"{second}@x.org", NOW + second) == "wrong_password"
    said = store.refusal(userid.upper(), "secret", "eve@x.org", NOW + SECONDS - 1)
    assert said == "too_many_attempts {'minutes': 60}"
    if userid == "ann":
        assert store.prove("ann", "secret", "eve@x.org", NOW + SECONDS).userid == "ann"


def test_guessing_strangers_do_not_lock_the_player_out(store: AccountStore) -> None:
    """The player's own addresses, and a shell of the server, have failures of their own."""
    store.sign_up("ann")
    for number in range(11):
        store.refusal("ann", "wrong", f"{number}@x.org")
    assert "too_many_attempts" in store.refusal("ann", "secret", "ann@elsewhere.example")
    assert store.prove("ann", "secret", "Ann@Example.org").userid == "ann"
    assert store.prove("ann", "secret", "shell 1000").userid == "ann"
    for _ in range(10):
        assert store.refusal("ann", "wrong", "shell 1000") == "wrong_password"
    assert "too_many_attempts" in store.refusal("ann", "secret", "shell 1000"), "but not for ever"


def test_guesses_under_the_players_address_leave_room_for_the_player(store: AccountStore) -> None:
    """A hundred at once; then some every hour, and an email that proves its address at any time."""
    store.sign_up("ann")
    for number in range(99):
        assert store.refusal("ann", f"wrong{number}", "ann@example.org") == "wrong_password"
    assert store.prove("ann", "secret", "ann@example.org").userid == "ann"
    assert store.refusal("ann", "wrong", "ann@example.org") == "wrong_password"
    assert "too_many_attempts" in store.refusal("ann", "secret", "ann@example.org")
    assert store.prove("ann", "secret", "ann@example.org", proven=True).userid == "ann"
    assert store.prove("ann", "secret", "ann@example.org", NOW + DAY // 300).userid == "ann"
    assert store.prove("ann", "secret", "ann@elsewhere.example").userid == "ann"


def test_proven_email_of_a_player_has_few_failures_too(store: AccountStore) -> None:
    store.sign_up("ann")
    for _ in range(10):
        with pytest.raises(Refused, match="wrong_password"):
            store.prove("ann", "wrong", "ann@example.org", proven=True)
    with pytest.raises(Refused, match="too_many_attempts"):
        store.prove("ann", "secret", "ann@example.org", proven=True)


def test_a_confirmed_address_belongs_to_its_player_alone(
    store: AccountStore,
) -> None:
    store.sign_up("ann")
    store.sign_up("bob", ["bob@x.org"])
    store.sign_up("cleo", ["cleo@x.org"], confirmed=False)
    for userid, origin in (("ann", "bob@x.org"), ("cleo", "cleo@x.org")):
        for number in range(10):
            assert store.refusal(userid, "wrong", f"{number}@y.org") == "wrong_password"
        assert "too_many_attempts" in store.refusal(userid, "secret", origin)


def test_after_twenty_failures_an_address_has_to_wait_an_hour(store: AccountStore) -> None:
    store.sign_up("ann")
    for number in range(20):
        assert store.refusal(f"guess{number}", "wrong", "eve@x.org") == "wrong_password"
    assert "too_many_attempts" in store.refusal("ann", "secret", "Eve@x.org")
    assert store.prove("ann", "secret", "ann@example.org").userid == "ann"
    assert store.prove("ann", "secret", "eve@x.org", NOW + SECONDS).userid == "ann"


def test_failures_at_a_shell_count_for_no_address(store: AccountStore) -> None:
    store.sign_up("ann")
    for number in range(30):
        assert store.refusal(f"guess{number}", "wrong", "") == "wrong_password"
    assert store.prove("ann", "secret", "").userid == "ann"


def test_right_passwords_do_not_count(store: AccountStore) -> None:
    store.sign_up("ann")
    for _ in range(30):
        store.prove("ann", "secret", "ann@example.org")
