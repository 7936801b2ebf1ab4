"""The running server: the wired application, its daemon, and the process that supervises it.

It decides nothing about email or games: it starts, stops and connects the other packages.
"""
