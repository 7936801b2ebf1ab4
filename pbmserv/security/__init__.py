"""Passwords and tokens: hashing, signing, checking.

Whose they are is in `players`; how a mail shows them is in `intake/credentials`.
"""
