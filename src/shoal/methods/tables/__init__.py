"""Methods that change the columns of a table."""
