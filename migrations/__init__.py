"""The history of the database: one numbered step a file, oldest first, in `versions/`.

The first four characters of a file's name are its revision; `pbmserv.database.engine` compares the
newest with the one that the database bears.
"""
