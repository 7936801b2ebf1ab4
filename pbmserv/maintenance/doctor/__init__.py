"""What `pbmserv doctor` checks: one part of an installation a file.

A check changes nothing (`mailboxes` alone creates folders); it returns a `Finding`.
"""
