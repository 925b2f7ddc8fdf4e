"""A release: what a method made of the data, its verified promises, and the files that it is saved as."""

from shoal.release.drawn import DrawnRelease
from shoal.release.release import ConfusionPromise, ExchangeabilityPromise, Promise, RadiusPromise, Release

__all__ = ["ConfusionPromise", "DrawnRelease", "ExchangeabilityPromise", "Promise", "RadiusPromise", "Release"]
