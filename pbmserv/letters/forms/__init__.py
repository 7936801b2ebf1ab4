"""The forms of a letter: its document as plain text, and as HTML.

What a letter says is decided before (`letters/document.py`); here it only gets its looks.
"""
