"""A play-by-email server for Perudo."""
