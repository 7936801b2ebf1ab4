"""Salutations: how people greet a server, above what they want of it, in many languages."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pbmserv.grammar import Order, Vocabulary, plain, read_line

LONGEST = 40  # characters
_GREETINGS = frozenset((
    "hi", "hello", "hey", "dear", "greetings", "hallo", "guten", "liebe", "lieber", "liebes",
    "moin", "servus", "sehr", "bonjour", "salut", "cher", "chère", "chers", "coucou", "hola",
    "buenos", "buenas", "querido", "querida", "estimado", "estimada", "ciao", "buongiorno",
    "buonasera", "salve", "caro", "cara", "gentile", "hoi", "dag", "beste", "geachte",
    "goedemorgen", "olá", "oi", "bom", "boa", "prezado", "prezada", "cześć", "dzień", "witam",
    "witaj", "szanowny", "szanowni", "drogi", "привет", "здравствуйте", "здравствуй", "добрый",
    "доброе", "уважаемый", "уважаемые", "дорогой", "你好", "您好", "大家好", "嗨", "早上好",
    "こんにちは", "こんばんは", "おはようございます", "お疲れ様です", "皆さん",
))  # fmt: skip
_COMMAS = str.maketrans(",，、", "   ")


def ungreeted(
    typed: Sequence[str], vocabulary: Vocabulary, is_move: Callable[[str], bool]
) -> Sequence[str]:
    """What was typed, without a greeting above a move or a command; prose keeps its own."""
    first = _next(typed, 0)
    if first is None or not is_greeting(typed[first]):
        return typed
    below = _next(typed, first + 1)
    if below is None:
        return typed
    line = plain(typed[below])
    meant = is_move(line) or isinstance(read_line(line, vocabulary), Order)
    return typed[below:] if meant else typed


def _next(lines: Sequence[str], position: int) -> int | None:
    """The first line from here on that is not empty."""
    return next((n for n in range(position, len(lines)) if lines[n].strip()), None)


def is_greeting(line: str) -> bool:
    """True for `Hello,` and `Dear server!`: a few words, the first of them known."""
    text = line.strip().lower()
    words = text[: LONGEST + 1].translate(_COMMAS).split()
    if not words or len(text) > LONGEST or words[0].strip("!.:！。：") not in _GREETINGS:
        return False
    return len(words) == 1 or text[-1] in ",!:.，！：。"
