"""Payloads to words: templates, layout, dates, and the HTML form of a letter.

Nothing here knows the database or an address; who gets which letter is decided elsewhere.
"""
