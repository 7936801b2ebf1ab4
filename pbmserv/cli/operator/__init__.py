"""The operator's commands: one click command a file, found by its file name.

Emails cannot name them.  `maintenance` and `server` implement them; this package has the words and
the output.
"""
