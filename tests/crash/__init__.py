"""Crashes: nothing is lost and nothing happens twice, wherever the server dies."""
