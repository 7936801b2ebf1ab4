"""The database's schema changes: one numbered step per file in `versions/`, oldest first.

The first four characters of a file's name are its revision.  `pbmserv.database.engine` compares the
newest with the database's revision.
"""
