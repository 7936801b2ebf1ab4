"""Attacks that flood a person through the server, or use up shared resources."""

from __future__ import annotations

import smtplib
from contextlib import suppress

from scripts.attacks.target import PASSWORD, Fell, Target, text_of

SHORT = 4096  # bytes of the only answer that a stranger gets
ASKED = 3  # letters about sign-ups to one address
FORGED = 40  # emails with a forged sender
MADE_UP = 150


def _forge(target: Target, sender: str, subject: str, text: str = "") -> None:
    with suppress(smtplib.SMTPException):
        target.hand_over(target.mail(sender, subject, text), sender)


def a_forged_stranger(target: Target) -> str:
    """Forty emails with a stranger's address as sender bring one short answer and few questions."""
    for number in range(FORGED):
        subject = ("help commands", "help rules bga", "Hello", f"signup x{number} {PASSWORD}")
        _forge(target, "victim@example.net", subject[number % 4], "help perudo\nhelp rules\n")
    target.settled()
    found = target.letters("victim@example.net")
    size = sum(len(letter.as_bytes()) for letter in found)
    asking = [each for each in found if "onfirm" in str(each["Subject"])]
    answers = [each for each in found if each not in asking]
    if (
        len(answers) > 1
        or len(asking) > ASKED
        or any(len(each.as_bytes()) > SHORT for each in answers)
        or size > 4 * SHORT
    ):
        raise Fell(f"{len(found)} letters with {size} bytes came to the victim")
    return f"{len(found)} letters with {size} bytes for {FORGED} emails"


def signups_for_one_mailbox(target: Target) -> str:
    """Signups for one mailbox under many spellings of a Gmail address, and for one domain."""
    names = [f"v.i{'.' * (number % 2)}c{'+' + str(number)}tim@gmail.com" for number in range(30)]
    for number, address in enumerate(names):
        _forge(target, address, f"signup gmail{number} {PASSWORD}")
    target.settled()
    found = sum(len(target.letters(address)) for address in names)
    if found > 5:  # noqa: PLR2004 - three confirmations and the day's letter
        raise Fell(f"{found} letters went to one mailbox")
    return f"{found} letters to one mailbox for {len(names)} signups"


def made_up_addresses(target: Target) -> str:
    """Email from 150 addresses that do not exist: players' answers do not wait."""
    for number in range(MADE_UP):
        _forge(target, f"nobody{number}@example.net", "Hello", "x" * 1500)
    return target.answered()


def a_forged_player(target: Target) -> str:
    """Email with bob's address as sender: he gets few letters, and his own answers do not wait."""
    for _ in range(FORGED):
        _forge(target, "bob@example.org", "perudo frobnicate", "what?")
    target.settled()
    found = len(target.letters("bob"))
    if found > 3:  # noqa: PLR2004 - `unproven_daily`: unproven email brings three letters a day
        raise Fell(f"{found} letters came to bob")
    target.send("bob@example.org", f"perudo showas bob {PASSWORD} all")
    target.letter("bob", 5)
    return f"{found} letters to bob for {FORGED} emails; his own was answered at once"


def wrong_passwords_under_her_name(target: Target) -> str:
    """Forty wrong passwords under ann's address do not lock ann out."""
    for number in range(FORGED):
        _forge(target, "ann@example.org", f"perudo showas ann wrong{number} all")
    target.settled()
    target.letters("ann")
    target.send("ann@example.org", f"perudo showas ann {PASSWORD} all")
    if "too many" in text_of(letter := target.letter("ann", 30)).lower():
        raise Fell(f"ann was refused: {letter['Subject']}")
    return "ann's right password was heard"


def a_letter_to_everybody(target: Target) -> str:
    """A new account cannot write to all players."""
    target.send("mallory@example.org", f"broadcast mallory {PASSWORD}", "Buy my dice!")
    target.letter("mallory")
    if any("Buy my dice" in text_of(each) for each in target.letters("ann")):
        raise Fell("everybody got the letter")
    return "refused"


def messages_of_a_newcomer(target: Target) -> str:
    """A newcomer writes to bob ten times in a day: three of the messages arrive."""
    for number in range(10):
        target.send("mallory@example.org", f"message mallory {PASSWORD} bob", f"Dice {number}!")
    target.settled()
    found = sum("Dice " in text_of(each) for each in target.letters("bob"))
    if found > 3:  # noqa: PLR2004 - three messages a day
        raise Fell(f"{found} messages came to bob")
    return f"{found} of 10 messages came to bob"


ATTACKS = (
    a_forged_stranger,
    signups_for_one_mailbox,
    made_up_addresses,
    a_forged_player,
    wrong_passwords_under_her_name,
    a_letter_to_everybody,
    messages_of_a_newcomer,
)

# So few answers a day that 150 emails use them up; otherwise it would take thousands.
SETTINGS = {made_up_addresses: "all_answers_daily = 200\n"}
