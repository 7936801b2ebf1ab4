"""Perudo: five rule sets, their notation, and provably fair dice.

Boards with players and deadlines are in `boards`, and the words of letters are in `letters`.
"""
