"""Bytes in and out: SMTP and LMTP listeners, IMAP and Maildir mailboxes, the SMTP relay.

`mail` parses the bytes; `intake` acts on them.
"""
