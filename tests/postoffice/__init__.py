"""The post office: one mail in, one transaction, letters out."""
