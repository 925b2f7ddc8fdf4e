"""Charts: drawn by altair in a process of its own, cleaned, and put into pages as SVG."""
