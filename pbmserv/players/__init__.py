"""Players' accounts: names, addresses, preferences, confirmations, login throttle, bans and blocks.

Passwords and tokens as such are in `security`; commands that change accounts are in `lobby`.
"""
