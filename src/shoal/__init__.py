"""shoal: who could be re-identified in a network or a table, the proof, and releases that keep their promise.

    An adversary is a function from a published graph to, for every vertex, the set of vertices it could be.

Read data
    read_graph, read_table, as_graph, as_table, examples
Count risk
    assess, levels, level_curves, similarity_radius; what an attacker knows is in `knowledge`
Release
    recommend, `methods` (EqualizeRows, MatchDegrees, Mondrian, ...), Release.save
Evaluate a release
    compare, attack (`attacks`), frontier, audit
More
    `linkage` (re-identification methods and confusion), `tables` (uniques, diversity), `settings`, `errors`

To add a kind of knowledge, a method, an attack or a re-identification method, derive from Adversary, Method, Attack or
Linkage.

>>> import shoal
>>> risk = shoal.assess(shoal.examples.florentine(), "degree")
>>> risk.k, risk.at_risk(2)
(1, ('Medici',))

Everything loads on first use, so that ``import shoal`` is quick.
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
