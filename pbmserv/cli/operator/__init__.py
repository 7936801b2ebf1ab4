"""The operator's commands: one click command a file, found by its file name.

Only words and output are here: `maintenance` and `server` implement them; emails cannot name them.
"""
