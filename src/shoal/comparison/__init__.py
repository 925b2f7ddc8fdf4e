"""Utility of a release beside two baselines: random edits, and no links at all."""
