"""Perudo: five rule sets, their notation, and provably fair dice."""
