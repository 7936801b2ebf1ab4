"""Bytes in and out: SMTP and LMTP listeners, IMAP and Maildir mailboxes, the SMTP relay.

What the bytes mean is read in `mail`, and what is done about them is in `intake`.
"""
