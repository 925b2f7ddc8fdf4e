"""Linkage: re-identification methods r(y, a), one per file, and the confusion that they leave.

>>> parse_linkage("uniform:degree"), parse_linkage("nearest:3", columns=["age"])
(UniformOver(adversary=Degree(), mapping=None),
DistanceLinkage(columns=('age',), take='k-nearest', k=3, temperature=1.0, scale='range'))
"""

from __future__ import annotations

from collections.abc import Sequence

from shoal.errors import BadParameter, did_you_mean, public
from shoal.linkage.base import Linkage, Record, Reidentifies, records_of
from shoal.linkage.bayesian import Bayesian
from shoal.linkage.compatibility import calibrated_threshold, is_calibrated, is_compatible
from shoal.linkage.confusion import ConfusionCurve, confusion, confusion_curve, linked, n_confusion, provides_confusion
from shoal.linkage.distance import DistanceLinkage
from shoal.linkage.exact_match import ExactMatch
from shoal.linkage.fellegi_sunter import FellegiSunter, ProbabilisticLinkage, fit_fellegi_sunter
from shoal.linkage.uniform import UniformOver
from shoal.parts import split_words

REGISTRY: dict[str, type[Linkage]] = {
    "uniform": UniformOver,
    "exact": ExactMatch,
    "distance": DistanceLinkage,
    "nearest": DistanceLinkage,
    "softmax": DistanceLinkage,
    "probabilistic": ProbabilisticLinkage,
}
"""Every method with a shell name, by the first word of this name."""

FORMS = ("uniform:KNOWLEDGE", "exact", "distance", "nearest:K", "softmax:T", "probabilistic")
"""The forms of the shell names."""


@public
def parse_linkage(spec: str | Linkage, columns: Sequence[str] | None = None) -> Linkage:
    """Return the method that a shell name stands for. `columns` are the columns to compare; None: all.

    >>> parse_linkage("exact", columns=["age", "sex"])
    ExactMatch('age', 'sex')
    """
    if isinstance(spec, Linkage):
        return spec
    if not isinstance(spec, str):
        raise BadParameter(f"A re-identification method must be a Linkage or its shell name. Got {spec!r:.60}.")
    name, *words = split_words(spec.strip(), ":")
    if name not in REGISTRY:
        hint = did_you_mean(name, REGISTRY)
        raise BadParameter(f"There is no re-identification method {name!r}. There are: {', '.join(FORMS)}.{hint}")
    return REGISTRY[name].from_words(name, words, columns)


__all__ = [
    "FORMS",
    "REGISTRY",
    "Bayesian",
    "ConfusionCurve",
    "DistanceLinkage",
    "ExactMatch",
    "FellegiSunter",
    "Linkage",
    "ProbabilisticLinkage",
    "Record",
    "Reidentifies",
    "UniformOver",
    "calibrated_threshold",
    "confusion",
    "confusion_curve",
    "fit_fellegi_sunter",
    "is_calibrated",
    "is_compatible",
    "linked",
    "n_confusion",
    "parse_linkage",
    "provides_confusion",
    "records_of",
]
