"""Secrets found in a player's text: dice, passwords and quoted lines that others must not read.

Which secrets there are is read from the database in `intake/sender_secrets`.
"""
