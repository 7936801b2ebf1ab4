"""Secrets found in a player's text: dice, passwords and quoted lines that others must not read.

`intake/sender_secrets` reads from the database which secrets there are.
"""
