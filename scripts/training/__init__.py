"""Train the bots: the files of `pbmserv/games/perudo/bots/`.

Rounds of two players with at most two dice each are solved (`endgames`).  For more dice there are
tables by self-play (`tables`), or networks of two players and of more (`two_players`,
`multiplayer`), which learn in the same way (`networks`).
"""
