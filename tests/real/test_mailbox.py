"""A mailbox at a provider: we fetch email from Dovecot, and letters leave by submission."""

from __future__ import annotations

from pbmserv.intake.answering.answer_limits import FORGED
from tests.cli.processes import until
from tests.real.app import RealApp
from tests.real.dovecot import PASSWORD
from tests.real.signing import ELSEWHERE, PROVIDER, Signing
from tests.real.town import Town
from tests.stories.town import mail

OURS = "perudo@mailbox.test"
INTO_A_FOLDER = 'require ["fileinto", "mailbox"]; fileinto :create "Games";'


def app_with_mailbox(place: Town, folder: str = "INBOX", authserv_id: str = "") -> RealApp:
    """An app without a listener, but with a mailbox and a login for it."""
    return place.set_up_app(
        address=OURS,
        lmtp="",
        imap=f"127.0.0.1:{place.ground.port('imap')}",
        imap_security="none",
        imap_user=OURS,
        imap_password=PASSWORD,
        relay=f"127.0.0.1:{place.ground.port('submission')}",
        relay_security="starttls",
        relay_user=OURS,
        relay_password=PASSWORD,
        imap_folder=folder,
        authserv_id=authserv_id,
    )


def test_a_game_is_played_out_of_a_folder_that_sieve_fills(place: Town) -> None:
    """Players notice no difference; at the end every email is read and in the done folder."""
    maildir = place.dovecot.mailbox(OURS, INTO_A_FOLDER)
    app = app_with_mailbox(place, "Games")
    ann, bob = place.player("ann"), place.player("bob")
    ann.write("help")
    until(lambda: len(list(maildir.glob(".Games/new/*"))) == 1)  # before the server runs
    app.start()
    ann.next_letter("Help: commands")
    app.typed("perudo", "challenge", "-inorder", "-dice=1", "ann", "bob")
    letters = {player: player.next_letter("Perudo board 1") for player in (ann, bob)}
    for player, move, told in (
        (ann, "1-2s", [bob]),
        (bob, "2-2s", [ann]),
        (ann, "dudo", [ann, bob]),
    ):
        player.reply(letters[player], move)
        letters |= {each: each.next_letter("Perudo board 1") for each in told}
    assert all(" win" in letter.text.partition("\n")[0] for letter in letters.values())
    assert app.typed("pbmserv", "audit") == "Boards: 1, problems: 0\n"
    until(lambda: len(list(maildir.glob(".pbmserv-done/cur/*"))) == 4)
    assert list(maildir.glob(".Games/*/*")) == list(maildir.glob(".pbmserv-odd/*/*")) == []


def test_fetch_processes_waiting_emails_without_a_server(place: Town) -> None:
    maildir = place.dovecot.mailbox(OURS)
    app = app_with_mailbox(place)
    ann = place.player("ann")
    ann.write("help")
    until(lambda: len(list(maildir.glob("new/*"))) == 1)
    assert app.typed("pbmserv", "fetch") == "Emails fetched: 1\n"
    assert app.typed("pbmserv", "fetch") == "Emails fetched: 0\n"
    ann.next_letter("Help: commands")


def test_email_comes_out_of_a_maildir_that_another_server_fills(place: Town) -> None:
    maildir = place.dovecot.mailbox(OURS)
    app = place.set_up_app(address=OURS, lmtp="", maildir=str(maildir))
    app.start()
    ann = place.player("ann")
    ann.write("help")
    ann.next_letter("Help: commands")
    until(lambda: len(list(maildir.glob("cur/*"))) == 1)


def test_the_envelope_is_read_from_the_providers_headers(place: Town) -> None:
    """Return-Path, and Delivered-To with its plus part: so tokens and bounces are recognized."""
    app = app_with_mailbox(place)
    app.start()
    ann, bob = place.player("ann"), place.player("bob")
    app.typed("perudo", "challenge", "-inorder", ann.name, bob.name)
    letter = ann.next_letter("Perudo board 1")
    ann.reply(letter, "2-2s")
    bob.next_letter("Your turn: Perudo board 1")
    ((transport, sender, recipient),) = app.asked(
        "select transport, envelope_sender, recipient from inbox"
    )
    assert (transport, sender) == ("imap", ann.address)
    assert recipient == "perudo+***@mailbox.test"  # a token that was read is not kept

    raw = mail("gone@players.test", "help", message_id="<1@players.test>", to=OURS)
    place.postfix.send(raw, "gone@players.test", [OURS])
    until(lambda: len(app.asked("select 1 from inbox")) == 3)
    *_, (sender, reason) = app.asked("select envelope_sender, reason from inbox order by id")
    assert (sender, str(reason).partition(";")[0]) == ("", "null sender")


def test_a_bounce_in_the_mailbox_pauses_the_address(place: Town) -> None:
    """By its stamp, behind the plus of an address that the provider delivers to us."""
    app = app_with_mailbox(place)
    app.start()
    app.typed("pbmserv", "signup", "eve", PASSWORD, "gone@players.test")
    app.typed("perudo", "challenge", "-inorder", "eve", "ann")
    paused = "select paused_by from addresses where address like 'gone@%'"
    until(lambda: app.asked(paused) == [("bounced",)])


def test_a_provider_proves_senders_as_a_server_of_ours_would(place: Town, signing: Signing) -> None:
    """Its result is below its own marks, and above the headers that came with the email."""
    app = app_with_mailbox(place, authserv_id="mx.perudo.test")
    app.start()
    app.typed("perudo", "challenge", "-inorder", "ann", "bob")
    bare = mail("ann@players.test", "perudo move 1 ann - 1-2s", message_id="<1@x>", to=OURS)
    forged = b"Authentication-Results: mx.perudo.test; dmarc=pass header.from=players.test\r\n"
    signed = signing.sign(bare.replace(b"<1@x>", b"<2@x>"))
    place.postfix.send(
        forged + bare, "eve@elsewhere.test", [OURS], service="checked", client=ELSEWHERE
    )
    place.postfix.send(signed, "ann@players.test", [OURS], service="checked", client=PROVIDER)
    until(lambda: len(app.asked("select 1 from inbox")) == 2)
    assert app.asked("select message_id, reason from inbox order by message_id") == [
        ("<1@x>", f"perudo move; {FORGED}"),
        ("<2@x>", "perudo move"),
    ]
