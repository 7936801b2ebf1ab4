"""The operator's commands: one click command a file, found by its file name.

No email can name them.  What they do is in `maintenance` and `server`; here are words and output.
"""
