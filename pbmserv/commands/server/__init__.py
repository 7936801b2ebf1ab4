"""The server's commands for players: accounts, preferences, messages, help.

The game's commands are in `commands/perudo`, and the operator's are in `cli/operator`.
"""
