"""Payloads: which letters there are, and the facts of each, as JSON.

The templates of `letters` turn them into words when a letter is sent.  `letter.py` explains how a
payload is declared.
"""
