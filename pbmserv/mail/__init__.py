"""The mail room: bytes become a `Mail`, and a letter's words become bytes.

`reading` tells what came in, `composing` makes the MIME message of a letter, `arrival` and
`carrier` say what passes through a door on its way in and out.  What the words mean is the
grammar's business (`pbmserv.grammar`); sockets and files are the doors' (`pbmserv.doors`).
"""
