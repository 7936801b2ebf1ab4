"""What a person typed in a reply: the lines above, between and below what was quoted.

Cuts quotations, the lines that introduce them (`attribution`), the mail that Outlook repeats
below a dividing line, signatures and the advertisements of telephones.  One pass over the
lines; what it looks ahead at is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pbmserv.mail.attribution import attribution

_SENT_FROM = (
    "sent from my ", "sent from mail ", "sent from yahoo", "sent from outlook", "sent from aol",
    "sent from gmail", "sent from proton", "sent from samsung", "sent from k-9",
    "sent from the all new", "sent from android", "sent from iphone", "sent via ", "sent with ",
    "get outlook for ", "von meinem iphone", "von meinem ipad", "von meinem handy",
    "von meinem smartphone", "von meinem android", "von meinem samsung", "von meinem huawei",
    "von meinem mobil", "gesendet von ", "gesendet mit ", "diese nachricht wurde von ",
    "diese nachricht wurde mit ", "envoyé de ", "envoyé depuis ", "envoyé à partir ",
    "télécharger outlook ", "enviado desde ", "enviado de ", "enviado do ", "obtener outlook ",
    "obter o outlook ", "inviato da ", "inviato dal ", "verzonden vanaf ", "verstuurd vanaf ",
    "wysłane z ", "wysłano z ", "отправлено с ", "отправлено из ", "скачать outlook ", "发自我的",
    "从我的", "發自我的", "來自我的", "iphoneから送信", "ipadから送信",
    "skickat från ", "sendt fra ", "lähetetty ",
)  # fmt: skip
_FROM = ("from:", "von:", "de :", "de:", "da:", "van:", "od:", "от:", "发件人", "寄件者", "差出人")
_BESIDE_FROM = (
    "sent:", "date:", "to:", "subject:", "cc:", "gesendet:", "datum:", "an:", "betreff:",
    "envoyé", "date :", "à :", "objet", "enviado", "fecha:", "para:", "asunto:", "inviato:",
    "data:", "a:", "oggetto:", "verzonden:", "aan:", "onderwerp:", "assunto:", "wysłano:", "do:",
    "temat:", "отправлено:", "дата:", "кому:", "тема:", "发送时间", "收件人", "主题", "日期",
    "送信日時", "宛先", "件名",
)  # fmt: skip
_HEAD_LINES = 6
_LONGEST_DIVIDER = 100
_FEWEST_DASHES = 8
_SIGNATURE = ("--", "—")  # RFC 3676, 4.3: "-- ", but its blank gets lost and telephones beautify
_BOLD = re.compile(r"(?<![\w*])\*([^\s*](?:[^*]*[^\s*])?)\*(?![\w*])")


def typed_lines(lines: Sequence[str]) -> tuple[str, ...]:
    """The lines a person wrote, without blank ones at the ends, never two blank ones in a row."""
    kept: list[str] = []
    last_quoted = len(lines) - 1
    while last_quoted >= 0 and not _is_quoted(lines[last_quoted]):
        last_quoted -= 1
    position = 0
    signing = False
    while position < len(lines):
        line = lines[position]
        if _is_quoted(line):
            signing = False
            _break(kept)
            position += 1
            continue
        found = attribution(lines, position) if line.strip() else None
        repeated = 0 if found else _repeated_mail(lines, position)
        if found or repeated:
            before, count = found or ("", repeated)
            if before and not signing:
                kept.append(_plain(before))
            _break(kept)
            position += count
            signing = False
            if last_quoted < position or (repeated and not _quote_follows(lines, position)):
                break  # what follows is the mail answered, without marks
            continue
        signing = signing or line.rstrip() in _SIGNATURE
        if not signing and not line.strip()[:40].lower().startswith(_SENT_FROM):
            _keep(kept, line)
        position += 1
    while kept and not kept[-1]:
        kept.pop()
    return tuple(kept)


def _is_quoted(line: str) -> bool:
    return line.lstrip().startswith(">")


def _break(kept: list[str]) -> None:
    if kept and kept[-1]:
        kept.append("")


def _keep(kept: list[str], line: str) -> None:
    text = _plain(line)
    if text:
        kept.append(text)
    else:
        _break(kept)


def _plain(line: str) -> str:
    """Without blanks at its end and the asterisks that a mail program wrote for bold type."""
    line = line.rstrip()
    return _BOLD.sub(r"\1", line) if "*" in line else line


def _quote_follows(lines: Sequence[str], position: int) -> bool:
    while position < len(lines) and not lines[position].strip():
        position += 1
    return position < len(lines) and _is_quoted(lines[position])


def _repeated_mail(lines: Sequence[str], position: int) -> int:
    """How many lines here divide a reply from the mail repeated below it; 0 if they do not."""
    text = lines[position].strip()
    if text.startswith("--") and text.endswith("--") and len(text) < _LONGEST_DIVIDER:
        inside = text.strip("-").strip()
        dashes = len(text) - len(inside)
        return int(dashes >= _FEWEST_DASHES and any(c.isalpha() for c in inside))
    if len(text) >= _FEWEST_DASHES and not text.strip("_"):
        return 1
    if not text[:20].strip("* ").lower().startswith(_FROM):
        return 0
    following = lines[position + 1 : position + 1 + _HEAD_LINES]
    heads = [line[:24].strip().strip("* ").lower().startswith(_BESIDE_FROM) for line in following]
    return int(sum(heads) > 1)
