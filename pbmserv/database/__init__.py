"""The database: engine, transactions, tables, copies, leases, and which installation it belongs to.

Schema changes are in `migrations`.
"""
