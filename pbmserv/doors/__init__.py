"""The doors: where bytes come in from the world, and where letters leave.

In: `smtp` and `lmtp` (a `conversation` each, at a `listener`); `imap` and `maildrop`, which are
emptied by `collecting`.  Out: `maildir` and `relay`.
What lies in the bytes is the mail room's business (`pbmserv.mail`), what is done about them
the post office's.
"""
