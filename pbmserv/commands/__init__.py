"""The players' commands, one click command a file, with the parser and framework they share.

A command decides and returns letters; it never sends, words or commits them.
"""
