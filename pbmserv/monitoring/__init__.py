"""What the operator learns without asking: alerts by email, the log, and the log of actions.

What the operator asks for is in `maintenance`.
"""
