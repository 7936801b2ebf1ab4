"""The running server: the wired application, its daemon, and the process that supervises it.

It decides nothing about mail or games: it starts, stops and connects the other packages.
"""
