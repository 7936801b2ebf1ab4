"""Mailboxes that answer by themselves: the server answers nothing that Sieve sends."""

from __future__ import annotations

import pytest

from tests.cli.processes import until
from tests.real.town import Town
from tests.stories.town import mail

# A script, and how many emails it sends us for two letters.  Our letter says that a machine wrote
# it, and a good machine does not answer it. Only the other letter, without that mark, gets an
# answer.
SCRIPTS = {
    "vacation": ('require "vacation"; vacation "I am away until Monday.\n1-2s\n";', 1),
    "reject": ('require "reject"; reject "1-2s";', 1),
    "redirect": ('redirect "perudo@perudo.test";', 2),
}


@pytest.mark.parametrize("what", SCRIPTS)
def test_automatic_email_of_a_mailbox_is_neither_carried_out_nor_answered(
    place: Town, what: str
) -> None:
    script, mails = SCRIPTS[what]
    app = place.set_up_app()
    app.start()
    ann, bob = place.player("ann", script), place.player("bob")
    app.typed("perudo", "challenge", "-inorder", ann.name, bob.name)
    bob.next_letter("Perudo board 1")
    bare = mail(app.address, "Your turn", message_id="<1@perudo.test>", to=ann.address)
    place.postfix.send(bare, app.address, [ann.address], service="relay")
    until(lambda: len(app.asked("select 1 from inbox")) == mails)
    until(place.postfix.is_empty)
    assert app.asked("select distinct state, reason != '' from inbox") == [("done", 1)]
    assert app.asked("select count(*) from outbox") == [(2,)]
    assert app.asked("select count(*) from happenings where line like 'A %'") == [(0,)]
