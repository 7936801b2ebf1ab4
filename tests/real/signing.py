"""Real OpenDKIM and OpenDMARC, and a DNS for them: who signed an email, and is it whole?"""

from __future__ import annotations

import subprocess
from random import Random

from tests.cli.processes import until
from tests.real.dovecot import Dovecot
from tests.real.ground import Ground, Missing, demand, is_listening
from tests.real.postfix import Postfix

PORTS = ("dkim", "dmarc")
PROVIDER = "192.0.2.10"  # from here players.test sends its email, says its SPF record
ELSEWHERE = "192.0.2.66"
_COLLECTED = "collected@players.test"

# The library that looks up DMARC records asks whom /etc/resolv.conf names: it gets one of its own.
_WITH_OWN_DNS = 'mount --bind "$0" /etc/resolv.conf && exec "$@"'


class Signing:
    """The signer of players.test, and those who check email that comes to us."""

    def __init__(self, ground: Ground, postfix: Postfix, dovecot: Dovecot) -> None:
        self._ground, self._postfix, self._dovecot = ground, postfix, dovecot

    def start(self) -> None:
        """Start them; raises Missing where one is not installed."""
        demand("opendkim", "opendmarc", "dnsmasq", "unshare", "openssl")
        if subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode:
            raise Missing("OpenDMARC needs a mount namespace, which cannot be made here")
        ground = self._ground
        byte = Random().randrange
        ground.facts |= {
            "dns": f"127.{byte(1, 255)}.{byte(1, 255)}.{byte(1, 255)}",
            "provider_address": PROVIDER,
        }
        folder = ground.folder / "signing"
        folder.mkdir()
        private = folder / "players.pem"
        self._postfix.run("openssl", "genrsa", "-out", str(private), "1024")  # fits in one string
        private.chmod(0o644)
        public = self._postfix.run("openssl", "rsa", "-in", str(private), "-pubout")
        ground.facts["key"] = "".join(public.splitlines()[1:-1])
        files = {
            name: ground.fill(f"{name}.conf", f"signing/{name}.conf")
            for name in ("dnsmasq", "opendkim", "opendmarc", "unbound")
        }
        (folder / "ignored").write_text("127.0.0.1\n")
        (folder / "resolv.conf").write_text(f"nameserver {ground.facts['dns']}\n")
        ground.start("dnsmasq", "-k", "-C", files["dnsmasq"])
        ground.start("opendkim", "-f", "-x", files["opendkim"], account="opendkim")
        own_dns = ("sh", "-c", _WITH_OWN_DNS, folder / "resolv.conf")
        dmarc = ("opendmarc", "-f", "-c", files["opendmarc"])
        ground.start("unshare", "-m", "--propagation", "private", *own_dns, *dmarc)
        until(lambda: is_listening(ground.port("dkim")) and is_listening(ground.port("dmarc")))

    def sign(self, raw: bytes) -> bytes:
        """The email as it leaves players.test: signed by OpenDKIM."""
        maildir = self._dovecot.mailbox(_COLLECTED)
        known = set(maildir.glob("new/*"))
        self._postfix.send(raw, _COLLECTED, [_COLLECTED], service="provider")
        until(lambda: set(maildir.glob("new/*")) != known)
        (file,) = set(maildir.glob("new/*")) - known
        collected = file.read_bytes()
        signed = collected[collected.index(b"DKIM-Signature:") :]
        return signed.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
