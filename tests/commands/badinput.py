"""Bad input: one case for every mistake, with a home in which it can be made."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.stories.town import PASSWORD, town_at


@dataclass(frozen=True)
class Case:
    """A mistake: the command as an email's Subject has it, and the text below it.

    `exit_code` is the shell's: 1 for a refusal, 2 where the usage is wrong.
    """

    name: str
    command: str
    exit_code: int = 1
    text: str = ""
    sender: str = "bob@example.org"


OK = PASSWORD
CROWD = [f"player{number}" for number in range(10)]
ADDRESSES = " ".join(f"bob@{place}.example" for place in "abcdef")
CASES = [
    Case("unknown command", f"perudo mooove 1 bob {OK} 4-3s", 2),
    Case("unknown command, nothing near it", f"perudo xyzzy 1 bob {OK} 4-3s", 2),
    Case("unknown command of the server", f"sing-up bob {OK}", 2),
    Case("a call in place of the command", f"perudo dudo 1 bob {OK}", 2),
    Case("a bid in place of the command", f"perudo 4-3s 1 bob {OK}", 2),
    Case("missing words", "perudo move 1 bob", 2),
    Case("missing move", f"perudo move 1 bob {OK}", 2),
    Case("extra words", f"perudo resign 1 bob {OK} now", 2),
    Case("no such board", f"perudo move 99 bob {OK} 4-3s"),
    Case("no board number", f"perudo move twelve bob {OK} 4-3s", 2),
    Case("userid in front of the board", f"perudo move bob 1 {OK} 4-3s", 2),
    Case("talk about a word for a board", f"perudo chat one bob {OK}", 2, "Hello!"),
    Case("board number too long, behind noughts", f"perudo show {'0' * 12}{'9' * 25}"),
    Case("too many boards wanted, behind noughts", f"perudo seek bob {OK} 00100"),
    Case("a percentage too large, behind noughts", "perudo challenge --reliable=01000 ann bob"),
    Case("no such player", "perudo challenge bob nemo"),
    Case("no such players in a list", "perudo games bob nemo"),
    Case("wrong password", "perudo move 1 bob Swordfish 4-3s"),
    Case("unknown userid", f"perudo move 1 nemo {OK} 4-3s"),
    Case("account not confirmed", f"perudo move 1 eve {OK} 4-3s"),
    Case("not on this board", f"perudo move 1 dora {OK} 4-3s"),
    Case("not your turn", f"perudo move 1 cleo {OK} 4-3s"),
    Case("not your turn for no bid", f"perudo move 1 cleo {OK} 4-7s"),
    Case("not your turn for no call", f"perudo move 1 cleo {OK} pacao"),
    Case("wrong move number", f"perudo move#1 1 bob {OK} 4-3s"),
    Case("unreadable move number", f"perudo move 1 bob {OK} 4-3s #x"),
    Case("unreadable move", f"perudo move 1 bob {OK} 4--3s"),
    Case("bid out of range", f"perudo move 1 bob {OK} 4-7s"),
    Case("bid of no dice", f"perudo move 1 bob {OK} 0-3s"),
    Case("bid over the cap", f"perudo move 1 bob {OK} 16-3s"),
    Case("bid that is not a raise", f"perudo move 1 bob {OK} 3-2s"),
    Case("call unknown here", f"perudo move 1 bob {OK} calza"),
    Case("call without a bid", f"perudo move 4 bob {OK} dudo"),
    Case("opened on ones", f"perudo move 4 bob {OK} 1-1s"),
    Case("game over", f"perudo move 2 bob {OK} 4-3s"),
    Case("resigning after the end", f"perudo resign 2 bob {OK}"),
    Case("eliminated", f"perudo resign 3 bob {OK}"),
    Case("a digest that is none", "perudo verify 2 abc"),
    Case("pausing for a time", "pause for a week", 2),
    Case("one player", "perudo challenge bob"),
    Case("one other player", "perudo challenge ann"),
    Case("seven players", "perudo challenge ann bob cleo dora finn gina hans"),
    Case("same player twice", "perudo challenge ann bob Ann"),
    Case("everything at once", "perudo challenge ann ann nemo nina bob cleo dora"),
    Case("unknown parameter", "perudo challenge -colour=red ann bob", 2),
    Case("parameter where none is known", f"perudo resign -now 1 bob {OK}", 2),
    Case("unknown rule set", "perudo challenge -rules=bgg ann bob"),
    Case("parameter of another rule set", "perudo challenge -pal_wild ann bob"),
    Case("parameter out of range", "perudo challenge -dice=11 ann bob"),
    Case("parameter twice", "perudo challenge -rules=bga -dice=3 -rules=pacao ann bob"),
    Case("parameter without its value", "perudo challenge -rules bga -dice --reliable ann bob"),
    Case("parameter of the wrong kind", "perudo challenge -rules=bga -calza=perhaps ann bob"),
    Case("message too long", f"perudo chat 1 bob {OK}", text="word " * 2001),
    Case("no message", f"perudo chat 1 bob {OK}"),
    Case("chat without a password", "perudo chat 1 bob", 2, "Hello!"),
    Case("preview of a call", "perudo preview 1 dudo"),
    Case("preview of nothing", "perudo preview 1", 2),
    Case("no such move", "perudo show 1#77"),
    Case("no such move number", "perudo show 1#first"),
    Case("no boards", "perudo show dora next"),
    Case("two words that exclude each other", "perudo games ann active next"),
    Case("word that has no place here", f"perudo showas bob {OK} tomorrow"),
    Case("no boards of mine", f"perudo showas dora {OK}"),
    Case("record of no board", "perudo record 99"),
    Case("proof of no board", "perudo verify 99"),
    Case("unknown page", "help pasta"),
    Case("unknown page of the game", "perudo help previev"),
    Case("bad userid", "signup 5star secret9"),
    Case("reserved userid", "signup dudo secret9"),
    Case("userid taken", "signup ANN secret9"),
    Case("signed up already", "signup BOB secret9"),
    Case("password too short", "signup finn abc"),
    Case("password with a quote", "signup finn abc'd"),
    Case("bad address", "signup finn secret9 nowhere"),
    Case(
        "too many addresses", "signup finn secret9 a@x.org b@x.org c@x.org d@x.org e@x.org f@x.org"
    ),
    Case(
        "everything wrong with a challenge",
        "perudo challenge -rules=classic -dice=11 -hidden -calza=perhaps -inorder=so -unrated=2 "
        "--nagtime=soon --forfeittime=0 --totaltime=9999 --standin=perhaps --reliable=many "
        "ann nemo house house-pasta house2 house2 bob bob",
    ),
    Case("no time", "perudo challenge --nagtime=soon ann bob"),
    Case("reminded too late", "perudo challenge --forfeittime=5 ann bob"),
    Case("no percentage", "perudo challenge --reliable=101 ann bob"),
    Case("house players alone", "perudo challenge house house"),
    Case("no such house player", "perudo challenge bob house-pasta"),
    Case("accepting on no board", f"perudo accept bob {OK} 99"),
    Case("accepting nothing", f"perudo accept bob {OK} 1"),
    Case("accepting for somebody else", f"perudo accept dora {OK} 1"),
    Case("accepting without a password", "perudo accept bob", 2),
    Case("rejecting nothing", f"perudo reject bob {OK} 1"),
    Case("declining a seat that is taken", f"perudo decline bob {OK} 1"),
    Case("declining after the end", f"perudo move 2 bob {OK} decline"),
    Case("rejecting after the end", f"perudo reject bob {OK} 2"),
    Case("rejecting with too much", f"perudo reject bob {OK} 1 now", 2),
    Case("no limit", f"perudo limit bob {OK} many"),
    Case("limit too large, behind noughts", f"perudo limit bob {OK} {'0' * 19}1000"),
    Case("limit that is longer than a line", f"perudo limit bob {OK} {'0' * 50}1000"),
    Case("limit with a wrong password", "perudo limit bob Swordfish 3"),
    Case("seeking too many", f"perudo seek bob {OK} 11"),
    Case("seeking a table of seven", f"perudo seek bob {OK} -players=7"),
    Case("seeking wrongly in every way", f"perudo seek bob {OK} 11 -rules=bgg -dice=0 -players=1"),
    Case("seeking by unknown rules", f"perudo seek bob {OK} -rules=bgg -players=1"),
    Case("listing another game", "list chess"),
    Case("passing", f"perudo pass 1 bob {OK}"),
    Case("swapping", f"perudo swap 1 bob {OK}"),
    Case("undoing", f"perudo undo 1 bob {OK}"),
    Case("submitting", f"perudo submit 1 bob {OK} 4-3s"),
    Case("nothing to confirm", "confirm AAAAAAAAAAAAAAAAAAAAAAAAAA"),
    Case("no such invitation", "perudo rsvp AAAAAAAAAAAAAAAAAAAAAAAAAA yes mia"),
    Case("changing neither", f"change colour bob {OK} blue"),
    Case("changing to no password", f"change password bob {OK}"),
    Case("changing to two passwords", f"change password bob {OK} herring mackerel"),
    Case("changing to a password too short", f"change password bob {OK} abc"),
    Case("changing with a wrong password", "change password bob Swordfish herring"),
    Case("changing to no address", f"change address bob {OK} nowhere"),
    Case("changing to too many addresses", f"change address bob {OK} {ADDRESSES}"),
    Case("resetting with a wrong token", "reset bob AAAAAAAAAAAAAAAAAAAAAAAAAA herring"),
    Case("resetting without a new password", "reset bob AAAAAAAAAAAAAAAAAAAAAAAAAA"),
    Case("setting what is unknown", f"set bob {OK} colour=blue format=pdf timezone language=xx"),
    Case("setting nothing, and something twice", f"set bob {OK} timezone= digest=off digest=daily"),
    Case("setting with a wrong password", "set bob Swordfish digest=daily"),
    Case("vacation without days", f"vacation bob {OK}", 2),
    Case("vacation on no day", f"vacation bob {OK} 2030-02-30 2030-03-02"),
    Case("vacation that ends before it begins", f"vacation bob {OK} 2035-03-02 2035-03-01"),
    Case("vacation in the past", f"vacation bob {OK} 2001-03-02 2001-03-04"),
    Case("vacation too long", f"vacation bob {OK} 2035-01-01 2035-03-01"),
    Case("vacation ended that was none", f"vacation bob {OK} off"),
    Case("leaving with a wrong password", "signoff bob Swordfish"),
    Case("message to nobody", f"message bob {OK}", 2, "Hello!"),
    Case("message to the house", f"message bob {OK} ann house", text="Hello!"),
    Case("message to one who is not confirmed", f"message bob {OK} ann eve", text="Hello!"),
    Case("message to a stranger", f"message bob {OK} ann nemo nina", text="Hello!"),
    Case("message without words", f"message bob {OK} ann"),
    Case("message to a crowd", f"message bob {OK} {' '.join(['ann', *CROWD])}", text="Hello!"),
    Case("message with a wrong password", "message bob Swordfish ann", text="Hello!"),
    Case("blocking nobody", f"block bob {OK} nemo"),
    Case("blocking oneself", f"block bob {OK} bob"),
    Case("blocking with a wrong password", "block bob Swordfish cleo"),
    Case("blocking the house", f"block bob {OK} house"),
    Case("blocking twice", f"block bob {OK} eve"),
    Case("ending a block that was none", f"unblock bob {OK} cleo"),
    Case("muting no board", f"perudo mute 99 bob {OK}"),
    Case("muting a board of others", f"perudo mute 1 dora {OK}"),
    Case("unmuting a board of others", f"perudo unmute 1 dora {OK}"),
    Case("muting twice", f"perudo mute 4 bob {OK}"),
    Case("unmuting a board that is not muted", f"perudo unmute 1 bob {OK}"),
    Case("reporting no board", f"report bob {OK} 99"),
    Case("reporting a board of others", f"report dora {OK} 1"),
    Case("broadcast without words", f"broadcast bob {OK}"),
    Case("broadcast with a wrong password", "broadcast bob Swordfish", text="Hello!"),
    Case("all of nobody", "all show nemo"),
    Case("all but to show", "all hide bob"),
    Case("queue without moves", f"perudo queue 1 bob {OK}", 2),
    Case("queue of a word that is not a move", f"perudo queue 1 cleo {OK} 4-3s sing"),
    Case("queue of a face that no die has", f"perudo queue 1 cleo {OK} 4-7s dudo"),
    Case("queue of more dice than there are", f"perudo queue 1 cleo {OK} 99-3s"),
    Case("queue of a call that the rules do not have", f"perudo queue 1 cleo {OK} 4-3s calza"),
    Case("queue too long", f"perudo queue 1 cleo {OK} {' '.join(['4-3s'] * 21)}"),
    Case("queue on turn of no legal move", f"perudo queue 1 bob {OK} 1-1s 1-2s"),
    Case("queue after the end", f"perudo queue 2 bob {OK} 4-3s"),
    Case("queue of one who is out", f"perudo queue 3 bob {OK} 4-3s"),
    Case("queue on a board of others", f"perudo queue 1 dora {OK} 4-3s"),
    Case("takeover of no stand-in", f"perudo takeover 1 dora {OK}"),
    Case("takeover on a board of mine", f"perudo takeover 1 bob {OK}"),
    Case("takeover after the end", f"perudo takeover 2 dora {OK}"),
    Case("takeover of no board", f"perudo takeover 99 dora {OK}"),
    Case("rematch of a board that runs", f"perudo rematch 1 bob {OK}"),
    Case("rematch of a board of others", f"perudo rematch 2 dora {OK}"),
    Case("rematch of no board", f"perudo rematch 99 bob {OK}"),
    Case("rematch of a word that is not a board", f"perudo rematch last bob {OK}", 2),
    Case("rematch without a password", "perudo rematch 2 bob", 2),
    Case("rematch with a wrong password", "perudo rematch 2 bob Swordfish"),
    Case("watching no board", f"perudo subscribe 99 dora {OK}"),
    Case("watching after the end", f"perudo subscribe 2 dora {OK}"),
    Case("watching with a wrong password", "perudo subscribe 1 dora Swordfish"),
    Case("unwatching no board", f"perudo unsubscribe dora {OK} 1 99"),
    Case("unwatching a board that one does not watch", f"perudo unsubscribe 1 dora {OK}"),
    Case("told of the end of no board", f"perudo notify dora {OK} 99"),
    Case("history of nobody", "perudo history nemo"),
    Case("advice about no board", "perudo advise 99"),
    Case("advice about a round that is not over", "perudo advise 1"),
    Case("advice about no round", "perudo advise 2 soon"),
    Case("statistics of nobody", "perudo stats ann nemo"),
    Case("standings of something", "perudo standings chess"),
    Case("accepting a draw that nobody offered", f"perudo move 1 bob {OK} accept"),
    Case("rejecting a draw that nobody offered", f"perudo move 1 bob {OK} reject"),
]


def furnish(home: Path) -> None:
    """Players, and boards that run, are over, or have lost a player.

    Board 1 waits for bob after ann's 3-3s, and board 2 is over.  On board 3 bob is out.  Board 4,
    which bob has muted, has the rules bga, and bob opens it.
    """
    with town_at(home, settings='broadcasters = "bob"\n') as town:
        town.sign_up("ann", "bob", "cleo", "dora")
        town.write("eve@example.org", f"signup eve {PASSWORD}")
        town.write("bob@example.org", f"block bob {PASSWORD} eve")
        town.challenge("ann", "bob", "cleo")
        town.move("ann", "3-3s")
        town.move("bob", "accept")
        town.challenge("ann", "bob")
        town.move("ann", "resign", 2)
        town.challenge("bob", "ann", "cleo", options=("-inorder", "-dice=1"))
        town.move("bob", "resign", 3)
        town.challenge("bob", "ann", options=("-inorder", "-rules=bga"))
        town.write("bob@example.org", f"perudo mute 4 bob {PASSWORD}")
