"""Bytes to `Mail` and back: headers, bodies, quotations, bounce reports, composing messages.

This package knows neither players nor commands, and opens no connection.
"""
