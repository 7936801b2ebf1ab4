"""Counters that limit how often something happens: fixed windows and token buckets.

The limits themselves are stated where they apply.
"""
