"""The commands of Perudo: challenges, moves, boards and records.

`games/perudo` has the rules of the game, and `boards` carries out the commands.
"""
