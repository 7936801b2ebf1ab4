"""The steps, one per file."""
