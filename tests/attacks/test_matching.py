"""Matching attacks: judged by plain loops with the same lots, by enumeration, and by the law of twins."""

from contextlib import nullcontext
from itertools import permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import shoal
from conftest import graphs
from shoal import Graph
from shoal.attacks import Grampa, KorulaLattanzi, NarayananShmatikov, matching, protocol
from shoal.attacks.base import Rate, compute_wilson_interval
from shoal.attacks.grampa import assign_vertices, compare_spectra, compute_spectrum, standardize_adjacency
from shoal.attacks.korula_lattanzi import reconcile_graphs
from shoal.attacks.matching import keep_surviving_edges, make_arenas
from shoal.attacks.narayanan_shmatikov import propagate_matches
from shoal.attacks.protocol import (
    Tally,
    count_guesses,
    draw_attacker_data,
    expect_right_guesses,
    find_twin_classes,
    rate_guessing,
    shuffle_arena,
)
from shoal.errors import BadParameter, Notice
from shoal.knowledge.view import Pair

ATTACKS = (KorulaLattanzi, NarayananShmatikov, Grampa)
attacks = pytest.mark.parametrize("attack", ATTACKS, ids=lambda a: a.__name__)
QUICK = {"repeats": 2}


def rows(graph):
    return [set(graph.neighbors(v).tolist()) for v in range(graph.n)]


def vouching(near, others, partner, u, w):
    """How many matched pairs vouch for u and w: the definition."""
    return sum(1 for x in near[u] if partner[x] >= 0 and partner[x] in others[w])


WORD = 2**64 - 1


def mix(x):
    """splitmix64, of Python's own numbers."""
    x = (x + 0x9E3779B97F4A7C15) & WORD
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & WORD
    return x ^ (x >> 31)


def drawn_lots(n):
    """The random number of a pair, which breaks ties: the same for both sides."""
    return lambda u, w, salt: mix(int(salt) ^ mix((u * n + w) & WORD))


def korula_lattanzi(g, h, seeds, threshold, rounds, rng, lots):
    """The algorithm in plain words."""
    near, others = rows(g), rows(h)
    partner = [-1] * g.n
    for u, w in zip(*seeds, strict=True):
        partner[u] = w
    top = min(max(map(len, near)), max(map(len, others)))
    powers = [2**j for j in range(20) if threshold // 2 < 2**j <= top]
    for _ in range(rounds):
        for power in reversed(powers):
            salt = int(rng.integers(1 << 63))
            pairs = {}
            for u in range(g.n):
                for w in range(h.n):
                    free = partner[u] < 0 and w not in partner
                    score = vouching(near, others, partner, u, w)
                    if free and score >= threshold and min(len(near[u]), len(others[w])) >= power:
                        pairs[u, w] = score, lots(u, w, salt)
            taken = [
                (u, w)
                for (u, w), worth in pairs.items()
                if all(worth >= rival for (x, y), rival in pairs.items() if u == x or w == y)
            ]
            for u, w in taken:
                partner[u] = w
    return partner


def narayanan_shmatikov(g, h, seeds, theta, sweeps, rng, lots):
    """The algorithm in plain words."""
    near, others = rows(g), rows(h)
    partner = [-1] * g.n
    for u, w in zip(*seeds, strict=True):
        partner[u] = w
    searching = np.array([u for u in range(g.n) if partner[u] < 0 and near[u]], dtype=np.int64)

    def winner(scores, luck):
        best = max(scores, key=lambda x: (scores[x], luck[x]))
        first, second = sorted([*scores.values(), 0.0], reverse=True)[:2]
        far = first - second >= theta * np.std(list(scores.values())) and (first > second or theta == 0)
        return best if first > 0 and far else None

    for _ in range(sweeps):
        before = list(partner)
        order = rng.permutation(searching)
        salt = int(rng.integers(1 << 63)) if len(order) else 0
        for u in order.tolist():
            old, partner[u] = partner[u], -1
            scores = {
                w: 0.0 if w in partner else vouching(near, others, partner, u, w) / max(1, len(others[w])) ** 0.5
                for w in range(h.n)
            }
            w = winner(scores, {w: lots(u, w, salt) for w in range(h.n)})
            if w is not None:
                scores = {
                    x: 0.0 if partner[x] >= 0 else vouching(near, others, partner, x, w) / max(1, len(near[x])) ** 0.5
                    for x in range(g.n)
                }
                w = w if winner(scores, {x: lots(x, w, salt) for x in range(g.n)}) == u else None
            partner[u] = old if w is None else w
        if before == partner:
            break
    return partner


@st.composite
def two_graphs(draw):
    g = shoal.as_graph(draw(graphs(least=3, most=9)))
    h = shoal.as_graph(draw(graphs(least=3, most=9)))
    size = draw(st.integers(0, min(g.n, h.n)))
    seeds = draw(st.permutations(range(g.n)))[:size], draw(st.permutations(range(h.n)))[:size]
    return g, h, tuple(np.array(side, dtype=np.int64) for side in seeds)


@pytest.mark.slow
@settings(max_examples=150)
@given(two_graphs(), st.integers(1, 3), st.integers(1, 2), st.integers(0, 99))
def test_korula_lattanzi_does_what_the_plain_loops_do(both, threshold, rounds, seed):
    g, h, seeds = both
    found = reconcile_graphs(g, h, seeds, threshold, rounds, np.random.default_rng(seed))
    said = korula_lattanzi(g, h, seeds, threshold, rounds, np.random.default_rng(seed), drawn_lots(h.n))
    assert found.tolist() == said


@pytest.mark.slow
@settings(max_examples=150)
@given(two_graphs(), st.sampled_from([0.0, 0.37, 0.5, 1.3]), st.integers(1, 4), st.integers(0, 99))
def test_narayanan_shmatikov_does_what_the_plain_loops_do(both, theta, sweeps, seed):
    g, h, seeds = both
    found = propagate_matches(g, h, seeds, theta, sweeps, np.random.default_rng(seed))
    said = narayanan_shmatikov(g, h, seeds, theta, sweeps, np.random.default_rng(seed), drawn_lots(h.n))
    assert found.tolist() == said


@settings(max_examples=40)
@given(two_graphs())
def test_the_similarity_is_the_formula(both):
    g, h, _ = both
    (values, u), (others, v) = (np.linalg.eigh(standardize_adjacency(x)) for x in (g, h))
    x = np.zeros((g.n, h.n))
    for a in range(g.n):
        for b in range(h.n):
            weight = u[:, a].sum() * v[:, b].sum() / ((values[a] - others[b]) ** 2 + 0.2**2)
            x += weight * np.outer(u[:, a], v[:, b])
    assert np.allclose(compare_spectra(compute_spectrum(g), compute_spectrum(h), 0.2), x, atol=1e-9)


@settings(max_examples=40)
@given(two_graphs(), st.randoms(use_true_random=False))
def test_the_similarity_does_not_depend_on_names(both, random):
    g, h, _ = both
    called = np.array(random.sample(range(g.n), g.n))
    a, b, _ = g.edges()
    renamed = Graph.from_pairs(range(g.n), called[a], called[b])
    x, y = (compare_spectra(compute_spectrum(one), compute_spectrum(h), 0.3) for one in (g, renamed))
    assert np.allclose(x, y[called], atol=1e-8)


def test_the_assignment_breaks_ties_at_random():
    rng = np.random.default_rng(1)
    drawn = {tuple(assign_vertices(np.ones((3, 3)), rng)[1].tolist()) for _ in range(200)}
    assert drawn == set(permutations(range(3)))
    assert assign_vertices(np.eye(3)[:, [1, 2, 0]], rng)[1].tolist() == [2, 0, 1]


def random_graph(n, m, seed=1):
    return shoal.as_graph(nx.gnm_random_graph(n, m, seed=seed))


@pytest.mark.parametrize("attack", [KorulaLattanzi(1, 0.3, repeats=3), NarayananShmatikov(1, 0.3, repeats=3)], ids=repr)
def test_a_copy_is_matched_wholly_from_seeds(attack):
    g = random_graph(60, 500)
    outcome = attack(Pair.of(g, g), None, seed=1)
    assert outcome.rate == 1
    assert outcome["release"].rates["recall"].of == 3 * 42


@pytest.mark.slow
def test_a_copy_is_matched_wholly_without_seeds():
    g = random_graph(150, 3300)
    outcome = Grampa(auxiliary=1, then=None)(Pair.of(g, g), None, seed=1)
    assert outcome["release"].rates["recall"].hits == 150
    assert Grampa(auxiliary=1)(Pair.of(g, g), None, seed=1).rate > 0.5


@pytest.mark.slow
def test_what_grampa_begins_korula_and_lattanzi_mend():
    g = random_graph(150, 3300)
    alone, mended = (Grampa(0.97, then=then, repeats=2)(Pair.of(g, g), None, seed=2) for then in (None, Grampa().then))
    assert alone.trials[0].rates["mapped"].rate == 1
    assert mended.rate > 0.5


@pytest.mark.slow
def test_where_all_vertices_are_alike_matching_is_guessing():
    ring = shoal.as_graph(nx.cycle_graph(12))
    outcome = Grampa(auxiliary=1, then=None, repeats=300)(Pair.of(ring, ring), None, seed=1)
    for graph in ("release", "only renamed"):
        assert abs(outcome[graph].rates["recall"].hits - 300) < 4 * 300**0.5  # one fixed point is to be expected
    assert outcome.baseline == pytest.approx(1 / 12)


@pytest.mark.slow
def test_names_do_not_matter():
    """As often right, whatever the original's order: no id decides anything."""
    g = shoal.examples.les_miserables()
    back = Graph.from_pairs(list(g.names)[::-1], *(g.n - 1 - ends for ends in g.edges()[:2]))
    attack = KorulaLattanzi(seeds=0.2, repeats=60)
    one, other = (attack(Pair.of(x, g), None, seed=s).trials[0].rates["recall"] for s, x in enumerate((g, back)))
    # measured: each repeat has a standard deviation of .08
    assert abs(one.rate - other.rate) < 4 * 0.08 * (2 / 60) ** 0.5


# intervals


def whole_or_nothing(rng, people):
    """A cascade that takes off, or does not: everything is found together, or next to nothing."""
    return rng.binomial(people, np.where(rng.random(10) < 0.5, 0.8, 0.05))


def in_clusters(rng, people):
    """People are found by groups of ten."""
    return 10 * rng.binomial(people // 10, 0.3, size=10)


def from_seeds(rng, people):
    """How much is found depends on the seeds that were drawn."""
    return rng.binomial(people, rng.beta(2, 5, size=10))


def always_all(rng, people):
    """Nothing depends on chance."""
    return np.full(10, people)


@pytest.mark.parametrize(
    ("hits_of", "mean"),
    [(whole_or_nothing, 0.425), (in_clusters, 0.3), (from_seeds, 2 / 7), (always_all, 1)],
    ids=lambda x: getattr(x, "__name__", str(x)),
)
def test_the_interval_of_guesses_that_lead_to_each_other_covers(hits_of, mean):
    rng, people, covered = np.random.default_rng(5), 60, 0
    for _ in range(2_000):
        low, high = Rate.over_repeats([(hits, people) for hits in hits_of(rng, people).tolist()]).interval
        covered += low <= mean <= high
    assert covered >= 0.92 * 2_000


def test_the_interval_of_precision_covers_where_repeats_differ_in_their_guesses():
    """Where much is guessed, more of it is right: the share of all guesses is no mean of shares."""
    rng, covered, mean = np.random.default_rng(5), 0, (119 / 6) / 30  # right guesses, over guesses
    for _ in range(2_000):
        guesses = rng.integers(1, 60, size=10)
        right = rng.binomial(guesses, guesses / 60)
        low, high = Rate.over_repeats(list(zip(right.tolist(), guesses.tolist(), strict=True))).interval
        covered += low <= mean <= high
    assert covered >= 0.92 * 2_000


@pytest.mark.slow
def test_the_interval_of_a_real_attack_covers():
    """Ten repeats at a time, out of many; taken for independent guesses they miss the mean in one case of four."""
    club = shoal.examples.karate()
    pair = Pair.of(club, shoal.methods.MatchDegrees(3)(club).data)
    once = [KorulaLattanzi(seeds=0.2, repeats=1)(pair, None, seed).trials[0].rates["recall"] for seed in range(300)]
    mean, rng = np.mean([rate.rate for rate in once]), np.random.default_rng(5)
    covered = np.zeros(2, dtype=np.int64)
    for _ in range(2_000):
        rates = [once[i] for i in rng.integers(len(once), size=10)]
        told = Rate.over_repeats([(rate.hits, rate.of) for rate in rates])
        for way, (low, high) in enumerate((told.interval, compute_wilson_interval(told.hits, told.of))):
            covered[way] += low <= mean <= high
    assert covered[0] >= 0.92 * 2_000
    assert covered[1] < 0.85 * 2_000


def test_repeats_that_all_agree_bound_what_they_did_not_show():
    for many in (10, 25):
        margin = 1 - 0.05 ** (1 / many)
        assert Rate.over_repeats([(0, 8)] * many).interval == (0, pytest.approx(margin))
        assert Rate.over_repeats([(8, 8)] * many).interval == (pytest.approx(1 - margin), 1)
        low, high = Rate.over_repeats([(4, 8)] * many).interval
        assert (low, high) == (pytest.approx(0.5 - margin), pytest.approx(0.5 + margin))
    thirds = [(1 / 3, 1), (1 - 2 / 3, 1)] * 5  # equal but for rounding
    assert Rate.over_repeats(thirds).interval[1] > 0.5


def test_few_repeats_have_no_interval_and_the_outcome_says_so():
    club = shoal.examples.karate()
    few, enough = (KorulaLattanzi(repeats=repeats)(Pair.of(club, club), None, seed=1) for repeats in (9, 10))
    assert few.interval is None
    assert any("9 repeats" in note and "--repeats 10" in note for note in few.notes)
    assert "(95 % interval" not in repr(few)
    assert few.data()["trials"][0]["rates"]["recall"]["high"] is None
    assert enough.interval[0] <= enough.rate <= enough.interval[1]
    assert "(95 % interval" in repr(enough)


def test_repeats_without_a_guess_say_nothing_about_guesses():
    assert Rate.over_repeats([(1, 2)] * 9 + [(0, 0)] * 5).interval is None
    assert Rate.over_repeats([(1, 2), (2, 2)] * 5 + [(0, 0)] * 5) == Rate(
        15, 20, Rate.over_repeats([(1, 2), (2, 2)] * 5).interval
    )


# twins

EQUAL = [(shoal.examples.les_miserables(), 2), (shoal.examples.les_miserables(), 3), (random_graph(60, 600), 3)]


@pytest.fixture(scope="module", params=EQUAL, ids=["novel 2", "novel 3", "random 3"])
def equal(request):
    graph, k = request.param
    return shoal.methods.EqualizeRows(k=k, seed=3)(graph)


BLIND = [
    KorulaLattanzi(seeds=0.2, repeats=60),
    NarayananShmatikov(seeds=0.2, eccentricity=0, repeats=60),
    Grampa(then=None, repeats=12),
    Grampa(repeats=12),
]


@pytest.mark.slow
@pytest.mark.parametrize("attack", BLIND, ids=lambda a: f"{a.shell} {getattr(a, 'then', '')}")
def test_the_law_of_twins(attack, equal):
    outcome = attack(Pair.of(equal.original, equal.data), equal, seed=3)
    law, found = outcome.law, outcome["release"].rates
    assert found["right class"].hits >= 10
    assert abs(law["deviations"]) < 3.3
    assert not law["leak"]
    assert law["low"] <= law["measured"] <= law["high"]
    assert law["inside"] == (law["low"] <= law["expected precision"] <= law["high"])
    assert law["measured"] == found["precision"].rate


@pytest.mark.slow
def test_the_law_is_inside_its_interval_in_nineteen_of_twenty_runs():
    release = shoal.methods.EqualizeRows(k=2, seed=3)(random_graph(40, 250))
    pair = Pair.of(release.original, release.data)
    inside = sum(KorulaLattanzi(seeds=0.2, repeats=3)(pair, release, seed).law["inside"] for seed in range(100))
    assert 88 <= inside <= 100


class ById(KorulaLattanzi):
    """Breaks ties by id: it finds people in a release whose order leaks, and nobody else."""

    def match(self, auxiliary, released, seeds, rng):
        near = korula_lattanzi(auxiliary, released, seeds, 2, 1, rng, lambda u, w, _: -abs(u - w))
        return np.array(near)


@pytest.mark.slow
def test_a_leak_is_caught(monkeypatch):
    release = shoal.methods.EqualizeRows(k=3, seed=3)(random_graph(30, 150))
    pair = Pair.of(release.original, release.data)
    attack = ById(seeds=0.2, repeats=8)
    assert not attack(pair, release, seed=1).law["leak"]

    def in_order(arena, rng):
        return arena.make(rng), arena.truth, arena.codes

    monkeypatch.setattr(matching, "shuffle_arena", in_order)
    law = attack(pair, release, seed=1).law
    assert law["leak"]
    assert not law["inside"]
    assert law["measured"] > 1.5 * law["expected precision"]


def test_a_vertex_with_a_free_twin_never_stands_out(equal):
    pair = Pair.of(equal.original, equal.data)
    outcome = NarayananShmatikov(seeds=0, repeats=2)(pair, equal, seed=1)
    assert outcome["release"].rates["mapped"].hits == 0
    assert outcome.law["inside"]


@pytest.mark.parametrize(("g", "f"), [(1, 2), (2, 2), (2, 3), (3, 3), (2, 4), (4, 4), (1, 1)])
def test_the_spread_of_right_guesses_inside_a_class(g, f):
    hits = [sum(p[i] == i for i in range(g)) for p in permutations(range(f))]
    mean, variance, alone = expect_right_guesses(np.zeros(g, dtype=np.int64), np.array([f]))
    assert (mean, variance) == (pytest.approx(np.mean(hits)), pytest.approx(np.var(hits)))
    assert alone == pytest.approx(g / f * (1 - 1 / f))


def test_no_law_where_somebody_has_no_twin():
    star, path = (shoal.as_graph(g) for g in (nx.star_graph(3), nx.path_graph(4)))
    assert find_twin_classes(star) is None
    outcome = KorulaLattanzi(seeds=1, **QUICK)(Pair.of(path, path), None, seed=1)
    assert outcome.law is None
    assert "right class" not in outcome.trials[0].rates
    assert "right class" not in outcome.meanings


# counting


@st.composite
def guesses(draw):
    """People, seeds, guesses, the truth and classes of the attacked graph."""
    n, others = draw(st.integers(2, 8)), draw(st.integers(2, 8))
    truth = draw(st.permutations([*range(others), *[-1] * n]))[:n]
    guess = draw(st.permutations([*range(others), *[-1] * n]))[:n]
    seeds = [u for u in range(n) if truth[u] >= 0 and draw(st.booleans())]
    codes = [draw(st.integers(0, 2)) for _ in range(others)]
    return n, others, truth, guess, seeds, codes


@pytest.mark.slow
@settings(max_examples=200)
@given(guesses())
def test_guesses_are_counted_as_in_plain_words(drawn):
    n, others, truth, guess, seeds, codes = drawn
    known = [np.array(x, dtype=np.int64) for x in (guess, truth, seeds, codes)]
    assume(len(set(codes)) == max(codes) + 1)
    tally = count_guesses(*known, others)
    people = [u for u in range(n) if truth[u] >= 0 and u not in seeds]
    named = [u for u in range(n) if guess[u] >= 0 and u not in seeds]
    inside = [u for u in people if guess[u] >= 0 and codes[guess[u]] == codes[truth[u]]]
    free = {
        u: sum(codes[w] == codes[truth[u]] for w in range(others) if w not in [truth[s] for s in seeds]) for u in people
    }
    assert (tally.people, tally.guesses) == (len(people), len(named))
    assert tally.mapped == len([u for u in people if u in named])
    assert tally.right == sum(guess[u] == truth[u] for u in people)
    assert tally.right_class == len(inside)
    assert tally.expected == pytest.approx(sum(1 / free[u] for u in inside))
    assert tally.in_reach == sum(free.values())


@pytest.mark.parametrize(
    ("people", "extra", "missing", "seeds"), [(4, 0, 0, 1), (3, 2, 0, 0), (3, 0, 2, 1), (3, 1, 2, 0)]
)
def test_guessing_is_the_mean_over_all_assignments(people, extra, missing, seeds):
    truth = np.array([*range(people), *[-1] * missing])
    codes = np.arange(people + extra) // 2
    known = np.arange(seeds)
    asked, offered = range(seeds, people + missing), range(seeds, people + extra)
    total, many = Tally(), 0
    for order in permutations(offered if len(asked) <= len(offered) else asked):
        guess = np.full(people + missing, -1)
        for a, b in (
            zip(asked, order, strict=False) if len(asked) <= len(offered) else zip(order, offered, strict=False)
        ):
            guess[a] = b
        total, many = total + count_guesses(guess, truth, known, codes, people + extra), many + 1
    said, found = rate_guessing(total, many, True), protocol.pool_rates([total], True)
    for name, rate in found.items():
        assert (said[name].hits, said[name].of) == (pytest.approx(rate.hits), rate.of)


@settings(max_examples=50)
@given(graphs(least=2), graphs(least=2), st.integers(0, 99))
def test_surviving_edges_are_those_in_both(original, released, seed):
    with pytest.warns(Notice) if len(original) > len(released) else nullcontext():
        pair = Pair.of(shoal.as_graph(original), shoal.as_graph(released))
    both = {frozenset(e) for e in original.edges} & {frozenset(e) for e in released.edges}
    kept = keep_surviving_edges(pair)
    assert {frozenset((pair.original.names[a], pair.original.names[b])) for a, b in kept.each_edge()} == both
    edited = next(a for a in make_arenas(pair, None) if a.name == "random edits").make(np.random.default_rng(seed))
    there = {frozenset(e) for e in edited.each_edge()}
    before = {frozenset(e) for e in pair.original.each_edge()}
    assert len(before - there) == len(before) - len(both)
    n = pair.original.n
    assert len(there - before) == min(pair.released.m - len(both), n * (n - 1) // 2 - len(before))


def test_what_the_attacker_has_is_a_share_of_the_links():
    g = random_graph(40, 200)
    rng = np.random.default_rng(1)
    has = draw_attacker_data(g, np.arange(5, 25), 0.9, 7, rng)
    assert (has.auxiliary.n, has.auxiliary.m, len(set(has.seeds.tolist()))) == (40, 180, 7)
    assert set(has.auxiliary.each_edge()) <= set(g.each_edge())
    assert set(has.seeds.tolist()) <= set(range(5, 25))


@pytest.mark.parametrize("n", [40, 21])
def test_false_links_are_not_in_the_original(n):
    """All 210 pairs of 21 people are 200 links and 10 others: there is no other choice."""
    g = random_graph(n, 200)
    before = set(g.each_edge())
    plain, has = (draw_attacker_data(g, np.arange(20), 0.9, 7, np.random.default_rng(1), false) for false in (0, 10))
    there = set(has.auxiliary.each_edge())
    assert len(there - before) == 10
    assert there & before == set(plain.auxiliary.each_edge())
    assert has.seeds.tolist() == plain.seeds.tolist()
    again = draw_attacker_data(g, np.arange(20), 0.9, 7, np.random.default_rng(1), 10)
    assert set(again.auxiliary.each_edge()) == there


def test_false_links_of_a_multigraph():
    g = shoal.as_graph(nx.MultiGraph([(0, 1), (0, 1), (1, 2), (3, 0)]), multigraph=True)
    has = draw_attacker_data(g, np.arange(4), 1, 0, np.random.default_rng(1), 3)
    assert has.auxiliary.m == 6


@attacks
def test_false_links_make_an_attack_weaker(attack):
    g = random_graph(60, 300)
    rates = [
        attack(auxiliary=1, false_links=false, repeats=3)(Pair.of(g, g), None, seed=1).rate for false in (0, "50%")
    ]
    assert rates[1] < rates[0]
    assert attack(false_links="5%") == attack(false_links=0.05)
    assert attack(false_links="5%").settings()["false_links"] == 0.05


def test_more_false_links_than_pairs_are_refused():
    full = nx.complete_graph(9)
    full.remove_edge(0, 1)
    assert KorulaLattanzi(false_links=0.02)(Pair.of(shoal.as_graph(full), shoal.as_graph(full)), None, seed=1).trials
    with pytest.raises(BadParameter, match=r"'false_links'.* 1 pair"):
        KorulaLattanzi(false_links="9%")(Pair.of(shoal.as_graph(full), shoal.as_graph(full)), None, seed=1)


def test_false_links_in_the_shell(shell):
    asked = ("attack", "example:karate", "example:karate", "--same-names", "--by", "korula-lattanzi", "--repeats", "2")
    code, out, _ = shell(*asked, "--false-links", "5%", "--json")
    assert code == 0
    assert '"false_links": 0.05' in out
    code, _, err = shell(*asked, "--false-links", "500%")
    assert (code, "false_links" in err) == (2, True)


def test_shuffling_takes_truth_and_classes_along():
    release = shoal.methods.EqualizeRows(k=2, seed=1)(shoal.examples.karate())
    arena = make_arenas(Pair.of(release.original, release.data), release)[0]
    graph, truth, codes = shuffle_arena(arena, np.random.default_rng(1))
    assert not np.array_equal(truth, arena.truth)
    assert np.array_equal(graph.degree[truth], release.data.degree[arena.truth])
    assert np.array_equal(
        np.unique(codes[truth], return_inverse=True)[1], np.unique(arena.codes, return_inverse=True)[1]
    )
    assert codes.tolist() == arena.codes[np.argsort(truth)].tolist()


# outcomes


@attacks
def test_an_outcome_has_all_trials_in_order(attack):
    g = shoal.examples.karate()
    release = shoal.methods.EqualizeRows(k=2, seed=1)(g)
    outcome = attack(**QUICK)(Pair.of(g, release.data), release, seed=5)
    assert [trial.graph for trial in outcome.trials] == [
        "release",
        "only renamed",
        "random edits",
        "surviving edges",
        "guessing",
    ]
    assert (outcome.attack, outcome.shell, outcome.main, outcome.seed) == (attack(**QUICK), attack.shell, "recall", 5)
    assert outcome.settings["repeats"] == 2
    for trial in outcome.trials:
        assert trial.rates.keys() == outcome.meanings.keys() == {"mapped", "precision", "recall", "right class"}
        assert trial.means.endswith(".")
        assert all(rate.interval is None for rate in trial.rates.values())
    assert outcome.data()["law"]["inside"] in (True, False)


@pytest.mark.slow
@attacks
def test_the_same_seed_gives_the_same_outcome_and_nothing_is_touched(attack):
    g = shoal.examples.karate()
    release = shoal.methods.EqualizeRows(k=2, seed=1)(g)
    pair = Pair.of(g, release.data)
    before = shoal.examples.karate(), shoal.methods.EqualizeRows(k=2, seed=1)(g).data
    how = attack(**QUICK)
    one, same, other = (how(pair, release, seed=seed).data() for seed in (4, 4, 5))
    assert one == same
    assert one["trials"] != other["trials"]
    assert (pair.original, pair.released) == before


def test_a_drawn_release_has_nothing_to_compare_edits_with():
    g = shoal.examples.les_miserables()
    release = shoal.methods.Generalize(k=3, seed=1)(g)
    outcome = KorulaLattanzi(seeds=0.2, **QUICK)(Pair.of(g, release.data), release, seed=1)
    assert [trial.graph for trial in outcome.trials] == ["release", "only renamed", "guessing"]
    assert any("drawn anew" in note for note in outcome.notes)


def test_vertices_that_only_one_has():
    g = random_graph(30, 200)
    names = [*list(g.names)[5:], "x", "y"]
    a, b, _ = g.edges()
    both = (a >= 5) & (b >= 5)
    released = Graph.from_pairs(names, a[both] - 5, b[both] - 5)
    with pytest.warns(Notice):
        pair = Pair.of(g, released)
    outcome = KorulaLattanzi(1, 0.4, repeats=4)(pair, None, seed=1)
    for trial in outcome.trials:
        assert trial.rates["recall"].of == 4 * 15
    assert outcome.rate > 0.9
    assert outcome.baseline == pytest.approx(1 / 20)  # 20 ask, 17 are offered
    assert any("lacks some vertices" in note for note in outcome.notes)
    assert any("can be taken" in note for note in outcome.notes)


def test_a_link_counts_once():
    g = nx.MultiGraph(nx.les_miserables_graph().edges())
    twice = g.copy()
    twice.add_edges_from(list(g.edges()))
    one, two = (
        KorulaLattanzi(seeds=0.2, **QUICK)(Pair.of(x, x), None, seed=1)
        for x in (shoal.as_graph(nx.Graph(g)), shoal.as_graph(twice, multigraph=True))
    )
    assert one.data()["trials"] == two.data()["trials"]
    assert any("counts once" in note for note in two.notes)


@attacks
def test_graphs_without_links_give_nothing_away(attack):
    g, empty = shoal.as_graph(nx.path_graph(6)), shoal.as_graph(nx.empty_graph(6))
    for pair in (Pair.of(g, empty), Pair.of(empty, empty), Pair.of(empty, g)):
        outcome = attack(**QUICK)(pair, None, seed=1)
        assert outcome.trials[0].rates["recall"].of == 12
        if attack is not Grampa:
            assert outcome.trials[0].rates["mapped"].hits == 0


# bad input


@attacks
def test_an_attack_is_what_it_prints(attack):
    for one in (attack(), attack(auxiliary=1, repeats=7)):
        assert eval(repr(one)) == one


BAD = [
    (KorulaLattanzi, {"auxiliary": 0}, "KorulaLattanzi: 'auxiliary' must be a share above 0 and at most 1"),
    (KorulaLattanzi, {"auxiliary": 1.1}, "Got 1.1"),
    (KorulaLattanzi, {"auxiliary": "all"}, "Got 'all'"),
    (KorulaLattanzi, {"seeds": -1}, "KorulaLattanzi: 'seeds' must be a whole number of 0 or more. Got -1."),
    (KorulaLattanzi, {"seeds": 1.0}, "a share below 1"),
    (KorulaLattanzi, {"false_links": 1}, "KorulaLattanzi: 'false_links' must be a share from 0 to below 1"),
    (Grampa, {"false_links": "few"}, "Got 'few'"),
    (KorulaLattanzi, {"threshold": 0}, "'threshold' must be a whole number of 1 or more. Got 0."),
    (KorulaLattanzi, {"rounds": 1.5}, "'rounds' must be a whole number of 1 or more. Got 1.5."),
    (KorulaLattanzi, {"repeats": True}, "'repeats'"),
    (NarayananShmatikov, {"eccentricity": -0.1}, "'eccentricity' must be a number of 0 or more. Got -0.1."),
    (NarayananShmatikov, {"eccentricity": float("nan")}, "Got nan."),
    (NarayananShmatikov, {"sweeps": 0}, "'sweeps'"),
    (Grampa, {"eta": 0}, "Grampa: 'eta' must be a number above 0. Got 0."),
    (Grampa, {"eta": float("inf")}, "Got inf."),
    (Grampa, {"then": "magic"}, "'then' must be 'korula-lattanzi' or None. Got 'magic'."),
]


@pytest.mark.parametrize(("attack", "how", "message"), BAD)
def test_bad_settings_are_refused(attack, how, message):
    with pytest.raises(BadParameter, match=message.replace("(", r"\(")):
        attack(**how)


def test_data_that_cannot_be_attacked_are_refused():
    g = shoal.examples.karate()
    with pytest.raises(BadParameter, match="--mapping"):
        KorulaLattanzi()(Pair.of(g, g, same_names=False), None, seed=0)
    with pytest.raises(BadParameter, match=r"'seeds'.*34.*34"):
        KorulaLattanzi(seeds=34)(Pair.of(g, g), None, seed=0)
    with pytest.raises(BadParameter, match="'seed'"):
        KorulaLattanzi()(Pair.of(g, g), None, seed=-1)
    table = shoal.as_table({"age": [30, 41]})
    with pytest.raises(BadParameter, match="must be networks"):
        KorulaLattanzi()(Pair.of(table, table), None, seed=0)


def test_grampa_refuses_what_is_too_large():
    large = Graph.from_pairs(range(10_001), [0], [1])
    with pytest.raises(BadParameter, match=r"10,000 vertices.*10,001.*korula-lattanzi"):
        Grampa()(Pair.of(large, large), None, seed=0)
