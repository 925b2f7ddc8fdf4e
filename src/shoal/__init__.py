"""shoal: measure and reduce re-identification risk in networks and tables.

    An adversary is a function from a published graph to, for every vertex, the set of vertices it could be.

That set is the candidate set of the vertex. A vertex with one candidate is unique; with fewer than k it is at risk.

Read data
    read_graph, read_table, as_graph, as_table, examples
Measure risk
    assess, levels, level_curves, similarity_radius; the attacker models are in `knowledge`
Make a release
    recommend, `methods` (EqualizeRows, MatchDegrees, Mondrian, ...), Release.save
Evaluate a release
    compare, attack (`attacks`), frontier, tradeoff, audit
More
    `linkage` (re-identification methods and confusion), `tables` (uniques, diversity), `relational` (data in a
    database), `settings`, `errors`

To add an attacker model, a method, an attack or a re-identification method, derive from Adversary, Method, Attack or
Linkage.

>>> import shoal
>>> risk = shoal.assess(shoal.examples.florentine(), "degree")
>>> risk.k, risk.at_risk(2)
(1, ('Medici',))

Modules load on first use, so ``import shoal`` is fast.
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
