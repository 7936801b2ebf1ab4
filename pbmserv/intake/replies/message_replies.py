"""A plain reply to a message of another player: it is a message to that player.

The letter's Reply-To has the token of its button, which answers its writer.  Without plus addresses
its Message-ID has it.
"""

from __future__ import annotations

from collections.abc import Sequence

from pbmserv.commands.email_parser import ParsedText, read_mail
from pbmserv.commands.framework import vocabulary
from pbmserv.commands.move_lines.bare_moves import reads_as_move
from pbmserv.commands.parser import CommandCall, Unknown
from pbmserv.commands.reply_words import CHAT
from pbmserv.intake.replies.coming_moves import names_coming_move
from pbmserv.intake.replies.prose import MOST_LINES, bare_word, is_remark, speaks_like_a_machine
from pbmserv.mail.reading import Mail
from pbmserv.security.tokens import Tokens, is_of_button
from pbmserv.text.message_subjects import writer_of
from pbmserv.text.normalize import plain_line
from pbmserv.text.phrases import EVERYDAY, single_words


def to_writer(mail: Mail, userids: Sequence[str], tokens: Tokens) -> ParsedText | None:
    """What such a reply asks for; None for any other email.

    `userids` are the accounts of its address.  A command in the text is carried out.  A move, also
    one to come, a rare word alone, which may be a password, and the text of a machine go to nobody.
    """
    token = next(filter(is_of_button, mail.tokens), "")
    writer = writer_of(mail.subject) if token and not mail.is_reaction else ""
    mine = [each for each in userids if _is_for(tokens, token, f"message {each} {writer}", mail)]
    if not (writer and mine):
        return None
    typed = [line for line in map(plain_line, mail.typed) if line.strip()]
    asked = read_mail("", mail.typed, None, vocabulary(), reads_as_move)
    calls = [each for each in asked.lines if isinstance(each, CommandCall)]
    if [each.name for each in calls] == [CHAT] and not calls[0].words:  # as in a game letter
        typed = typed[1:]
    elif calls:
        return asked
    words = [bare_word(word) for line in typed for word in line.split()]
    is_word = not words or (len(words) == 1 and not (is_remark(typed) or words[0] in _everyday()))
    first = typed[:MOST_LINES]
    names_move = any(names_coming_move(line, set(), (writer.lower(), *mine)) for line in first)
    if is_word or names_move or reads_as_move(typed[0]) or speaks_like_a_machine(typed):
        return ParsedText((Unknown("", ""),), "")
    message = "\n".join(line.rstrip() for line in mail.typed).strip()
    message = message.partition("\n")[2].strip() if calls else message
    return ParsedText((CommandCall("", "message", (mine[0], token, writer)),), message)


def _everyday() -> frozenset[str]:
    """Single words that answer a person, and are in everybody's prose."""
    return single_words(*EVERYDAY, "yes", "refusals", "not_now", "accepts_invitation")


def _is_for(tokens: Tokens, token: str, command: str, mail: Mail) -> bool:
    """Whether the token is that of a letter to the sender's address, for this command."""
    return tokens.pressed(token, [command], [mail.sender]) is not None
