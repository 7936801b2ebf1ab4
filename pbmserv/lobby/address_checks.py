"""Which addresses a challenge may invite, with which words, and how many in a day.

A letter to an address goes to somebody who has asked for nothing.  So it is sent only for a player
who has proven to write, and only a few times a day.  Its words can advertise nothing.  The limits
count what was asked for, not what was sent: nothing here depends on whose an address is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pbmserv.boards import authorship
from pbmserv.context import Context
from pbmserv.errors import Refused
from pbmserv.mail.addresses import mailbox, site
from pbmserv.mail.autoresponders import is_of_machine
from pbmserv.monitoring import action_log, operator_alerts
from pbmserv.players import accounts, userids, validation
from pbmserv.players.accounts import Player
from pbmserv.ratelimit import fixed_window
from pbmserv.ratelimit.fixed_window import Quota
from pbmserv.text.unicode_forms import compatible, is_seen, unmarked, without_format
from pbmserv.timeunits import DAY

INVITER_DAILY = 3  # addresses that one player may invite in a day
NEW_INVITER_DAILY = 1  # the same for a player with a new account
NEW = 3 * DAY  # seconds for which an account is new
DOMAIN_DAILY = 10  # addresses of one domain that all players together may invite in a day
LONGEST_TEXT, MOST_LINES = 300, 5  # of the words for somebody who was invited by address
LONGEST_NAME, MOST_NAMES = 40, 4  # characters, and words, of the inviter's name
_BY_PLAYER, _BY_DOMAIN, _BY_SERVER = "invite by", "invite to", "invite all"  # for `fixed_window`
_EVERYBODY = "everybody"

# Local parts of offices (RFC 2142 and others) and lists; `is_of_machine` knows those of programs.
_OFFICES = frozenset({
    "abuse", "accounts", "admin", "administrator", "all", "announce", "billing", "careers",
    "contact", "contacto", "customerservice", "datenschutz", "enquiries", "everybody", "everyone",
    "feedback", "ftp", "help", "helpdesk", "hostmaster", "hr", "info", "inquiries", "jobs",
    "kontakt", "legal", "list", "lists", "mail", "marketing", "media", "news", "noc", "office",
    "orders", "poststelle", "press", "privacy", "reception", "sales", "security", "service",
    "spam", "staff", "subscribe", "support", "team", "unsubscribe", "usenet", "users", "uucp",
    "ventas", "vertrieb", "webmaster", "www",
})  # fmt: skip
_LISTS = ("-announce", "-dev", "-discuss", "-l", "-list", "-owner", "-subscribe", "-users")
_LIST_HOSTS = re.compile(
    r"(?:lists?|groups?|listserv|mailman)\.|(?:google|yahoo)groups\.com$"
)  # the domains of mailing lists: one letter there goes to many people
_LINK = re.compile(
    r"[@/\\<>]|[^\s.。][.。]\w|[(\[]\.[)\]]|\bwww\b|\bhttps?\b|"
    r"\bdot\W{1,3}(?:com|net|org|info|io|biz)\b|\d(?:[ ()._-]?\d){5}",
    re.IGNORECASE,
)
_LINK_IN_USERID = re.compile(r"\bwww\b|\.[a-z]{2}", re.IGNORECASE)  # no top domain has one letter
_BESIDE_LETTERS = frozenset(" .'’-")


def is_address(word: str) -> bool:
    """Whether a word of a challenge is an address; no userid has an @."""
    return "@" in word


def bare(word: str) -> str:
    """The address in `<friend@example.com>` or `mailto:friend@example.com`."""
    return word.strip("<>;").removeprefix("mailto:")


def objections(
    context: Context, inviter: Player | None, addresses: Sequence[str], names: Sequence[str]
) -> Iterator[Refused]:
    """Why these addresses cannot be invited now; `inviter` is the player who asks, if known.

    `names` are the userids of the other players: the letter shows them.
    """
    if not addresses:
        return
    yield from _wrong(context, addresses)
    if action_log.is_emergency(context.connection):
        yield Refused("signups_closed")
    if inviter is None:
        yield Refused("invite_who")
        return
    if not context.at_shell and not authorship.is_from(context, inviter.id):
        yield Refused("invite_unproven", line=f"perudo challenge {inviter.userid}")
    if why := _unfit(context.message):
        yield Refused("invite_words", why=why, most=LONGEST_TEXT, lines=MOST_LINES)
    shown = dict.fromkeys((inviter.userid, *names))
    if links := [each for each in shown if _LINK_IN_USERID.search(each)]:
        yield Refused("invite_userid", names=links)
    yield from _over_budget(context, inviter, addresses)


def _wrong(context: Context, addresses: Sequence[str]) -> Iterator[Refused]:
    """Why these are not the addresses of one person each."""
    own = {mailbox(each) for each in validation.ours(context.settings)}
    for address in addresses:
        if mailbox(address) in own:
            yield Refused("our_address", address=address)
        elif _is_of_nobody(address):
            yield Refused("invite_person", address=address)
        else:
            yield from _malformed(address)
    if len(set(map(mailbox, addresses))) < len(addresses):
        yield Refused("invite_twice")


def _malformed(address: str) -> Iterator[Refused]:
    try:
        validation.address_key(address)
    except Refused as refusal:
        yield refusal


def _is_of_nobody(address: str) -> bool:
    """Whether an address is of a program, an office or a list."""
    local, _, domain = mailbox(address).partition("@")
    office = local.replace("-", "").rstrip("0123456789")
    is_list = local.endswith(_LISTS) or _LIST_HOSTS.match(domain)
    return office in _OFFICES or bool(is_list) or is_of_machine(address)


def _unfit(text: str) -> str:
    """Why a text may not go to somebody who has asked for nothing: length or link; else ""."""
    seen = without_format(compatible(text))
    if len(seen) > LONGEST_TEXT or seen.count("\n") >= MOST_LINES:
        return "length"
    return "link" if _has_link(seen) else ""


def _has_link(text: str) -> bool:
    """Whether a mail program, or a reader, may find a link or a telephone number in a text."""
    return _LINK.search(unmarked(text)) is not None


def _budgets(context: Context, inviter: Player, addresses: Sequence[str]) -> list[Quota]:
    """The daily limits of these invitations: of the player, of each domain, and of the server."""
    sites = [site(each) for each in addresses]
    domains = [Quota(_BY_DOMAIN, each, DOMAIN_DAILY, sites.count(each)) for each in set(sites)]
    most = NEW_INVITER_DAILY if _is_new(context, inviter) else INVITER_DAILY
    server = Quota(_BY_SERVER, _EVERYBODY, context.settings.invitations_daily, len(addresses))
    return [Quota(_BY_PLAYER, str(inviter.id), most, len(addresses)), *domains, server]


def _is_new(context: Context, inviter: Player) -> bool:
    created = accounts.created_at(context.connection, inviter.id)
    return not context.at_shell and created > context.now - NEW


def _over_budget(context: Context, inviter: Player, addresses: Sequence[str]) -> Iterator[Refused]:
    quotas = _budgets(context, inviter, addresses)
    room = fixed_window.room(context.connection, quotas, DAY, context.now)
    for quota, left in zip(quotas, room, strict=True):
        if left >= quota.times:
            continue
        if quota.what == _BY_PLAYER:
            yield Refused("invite_enough", most=quota.most)
        else:
            where = quota.who if quota.what == _BY_DOMAIN else ""
            yield Refused("invite_later", off=quota.most == 0, site=where)
            return


def note(context: Context, inviter: Player, addresses: Sequence[str]) -> None:
    """Count the invitations of a challenge that was made; the last ones alert the operator."""
    quotas = _budgets(context, inviter, addresses)
    fixed_window.count(context.connection, quotas, DAY, context.now)
    left = fixed_window.room(context.connection, quotas[-1:], DAY, context.now)[0]
    if left < 1:
        about = "invitations by address"
        operator_alerts.note(context.connection, "budget", about, "", context.now)


def shown_name(name: str) -> str:
    """The name of an inviter as a letter may show it; "" where it may be more than a name."""
    name = " ".join(without_format(compatible(name)).split())
    words = name.replace(".", " ").replace("-", " ").split()
    is_name = all(each.isalpha() or each in _BESIDE_LETTERS or not is_seen(each) for each in name)
    is_short = len(name) <= LONGEST_NAME and 0 < len(words) <= MOST_NAMES
    if not (is_name and is_short) or _has_link(name):
        return ""
    return "" if any(map(userids.is_reserved, words)) else name
