"""Audits: risk before and after a release, attacks, utility and the verdict, as plain JSON data with a schema."""
