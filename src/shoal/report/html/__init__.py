"""Results as HTML pages: one file each, without network."""
