"""The shell: real processes, their exit codes, and what they leave in the home."""
