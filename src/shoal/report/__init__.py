"""The report room: it has a phrase in it."""
