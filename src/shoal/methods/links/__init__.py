"""Methods that change the links of a network."""
