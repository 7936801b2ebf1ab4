"""An incoming email becomes a request with credentials, is executed and is answered.

Its bytes come from `transports`; what a command does is in `commands`; letters go to `outbox`.
"""
