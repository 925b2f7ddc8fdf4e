"""File formats that know vertices from edges, one file each, with a `read` and a `write`."""
