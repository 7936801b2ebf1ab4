"""Passwords and tokens: hashing, signing, checking.

`players` stores them; `intake/credentials` finds them in an email.
"""
