"""Compiled loops of the local engine: flat arrays in, flat arrays out, no Python objects, no global interpreter lock.

Every hash in here only proposes that two things are equal; a second loop, or a canonical form, decides.
"""
