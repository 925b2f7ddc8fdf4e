"""Data: graphs, tables, columns, names, hierarchies, and conversion from and to other libraries."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, submodules=["examples"])
