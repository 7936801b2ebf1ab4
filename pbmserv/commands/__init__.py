"""The players' commands, one click command a file, with the parser and framework they share.

A command changes rows and returns letters; it never sends, renders or commits them.
"""
