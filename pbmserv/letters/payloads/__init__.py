"""Payloads: which letters there are, and what each of them knows, as JSON.

Words are made of them when a letter is sent, by the templates of `letters`.  How a payload is
declared says `letter.py`.
"""
