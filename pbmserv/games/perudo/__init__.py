"""Perudo: five rule sets, their notation, and dice that prove themselves."""
