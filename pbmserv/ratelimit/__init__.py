"""Counters that limit how often something happens: fixed windows and token buckets.

What is limited, and by how much, is said where the limit applies.
"""
