"""Bounces of our letters, and the suppression list of addresses that get none for a while.

`mail` parses bounce reports, and `outbox` sends letters.
"""
