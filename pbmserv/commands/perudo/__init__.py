"""The commands of Perudo, one a file."""
