"""Players' accounts: names, addresses, preferences, confirmations, login throttle, bans and blocks.

`security` hashes passwords and makes tokens; the commands that change accounts are in `lobby`.
"""
