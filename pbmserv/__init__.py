"""A play-by-email server for Perudo.

ARCHITECTURE.md says what each package has; the steps of the database's upgrade are in `migrations`.
"""
