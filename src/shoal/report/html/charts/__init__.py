"""Charts: drawn in a process of their own, cleaned, and put into pages as SVG."""
