"""Bytes to `Mail` and back: headers, bodies, quotations, bounce reports, composing messages.

Nothing here knows players or commands, and nothing opens a connection.
"""
