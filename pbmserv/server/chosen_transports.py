"""The transports that the settings choose: mailboxes to fetch email from, and the way out."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pbmserv.errors import Misconfigured
from pbmserv.extras import how_to_add
from pbmserv.mail.transport import Outgoing, Transport
from pbmserv.settings import Settings

if TYPE_CHECKING:
    from pbmserv.transports.mailbox_poller import Mailbox


def mailboxes_for(settings: Settings) -> list[Mailbox]:
    """The mailboxes from which email is fetched; raises Misconfigured."""
    found: list[Mailbox] = []
    if settings.imap:
        if not (settings.imap_user and settings.imap_password):
            raise Misconfigured("imap is set, so imap_user and imap_password must be")
        try:
            from pbmserv.transports.imap_in import ImapMailbox  # noqa: PLC0415 - only where it is set
        except ModuleNotFoundError as missing:
            if missing.name != "imap_tools":
                raise
            why = f"imap is set, but imap-tools is not installed: {how_to_add('imap')}"
            raise Misconfigured(why) from None
        found.append(ImapMailbox(settings))
    if settings.maildir:
        from pbmserv.transports.maildir_in import MaildirMailbox  # noqa: PLC0415 - the same

        found.append(MaildirMailbox(settings.home / Path(settings.maildir).expanduser()))
    return found


def outgoing_for(settings: Settings) -> Outgoing:
    """The module of the outgoing transport; only this one is imported."""
    found: Any = import_module(f"pbmserv.transports.{settings.delivery}_out")
    module: Outgoing = found
    return module


def transport_for(settings: Settings) -> Transport:
    """The outgoing transport of this home."""
    return outgoing_for(settings).opened(settings)
