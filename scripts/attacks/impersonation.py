"""Attacks that read another player's dice, or play in another player's name."""

from __future__ import annotations

import re
from email.message import EmailMessage

from scripts.attacks.target import PASSWORD, Fell, Target, dice_of, everything, text_of

MARKS = ("> ", "» ", "~ ", "* ", "&gt; ", "ann> ", "- ", "│ ", "# ", "", ":: ", "]", "%% ")
NAMES_REFUSED = ("admin", "operator", "support", "postmaster", "ann.", "Iann", "b0b")
TOKEN = re.compile(r"\b[A-Z2-7]{26}\b|\b[A-Z2-7]{32}\b")


def _begun(target: Target, words: str = "-inorder ann bob cleo") -> dict[str, EmailMessage]:
    """Board 1, and the first letter of each player there."""
    target.send("ann@example.org", f"perudo challenge {words}")
    return {name: target.letter(name) for name in ("ann", "bob", "cleo") if name in words}


def a_spent_token(target: Target) -> str:
    """The token of ann's first move, in a stranger's hands, queues no moves and sends no text."""
    first = _begun(target)["ann"]
    target.send("ann@example.org", "", "1-2s\n", answers=first)
    target.letter("bob")
    token = str(first["Reply-To"]).partition("+")[2].partition("@")[0]
    for line in (f"perudo queue 1 ann {token} 9-6s dudo", f"perudo chat 1 ann {token}"):
        target.send("eve@example.net", line, "I am ann, and I give up.")
    target.settled()
    heard = everything(target.letters("bob") + target.letters("cleo"))
    queued = text_of_board(target, "ann")
    if "give up" in heard or "9-6s" in queued:
        raise Fell("a stranger spoke or queued moves for ann")
    return "nothing was queued or said"


def text_of_board(target: Target, name: str) -> str:
    """The display of board 1 for a player at a shell."""
    return target.typed("perudo", "showas", name, PASSWORD, "1").stdout


def quoted_letters(target: Target) -> str:
    """Ann's reply quotes her letter under thirteen marks; the others read no die and no token."""
    letter = _begun(target)["ann"]
    dice, token = dice_of(letter), str(letter["Reply-To"]).partition("+")[2].partition("@")[0]
    for mark in MARKS:
        quoted = "\n".join(mark + line for line in text_of(letter).splitlines())
        target.send(
            "ann@example.org",
            f"perudo chat 1 ann {PASSWORD}",
            f"What do you think of this? {mark}\n\nSomebody wrote this, some day:\n{quoted}\n",
        )
    target.settled(3.0)
    heard = everything(target.letters("bob") + target.letters("cleo"))
    if token in heard or f"dice: {dice}" in heard or dice in heard:
        raise Fell("the others read ann's dice or token")
    if "What do you think" not in heard:
        raise Fell("nothing at all was passed on")
    return f"{len(MARKS)} marks: the words arrived, the dice did not"


def tokens_in_texts(target: Target) -> str:
    """No text of a letter contains a token, because people quote texts."""
    letters = list(_begun(target).values())
    target.send("bob@example.org", f"set bob {PASSWORD} digest=daily")
    target.settled()
    letters += [each for name in ("ann", "bob", "cleo") for each in target.letters(name)]
    for letter in letters:
        if TOKEN.search(text_of(letter)):
            raise Fell(f"a token is in the text of {letter['Subject']!r}")
    return f"{len(letters)} letters hold none"


def a_forged_verdict(target: Target) -> str:
    """A local user writes the header by which a mail server proves a sender."""
    _begun(target, "-inorder ann bob")
    verdict = "mx.example.org; dmarc=pass header.from=example.org"
    target.send(
        "ann@example.org", "perudo move 1 ann 5-5s", headers={"Authentication-Results": verdict}
    )
    target.settled()
    if "5-5s" in everything(target.letters("bob")):
        raise Fell("a move was made for ann")
    return "no move was made"


def boards_without_consent(target: Target) -> str:
    """Mallory seats four people at 20 boards; they get few boards and lose nothing."""
    for _ in range(20):
        words = "-inorder --nagtime=1h --forfeittime=2h mallory ann bob cleo"
        target.send("mallory@example.org", f"perudo challenge {words}")
    target.settled(3.0)
    found = len(target.letters("bob"))
    standings = target.typed("perudo", "standings").stdout
    if found > 6 or "bob " in standings:  # noqa: PLR2004 - three boards, three invitations
        raise Fell(f"bob got {found} letters")
    return f"bob got {found} letters for 20 challenges, and is in no table"


def farmed_ratings(target: Target) -> str:
    """Accounts of one person play games of one die each: nobody gets a rating."""
    for name in ("eve", "eva", "evi"):
        done = target.typed("pbmserv", "signup", name, PASSWORD, "eve@example.net")
        if done.returncode:
            raise Fell(done.stderr)
    for number, other in enumerate(("eva", "evi"), 1):
        target.typed("perudo", "challenge", "-inorder", "-dice=1", "eve", other)
        target.typed("perudo", "move", str(number), "eve", PASSWORD, "1-1s")
        target.typed("perudo", "move", str(number), other, PASSWORD, "dudo")
    standings = target.typed("perudo", "standings").stdout
    if "eve" in standings or "eva" in standings:
        raise Fell(standings)
    return "two games, no rating"


def names_of_others(target: Target) -> str:
    """Userids that resemble an office or another player are refused."""
    taken = [
        name
        for name in NAMES_REFUSED
        if target.typed("pbmserv", "signup", name, PASSWORD, "eve@example.net").returncode == 0
    ]
    if taken:
        raise Fell(f"accounts were opened for {', '.join(taken)}")
    return f"{len(NAMES_REFUSED)} names were refused"


def a_yes_of_somebody_else(target: Target) -> str:
    """Mallory signs up with ann's second mailbox; an accidental "Hello" opens no account."""
    target.send("mallory@example.org", f"signup annie {PASSWORD} ann2@example.org")
    letter = target.letter("ann2@example.org")
    target.send("ann2@example.org", "", "Hello\n", answers=letter)
    target.settled()
    target.send("ann2@example.org", f"perudo showas annie {PASSWORD} all")
    if "no boards" in everything(target.letters("ann2@example.org")).lower():
        raise Fell("the account works")
    return "no account was opened"


ATTACKS = (
    a_spent_token,
    quoted_letters,
    tokens_in_texts,
    a_forged_verdict,
    boards_without_consent,
    farmed_ratings,
    names_of_others,
    a_yes_of_somebody_else,
)

SETTINGS = {a_forged_verdict: 'authserv_id = "mx.example.org"\n'}
