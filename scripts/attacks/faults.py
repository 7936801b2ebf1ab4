"""Accidents and mistakes that an attacker may wait for: restores, lost files, second servers."""

from __future__ import annotations

import shutil

from scripts.attacks.target import PASSWORD, Fell, Target, dice_of
from tests.shell.processes import Served

MISCONFIGURED = 78


def a_restored_backup(target: Target) -> str:
    """After a restore the running round has other dice than the ones that players saw."""
    target.send("ann@example.org", "perudo challenge -inorder ann bob")
    target.letter("ann")
    backup, home = target.home.with_name("backup"), target.home
    target.typed("pbmserv", "backup", str(backup))
    first = target.letter("bob")
    target.send("ann@example.org", f"perudo move 1 ann {PASSWORD} 1-2s")
    seen = dice_of(target.letter("bob"))
    target.send("bob@example.org", f"perudo move 1 bob {PASSWORD} dudo")
    next_round = dice_of(target.letter("bob"))
    target.server.stop()
    for name in ("pbmserv.sqlite", "pbmserv.sqlite-wal", "pbmserv.sqlite-shm"):
        (home / name).unlink(missing_ok=True)
    shutil.copy(backup / "pbmserv.sqlite", home / "pbmserv.sqlite")
    target.server = Served(home)
    if target.server.process.poll() is not None:
        raise Fell(target.server.log.read_text("utf-8").splitlines()[-1])
    target.send("ann@example.org", f"perudo showas ann {PASSWORD} 1")
    again = dice_of(target.letter("bob"))
    if again in {seen, next_round, dice_of(first)}:
        raise Fell("the same dice were dealt again")
    target.send("bob@example.org", "", "dudo\n", answers=first)
    target.letter("bob")
    return "new dice were thrown, and a reply from before was answered"


def a_lost_database(target: Target) -> str:
    """A home whose database is gone starts no empty server."""
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
    """The operator bans an address while the server runs: its mail is not answered any more."""
    target.typed("pbmserv", "ban", "mallory@example.org")
    target.letter("mallory")  # whoever is banned is told
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
