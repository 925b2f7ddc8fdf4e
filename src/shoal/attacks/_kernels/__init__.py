"""Compiled loops; see CONTRIBUTING.md."""
