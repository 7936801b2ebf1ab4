"""What the templates of Perudo's letters are given: a player's view of a board, in words.

The templates are in `games/perudo/letters`.
"""
