"""Decide whether a reply without a move or a command is a message to the other players.

A text may be meant as a move, may hold a password, or may be written by a machine.  Such a text is
never passed on: its sender is asked.  `intake/replies/prose.py` tells it from sentences, and
`intake/stray_passwords.py` compares single words with the password.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

from sqlalchemy import Connection, Row, select

from pbmserv.boards.chat_log import limit_ends
from pbmserv.boards.newest_letter import is_newest
from pbmserv.boards.possible_moves import PossibleMoves, possible_moves
from pbmserv.boards.rematch_players import early_seats
from pbmserv.commands.email_parser import ParsedText
from pbmserv.commands.move_lines.bare_moves import doubts_in_words, reads_as_move
from pbmserv.commands.parser import CommandCall, Unknown, Vocabulary
from pbmserv.database import models
from pbmserv.fast_dataclasses import replace
from pbmserv.games.perudo.move_parser import ENDING_MOVES, RESIGN, bare_move
from pbmserv.games.perudo.notation import (
    may_begin_with_move,
    named_move,
    names_bids,
    nearest_word,
)
from pbmserv.intake.password_redaction import is_everyday
from pbmserv.intake.replies import invitation_replies
from pbmserv.intake.replies.affirmation import with_accent
from pbmserv.intake.replies.draw_replies import (
    ACCEPT,
    REJECT,
    draw_answer_in_words,
    good_wishes,
    waits_for,
)
from pbmserv.intake.replies.game_replies import (
    BEHIND_YES,
    GameReply,
    first_line,
    is_asked_about,
    possible_of,
)
from pbmserv.intake.replies.guest_replies import below_answer
from pbmserv.intake.replies.moves_with_words import move_and_words
from pbmserv.intake.replies.prose import (
    MOST_LINES,
    are_late_words,
    denies,
    is_prose,
    is_remark,
    is_remark_to,
    may_agree,
    speaks_like_a_machine,
)
from pbmserv.intake.replies.questions import asks_how
from pbmserv.intake.replies.rematch_wishes import REMATCH, wish_in
from pbmserv.intake.replies.subject_moves import has_move_alone
from pbmserv.intake.replies.untold_moves import (
    move_with_words,
    tells_part_of_move,
    without_hidden_move,
)
from pbmserv.intake.unmarked_letters import above_letter
from pbmserv.players import accounts
from pbmserv.security.credentials import (
    ANSWER,
    DRAW,
    NEWS,
    TALK,
)
from pbmserv.text.normalize import plain_line
from pbmserv.text.subject_prefixes import bare_subject

MOST_ANSWERING = 4  # words of a first line that may answer a draw on offer, if need be unknown ones
_UNREADABLE = "?"  # the move of a late reply, which is refused before it is read


def with_chat(
    connection: Connection, each: GameReply, vocabulary: Vocabulary, now: int, asked: ParsedText
) -> ParsedText:
    """The parsed reply, where words of a person are a chat, and those of a machine are not.

    `asked` is how it was parsed: to words of a player, every answer is a chat.
    """
    if is_asked_about(connection, each, asked):
        return ParsedText((Unknown("", ""),), "")
    if meant := _of_some_board(connection, each, asked.lines):
        return ParsedText((meant,), "")
    if _is_about_the_end(connection, each, asked):
        return ParsedText((each.command("chat"),), each.text)
    if wish := _wish_for_rematch(connection, each, asked):
        return wish
    is_chat = asked.lines == (each.command("chat"),) and asked.message == each.text
    is_unknown = all(isinstance(line, Unknown) for line in asked.lines)
    if not (is_chat or is_unknown):
        return asked
    if is_of_machine(connection, each, now):
        return ParsedText((Unknown("", ""),), "") if is_chat else asked
    if move := _move_behind_yes(connection, each):
        call = each.command("move", *move.split())
        meant = _of_some_board(connection, each, (call,)) or call
        return ParsedText((meant,), below_answer(each.typed))
    if found := _move_before_words(connection, each):
        move, words = found
        return move_with_words(each, move, words)
    possible, names = possible_of(connection, each), players_of(connection, each.reply.board)
    if is_chat and (_may_be_move(each, possible) or tells_part_of_move(each, possible, names)):
        return ParsedText((Unknown("", ""),), "")
    said = asked if is_chat else _meant(connection, each, vocabulary) or asked
    return without_hidden_move(each, said, possible, names)


def _move_behind_yes(connection: Connection, each: GameReply) -> str:
    """The move of a reply such as "Yes, 4-2s"; "" where its yes may accept a draw, or for none.

    So people answer our question "Did you mean 4-2s?".  Behind another yes, "exact" confirms words,
    and nothing ends the game.
    """
    found = BEHIND_YES.fullmatch(with_accent(first_line(each.typed).lower()))
    if not found or not reads_as_move(found[1]):
        return ""
    said = bare_move(found[1])
    if said == RESIGN or (each.answered.about != ANSWER and said in {*ENDING_MOVES, "exact"}):
        return ""
    possible = possible_moves(connection, each.reply.board, each.answered.player)
    return "" if possible.draw else found[1]


def _move_before_words(connection: Connection, each: GameReply) -> tuple[str, str] | None:
    """The move of a reply such as "Dudo. Sorry bob", and its words; None for another reply.

    In reply to words of others, or to news of other boards, such a line may be about something
    else.
    """
    line = first_line(each.typed)
    if each.answered.about in {TALK, NEWS}:
        return None
    return move_and_words(line, players_of(connection, each.reply.board))


def _is_about_the_end(connection: Connection, each: GameReply, asked: ParsedText) -> bool:
    """Whether words that doubt, such as "I doubt that", answer the letter about the end of a board.

    No call is possible there.  The name of a call, such as `dudo`, is still a late move.
    """
    call = asked.lines[0] if len(asked.lines) == 1 else None
    if each.answered.is_void or call is None or not doubts_in_words(first_line(each.typed)):
        return False
    if not isinstance(call, CommandCall) or call.name not in {"move", "chat"}:
        return False
    return _is_last(connection, each)


def _wish_for_rematch(
    connection: Connection, each: GameReply, asked: ParsedText
) -> ParsedText | None:
    """The rematch for which a reply to the last letter of a board asks: "one more?"; or None.

    What may also be about the board is not understood, and so its writer is asked.
    """
    is_words = all(isinstance(line, Unknown) for line in asked.lines)
    is_words = is_words or asked.lines == (each.command("chat"),)
    is_words = is_words or any(_names_rematch(each, line) for line in asked.lines)
    if each.answered.is_void or each.answered.about or not is_words:
        return None
    wish = wish_in(each.typed, players_of(connection, each.reply.board))
    if wish is None or not _is_last(connection, each):
        return None
    # "One more, Claire?" may ask a player who has left early, and so is not invited by itself.
    is_whose = wish.has_unknown and early_seats(connection, each.reply.board)
    if wish.is_clear and not is_whose:
        return ParsedText((each.command(REMATCH, *wish.names),), wish.polite)
    return ParsedText((Unknown("", ""),), "")


def _names_rematch(each: GameReply, line: CommandCall | Unknown) -> bool:
    """Whether a line is the command with other words than the letter's: "rematch with cleo"."""
    if not isinstance(line, CommandCall) or line.name != REMATCH:
        return False
    is_of_board = next(iter(line.words), "").isdigit()
    return each.reply.token not in line.words and not is_of_board


def _is_last(connection: Connection, each: GameReply) -> bool:
    """Whether the answered letter is the one about the end of a board."""
    board = models.Board
    query = select(board.ended_at, board.move).where(board.id == each.reply.board)
    there = connection.execute(query).first()
    return there is not None and there.ended_at is not None and there.move == each.answered.move


def _may_answer_draw(each: GameReply) -> bool:
    """Whether words may answer a draw, in other words than are known: few, or a yes or no."""
    is_short = len(first_line(each.typed).split()) <= MOST_ANSWERING
    return is_short or denies(each.typed, may_ask=True) or may_agree(each.typed)


def _may_be_move(each: GameReply, possible: PossibleMoves) -> bool:
    """Whether words may be meant as a move, or to leave or to offer a draw.

    A call must be legal now, and so must a bid among many words.  In the turn of its writer a short
    line that names bids is never for the table: the others would learn a move before it is made.
    """
    line, legal = first_line(each.typed), possible.legal
    is_named = bool(named_move(line, legal) or nearest_word(line, legal))
    if has_move_alone(each.typed, {*legal, RESIGN}):
        return True
    if not legal:
        return bool(possible.turn) and may_begin_with_move(line, legal)
    if is_named or may_begin_with_move(line, legal):
        return True
    return any(map(names_bids, map(plain_line, each.typed[:MOST_LINES])))


def _of_some_board(
    connection: Connection, each: GameReply, lines: Sequence[CommandCall | Unknown]
) -> CommandCall | None:
    """The command that a reply to a letter with news of other boards lacks the words for.

    A bid or a call is meant for the board that waits.  So is the answer to a draw that the letter
    reports.  `accept` or `resign` may be meant for another one.
    """
    begun = each.command("move").words
    line = next(iter(lines), None)
    if each.answered.about != NEWS or not isinstance(line, CommandCall):
        return None
    said = bare_move(" ".join(line.words[len(begun) :]))
    if line.words[: len(begun)] != begun or said not in ENDING_MOVES:
        return None
    number, player, since = each.reply.board, each.answered.player, each.written_at or 0
    if said in {ACCEPT, REJECT} and waits_for(connection, number, player, since):
        return None
    return CommandCall("perudo", "move" if said == "propose" else said, ())


def _meant(connection: Connection, each: GameReply, vocabulary: Vocabulary) -> ParsedText | None:
    """What a reply without a move or a command asks for; None if its sender must be asked.

    A yes or no may answer a draw on offer, an invitation or a challenge.  Words for the table are a
    chat.  Anything else that answers the letter of a move that was made is a late move.  The reply
    must come from an address of the letter's player.
    """
    if each.answered.is_void or not each.text:
        return None
    owners = accounts.players_of_address(connection, each.sender)
    userid = next((one.userid for one in owners if one.id == each.answered.player), None)
    board, seat = models.Board, models.Seat
    query = select(board.ended_at, board.move, seat.taken_at).join(seat, seat.board_id == board.id)
    query = query.where(board.id == each.reply.board, seat.player_id == each.answered.player)
    there = connection.execute(query.where(board.position != "")).first()
    if userid is None:
        return None
    if there is None or there.taken_at is None:
        names = players_of(connection, each.reply.board)
        said = replace(each, typed=invitation_replies.reason_apart(each.typed, names))
        if answer := invitation_replies.answer(connection, said.answered, said.typed, names):
            return ParsedText((said.command("move", answer),), _words_behind(said, names))
    if there is None:
        return None
    is_next = there.ended_at is None and there.move == each.answered.move
    # A new player may mean the challenge, unless the Subject names the draw.
    is_told = there.taken_at is not None or _is_about_draw(each)
    # A yes to our answer may be meant for its question, such as "Did you mean dudo?".
    may_agree = is_told and is_next and each.answered.about not in {ANSWER, NEWS}
    if may_agree and (answer := _answer_to_draw(connection, each)):
        return ParsedText((each.command("move", answer),), _words_behind(each))
    is_draw = each.answered.about == DRAW and there.ended_at is None
    if is_draw and not is_next and (answer := draw_answer_in_words(each.typed)):
        return ParsedText((each.command("move", answer),), "")  # it is told that the offer ended
    return _words_or_late(connection, each, vocabulary, userid, there)


def _words_behind(each: GameReply, names: Collection[str] = ()) -> str:
    """The message of a reply that answers: good wishes in its line, and the rest."""
    return f"{good_wishes(each.typed, names)}\n{below_answer(each.typed)}".strip()


def _words_or_late(
    connection: Connection,
    each: GameReply,
    vocabulary: Vocabulary,
    userid: str,
    there: Row[*tuple[Any, ...]],
) -> ParsedText | None:
    """Words for the table as a chat, or a late move; None for neither.

    `there` is when the board ended, its coming move, and when the player `userid` took the seat.
    """
    is_next = there.ended_at is None and there.move == each.answered.move
    is_current = is_next or (there.ended_at is None and is_newest(connection, each.answered))
    may_be_words = are_late_words(each.typed, userid, vocabulary)
    possible = possible_of(connection, each)
    may_bid = bool(possible.legal) or not possible.turn
    others = {name for name in players_of(connection, each.reply.board) if name != userid.lower()}
    may_doubt = "dudo" not in possible.legal
    is_words = partial(is_prose, may_doubt=may_doubt, may_bid=may_bid, others=others)
    if is_current and not is_words(each.typed, userid, vocabulary):
        each = replace(each, typed=above_letter(connection, each.sender, each.typed))
    is_chat = is_words(each.typed, userid, vocabulary) if is_current else may_be_words
    may_decline = there.taken_at is None and denies(each.typed)
    is_chat = is_chat and each.answered.about != NEWS and not may_decline
    is_chat = is_chat and not (is_next and _may_be_move(each, possible))
    is_chat = is_chat and not (possible.plays and has_move_alone(each.typed, {RESIGN}))
    is_chat = is_chat and not (possible.draw and _may_answer_draw(each))
    may_repeat = is_remark(each.typed) or is_remark_to(each.typed, others)
    if is_chat and (may_repeat or not _is_said_again(connection, each, userid)):
        return ParsedText((each.command("chat"),), each.text)
    is_late = not (is_next or there.ended_at is not None)
    if is_late and not (is_current and (may_be_words or asks_how(each.typed))):
        return ParsedText((each.command("move", _UNREADABLE),), "")
    return None


def _is_about_draw(each: GameReply) -> bool:
    """Whether the letter was about a draw; those of older versions named it in the Subject."""
    return each.answered.about == DRAW or bare_subject(each.subject).lower().startswith("draw ")


def _answer_to_draw(connection: Connection, each: GameReply) -> str:
    """The answer to a draw that waits for the letter's player; "" for none, or one taken back.

    It is also "" if the answered letter was written before the draw was offered.  The same holds if
    neither its moment nor its kind is known.
    """
    answer = draw_answer_in_words(each.typed)
    if not answer or (answer == ACCEPT and denies(each.typed)):
        return ""
    if invitation_replies.is_undone_below(each.typed, answer):
        return ""
    written_at = each.written_at
    if written_at is None and not _is_about_draw(each):
        written_at = 0
    waits = waits_for(connection, each.reply.board, each.answered.player, written_at)
    return answer if waits else ""


def players_of(connection: Connection, board: int) -> list[str]:
    """The userids of a board's players in small letters, without everyday words."""
    player, seat = models.Player, models.Seat
    query = select(player.userid_key).join(seat, seat.player_id == player.id)
    found = connection.execute(query.where(seat.board_id == board)).scalars()
    return [userid for userid in found if not is_everyday(userid)]


def is_of_machine(connection: Connection, each: GameReply, now: int) -> bool:
    """Whether a machine may have written a text: by its words, or because it writes so often.

    Otherwise two programs that answer every letter would talk to each other without end.
    """
    often = limit_ends(connection, each.reply.board, each.answered.player, now)
    return bool(often) or speaks_like_a_machine(each.typed)


def _is_said_again(connection: Connection, each: GameReply, userid: str) -> bool:
    """Whether the player has said the same at the board before, as a machine does."""
    row = models.Talk
    query = select(row.id).where(row.board_id == each.reply.board, row.userid == userid)
    return connection.execute(query.where(row.text == each.text).limit(1)).first() is not None
