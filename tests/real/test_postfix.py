"""Behind a real Postfix: email comes in by LMTP and by pipe, letters leave through it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbmserv.transports.sendmail_out import SendmailOut
from tests.cli.processes import until
from tests.real.app import RealApp
from tests.real.dovecot import PASSWORD as MAILBOX_PASSWORD
from tests.real.ground import PATIENCE
from tests.real.players import Player
from tests.real.postfix import Postfix
from tests.real.town import Town
from tests.stories.town import PASSWORD, mail
from tests.transports.mailboxes import Cable

pytestmark = pytest.mark.long

DONE = [("done",)]


def waits(postfix: Postfix, *words: str) -> None:
    """An email is in the queue, and the words say why it is not yet where it should be."""

    def is_there() -> bool:
        return any(all(word in mail.reason for word in words) for mail in postfix.queue())

    # A locked database is waited for, for ten seconds by each who needs it, one after the other.
    until(is_there, 3 * PATIENCE)


def was_done_once(app: RealApp, *players: Player) -> None:
    """One email came in, and every player has one answer to it."""
    assert app.asked("select state from inbox") == DONE
    for player in players:
        assert len(player.letters()) == 1


def test_email_comes_by_lmtp_on_a_port_and_the_answer_is_in_the_mailbox(place: Town) -> None:
    app = place.set_up_app()
    app.start()
    ann = place.player("ann")
    ann.write("help")
    assert ann.next_letter().subject == "Help: commands"


def test_email_comes_by_lmtp_on_a_socket(place: Town) -> None:
    """The socket is where Postfix can reach it: the home is closed to other accounts."""
    socket = f"unix:{place.ground.folder}/run/lmtp"
    app = place.set_up_app(address="perudo@socket.test", lmtp=socket)
    app.start()
    ann = place.player("ann")
    ann.write("help")
    assert ann.next_letter().subject == "Help: commands"


def test_email_comes_by_pipe_without_a_server(place: Town) -> None:
    """The pipe carries out the email and sends its letters, as an account without privileges."""
    place.set_up_app(address="perudo@pipe.test", lmtp="")
    ann = place.player("ann")
    ann.write("help")
    assert ann.next_letter().subject == "Help: commands"


def test_the_running_server_carries_out_emails_from_the_pipe(place: Town) -> None:
    app = place.set_up_app(address="perudo@pipe.test", lmtp="", smtp="127.0.0.1:0")
    app.start()
    ann = place.player("ann")
    ann.write("help")
    assert ann.next_letter().subject == "Help: commands"
    was_done_once(app, ann)


def test_letters_leave_by_submission_encrypted_and_with_a_login(place: Town) -> None:
    """STARTTLS with a certificate that is checked, and a password that Dovecot knows."""
    app = place.set_up_app(login=MAILBOX_PASSWORD)
    app.start()
    ann = place.player("ann")
    ann.write("help")
    letter = ann.next_letter()
    assert "with ESMTPSA" in "".join(letter.message.get_all("Received", []))


def test_a_wrong_password_at_the_relay_keeps_the_letter(place: Town) -> None:
    app = place.set_up_app(login="not-this")
    app.start()
    ann = place.player("ann")
    ann.write("help")
    until(
        lambda: app.asked("select count(*) from outbox where reason like '%535 5.7.8%'") == [(1,)]
    )
    assert app.asked("select state from outbox") == [("due",)]
    assert "not-this" not in app.typed("pbmserv", "queue", "list")


def test_a_game_is_played_by_email_from_the_first_letter_to_the_last(place: Town) -> None:
    """Accounts, a challenge and every move by email, and a letter for each turn and for the end."""
    app = place.set_up_app(empty=True)
    app.start()
    ann, bob = place.player("ann"), place.player("bob")
    for player in (ann, bob):
        player.write(f"signup {player.name} {PASSWORD}")
        player.reply(player.next_letter("Please confirm your address"), "It is me.")
        player.next_letter("Your account works")
    ann.write("perudo challenge -inorder -dice=1 ann bob")
    letters = {player: player.next_letter("Perudo board 1") for player in (ann, bob)}
    for player, move, told in (
        (ann, "1-2s", [bob]),
        (bob, "2-2s", [ann]),
        (ann, "dudo", [ann, bob]),
    ):
        assert f"Your turn, {player.name}." in letters[player].text
        player.reply(letters[player], move)
        letters |= {each: each.next_letter("Perudo board 1") for each in told}
    assert all(" win" in letter.text.partition("\n")[0] for letter in letters.values())
    assert app.typed("pbmserv", "audit") == "Boards: 1, problems: 0\n"
    assert [len(player.letters()) for player in (ann, bob)] == [5, 5]
    until(place.postfix.is_empty)


def test_an_email_waits_in_the_queue_while_the_server_is_stopped(place: Town) -> None:
    app = place.set_up_app()
    ann = place.player("ann")
    ann.write("help")
    waits(place.postfix, "Connection refused")
    app.start()
    place.postfix.flush()
    ann.next_letter("Help: commands")
    until(place.postfix.is_empty)
    was_done_once(app, ann)


def test_emails_wait_in_the_queue_while_the_database_is_locked(place: Town) -> None:
    """The listener answers 451, the pipe 75; Postfix keeps the emails, and each acts once."""
    app = place.set_up_app()
    app.start()
    ann = place.player("ann")
    with app.locked():
        ann.write("help")
        ann.write("help perudo", to="perudo@pipe.test")
        waits(place.postfix, "451 4.3.0", "try again later")
        waits(place.postfix, "temporary failure", "try again later")
    place.postfix.flush()
    ann.next_letter("Help: commands")
    ann.next_letter("Help: perudo")
    until(place.postfix.is_empty)
    assert app.asked("select state from inbox") == DONE * 2
    assert len(ann.letters()) == 2


def test_a_mistake_in_the_settings_bounces_no_email(place: Town) -> None:
    """The pipe says 78, which Postfix would bounce without soft_bounce: the email waits for us."""
    app = place.set_up_app(address="perudo@pipe.test", lmtp="")
    ann = place.player("ann")
    app.set("adress = 3\n")
    ann.write("help")
    waits(place.postfix, "unknown setting adress")
    app.set('address = "perudo@pipe.test"\n')
    place.postfix.flush()
    assert app.asked("select state from inbox") == DONE


def test_each_recipient_of_an_email_is_handled_alone(place: Town) -> None:
    """One transaction of LMTP: the email acts once, and only the unknown address bounces."""
    app = place.set_up_app()
    app.start()
    ann = place.player("ann")
    raw = mail(ann.address, "help", message_id="<1@players.test>")
    addresses = [f"{name}@perudo.test" for name in ("perudo", "nobody", "perudo+x")]
    place.postfix.send(raw, ann.address, addresses)
    ann.next_letter("Help: commands")
    bounce = ann.next_letter("Undelivered Mail")
    assert "<nobody@perudo.test>" in bounce.text
    assert "<perudo" not in bounce.text
    until(place.postfix.is_empty)
    assert app.asked("select state from inbox") == DONE
    assert len(ann.letters()) == 2


def test_an_email_that_is_too_large_comes_back_and_says_why(place: Town) -> None:
    app = place.set_up_app()
    app.start()
    ann = place.player("ann")
    ann.write("help", "x" * 70 + "\n" + ("y" * 70 + "\n") * 4000)
    assert "exceeds size limit" in ann.next_letter("Undelivered Mail").text.replace("\n", " ")
    assert app.asked("select state from inbox") == []


def test_a_letter_that_the_relay_refuses_for_good_is_not_tried_again(place: Town) -> None:
    app = place.set_up_app()
    app.start()
    for name in ("refused", "busy"):
        raw = mail(f"{name}@players.test", "help", message_id=f"<{name}@players.test>")
        place.postfix.send(raw, f"{name}@players.test", [app.address])
    rows = "select address, state, tries, reason from outbox order by address"
    until(lambda: [bool(row[3]) for row in app.asked(rows)] == [True, True])
    busy, refused = app.asked(rows)
    assert busy[1:3] == ("due", 1)
    assert str(busy[3]).startswith("450 4.2.0")
    assert refused[1:3] == ("failed", 0)
    assert str(refused[3]).startswith("550 5.1.1")


def test_an_email_whose_250_is_lost_on_the_way_acts_once(place: Town) -> None:
    """Postfix has to send it again, and we have done it already."""
    app = place.set_up_app()
    app.start()
    ann = place.player("ann")
    cable = Cable(place.ground.port("lmtp"), b"\r\n.\r\n", after=True)
    try:
        ours = f"inline:{{ {{ perudo.test = lmtp:inet:127.0.0.1:{cable.port} }} }}"
        with place.postfix.told({"transport_maps": ours}):
            ann.write("help")
            until(lambda: cable.cuts == 1)
            ann.next_letter("Help: commands")
            place.postfix.flush()
    finally:
        cable.close()
    was_done_once(app, ann)


def test_letters_leave_by_its_sendmail_program(place: Town, tmp_path: Path) -> None:
    """With a sender for bounces or without one; an address like an option is only an address."""
    place.set_up_app()
    program = tmp_path / "sendmail"
    configuration = place.ground.folder / "postfix"
    program.write_text(f'#!/bin/sh\nexec /usr/sbin/sendmail -C {configuration} "$@"\n')
    program.chmod(0o755)
    transport = SendmailOut(program)
    ann, bob = place.player("ann"), place.player("bob")
    for sender in ("perudo+b-1@perudo.test", ""):
        text = b"To: ann@players.test, bob@players.test\r\nSubject: x\r\n\r\n.\r\nend\r\n"
        transport.carry(1, sender, ann.address, text)
        letter = ann.next_letter("x")
        assert letter.text == ".\nend\n"
        assert letter.message["Return-Path"] == f"<{sender}>"
    transport.carry(1, "", "-t@players.test", text)  # -t would send it to everybody in To
    until(place.postfix.is_empty)
    assert (len(ann.letters()), bob.letters()) == (2, [])


@pytest.mark.parametrize("at_once", [True, False], ids=["in one email", "in two emails"])
def test_a_reply_to_both_of_our_addresses_acts_once(place: Town, at_once: bool) -> None:
    """As nmh writes it: To has our Reply-To and our From, and there is no Message-ID."""
    app = place.set_up_app()
    app.start()
    ann, bob = place.player("ann"), place.player("bob")
    app.typed("perudo", "challenge", "-inorder", ann.name, bob.name)
    letter = ann.next_letter("Perudo board 1")
    both = [letter.reply_to, app.address]
    raw = mail(ann.address, f"Re: {letter.subject}", "2-2s", message_id="<x@x>", to=", ".join(both))
    raw = raw.replace(b"Message-ID: <x@x>\r\n", b"Date: Sat, 21 Nov 2026 12:51:25 +0000\r\n")
    for recipients in [both] if at_once else [[each] for each in both]:
        place.postfix.send(raw, ann.address, recipients)
    bob.next_letter("Your turn")
    until(place.postfix.is_empty)
    assert app.asked("select state from inbox") == DONE
    assert app.asked("select count(*) from outbox") == [(3,)]
