"""Assent: whether a reply to a letter that asks for a yes says yes, in many languages.

Such a letter says "just reply": who replies without a word agrees.  Otherwise the first line must
be a yes, and consist of nothing but words that are known to go with one; what stands below it
must not take it back.  A yes that is not understood costs one more mail, what is mistaken for
one may open an account or end it: whatever is not known here is no yes.
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
    "oui", "ouais", "d'accord", "sí", "vale", "claro", "acuerdo", "sì", "certo", "sim",
    "tak", "zgoda", "ano", "souhlasím", "да", "ага", "согласен", "согласна", "ок", "так",
    "kyllä", "joo", "igen", "evet", "嗯", "네", "예", "확인", "👍", "✅", "✔",
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
# What a button says as well ("Confirm my account"): where a line begins with one, it is alone.
_ORDERS = frozenset((
    "confirm", "confirme", "confirmer", "bestätige", "bestätigen", "bestaetige", "bevestig",
))  # fmt: skip
_PHRASES = (
    "it's me", "it is me", "that's me", "that is me", "this is me", "it is i", "das bin ich",
    "ich bin es", "ich bin's", "c'est moi", "c'est bien moi", "soy yo", "sono io", "va bene",
    "sou eu", "to ja", "dat ben ik", "это я", "det är jag", "det er mig", "det er meg",
)  # fmt: skip
# Words that change nothing of a yes, wherever they stand beside it.
_BESIDE = frozenset((
    "i", "my", "me", "this", "that", "that's", "it", "it's", "is", "am", "do", "did", "hereby",
    "the", "a", "an", "of", "course", "all", "good", "fine", "correct", "indeed", "account",
    "address", "email", "mail", "human", "person", "real",
    "ich", "hiermit", "das", "ist", "die", "der", "den", "meine", "mein", "meinen",
    "adresse", "konto", "natürlich", "selbstverständlich", "richtig", "mensch", "vielen",
    "herzlichen",
    "ik", "hierbij", "dit", "dat", "mijn", "het", "adres", "natuurlijk", "goed", "hartelijk",
    "je", "j'accepte", "vous", "mon", "ma", "compte", "c'est", "est", "bien", "sûr", "l'adresse",
    "yo", "de", "es", "mi", "mía", "dirección", "cuenta", "correo", "la", "el", "supuesto",
    "muchas", "mil",
    "io", "è", "il", "mio", "mia", "indirizzo", "l'indirizzo", "conto", "certamente", "mille",
    "tante", "molte",
    "eu", "é", "o", "meu", "minha", "endereço", "conta", "isso", "muito",
    "jag", "jeg", "min", "mitt", "adress", "det", "detta", "dette", "är", "er",
    "mój", "moje", "oczywiście", "się", "můj", "adresu",
    "я", "это", "мой", "моя", "адрес", "аккаунт", "конечно", "верно", "большое", "це", "адреса",
    "дуже",
    "minun", "osoitteeni", "osoite", "az", "én", "címem", "benim", "adresim",
    "확인합니다", "확인했습니다", "동의합니다", "맞습니다", "제", "주소입니다",
    "🙂", "😊", "😀", "😃", "😄", "🙏", "👌", "🎲",
))  # fmt: skip
# Who asks for a yes says these, too: they are harmless only in a line that begins with one.
_BEHIND = frozenset((
    "please", "your", "request", "bitte", "ihre", "anfrage", "graag", "alstublieft", "uw",
    "verzoek", "votre", "demande", "s'il", "plaît", "plait", "por", "favor", "su", "solicitud",
    "per", "favore", "prego", "vostra", "sua", "richiesta", "solicitação", "proszę", "prosím",
    "пожалуйста", "ваш", "запрос", "будь", "ласка", "gärna", "kérem", "lütfen",
))  # fmt: skip
_THANKS = frozenset((
    "thanks", "thank", "thx", "cheers", "danke", "dank", "bedankt", "dankjewel", "merci", "gracias",
    "gràcies", "grazie", "obrigado", "obrigada", "tack", "takk", "dzięki", "dziękuję", "díky",
    "děkuji", "спасибо", "благодарю", "дякую", "kiitos", "köszönöm", "teşekkürler", "감사합니다",
))  # fmt: skip
_THANKED = frozenset((
    "you", "very", "much", "so", "a", "lot", "many", "for", "your", "the", "server", "service",
    "help", "time", "effort", "work",
    "schön", "sehr", "für", "ihre", "eure", "deine", "ihren", "mühe",
    "hilfe", "arbeit", "dienst", "den", "die",
    "wel", "voor", "uw", "je", "hulp", "moeite",
    "beaucoup", "bien", "pour", "votre", "aide", "travail", "serveur", "le",
    "por", "su", "ayuda", "trabajo", "servidor", "el",
    "per", "il", "vostro", "aiuto", "lavoro",
    "pela", "pelo", "ajuda", "så", "mycket", "för", "hjälpen", "mange", "tusen", "hjelpen",
    "bardzo", "za", "pomoc", "moc", "за", "помощь", "paljon", "szépen",
))  # fmt: skip
# Chinese and Japanese are written without blanks: the words of a yes, one behind the other.
_UNPARTED = re.compile(
    "(?:我|我们)?(?:是我|是的|好的|对的|對的|可以|确认|確認|同意|没问题|沒問題|是|好|对|對|行"
    "|はい|承認|承諾|了解|承知|私です)"
    "(?:是的|是我|好的|是|好|我|的|了|地址|账户|帳戶|确认|確認|同意|谢谢|謝謝|感谢|感謝|非常|多谢|您|你"
    "|お願いします|お願いいたします|よろしく|ありがとう|ございます|です|します|しました|いたしました"
    "|致しました|私|確認|了解)*"
)
_MORE_UNPARTED = re.compile(
    "(?:我|谢谢|謝謝|多谢|非常|感谢|感謝|您|你|よろしく|お願いします|お願いいたします|ありがとう|ございます"
    "|どうも)+"
)
# What takes a yes back, or shows that its writer wonders.
_DOUBTS = frozenset((
    "no", "nope", "not", "never", "none", "nobody", "nothing", "cannot", "dont", "didnt", "wasnt",
    "but", "who", "what", "why", "stop", "spam", "remove", "delete", "cancel", "wrong", "mistake",
    "unsubscribe", "off", "unless", "if", "scam", "fake", "hoax", "police", "phishing", "refuse",
    "decline", "reject", "deny",
    "leave", "away", "alone", "quit", "close", "joke", "fed", "whatever", "report",
    "reported", "blocked", "office", "vacation", "holiday",
    "nein", "nicht", "nichts", "nie", "niemals", "kein", "keine", "keinen", "aber", "warum",
    "falsch", "ruhe", "polizei", "nee", "niet", "nooit", "geen", "maar", "waarom", "nej", "nei",
    "inte", "aldrig",
    "ikke", "aldri", "ingen", "men",
    "non", "ne", "pas", "jamais", "rien", "mais", "qui", "pourquoi", "aucun", "aucune",
    "laissez", "laisse", "policía", "polizia", "déjame", "dejame", "déjenme", "dejen", "lasciatemi",
    "nunca", "jamás", "nada", "pero", "quién", "quien", "qué", "mai", "niente", "nulla", "però",
    "chi", "perché", "não", "nao", "mas", "quem", "niciodată", "dar",
    "nigdy", "nic", "ale", "kto", "dlaczego", "nikdy",
    "нет", "не", "никогда", "ничего", "но", "кто", "зачем", "почему", "ні", "ніколи", "але",
    "ei", "mutta", "nem", "soha", "hayır", "değil", "ama",
))  # fmt: skip
_DOUBTS_WITHIN = (
    "remov", "delet", "unsubscr", "spam", "junk", "fraud", "betrug", "lösch", "abmeld", "loswerden",
    "désinscri", "désabonn", "supprim", "arnaque", "borra", "elimin", "baja", "cancell", "truffa",
    "apagar", "verwijder", "afmeld", "usuń", "wypisz", "отпиш", "мошен", "обман", "полици", "удали",
    "хватит", "отстан",
    "n't", "?", "？", "不", "没有", "沒有", "未", "非", "誰", "谁", "否", "但", "吗", "嗎",
    "ない", "ません", "いいえ", "違", "が、", "아니", "않",
)  # fmt: skip
# Who asks for a yes gives none: other programs, too, want their letters to be confirmed.
_ASKS = frozenset((
    "your", "yours", "must", "human", "robot", "ticket", "helpdesk", "received", "ihr", "ihre",
    "ihren", "sie", "uw", "votre", "vos",
    "su", "vostro", "sua", "twój", "ваш", "ваше", "вашу", "din", "ditt", "deres",
))  # fmt: skip
_ASKS_WITHIN = (
    "please confirm", "to confirm", "bitte bestätig", "veuillez", "por favor conf", "si vous",
    "si quelqu", "clic", "klick", "klik", "autom", "автомат", "自动", "自動", "자동",
)  # fmt: skip
# A picture is a word, and so is every sign that is no common punctuation.
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*|[^\w\s.,;:!…()\"'*~\-–—、。，！：；\ufe0f🏻-🏿]")
_PHRASE = re.compile(rf"\b(?:{'|'.join(_PHRASES)})\b")
# Without its accent, the "yes" of Spanish and Italian is an "if" where a sentence goes on.
_SI = re.compile(r"\bsi(?=\s*(?:[.,;:!]|$))")


def may_be_yes(asked: Order | Unknown) -> bool:
    """True for a line that is no command, or the word confirm without what it is to confirm."""
    if isinstance(asked, Unknown):
        return True
    has_token = any(len(word) == CONFIRMATION_TOKEN_LENGTH for word in asked.words)
    return (asked.game, asked.name) == ("", "confirm") and not has_token


def says_yes(typed: Sequence[str]) -> bool:
    """Whether the first line agrees, and its paragraph takes nothing back; nothing at all agrees.

    A greeting may stand above.  Below the paragraph there may be a signature, or what an
    employer wants to be said.
    """
    lines = _from_text_on([plain(line).lower().strip() for line in typed])
    if not lines:
        return True
    if not is_greeting(lines[0]):
        read = _paragraph(lines)
        return _agrees(read[0]) and not _takes_back(read)
    read = [lines[0], *_paragraph(_from_text_on(lines[1:]))]
    is_bare = len(read) == 1 and len(_words(lines[0])) <= LONGEST_GREETING
    return (is_bare or any(map(_agrees, read[:2]))) and not _takes_back(read)


def _from_text_on(lines: Sequence[str]) -> list[str]:
    return list(dropwhile(lambda line: not line, lines))


def _paragraph(lines: Sequence[str]) -> list[str]:
    return list(takewhile(bool, lines))


def _words(line: str) -> list[str]:
    return _WORD.findall(_PHRASE.sub("yes", _SI.sub("sí", line)))


def _agrees(line: str) -> bool:
    greeting, comma, rest = line.partition(",")
    words = _words(rest if comma and is_greeting(greeting + comma) else line)
    if words and is_greeting(words[0]):
        words = words[1:]
    begins = bool(words) and (words[0] in _YES or bool(_UNPARTED.fullmatch(words[0])))
    is_order = len(words) > 1 and words[0] in _ORDERS
    confirms = not is_order and not _CONFIRMING.isdisjoint(words[:FIRST_WORDS])
    return (begins or confirms) and _are_known(words, _BEHIND if begins else frozenset())


def _are_known(words: Sequence[str], known: frozenset[str]) -> bool:
    """Whether all words go with a yes; what somebody is thanked for comes behind the thanks."""
    known |= _YES | _CONFIRMING | _BESIDE | _THANKS
    for word in words:
        if word in _THANKS:
            known |= _THANKED
        is_unparted = _UNPARTED.fullmatch(word) or _MORE_UNPARTED.fullmatch(word)
        if not (word in known or is_unparted):
            return False
    return True


def _takes_back(lines: Sequence[str]) -> bool:
    """Whether a line that is more than a yes or thanks doubts or asks, or all is very long."""
    unknown = " ".join(line for line in lines if not _are_known(_words(line), _BEHIND | _THANKED))
    is_long = len(" ".join(lines)) > LONGEST
    within = any(each in unknown for each in (*_DOUBTS_WITHIN, *_ASKS_WITHIN))
    return is_long or within or not (_DOUBTS | _ASKS).isdisjoint(_WORD.findall(unknown))
