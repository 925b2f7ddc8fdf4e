"""Re-identification methods, one file each; this page is the registry.

>>> parse_linkage("uniform:degree"), parse_linkage("nearest:3", columns=["age"])
(UniformOver(adversary=KnowsDegree(), mapping=None),
DistanceLinkage(columns=('age',), take='k-nearest', k=3, temperature=1.0, scale='range'))
"""

from __future__ import annotations

from collections.abc import Sequence

from shoal.errors import BadParameter, did_you_mean
from shoal.knowledge.base import split
from shoal.linkage.base import Linkage, Record, Reidentifies, records_of
from shoal.linkage.bayesian import Bayesian
from shoal.linkage.distance import DistanceLinkage
from shoal.linkage.exact_match import ExactMatch
from shoal.linkage.fellegi_sunter import FellegiSunter, ProbabilisticLinkage, fit_fellegi_sunter
from shoal.linkage.uniform import UniformOver

REGISTRY: dict[str, type[Linkage]] = {
    "uniform": UniformOver,
    "exact": ExactMatch,
    "distance": DistanceLinkage,
    "nearest": DistanceLinkage,
    "softmax": DistanceLinkage,
    "probabilistic": ProbabilisticLinkage,
}
"""Every method that has a shell name, by its first word; the command line reads it."""

FORMS = ("uniform:KNOWLEDGE", "exact", "distance", "nearest:K", "softmax:T", "probabilistic")
"""How the shell names are spelled."""


def parse_linkage(spec: str | Linkage, columns: Sequence[str] | None = None) -> Linkage:
    """Return the method that a shell name stands for; `columns` are those to compare, None for all.

    >>> parse_linkage("exact", columns=["age", "sex"])
    ExactMatch('age', 'sex')
    """
    if isinstance(spec, Linkage):
        return spec
    if not isinstance(spec, str):
        raise BadParameter(f"A re-identification method must be a Linkage or its shell name. Got {spec!r:.60}.")
    name, *words = split(spec.strip(), ":")
    if name not in REGISTRY:
        hint = did_you_mean(name, REGISTRY)
        raise BadParameter(f"There is no re-identification method {name!r}. There are: {', '.join(FORMS)}.{hint}")
    return REGISTRY[name].from_words(name, words, columns)


__all__ = [
    "FORMS",
    "REGISTRY",
    "Bayesian",
    "DistanceLinkage",
    "ExactMatch",
    "FellegiSunter",
    "Linkage",
    "ProbabilisticLinkage",
    "Record",
    "Reidentifies",
    "UniformOver",
    "fit_fellegi_sunter",
    "parse_linkage",
    "records_of",
]
