"""Letters that wait: who receives them, how they are composed, sent, tried again and recorded.

The words of letters are in `letters`; connections to a relay are in `transports`.
"""
