"""What data is: graphs, tables, columns, names, hierarchies, and conversions from and to objects of other libraries."""
