"""Check the transports: listeners answer if a server runs or are free if not; letters can leave."""

from __future__ import annotations

import errno
import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

from pbmserv.errors import Misconfigured
from pbmserv.mail.transport import Postponed
from pbmserv.maintenance.doctor.finding import Finding, ill, unseen, well
from pbmserv.settings import Settings
from pbmserv.transports.endpoint import UNIX, host_and_port
from pbmserv.transports.sendmail_out import beyond_our_rights, is_confined
from pbmserv.transports.smtp_relay import SmtpRelay

_WRITABLE = stat.S_IWGRP | stat.S_IWOTH
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
            host, port = host_and_port(where)
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            with socket.socket(family) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind((host, port))
    except (OSError, Misconfigured) as problem:
        remedy = f"Set {name} to a free port above 1023 (lower ones need root rights)."
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
    """Whether letters can leave: a login at the relay, a program, or a folder in the home."""
    if settings.delivery == "maildir":
        folder = settings.home / "mail"
        if not os.access(folder if folder.exists() else settings.home, os.W_OK | os.X_OK):
            remedy = "Give the folder to the user that runs pbmserv (chown)."
            return ill("letters", f"{folder}: cannot be written to", remedy)
        return well("letters", f"stay on this machine, in {folder}/ADDRESS")
    if settings.delivery == "sendmail":
        return _program(Path(settings.sendmail))
    try:
        return well("letters", _greeted(settings))
    except Postponed as problem:
        return ill("letters", str(problem), _cure(str(problem)))


def _program(path: Path) -> Finding:
    """Whether the program can be run, and nobody else can put another one in its place."""
    if not path.is_file():
        remedy = (
            "Install a program that has sendmail, such as postfix or msmtp-mta, or set its path."
        )
        return ill("letters", f"{path}: there is no such program", remedy)
    if not os.access(path, os.X_OK):
        remedy = "Set sendmail to a program that the user who runs pbmserv may run."
        return ill("letters", f"{path}: cannot be run", remedy)
    real = path.resolve()
    for each in (real, real.parent):
        status = each.stat()
        if status.st_mode & _WRITABLE or status.st_uid not in {0, os.geteuid()}:
            remedy = f"Let only root write there: chown root {each}; chmod go-w {each}."
            return ill("letters", f"{each}: others can write to it", remedy)
    if not (program := beyond_our_rights(path)):
        return well("letters", f"are handed to {path}")
    if is_confined():
        said = f"{program}: cannot get the rights that it needs (NoNewPrivileges)"
        return ill("letters", said, 'Set delivery = "smtp" and relay = "127.0.0.1:25".')
    return well("letters", f"are handed to {path}; under pbmserv.service {program.name} fails")


def _greeted(settings: Settings) -> str:
    relay = SmtpRelay(
        *host_and_port(settings.relay),
        settings.relay_security,
        settings.relay_user,
        settings.relay_password,
        TIMEOUT,
    )
    try:
        answer = relay.greet(settings.address)
    finally:
        relay.close()
    who = f" as {settings.relay_user}" if settings.relay_user else ", no login"
    return f"{settings.relay} ({settings.relay_security}){who}: {answer}"


def _cure(problem: str) -> str:
    """The remedy for a relay that refuses us, by its answer."""
    lowered = problem.lower()
    if "certificate" in lowered or "ssl" in lowered:
        return "Set relay to the name in its certificate, and relay_security to what its port uses."
    if any(code in problem for code in (" 530 ", " 534 ", " 535 ", " 538 ")):
        return "Set relay_user and relay_password to the login from the relay's owner."
    if any(code in problem for code in (" 550 ", " 553 ", " 554 ", " 501 ")):
        return "Let this login send as `address` at the relay, or change `address`."
    return (
        "Check that `relay` is the right HOST:PORT, that it runs, and that no firewall blocks it."
    )


def _words(problem: Exception) -> str:
    return (problem.strerror if isinstance(problem, OSError) else None) or str(problem)
