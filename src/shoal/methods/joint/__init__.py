"""Methods that change a network together with the table that describes its vertices."""
