"""What data is: graphs, tables, columns, names, hierarchies, and conversions from and to objects of other libraries."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, submodules=["examples"])
