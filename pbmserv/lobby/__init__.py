"""How games begin and who may join them; standings, messages between players, ends of accounts.

Once a board runs, `boards` has it; accounts themselves are in `players`.
"""
