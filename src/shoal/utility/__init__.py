"""Utility: metrics of two graphs or tables."""
