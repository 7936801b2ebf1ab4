"""The emails that are kept: received, waiting for another try, set aside, and deleted in time.

`intake/processor.py` handles an email; nothing here reads its commands.
"""
