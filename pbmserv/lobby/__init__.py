"""How games begin and who may join them; standings, messages between players, ends of accounts.

`boards` has the running games, and `players` has the accounts.
"""
