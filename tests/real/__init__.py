"""pbmserv between real mail software: Postfix, Dovecot, OpenDKIM and OpenDMARC on loopback."""
