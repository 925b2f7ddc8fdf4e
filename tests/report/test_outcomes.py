"""The text of attack outcomes: whether a law holds, and its numbers."""

import networkx as nx
import pytest

import shoal
from shoal.attacks.base import does_law_hold
from shoal.report.text.outcomes import describe_law

NUMBERS = {"expected precision": 0.2, "measured": 0.4, "deviations": 0.6}


@pytest.mark.parametrize(("inside", "leak"), [(True, False), (False, False), (False, True), (True, True)])
def test_text_and_audit_agree_on_whether_a_law_holds(inside, leak):
    law = NUMBERS | {"means": "Twins are alike.", "inside": inside, "leak": leak}
    told = describe_law(law)
    assert does_law_hold(law) is not leak
    assert ("DOES NOT HOLD" in told) is leak
    assert ("outside the 95 % interval" in told) is (not inside and not leak)


def test_numbers_of_a_law_have_their_units():
    told = describe_law(NUMBERS | {"means": "Twins are alike.", "inside": True, "leak": False})
    assert "expected precision 20.0 %, measured 40.0 %, deviations 0.6." in told


def test_a_bound_without_a_leak_is_decided_by_its_interval():
    ring = shoal.as_graph(nx.cycle_graph(4))
    law = shoal.attack(ring, shoal.methods.EqualizeRows(k=2, seed=1)(ring), "degree").law
    assert does_law_hold(law) is law["inside"] is True
    assert "guaranteed k 2, bound 50.0 %" in describe_law(law)
