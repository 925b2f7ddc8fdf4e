"""Audits: risk before and after a release, attacks, utility, guarantees and the verdict, as typed data."""
