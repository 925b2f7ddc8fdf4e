"""A release: what a method made of the data, its verified guarantees, and the files that it is saved as."""
