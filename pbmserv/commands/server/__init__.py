"""The server's commands for players: accounts, preferences, messages, help.

The game's commands are in `commands/perudo`, the operator's in `cli/operator`.
"""
