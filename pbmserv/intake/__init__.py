"""An incoming email becomes a request with credentials, is executed and is answered.

`transports` brings its bytes, `commands` has the commands, and letters go to `outbox`.
"""
