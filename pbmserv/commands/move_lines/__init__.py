"""Lines that are moves without a command, and the words beside them that make a move doubtful.

`commands/email_parser.py` reads an email's lines with them; a doubtful move is asked about.
"""
