"""pbmserv between real email software: Postfix, Dovecot, OpenDKIM and OpenDMARC on loopback."""
