"""The commands of Perudo: challenges, moves, boards and records.

The rules of the game are in `games/perudo`, what happens to a board is in `boards`.
"""
