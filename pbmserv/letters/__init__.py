"""Turn payloads into words: templates, layout, dates, and the HTML form of a letter.

This package uses no database and no addresses; other packages decide who gets which letter.
"""
