"""The audit room: one run from start to end, as plain JSON data with a schema number. It orders the others."""
