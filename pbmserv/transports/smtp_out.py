"""The outgoing transport `delivery = "smtp"`: the relay of the settings, and its check."""

from __future__ import annotations

from pbmserv.mail.transport import Postponed, Transport, Unfit
from pbmserv.settings import Settings
from pbmserv.transports.endpoint import host_and_port
from pbmserv.transports.smtp_relay import SmtpRelay

TIMEOUT = 60.0  # seconds for the whole conversation with a relay about one letter
_STAMP = "DOCTOR".ljust(24, "A")  # in place of the stamp of a letter, as long as one
_PLAIN = 'Set envelope = "plain", or let this login send as every perudo+…@ of `address`.'


def opened(settings: Settings) -> Transport:
    """The relay that the settings name."""
    return _relay(settings, TIMEOUT)


def checked(settings: Settings, patience: float) -> str:
    """The relay's answer to our sender and to a recipient; no letter is sent.  Raises Unfit.

    Postfix refuses a sender, or asks for a login, only after the recipient is named.  So the
    operator is the recipient, or else our own address.
    """
    from pbmserv.outbox.message import envelope_sender  # noqa: PLC0415 - only the doctor needs it

    sender = envelope_sender(settings, _STAMP)
    relay = _relay(settings, patience)
    recipient = settings.operator or settings.address
    try:
        answer = relay.greet(sender, recipient)
    except Postponed as problem:
        remedy = _remedy(str(problem))
        if sender != settings.address and _accepts(relay, settings.address, recipient):
            raise Unfit(f"{problem} (for {sender})", _PLAIN) from None
        raise Unfit(str(problem), remedy) from None
    finally:
        relay.close()
    who = f" as {settings.relay_user}" if settings.relay_user else ", no login"
    return f"{settings.relay} ({settings.relay_security}){who}: {answer}"


def _accepts(relay: SmtpRelay, sender: str, recipient: str) -> bool:
    try:
        relay.greet(sender, recipient)
    except Postponed:
        return False
    return True


def _relay(settings: Settings, timeout: float) -> SmtpRelay:
    return SmtpRelay(
        *host_and_port(settings.relay),
        settings.relay_security,
        settings.relay_user,
        settings.relay_password,
        timeout,
    )


def _remedy(problem: str) -> str:
    """The remedy for a relay that refuses us, by its answer."""
    lowered = problem.lower()
    if "certificate" in lowered or "ssl" in lowered:
        return "Set relay to the name in its certificate, and relay_security to what its port uses."
    if any(code in problem for code in (" 530 ", " 534 ", " 535 ", " 538 ")):
        return "Set relay_user and relay_password to the login from the relay's owner."
    if "relay" in lowered.partition(": ")[2] and any(f" {code} " in problem for code in _REFUSED):
        return "Set relay_user and relay_password, or let the relay send for this machine."
    if any(f" {code} " in problem for code in _REFUSED):
        return "Let this login send as `address` at the relay, or change `address`."
    return (
        "Check that `relay` is the right HOST:PORT, that it runs, and that no firewall blocks it."
    )


_REFUSED = (450, 451, 454, 501, 550, 551, 553, 554)
