"""A running game: its seats, play, records, deadlines, notices to players, and ratings.

The rules are in `games`; how a game begins is in `lobby`.
"""
