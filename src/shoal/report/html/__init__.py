"""Results as pages: one file each, without network."""
