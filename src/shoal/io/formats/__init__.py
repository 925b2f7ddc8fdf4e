"""File formats with separate lists of vertices and edges, one module each, with `read` and `write`."""
