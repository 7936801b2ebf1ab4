"""Payloads: which letters there are, and the values of each, as JSON (`letter.py` explains how).

The words of a letter are not here: the templates of `letters` make them when it is sent.
"""
