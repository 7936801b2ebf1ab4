"""Check the mailboxes from which email is fetched: they open, and their folders exist.

A missing folder of ours is created, as the server would do at its first look.
"""

from __future__ import annotations

from collections.abc import Iterator

from pbmserv.errors import Misconfigured, TryLater
from pbmserv.maintenance.doctor.finding import Finding, ill, unseen, well
from pbmserv.server.chosen_transports import mailboxes_for
from pbmserv.settings import Settings
from pbmserv.transports.mailbox_poller import Mailbox
from pbmserv.transports.maildir_in import MaildirMailbox

_FOLDERS = "Set imap_folder, imap_done and imap_odd to names that your provider allows."
_ENCRYPTION = (
    'Set imap_security to what the port of `imap` uses: "tls" (often 993) or "starttls" (143).'
)
# How an error of our own begins, and the remedy; the words of a provider may contain anything.
_CURES = (
    (
        "the login is refused",
        "Set imap_user and imap_password to your login; many providers need an app password.",
    ),
    ("the login does not work now", "Wait: the server tries again. If it lasts, ask the provider."),
    (
        "its certificate",
        "Set imap to the name in its certificate, and imap_security to what its port uses.",
    ),
    ("TLS fails", _ENCRYPTION),
    ("there is no folder", _FOLDERS),
    ("the folder", _FOLDERS),
    ("it refuses", "Wait: the server tries again. If it lasts, ask the provider."),
    ("", "Check that `imap` is the right HOST:PORT, and that imap_security fits that port."),
)
_MAILDIR = (
    "Create its parent folder, and give the Maildir to the user that runs pbmserv (chown -R)."
)


def mailboxes(settings: Settings) -> Iterator[Finding]:
    """A finding for each mailbox that the settings name."""
    if not (settings.imap or settings.maildir):
        yield unseen("mailbox", "none is set")
        return
    try:
        found = mailboxes_for(settings)
    except Misconfigured as problem:
        yield ill("mailbox", str(problem), "Follow this message, or remove imap from pbmserv.toml.")
        return
    for each in found:
        yield _opened(each)


def _opened(mailbox: Mailbox) -> Finding:
    try:
        new = len(mailbox.new())
    except (TryLater, Misconfigured) as problem:
        said = str(problem)
        is_folder = isinstance(mailbox, MaildirMailbox)
        cure = (
            _MAILDIR
            if is_folder
            else next(cure for begins, cure in _CURES if said.startswith(begins))
        )
        return ill("mailbox", f"{mailbox.name}: {said}", cure)
    finally:
        mailbox.close()
    return well("mailbox", f"{mailbox.name}: works; new emails: {new}")
