"""Text that people type: Unicode and punctuation normalised, numbers read, phrases of languages.

What the server itself writes is in `letters`.
"""
