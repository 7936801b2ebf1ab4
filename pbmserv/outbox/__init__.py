"""Letters that wait: who receives them, how they are composed, sent, retried and recorded.

`letters` has the words of letters; `transports` has the connections to a relay.
"""
