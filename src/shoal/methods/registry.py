"""The registry of methods, keyed by their names on the command line."""

from __future__ import annotations

from shoal.errors import public
from shoal.methods.base import Method
from shoal.parts import Part, Registry

METHODS = Registry("method", Method, ("changes", "protects", "promises", "source"))
"""Every method by its name on the command line."""


@public
def register(kind: Part) -> Part:
    """Add a method, in this process. Usable as a class decorator.

    Parameters
    ----------
    kind
        A subclass of :class:`Method`. Its shell name must be new.
    """
    return METHODS.register(kind)


@public
def unregister(kind: type[Method]) -> None:
    """Remove a method that was registered."""
    METHODS.unregister(kind)


@public
def find_method(name: str) -> type[Method]:
    """Return the method with this name on the command line.

    >>> find_method("mondrian").__name__
    'Mondrian'
    """
    found: type[Method] = METHODS.find(name)
    return found
