"""Sections of the page of an audit: the summary, the evidence, and the dossier."""
