"""The anonymizers room: methods rho from data to data, one file each. A method is called on the data."""
