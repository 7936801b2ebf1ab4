"""Boards: between the rules of a game and the rows of the database."""
