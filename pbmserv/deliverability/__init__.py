"""Bounces of our letters, and the suppression list of addresses that get none for a while.

Bounce reports are parsed in `mail`; letters are sent in `outbox`.
"""
