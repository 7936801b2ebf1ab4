"""Check the transports: listeners answer if a server runs or are free if not; letters can leave."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Iterator
from pathlib import Path

from pbmserv.errors import Misconfigured
from pbmserv.mail.transport import Unfit
from pbmserv.maintenance.doctor.finding import Finding, ill, unseen, well
from pbmserv.server.chosen_transports import outgoing_for
from pbmserv.settings import Settings
from pbmserv.transports.endpoint import UNIX, host_and_port, probe

TIMEOUT = 10.0  # seconds that a listener or a relay may take for one answer


def incoming(settings: Settings, *, is_served: bool) -> Iterator[Finding]:
    """A finding for each place where email comes in."""
    for name, where in (("smtp", settings.smtp), ("lmtp", settings.lmtp)):
        if not where:
            yield unseen(name, "not used")
        elif where.endswith(":0"):
            yield unseen(name, f"{where}: uses any free port")
        else:
            yield _answers(name, where) if is_served else _is_free(name, where)


def _answers(name: str, where: str) -> Finding:
    """Whether our own server greets there."""
    try:
        with _called(where) as call:
            greeting = call.recv(512).decode("ascii", "replace").partition("\r")[0]
    except (OSError, Misconfigured) as problem:
        remedy = f"Restart the server: it runs without {name} = {where!r}."
        return ill(name, f"{where}: {_words(problem)}", remedy)
    if not greeting.startswith("220 "):
        remedy = f"Another program listens there: change its address, or {name}."
        return ill(name, f"{where}: greets with {greeting[:60]!r}", remedy)
    return well(name, f"{where}: greets with {greeting[:60]!r}")


def _called(where: str) -> socket.socket:
    if where.startswith(UNIX):
        call = socket.socket(socket.AF_UNIX)
        call.settimeout(TIMEOUT)
        call.connect(where.removeprefix(UNIX))
        return call
    return socket.create_connection(host_and_port(where), TIMEOUT)


def _is_free(name: str, where: str) -> Finding:
    """Whether a server could listen there."""
    try:
        if where.startswith(UNIX):
            folder = Path(where.removeprefix(UNIX)).parent
            if not os.access(folder, os.W_OK | os.X_OK):
                raise PermissionError(errno.EACCES, f"{folder} cannot be written to")
        else:
            probe(where)
    except (OSError, Misconfigured) as problem:
        remedy = f"Set {name} to a free port above 1023 (lower ones need root rights)."
        if isinstance(problem, OSError) and problem.errno == errno.EADDRINUSE:
            remedy = "End the program that listens there, perhaps a pbmserv serve of another home."
            remedy += f" Or set {name} to a free port."
        if where.startswith(UNIX):
            remedy = (
                "Create the folder for the server; systemd creates /run/pbmserv when it starts."
            )
        return ill(name, f"{where}: {_words(problem)}", remedy)
    return well(name, f"{where}: free; no server is running")


def login_in_clear(settings: Settings) -> Finding | None:
    """A finding if the password for the relay is sent without encryption; otherwise None."""
    is_used = settings.delivery == "smtp" and settings.relay_user != ""
    if not is_used or settings.relay_security != "none":
        return None
    said = f'{settings.relay}: relay_security = "none" sends the password unencrypted'
    return ill("login", said, 'Set relay_security to "starttls" or "tls".')


def outgoing(settings: Settings) -> Finding:
    """Whether letters can leave: its transport checks it, and sends nothing.

    An address in a domain is for people elsewhere, who get no letter that stays on this machine.
    """
    try:
        said = outgoing_for(settings).checked(settings, TIMEOUT)
    except Unfit as problem:
        return ill("letters", problem.said, problem.remedy)
    if settings.delivery == "maildir" and "." in settings.address.rpartition("@")[2]:
        remedy = 'For people elsewhere set delivery to "smtp": docs/operating.md.'
        return unseen("letters", f"{said}: nobody elsewhere gets one", remedy)
    return well("letters", said)


def _words(problem: Exception) -> str:
    return (problem.strerror if isinstance(problem, OSError) else None) or str(problem)
