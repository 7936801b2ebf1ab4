"""Read the request of an email: its commands and its credentials, before any transaction.

Words are matched to commands, and passwords are checked.  An argon2 hash takes longer than a
hundred moves, so no transaction may wait for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
from sqlalchemy import Engine

from pbmserv.boards.possible_moves import possible_moves
from pbmserv.commands.email_parser import (
    AnsweredBoard,
    ParsedText,
    read_mail,
    unless_taken_back,
)
from pbmserv.commands.framework import vocabulary
from pbmserv.commands.incomplete_commands import has_words_above, has_words_behind, with_own_userid
from pbmserv.commands.move_lines.bare_moves import doubts_in_words, may_leave, reads_as_move
from pbmserv.commands.parser import CommandCall, Unknown
from pbmserv.database.engine import reading
from pbmserv.fast_dataclasses import dataclass, replace
from pbmserv.intake.command_lines import (
    Line,
    parsed_line,
    proven_lines,
    reply_lines,
    with_proven_address,
)
from pbmserv.intake.credential_check import (
    CredentialCheck,
    answers_letter,
    readers_answering,
    written_at_of,
)
from pbmserv.intake.known_senders import NOBODY, KnownSender, known_senders
from pbmserv.intake.mistyped_passwords import without_passwords
from pbmserv.intake.replies.greetings import read_greeted
from pbmserv.intake.replies.subject_moves import asks_just_to_stop, is_unclear_below
from pbmserv.intake.request import Request, reply_of
from pbmserv.intake.shown_lines import lines_shown
from pbmserv.intake.typed_words import message_for_others
from pbmserv.letters.catalogues import languages
from pbmserv.lobby import invited_addresses
from pbmserv.lobby.invited_addresses import InvitedSeat
from pbmserv.mail.addresses import mailbox
from pbmserv.mail.incoming import IncomingMail
from pbmserv.players import confirmations
from pbmserv.players.login_throttle import Gate, everybody
from pbmserv.security.credentials import ANSWER, DRAW, Credentials, Identity
from pbmserv.security.passwords import Passwords
from pbmserv.security.tokens import CONFIRMATION_TOKEN_LENGTH, Tokens, is_of_button
from pbmserv.settings import Settings

if TYPE_CHECKING:  # a shell command reads no email: `read` imports what it needs
    from pbmserv.mail.reading import Mail


@dataclass(frozen=True, slots=True)
class RequestReader:
    """Reads emails, and checks their senders and passwords."""

    engine: Engine
    passwords: Passwords
    tokens: Tokens
    settings: Settings

    def open(self, incoming: IncomingMail, now: int, gate: Gate = everybody) -> Request:
        """Read an email and its commands, and check its passwords."""
        return self.proven(self.understood(incoming, now), now, gate)

    def understood(self, incoming: IncomingMail, now: int) -> Request:
        """Read an email and its commands, as `understood_as` does."""
        mail = self.read(incoming)
        (known,) = self.senders([(incoming, mail)], now)
        return replace(self.understood_as(incoming, mail, known, now), known=None)

    def understood_as(
        self, incoming: IncomingMail, mail: Mail, known: KnownSender, now: int
    ) -> Request:
        """Read the commands of a parsed email; an automatic email has none, nor a banned sender's.

        Its credentials are not checked yet, and its lines may still have passwords.
        """
        if known.ban:
            mail = replace(mail, automatic=f"banned: {known.ban}")
        from pbmserv.intake import own_signatures  # noqa: PLC0415 - as in `read`
        from pbmserv.intake.replies.help_below import with_help_below  # noqa: PLC0415 - as in `read`
        from pbmserv.intake.replies.moves_with_words import with_polite_words  # noqa: PLC0415 - as in `read`

        credentials = self._unchecked(incoming, mail)
        if mail.automatic:
            return Request(incoming, mail, (), "", "", credentials, known=known)
        token, answered = self._answered(mail)
        mail = self._agreed(own_signatures.unsigned_reply(mail, known, answered), answered)
        reply = reply_of(mail, token, answered)
        asked = self._asked(mail, reply, known, credentials)
        asked, is_help = self._of_reply(mail, reply, answered, asked, known, now)
        asked, unconfirmed = self._confirming(mail, asked, now, credentials)
        why = "" if unconfirmed else _asks_for_nothing(mail, asked, answered, credentials)
        if why and not self._may_answer_draw(mail, answered):
            mail = replace(mail, automatic=why)
            return Request(incoming, mail, (), "", "", credentials, known=known)
        asked = with_polite_words(with_help_below(asked), mail.typed if reply else ())
        asked = asked if answered else own_signatures.with_unsigned_message(asked, mail, known)
        lines = reply_lines(asked.lines, mail.typed if reply else ())
        parsed = [each.parsed for each in lines]
        message, kept_back = message_for_others(mail, asked.message, parsed, is_reply=bool(reply))
        return Request(
            incoming=incoming,
            mail=mail,
            lines=lines,
            message=message,
            cut=asked.cut,
            credentials=credentials,
            kept_back=kept_back,
            token=token,
            answered=answered,
            unconfirmed=unconfirmed,
            known=known,
            wants_help=is_help,
        )

    def senders(self, mails: Sequence[tuple[IncomingMail, Mail]], now: int) -> list[KnownSender]:
        """What is known of the senders of parsed emails; nothing of those of automatic emails."""
        senders = [
            () if mail.automatic or not mail.sender else (mail.sender, incoming.envelope_sender)
            for incoming, mail in mails
        ]
        if not any(senders):
            return [NOBODY] * len(senders)
        with reading(self.engine) as connection:
            return known_senders(connection, senders, now)

    def proven(self, request: Request, now: int, gate: Gate = everybody) -> Request:
        """The request with every password checked; `gate` may postpone a hash."""
        check = self._check(request.credentials, request.mail.sender, now, gate)
        check = replace(check, answered=request.token)
        lines = proven_lines(request.lines, check, request.answered)
        known = request.known.rows if request.known else ()
        userids = {each.player_id: each.userid.lower() for each in known}
        message, why = without_passwords(check, request, userids)
        kept_back = tuple(dict.fromkeys((*request.kept_back, *why)))
        found = lines_shown(request, check)
        return replace(request, lines=lines, message=message, kept_back=kept_back, found=found)

    def _check(
        self, credentials: Credentials, sender: str, now: int, gate: Gate = everybody
    ) -> CredentialCheck:
        return CredentialCheck(
            self.engine, self.passwords, self.tokens, credentials, sender, now, gate
        )

    def read(self, incoming: IncomingMail) -> Mail:
        """Parse the received bytes of an email."""
        from pbmserv.mail.reading import read  # noqa: PLC0415 - a shell command reads no email

        chosen = self.settings
        is_trusted = incoming.transport == chosen.authserv_transport
        return read(
            incoming.raw,
            envelope_sender=incoming.envelope_sender,
            recipient=incoming.recipient,
            own=chosen.address,
            own_name=chosen.name,
            authserv_id=chosen.authserv_id if is_trusted else "",
            offered=languages(),
        )

    def glanced(self, incoming: IncomingMail) -> Mail:
        """Parse an email for a record; never raises, even if parsing fails."""
        from pbmserv.mail.reading import unread  # noqa: PLC0415 - a shell command reads no email

        try:
            return self.read(incoming)
        except Exception:  # a bug of ours: the email is still stored
            return unread(incoming.raw, incoming.envelope_sender)

    def open_text(self, text: str, now: int, credentials: Credentials) -> tuple[Line, ...]:
        """The commands of a text typed at a shell, one a line."""
        asked = read_mail("multiple", text.splitlines(), None, vocabulary(), reads_as_move)
        return proven_lines(list(map(parsed_line, asked.lines)), self._check(credentials, "", now))

    def _unchecked(self, incoming: IncomingMail, mail: Mail) -> Credentials:
        """The credentials of an email; only those of a stored one are checked already."""
        kept = incoming.credentials
        credentials = Credentials.read(kept) if kept else Credentials(mail.authenticated)
        credentials.answers = credentials.answers or answers_letter(mail, self.tokens)
        credentials.readers = readers_answering(mail, self.tokens)
        return credentials

    def _answered(self, mail: Mail) -> tuple[str, Identity | None]:
        """The letter's token of an email, and its meaning; "" and None without one."""
        for token in mail.tokens:
            if is_of_button(token):  # the reply is to a player's message
                break
            if found := self.tokens.read(token):
                return token, found
        return "", None

    def _agreed(self, mail: Mail, answered: Identity | None) -> Mail:
        """The email; a yes in reply to our question is the move that was asked about."""
        if answered is None or not answered.asked:
            return mail
        from pbmserv.intake.replies.agreed_moves import agreed  # noqa: PLC0415 - as in `read`

        with reading(self.engine) as connection:
            return agreed(connection, mail, answered)

    def _asked(
        self,
        mail: Mail,
        reply: AnsweredBoard | None,
        known: KnownSender,
        credentials: Credentials,
    ) -> ParsedText:
        from pbmserv.intake.replies.message_replies import to_writer  # noqa: PLC0415 - as in `read`

        if asks_just_to_stop(mail.subject, mail.typed, reply):
            return ParsedText((CommandCall("", "pause", ()),), "")
        mine = [each.userid for each in known.rows if each.confirmed_at is not None]
        if mine and reply is None and (sent := to_writer(mail, mine, self.tokens)):
            credentials.answers = True
            return with_own_userid(sent, mine)
        asked = read_greeted(mail.subject, mail.typed, reply, vocabulary(), reads_as_move)
        has_command = any(isinstance(each, CommandCall) for each in asked.lines)
        if reply is None and not has_command:
            from pbmserv.intake.replies.lone_questions import command_for  # noqa: PLC0415 - as in `read`

            if found := command_for(mail, mine, is_answer=credentials.answers):
                return ParsedText((found,), "")
        asked = with_own_userid(asked, mine)
        if mail.authenticated:
            asked = replace(asked, lines=tuple(map(with_proven_address, asked.lines)))
        return asked

    def _of_reply(
        self,
        mail: Mail,
        reply: AnsweredBoard | None,
        answered: Identity | None,
        asked: ParsedText,
        known: KnownSender,
        now: int,
    ) -> tuple[ParsedText, bool]:
        """What a reply asks for, and whether it asks how to go on."""
        if reply is None:
            return asked, False
        from pbmserv.intake.replies.invitation_replies import is_no_above_yes  # noqa: PLC0415 - as in `read`
        from pbmserv.intake.replies.questions import wants_help  # noqa: PLC0415 - as in `read`

        is_help = wants_help(asked, mail.typed, answered)
        is_unclear = is_unclear_below(mail.subject, mail.typed, asked, reply)
        is_unclear = is_unclear or is_no_above_yes(mail.typed, asked)
        if is_help or is_unclear or has_words_above(asked):
            # It is not a late move, even in reply to an older letter.
            return ParsedText((Unknown("", ""),), ""), is_help
        if has_words_behind(asked, [each.userid for each in known.rows]):
            asked = ParsedText((Unknown("", ""),), "")
        if answered is None:
            return asked, False
        return self._with_words(mail, reply, answered, asked, now), False

    def _with_words(
        self,
        mail: Mail,
        reply: AnsweredBoard,
        answered: Identity,
        asked: ParsedText,
        now: int,
    ) -> ParsedText:
        """The parsed email, where a reply that is plainly words for the table is a chat."""
        names = {each.name for each in asked.lines if isinstance(each, CommandCall)}
        has_choice = reply.is_of_many or reply.answers_words or answered.about == DRAW
        has_choice = has_choice or any(
            doubts_in_words(each) or may_leave(each) for each in mail.typed[:2] if each.strip()
        )
        known = {"chat", "undo", "rematch"}
        if not names <= (known | {"move"} if has_choice else known):
            return asked
        from pbmserv.intake.replies.chat_replies import with_chat  # noqa: PLC0415 - a shell command reads no email
        from pbmserv.intake.replies.game_replies import GameReply  # noqa: PLC0415 - a shell command reads no email

        with reading(self.engine) as connection:
            written_at = written_at_of(mail, reply.token)
            answer = GameReply(mail.sender, reply, answered, mail.typed, mail.subject, written_at)
            found = with_chat(connection, answer, vocabulary(), now, asked)
        return unless_taken_back(found, mail.typed, vocabulary(), reads_as_move)

    def _may_answer_draw(self, mail: Mail, answered: Identity | None) -> bool:
        """Whether a picture such as 👍 or 👎 may answer a draw or an invitation that waits."""
        if answered is None or answered.board is None or answered.is_void:
            return False
        from pbmserv.intake.replies.draw_replies import answer_to_draw  # noqa: PLC0415 - as in `read`

        if not answer_to_draw(mail.typed):
            return False
        with reading(self.engine) as connection:
            possible = possible_moves(connection, answered.board, answered.player)
        return possible.draw or possible.invited

    def _confirming(
        self, mail: Mail, asked: ParsedText, now: int, credentials: Credentials
    ) -> tuple[ParsedText, str]:
        """Replace the text by a confirmation, or by nothing, if it answers a question for a yes.

        An empty reply is a yes only to a question that its sender has proven to have asked.  "I
        never asked for this!" is not a yes.  Then the token is returned for our question whether it
        was one.  The command `confirm` explains a token that is unknown or expired.
        """
        token = next((each for each in mail.tokens if len(each) == CONFIRMATION_TOKEN_LENGTH), "")
        if not token:
            return asked, ""
        from pbmserv.intake.replies.affirmation import may_be_yes, says_yes  # noqa: PLC0415 - a shell command reads no email

        with reading(self.engine) as connection:
            known = confirmations.known(connection, token, now)
            seat = invited_addresses.of_token(connection, token)
        if seat:
            return self._of_guest(mail, asked, token, seat, credentials), ""
        if known and known.is_done and mailbox(known.address) == mailbox(mail.sender):
            credentials.answers = True  # no other address got the letter
        if not all(map(may_be_yes, asked.lines)):
            return asked, ""
        confirming = ParsedText((CommandCall("", "confirm", (token,)),), "")
        # Only replies to letters that ask for a yes are searched for one.
        if known is None or known.purpose not in confirmations.ASK_FOR_A_YES:
            return confirming, ""
        is_told = known.is_done and credentials.answers  # that it was used, by the answer
        if is_told and not (mail.is_reaction or _is_thanks(mail)):
            return confirming, ""
        if says_yes(mail.typed, in_words=not (known.proven or known.is_done)):
            return confirming, ""
        return ParsedText((Unknown("", ""),), ""), "" if known.is_done else token

    def _of_guest(
        self,
        mail: Mail,
        asked: ParsedText,
        token: str,
        seat: InvitedSeat,
        credentials: Credentials,
    ) -> ParsedText:
        """The answer to an invitation by address; other commands in a reply stay as they are.

        A question is none: its answer says how to take the seat, too.
        """
        from pbmserv.intake.replies.guest_replies import answer_of, message_of  # noqa: PLC0415 - a shell command reads no email
        from pbmserv.intake.replies.questions import page_asked  # noqa: PLC0415 - as in `read`

        credentials.invited = seat.digest == self.tokens.keyed(mailbox(mail.sender))
        answer = answer_of(mail.subject, mail.typed, is_named=seat.named)
        has_command = any(isinstance(each, CommandCall) for each in asked.lines)
        if has_command and not answer and not page_asked(mail.typed):
            return asked
        call = CommandCall("perudo", "rsvp", (token, *answer))
        return ParsedText((call,), message_of(mail.typed, answer) if answer else "")

    def try_password(
        self, parsed: click.Context, credentials: Credentials, sender: str, now: int
    ) -> None:
        """Check the passwords of a parsed command, if it has any, and store the result."""
        self._check(credentials, sender, now).all_of(parsed)


def _asks_for_nothing(
    mail: Mail, asked: ParsedText, answered: Identity | None, credentials: Credentials
) -> str:
    """Why an email asks for nothing, "" if it may: it is a reaction or thanks, but not for a table.

    It is in reply to one of our answers, or to a letter about no board.  A yes to our question is a
    command of its own.
    """
    names = {each.name for each in asked.lines if isinstance(each, CommandCall)}
    is_ours = answered is None or answered.about == ANSWER
    if not (names <= {"chat"} and is_ours):
        return ""
    if mail.is_reaction:
        return "a reaction"
    is_asked = answered is not None and answered.asked != ""
    is_reply = answered is not None or credentials.answers
    is_mistyped = any(isinstance(each, Unknown) and each.nearest for each in asked.lines)
    if is_asked or is_mistyped or not is_reply:
        return ""
    return "thanks" if _is_thanks(mail, alone=answered is not None) else ""


def _is_thanks(mail: Mail, *, alone: bool = False) -> bool:
    from pbmserv.intake.replies.prose import is_thanks  # noqa: PLC0415 - a shell command reads no email

    return is_thanks(mail.typed, alone=alone)
