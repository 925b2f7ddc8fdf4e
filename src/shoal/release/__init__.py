"""A release: the output of a method, its verified guarantees, and the files that it is saved as."""

from shoal.release.drawn import DrawnRelease
from shoal.release.guarantee import ConfusionPromise, ExchangeabilityPromise, PartialPromise, Promise, RadiusPromise
from shoal.release.release import Release

__all__ = [
    "ConfusionPromise",
    "DrawnRelease",
    "ExchangeabilityPromise",
    "PartialPromise",
    "Promise",
    "RadiusPromise",
    "Release",
]
