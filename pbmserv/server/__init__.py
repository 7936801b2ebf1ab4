"""The running server: the wired application, its two workers, and their supervisor.

It decides nothing about email or games: it starts, stops and connects the other packages.
"""
