"""Searches that several methods share: simulated annealing, and partitions of the vertices into classes."""
