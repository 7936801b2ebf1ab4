"""What a person means in a reply without a command: yes, no, a move, a question, a message.

Each module reads one such kind of words; `commands` parses commands, and `intake` acts on both.
"""
