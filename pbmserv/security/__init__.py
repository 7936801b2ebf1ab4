"""Passwords and tokens: hashing, signing, checking.

`players` stores them; `intake/credential_check` finds them in an email.
"""
