"""Methods that change a network and the table that describes its vertices."""
