"""Counting: exact classes of vertices and records, and the smallest sets of facts that identify them."""
