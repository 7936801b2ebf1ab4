"""The players' commands, one click command a file, with the parser and framework they share.

`boards` and `lobby` implement what they do; nothing here sends, renders or commits.
"""
