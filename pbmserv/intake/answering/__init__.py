"""The answers to emails and commands: what they say, and how many a sender is sent.

`intake/execution.py` decides what happened; nothing here executes a command.
"""
