"""Commands: what each says of itself, and what is said about bad input."""
