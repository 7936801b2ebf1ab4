"""The two console commands, `pbmserv` and `perudo`: they read words and print answers.

What the commands of players do is in `commands`; what those of the operator do is in `maintenance`.
"""
