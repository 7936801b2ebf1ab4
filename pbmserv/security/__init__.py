"""Passwords and tokens, hashed, signed and checked; new seeds for dice.

`players` stores them; `intake/credential_check` finds them in an email.
"""
