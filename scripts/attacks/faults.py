"""Accidents and mistakes that help an attacker: restores, lost files, second servers."""

from __future__ import annotations

import shutil
from email.message import EmailMessage

from scripts.attacks.target import PASSWORD, Fell, Target, dice_of
from tests.cli.processes import Served

MISCONFIGURED = 78


def a_restored_backup(target: Target) -> str:
    """After a restore the running round has other dice than the ones that players saw."""
    target.send("ann@example.org", "perudo challenge -inorder ann bob")
    begun = _told(target)
    backup, home = target.home.with_name("backup"), target.home
    target.typed("pbmserv", "backup", str(backup))
    target.send("ann@example.org", f"perudo move 1 ann {PASSWORD} 1-2s")
    target.send("bob@example.org", f"perudo move 1 bob {PASSWORD} dudo")
    next_round = _told(target)
    target.server.stop()
    for name in ("pbmserv.sqlite", "pbmserv.sqlite-wal", "pbmserv.sqlite-shm"):
        (home / name).unlink(missing_ok=True)
    shutil.copy(backup / "pbmserv.sqlite", home / "pbmserv.sqlite")
    target.server = Served(home)
    if target.server.process.poll() is not None:
        raise Fell(target.server.log.read_text("utf-8").splitlines()[-1])
    target.send("ann@example.org", f"perudo showas ann {PASSWORD} 1")
    again = _told(target)
    for before in (begun, next_round):
        if list(map(dice_of, again)) == list(map(dice_of, before)):
            raise Fell("the same dice were dealt again")
    target.send("bob@example.org", "", "dudo\n", answers=begun[1])
    target.letter("bob")
    return "new dice were rolled, and a reply from before was answered"


def _told(target: Target) -> list[EmailMessage]:
    """The latest letters to ann and bob; equal cups occur by chance once in 20,000 times."""
    target.settled()
    return [target.letter("ann"), target.letter("bob")]


def a_lost_database(target: Target) -> str:
    """A home whose database is lost does not start an empty server."""
    target.server.stop()
    for each in target.home.glob("pbmserv.sqlite*"):
        each.unlink()
    done = target.typed("pbmserv", "serve")
    if done.returncode != MISCONFIGURED:
        raise Fell(f"exit {done.returncode}: {done.stderr}")
    return done.stderr.strip().partition("\n")[0]


def another_key(target: Target) -> str:
    """A home with another key, or without one, is refused."""
    target.server.stop()
    (target.home / "key").unlink()
    done = target.typed("pbmserv", "serve")
    if done.returncode != MISCONFIGURED:
        raise Fell(f"exit {done.returncode}: {done.stderr}")
    return done.stderr.strip().partition("\n")[0]


def a_second_server(target: Target) -> str:
    """A second server in the same home is refused."""
    done = target.typed("pbmserv", "serve")
    if not done.returncode:
        raise Fell("it started")
    return done.stderr.strip().partition("\n")[0]


def a_banned_flooder(target: Target) -> str:
    """The operator bans an address while the server runs: its email is no longer answered."""
    target.typed("pbmserv", "ban", "mallory@example.org")
    target.letter("mallory")  # a banned player is told
    target.send("mallory@example.org", "help")
    target.settled()
    if found := target.letters("mallory"):
        raise Fell(f"mallory was answered: {found[0]['Subject']}")
    return "not answered"


ATTACKS = (
    a_restored_backup,
    a_lost_database,
    another_key,
    a_second_server,
    a_banned_flooder,
)
