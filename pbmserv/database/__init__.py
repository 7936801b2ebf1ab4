"""The database: engine, upgrade, tables, copies, leases, and which installation it belongs to.

The steps of the upgrade are in `migrations`.
"""
