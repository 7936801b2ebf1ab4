"""Assent: whether a reply to a letter that asks for a yes says yes, in many languages.

Such a letter says "just reply": who replies without a word agrees.  Words must be a short yes
that nothing takes back: "I never asked for this!" is an answer, too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import dropwhile, takewhile

from pbmserv.grammar import Order, Unknown, plain
from pbmserv.salutations import is_greeting
from pbmserv.tokens import CONFIRMATION_TOKEN_LENGTH

LONGEST = 160  # characters of a yes: what is longer says more than that
FIRST_WORDS = 3  # among which somebody confirms: "I hereby confirm"
LONGEST_GREETING = 2  # words that say nothing yet: "Hello!", "Dear server,"

_YES = frozenset((
    "yes", "yep", "yeah", "yup", "ok", "okay", "sure", "agreed", "certainly", "absolutely",
    "ja", "jawohl", "jep", "klar", "gerne", "einverstanden", "stimmt", "genau", "akkoord", "klopt",
    "oui", "ouais", "d'accord", "sí", "si", "vale", "claro", "acuerdo", "sì", "certo", "sim",
    "tak", "zgoda", "ano", "souhlasím", "да", "ага", "согласен", "согласна", "ок", "так",
    "kyllä", "joo", "igen", "evet", "是", "好", "对", "對", "行", "嗯", "네", "예", "👍", "✅", "✔",
))  # fmt: skip
_CONFIRMING = frozenset((
    "confirm", "confirmed", "confirming", "agree", "bestätige", "bestätigt", "bestätigen",
    "bestaetige", "bestaetigt", "bevestig", "bevestigd", "bekræfter", "bekræftet", "bekrefter",
    "bekreftet", "bekräftar", "bekräftat", "godkänner", "confirme", "confirmé", "confirmée",
    "confirmer", "confirmo", "confirmado", "confirmada", "acuerdo", "acordo", "confermo",
    "confermato", "confermata", "confirmat", "potwierdzam", "potwierdzone", "zgadzam",
    "potvrzuji", "подтверждаю", "подтверждено", "підтверджую", "vahvistan", "megerősítem",
    "onaylıyorum",
))  # fmt: skip
_PHRASES = (
    "it's me", "it is me", "that's me", "that is me", "this is me", "it is i", "das bin ich",
    "ich bin es", "ich bin's", "c'est moi", "c'est bien moi", "soy yo", "sono io", "va bene",
    "sou eu", "to ja", "dat ben ik", "это я", "det är jag", "det er mig", "det er meg",
)  # fmt: skip
# Chinese and Japanese are written without blanks: the yes is how they begin.
_OPENINGS = (
    "是的", "好的", "对的", "對的", "可以", "确认", "確認", "我确认", "我確認", "同意", "没问题",
    "沒問題", "はい", "承認", "承諾", "了解", "承知", "확인",
)  # fmt: skip
# What takes a yes back, or shows that its writer wonders.
_DOUBTS = frozenset((
    "no", "nope", "not", "never", "none", "nobody", "nothing", "cannot", "dont", "didnt", "wasnt",
    "but", "who", "what", "why", "stop", "spam", "remove", "delete", "cancel", "wrong", "mistake",
    "unsubscribe", "unless", "if", "scam", "phishing", "refuse", "decline", "reject", "deny",
    "leave", "away", "alone", "quit", "close", "joke", "hope", "fed", "whatever", "report",
    "reported", "blocked", "office", "vacation", "holiday",
    "nein", "nicht", "nichts", "nie", "niemals", "kein", "keine", "keinen", "aber", "warum",
    "falsch", "nee", "niet", "nooit", "geen", "maar", "waarom", "nej", "nei", "inte", "aldrig",
    "ikke", "aldri", "ingen", "men",
    "non", "ne", "pas", "jamais", "rien", "mais", "qui", "pourquoi", "aucun", "aucune",
    "nunca", "jamás", "nada", "pero", "quién", "quien", "qué", "mai", "niente", "nulla", "però",
    "chi", "perché", "não", "nao", "mas", "quem", "niciodată", "dar",
    "nigdy", "nic", "ale", "kto", "dlaczego", "nikdy",
    "нет", "не", "никогда", "ничего", "но", "кто", "зачем", "почему", "ні", "ніколи", "але",
    "ei", "mutta", "nem", "soha", "hayır", "değil", "ama",
))  # fmt: skip
_DOUBTS_WITHIN = (
    "remov", "delet", "unsubscr", "spam", "junk", "fraud", "betrug", "lösch", "abmeld", "loswerden",
    "désinscri", "désabonn", "supprim", "arnaque", "borra", "elimin", "baja", "cancell", "truffa",
    "apagar", "verwijder", "afmeld", "usuń", "wypisz", "отпиш", "удали", "хватит", "отстан",
    "n't", "?", "？", "不", "没有", "沒有", "未", "非", "誰", "谁", "否", "但", "吗", "嗎",
    "ない", "ません", "いいえ", "違", "が、", "아니", "않",
)  # fmt: skip
# Who asks for a yes gives none: other programs, too, want their letters to be confirmed.
_ASKS = frozenset((
    "your", "yours", "must", "human", "robot", "ihr", "ihre", "ihren", "sie", "uw", "votre", "vos",
    "su", "vostro", "sua", "twój", "ваш", "ваше", "вашу", "din", "ditt", "deres",
))  # fmt: skip
_ASKS_WITHIN = (
    "please confirm", "to confirm", "bitte bestätig", "veuillez", "por favor conf", "si vous",
    "si quelqu", "clic", "klick", "klik", "autom", "автомат", "自动", "自動", "자동",
)  # fmt: skip
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*|[👍✅✔]")


def may_be_yes(asked: Order | Unknown) -> bool:
    """True for a line that is no command, or the word confirm without what it is to confirm."""
    if isinstance(asked, Unknown):
        return True
    has_token = any(len(word) == CONFIRMATION_TOKEN_LENGTH for word in asked.words)
    return (asked.game, asked.name) == ("", "confirm") and not has_token


def says_yes(typed: Sequence[str]) -> bool:
    """Whether what was typed agrees, to the end of its first paragraph; nothing at all does.

    Below it there may be a signature, or what an employer wants to be said.
    """
    lines = _from_text_on(list(map(plain, typed)))
    if not lines:
        return True
    first = _paragraph(lines)
    if not is_greeting(lines[0]):
        return _agrees(first) and not _doubts(first)
    below = _paragraph(_from_text_on(lines[1:]))
    is_bare = not below and len(_WORD.findall(first)) <= LONGEST_GREETING
    return (is_bare or _agrees(first) or _agrees(below)) and not _doubts(f"{first} {below}")


def _from_text_on(lines: Sequence[str]) -> list[str]:
    return list(dropwhile(lambda line: not line.strip(), lines))


def _paragraph(lines: Sequence[str]) -> str:
    return " ".join(takewhile(str.strip, lines)).lower().strip()


def _agrees(text: str) -> bool:
    words = _WORD.findall(text)
    if words and is_greeting(words[0]):
        words = words[1:]
    return (
        not _YES.isdisjoint(words[:1])
        or not _CONFIRMING.isdisjoint(words[:FIRST_WORDS])
        or text.startswith(_OPENINGS)
        or any(f" {phrase} " in f" {' '.join(words)} " for phrase in _PHRASES)
    )


def _doubts(text: str) -> bool:
    is_long = len(text) > LONGEST
    within = any(each in text for each in (*_DOUBTS_WITHIN, *_ASKS_WITHIN))
    return is_long or within or not (_DOUBTS | _ASKS).isdisjoint(_WORD.findall(text))
