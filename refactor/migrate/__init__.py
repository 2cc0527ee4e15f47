"""Batch migration: many repositories, each in a checkout of its own, with a ledger that survives being stopped."""
