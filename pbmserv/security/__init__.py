"""Passwords and tokens: hashing, signing, checking.  New seeds for dice.

`players` stores them; `intake/credential_check` finds them in an email.
"""
