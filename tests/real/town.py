"""The servers that all tests of this folder share, and what one test adds to them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.real import dovecot as dovecots
from tests.real import postfix as postfixes
from tests.real import signing as signings
from tests.real.app import RealApp, install
from tests.real.dovecot import Dovecot
from tests.real.ground import UNPRIVILEGED, UNPRIVILEGED_GROUP, Ground, ground
from tests.real.players import Player, Postman
from tests.real.postfix import Postfix
from tests.stories.town import PASSWORD
from tests.test_operating import of_kind


class Town:
    """Postfix and Dovecot, and for each test new players and a new app."""

    def __init__(self, ground: Ground, postfix: Postfix, dovecot: Dovecot) -> None:
        self.ground, self.postfix, self.dovecot = ground, postfix, dovecot
        self._app: RealApp | None = None

    def set_up_app(
        self,
        *,
        empty: bool = False,
        only: Mapping[str, str] | None = None,
        login: str = "",
        **chosen: str,
    ) -> RealApp:
        """A home with these settings, in which `serve` is not yet running.

        Without any, email comes in by LMTP on a port, and letters leave through Postfix; `only`
        are all there are.  Ann and bob have accounts, unless it is to be `empty`.  With
        the password `login` letters leave encrypted, at the port where senders log in.
        """
        usual = {
            "address": "perudo@perudo.test",
            "smtp": "",
            "lmtp": f"127.0.0.1:{self.ground.facts['lmtp']}",
            "delivery": "smtp",
            "relay": f"127.0.0.1:{self.ground.facts['relay']}",
        }
        submission = {
            "relay": f"127.0.0.1:{self.ground.port('submission')}",
            "relay_security": "starttls",
            "relay_user": "perudo@perudo.test",
            "relay_password": login,
        }
        first = usual if only is None else only
        settings = {**first, **(submission if login else {}), **chosen}
        home = self.ground.folder / "home"
        if not empty:
            self._copy_of_home(home)
        lines = [f'{name} = "{value}"\n' for name, value in settings.items()]
        self._app = RealApp(self.ground, home, "".join(lines))
        return self._app

    def _copy_of_home(self, home: Path) -> None:
        """A home where ann and bob have signed up: the same each time, so made but once."""
        kept = self.ground.folder / "kept"
        if not kept.exists():
            app = RealApp(self.ground, kept, "")
            for name in ("ann", "bob"):
                app.typed("pbmserv", "signup", name, PASSWORD, f"{name}@players.test")
        shutil.copytree(kept, home)
        for file in (home, *home.iterdir()):
            shutil.copystat(kept / file.relative_to(home), file)
            shutil.chown(file, UNPRIVILEGED, UNPRIVILEGED_GROUP)

    def player(self, name: str, sieve: str = "", postman: Postman | None = None) -> Player:
        """A player with a mailbox who writes to the app's address, by `postman` or else Postfix."""
        assert self._app is not None
        maildir = self.dovecot.mailbox(f"{name}@players.test", sieve)
        return Player(name, maildir, postman or self.postfix, self._app.address)

    def clear(self) -> None:
        """Stop the app, and delete all players' email."""
        if self._app is not None:
            self._app.stop()
            self._app = None
        self.postfix.clear()
        self.dovecot.clear()
        shutil.rmtree(self.ground.folder / "home", ignore_errors=True)


def documented_pipe(ground: Ground) -> str:
    """The entry in Postfix's master.cf that docs/operating.md tells, for this folder."""
    (entry,) = of_kind("cf")
    for theirs, ours in (
        ("/opt/pbmserv", str(ground.folder)),
        ("/var/lib/pbmserv", f"{ground.folder}/home"),
        ("user=pbmserv", f"user={UNPRIVILEGED}"),
    ):
        assert theirs in entry
        entry = entry.replace(theirs, ours)
    return entry


@contextmanager
def town() -> Iterator[Town]:
    """The servers started, and at the end stopped; raises Missing where they cannot be."""
    with ground() as place:
        place.take_ports(*postfixes.PORTS, *dovecots.PORTS, *signings.PORTS)
        place.facts["pipe"] = documented_pipe(place)
        postfix, dovecot = Postfix(place), Dovecot(place)
        install(place.folder)
        dovecot.start()
        postfix.start()
        yield Town(place, postfix, dovecot)
