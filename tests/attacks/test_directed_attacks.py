"""Attacks where links have a direction or a kind: judged by plain loops, and by the same network without directions."""

from collections import Counter
from random import Random

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_matching import drawn_lots

import shoal
from shoal import Graph
from shoal.attacks import ATTACKS, Attack, Cascade, Grampa, KorulaLattanzi, NarayananShmatikov, PlantedWalk
from shoal.attacks.grampa import standardize_adjacency
from shoal.attacks.korula_lattanzi import reconcile_graphs
from shoal.attacks.matching import keep_surviving_edges, make_arenas
from shoal.attacks.narayanan_shmatikov import propagate_matches
from shoal.attacks.protocol import draw_attacker_data, keep_links, shuffle_arena
from shoal.errors import BadGraph, BadParameter
from shoal.knowledge.view import Pair
from ties_oracle import as_graph, draw_net

MATCHINGS = {
    "korula-lattanzi": lambda g, h, seeds, seed: reconcile_graphs(g, h, seeds, 2, 2, np.random.default_rng(seed)),
    "narayanan-shmatikov": lambda g, h, seeds, seed: propagate_matches(
        g, h, seeds, 0.5, 4, np.random.default_rng(seed)
    ),
}
matchings = pytest.mark.parametrize("match", MATCHINGS.values(), ids=MATCHINGS)


def entries(graph):
    """Return for each vertex the set of (neighbor, relation)."""
    rows = [set() for _ in range(graph.n)]
    for a, b, relation in graph.each_link():
        rows[a].add((b, relation))
        rows[b].add((a, relation.reverse))
    return rows


def draw_graph(random, n):
    """Return a random small graph whose links have directions or kinds or both."""
    graph = keep_links(as_graph(draw_net(random, n)))
    return graph if graph.ties is not None else Graph.from_pairs(range(n), [0], [1], directed=True)


def draw_case(random):
    """Return two random graphs, and some vertices of each that are known to be the same."""
    g, h = (draw_graph(random, random.randint(3, 8)) for _ in range(2))
    size = random.randint(0, min(g.n, h.n))
    return g, h, tuple(np.array(random.sample(range(x.n), size), dtype=np.int64) for x in (g, h))


def make_symmetric(graph):
    """Return an undirected graph as a directed one: each edge is two arcs."""
    a, b, _ = graph.edges()
    return Graph.from_pairs(graph.names, np.concatenate([a, b]), np.concatenate([b, a]), directed=True)


def draw_tournament(n, seed):
    """Return a tournament: without directions, all pairs are linked, and all vertices are alike."""
    a, b = np.triu_indices(n, 1)
    turned = np.random.default_rng(seed).random(len(a)) < 0.5
    return Graph.from_pairs(range(n), np.where(turned, b, a), np.where(turned, a, b), directed=True)


def count_by_layer(graph):
    return Counter(relation for *_, relation in graph.each_link())


# The matchings, in plain words.


def share(near, others, partner, u, w):
    """The matched neighbors of u whose partners are linked to w by the same relation, as pairs with that relation."""
    return [(x, r) for x, r in near[u] if partner[x] >= 0 and (partner[x], r) in others[w]]


def korula_lattanzi(g, h, seeds, threshold, rounds, rng, lots):
    near, others = entries(g), entries(h)
    sizes, other_sizes = ([len({x for x, _ in row}) for row in rows] for rows in (near, others))
    partner = [-1] * g.n
    for u, w in zip(*seeds, strict=True):
        partner[u] = w
    powers = [2**j for j in range(20) if threshold // 2 < 2**j <= min(max(sizes), max(other_sizes))]
    for _ in range(rounds):
        for power in reversed(powers):
            salt, pairs = int(rng.integers(1 << 63)), {}
            for u in range(g.n):
                for w in range(h.n):
                    shared = share(near, others, partner, u, w)
                    enough = len({x for x, _ in shared}) >= threshold and min(sizes[u], other_sizes[w]) >= power
                    if enough and partner[u] < 0 and w not in partner:
                        pairs[u, w] = len(shared), lots(u, w, salt)
            rivals = list(pairs.items())
            for (u, w), worth in rivals:
                if all(worth >= other for (x, y), other in rivals if u == x or w == y):
                    partner[u] = w
    return partner


def score(near, others, partner, u, w):
    """The sum over relations of witnesses over the root of the links of w by this relation (in and out apart)."""
    links, found = Counter(r for _, r in others[w]), Counter(r for _, r in share(near, others, partner, u, w))
    return sum(found[r] / links[r] ** 0.5 for r in sorted(found, key=lambda r: r.order))


def narayanan_shmatikov(g, h, seeds, theta, sweeps, rng, lots):
    near, others = entries(g), entries(h)
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
            scores = {w: 0.0 if w in partner else score(near, others, partner, u, w) for w in range(h.n)}
            w = winner(scores, {w: lots(u, w, salt) for w in range(h.n)})
            if w is not None:
                taken = [partner.index(y) if y in partner else -1 for y in range(h.n)]
                scores = {x: 0.0 if partner[x] >= 0 else score(others, near, taken, w, x) for x in range(g.n)}
                w = w if winner(scores, {x: lots(x, w, salt) for x in range(g.n)}) == u else None
            partner[u] = old if w is None else w
        if before == partner:
            break
    return partner


@pytest.mark.parametrize("seed", range(60))
def test_korula_lattanzi_does_what_the_plain_loops_do(seed):
    random = Random(seed)
    g, h, seeds = draw_case(random)
    threshold = random.randint(1, 3)
    found = reconcile_graphs(g, h, seeds, threshold, 2, np.random.default_rng(seed))
    assert found.tolist() == korula_lattanzi(g, h, seeds, threshold, 2, np.random.default_rng(seed), drawn_lots(h.n))


@pytest.mark.parametrize("seed", range(60))
def test_narayanan_shmatikov_does_what_the_plain_loops_do(seed):
    random = Random(seed)
    g, h, seeds = draw_case(random)
    theta = random.choice([0.0, 0.37, 0.5, 1.3])
    found = propagate_matches(g, h, seeds, theta, 3, np.random.default_rng(seed))
    assert found.tolist() == narayanan_shmatikov(g, h, seeds, theta, 3, np.random.default_rng(seed), drawn_lots(h.n))


# An undirected network read as a symmetric directed one.


@matchings
@settings(max_examples=40)
@given(st.integers(0, 10**6))
def test_a_symmetric_network_is_matched_as_the_undirected_one(match, seed):
    random = Random(seed)
    g, h = (shoal.as_graph(nx.gnp_random_graph(n, 0.4, seed=seed + n)) for n in random.choices(range(3, 30), k=2))
    size = random.randint(0, min(g.n, h.n))
    seeds = tuple(np.array(random.sample(range(x.n), size), dtype=np.int64) for x in (g, h))
    both = make_symmetric(g), make_symmetric(h)
    if all(x.m for x in both):
        assert match(*both, seeds, seed).tolist() == match(g, h, seeds, seed).tolist()


@pytest.mark.parametrize("twins", [False, True])
def test_a_symmetric_network_falls_as_the_undirected_one(twins):
    novel = shoal.examples.les_miserables()
    levels = [
        shoal.attack(g, g, by=Cascade(twins=twins)).settings["levels"]["release"]
        for g in (novel, make_symmetric(novel))
    ]
    assert levels[0] == levels[1]


@pytest.mark.parametrize("spec", ["degree", "refinement:2", "adjacency", "neighborhood:1"])
def test_a_symmetric_network_is_searched_as_the_undirected_one(spec):
    novel = shoal.examples.les_miserables()
    rates = [shoal.attack(g, g, spec).rate for g in (novel, make_symmetric(novel))]
    assert rates[0] == rates[1]


@settings(max_examples=30)
@given(st.integers(0, 10**6))
def test_names_of_kinds_and_turned_arcs_change_no_match(seed):
    random = Random(seed)
    g, h, seeds = draw_case(random)

    def change(graph):
        a, b, relation = zip(*graph.each_link(), strict=True)
        kinds = [None if r.kind is None else f"renamed {r.kind}" for r in relation]
        directed = [r.direction == "out" for r in relation]
        known = None if all(kind is None for kind in kinds) else kinds
        return Graph.from_pairs(graph.names, b, a, directed=directed, kinds=known)

    match = MATCHINGS["korula-lattanzi"]
    if g.m and h.m:
        assert match(g, h, seeds, seed).tolist() == match(change(g), change(h), seeds, seed).tolist()


# What directions and kinds reveal.


@matchings
@pytest.mark.parametrize("form", ["direction", "kind"])
def test_only_directions_or_kinds_distinguish_two_people(match, form):
    """Ann and Bob have the same three neighbors. Ann links to them by another relation than Bob."""
    hubs, ann, bob = [2, 3, 4], [0] * 3, [1] * 3
    how = {"directed": True} if form == "direction" else {"kinds": ["call"] * 3 + ["text"] * 3}
    ends = (ann + hubs, hubs + bob) if form == "direction" else (ann + bob, hubs + hubs)
    g = Graph.from_pairs(["Ann", "Bob", "x", "y", "z", "far"], *ends, **how)
    plain, known = g.to_undirected().without_kinds(), (np.array(hubs), np.array(hubs))
    for seed in range(20):
        assert match(g, g, known, seed)[:2].tolist() == [0, 1]
    found = [match(plain, plain, known, seed)[:2].tolist() for seed in range(20)]
    assert [0, 1] not in found or [1, 0] in found  # never, or by chance


@pytest.mark.parametrize("attack", [KorulaLattanzi, NarayananShmatikov])
def test_a_tournament_is_matched_by_directions_only(attack):
    g = draw_tournament(40, seed=1)
    tried = attack(auxiliary=1, seeds=10)
    directed, plain = (shoal.attack(x, x, by=tried, seed=1) for x in (g, g.to_undirected()))
    assert directed.rate > 0.9
    assert directed.interval[0] > plain.interval[1]
    assert plain.rate < 3 * plain.baseline


def test_an_order_falls_by_directions_only():
    g = Graph.from_pairs(range(9), *np.triu_indices(9, 1), directed=True)
    rates = [shoal.attack(x, x, by=Cascade()).rate for x in (g, g.to_undirected())]
    assert rates == [1, 0]


def test_a_neighbor_who_is_unique_by_its_link_falls():
    """The hub has three neighbors with the same degree, except for who links to whom and how."""
    twins = Graph.from_pairs("habc", [0, 1, 2], [1, 0, 0], directed=[False, True, True], kinds=["kin", "call", "text"])
    told = shoal.attack(twins, twins, by=Cascade(start="degree:total", then="degree:total"))
    assert told["release"].rates["identified correctly"].hits == 4
    plain = twins.to_undirected().without_kinds()
    assert shoal.attack(plain, plain, by=Cascade())["release"].rates["identified correctly"].hits < 4


@pytest.mark.parametrize("attack", [KorulaLattanzi, NarayananShmatikov])
def test_an_unrelated_network_is_matched_by_chance(attack):
    g, other = draw_tournament(40, seed=1), draw_tournament(40, seed=2)
    outcome = shoal.attack(g, other, by=attack(auxiliary=1, seeds=10), seed=1)
    assert outcome.rate < 4 * outcome.baseline
    assert outcome["only renamed"].rates["recall"].rate > 0.9
    assert outcome["random edits"].rates["recall"].rate < outcome["only renamed"].rates["recall"].rate


@pytest.mark.parametrize("attack", [KorulaLattanzi(1, 0.3, repeats=20), NarayananShmatikov(1, 0.3, 0, 0, repeats=20)])
def test_twins_with_directed_links_are_guessed_by_chance(attack):
    """Each vertex of a tournament becomes three twins with the same arcs."""
    base, size = draw_tournament(12, seed=3), 3
    ends = [(size * a + i, size * b + j) for a, b, _ in base.each_link() for i in range(size) for j in range(size)]
    g = Graph.from_pairs(range(size * base.n), *zip(*ends, strict=True), directed=True)
    outcome = shoal.attack(g, g, by=attack, seed=1)
    assert outcome["release"].rates["right class"].rate > 0.5
    assert not outcome.law["leak"]
    assert outcome.law["expected precision"] < 0.6
    apart = Graph.from_pairs(g.names, *zip(*ends[1:], strict=True), directed=True)  # one arc less: not all have twins
    assert shoal.attack(apart, apart, by=attack, seed=1).law is None


# The cascade, in plain words.


def fall(graph, exclude):
    """Who falls at which level of the graph itself: unique by degree, then among neighbors by degree and links."""
    rows = entries(graph)
    degree = [tuple(sorted(Counter(r for _, r in row).items())) for row in rows]
    alike = Counter(degree)
    fallen, levels = {v for v in range(graph.n) if alike[degree[v]] == 1}, []
    levels.append(len(fallen))
    while True:
        new = set()
        for x in fallen:
            ties = {y: frozenset(r for w, r in rows[x] if w == y) for y, _ in rows[x]}
            around = [y for y in ties if not (exclude and y in fallen)]
            kinds = Counter((degree[y], ties[y]) for y in around)
            new |= {y for y in around if kinds[degree[y], ties[y]] == 1} - fallen
        if not new:
            return levels
        fallen |= new
        levels.append(len(new))


@pytest.mark.parametrize("exclude", [False, True])
def test_every_drawn_network_falls_as_the_definition_says(exclude):
    random = Random(3)
    for _ in range(80):
        g = draw_graph(random, random.randint(2, 8))
        outcome = shoal.attack(g, g, by=Cascade(exclude=exclude))
        assert outcome.settings["levels"]["release"] == fall(g, exclude)
        assert outcome["release"].rates["identified wrongly"].hits == 0


def test_twins_fall_together_if_their_links_are_alike():
    """Two leaves of the center are twins if both arcs lead to them, and not if one leads back."""
    ends = [0, 0, 1, 2], [1, 2, 3, 3]
    alike = Graph.from_pairs(range(4), *ends, directed=True)
    apart = Graph.from_pairs(range(4), [0, 0, 1, 3], [1, 2, 3, 2], directed=True)
    found = [shoal.attack(g, g, by=Cascade(twins=True))["release"].rates for g in (alike, apart)]
    assert [rates["identified correctly"].hits for rates in found] == [4, 4]
    single = [shoal.attack(g, g, by=Cascade())["release"].rates for g in (alike, apart)]
    assert [rates["identified correctly"].hits for rates in single] == [2, 4]


# What the attacker has, and the controls.


@pytest.fixture(scope="module")
def mixed():
    """120 links: 80 calls with a direction and 40 without; some pairs have several."""
    rng, found = np.random.default_rng(5), {}
    while len(found) < 120:
        a, b = rng.integers(30, size=2).tolist()
        directed = sum(found.values()) < 80
        if a != b:
            found.setdefault((a, b) if directed else (min(a, b), max(a, b), "kin"), directed)
    a, b = ([key[i] for key in found] for i in (0, 1))
    kinds = ["call" if directed else "kin" for directed in found.values()]
    return Graph.from_pairs(range(30), a, b, directed=list(found.values()), kinds=kinds)


def test_what_the_attacker_has_keeps_direction_and_kind(mixed):
    has = draw_attacker_data(mixed, np.arange(30), 0.9, 7, np.random.default_rng(1))
    assert has.auxiliary.m == 108
    assert set(has.auxiliary.each_link()) <= set(mixed.each_link())
    with_false = draw_attacker_data(mixed, np.arange(30), 0.9, 7, np.random.default_rng(1), 30).auxiliary
    false = set(with_false.each_link()) - set(mixed.each_link())
    assert Counter(relation for *_, relation in false) == {r: many / 4 for r, many in count_by_layer(mixed).items()}


def test_false_links_may_not_exceed_the_missing_ones():
    pair = Graph.from_pairs("abc", [0, 1, 2, 0, 1], [1, 2, 0, 2, 0], directed=True)
    with pytest.raises(BadParameter, match=r"'false_links'.* 1 pair .*direction"):
        KorulaLattanzi(false_links="40%")(Pair.of(pair, pair), None, seed=1)


def test_controls_keep_direction_and_kind(mixed):
    release = shoal.methods.Perturb(add=30, delete=40, seed=1)(mixed)
    pair = Pair.of(mixed, release.data)
    kept = set(keep_surviving_edges(pair).each_link())
    assert kept == set(mixed.each_link()) & set(release.data.each_link())
    arenas = {arena.name: arena.make(np.random.default_rng(3)) for arena in make_arenas(pair, release)}
    before, edited = set(mixed.each_link()), set(arenas["random edits"].each_link())
    assert (len(edited - before), len(before - edited)) == (30, 40)
    assert {relation for *_, relation in edited} == set(count_by_layer(mixed))
    assert set(arenas["only renamed"].each_link()) == before


def test_surviving_links_are_those_in_both_under_other_ids(mixed):
    order = np.random.default_rng(2).permutation(30)
    released = mixed.renumbered(shoal.Graph.from_pairs([int(v) for v in order], [], []).names, order, mixed.attributes)
    pair = Pair.of(mixed, released)
    assert set(keep_surviving_edges(pair).each_link()) == set(mixed.each_link())


def test_shuffling_keeps_direction_and_kind(mixed):
    arena = make_arenas(Pair.of(mixed, mixed), None)[0]
    graph, truth, _ = shuffle_arena(arena, np.random.default_rng(1))
    ends = {
        (min(u, v), max(u, v), r) if r.direction == "both" else (u, v, r)
        for u, v, r in ((int(truth[a]), int(truth[b]), r) for a, b, r in mixed.each_link())
    }
    assert set(graph.each_link()) == ends


def test_links_count_once_for_each_kind_and_direction():
    many = Graph.from_pairs("ab", [0, 0, 1], [1, 1, 0], directed=True, multigraph=True)
    assert (many.m, keep_links(many).m, keep_links(many).is_multigraph) == (3, 2, False)


@pytest.mark.parametrize("name", [name for name, kind in ATTACKS.items() if kind.reads_ties])
def test_attacks_have_rates_with_controls(name, mixed):
    release = shoal.methods.Perturb(add=5, delete=5, seed=1)(mixed)
    outcome = shoal.attack(mixed, release, by=name, seed=1)
    assert outcome.data() == shoal.attack(mixed, release, by=name, seed=1).data()
    assert {"release", "only renamed", "random edits", "guessing"} <= {trial.graph for trial in outcome.trials}
    rates = outcome.trials[0].rates[outcome.main]
    assert (rates.interval is None) == (name in {"cascade", "grampa"})


@pytest.mark.parametrize(
    "spec", ["neighbors:2", "relations:2", "located-relations:1", "degree", "hubs:2", "subgraph:2"]
)
def test_facts_about_directed_links_are_searched(spec, mixed):
    release = shoal.methods.Perturb(add=5, delete=5, seed=1)(mixed)
    outcome = shoal.attack(mixed, release, spec, seed=1)
    same = outcome["only renamed"].rates
    assert same["target excluded"].hits == same["misled"].hits == 0
    assert 0 < outcome["random edits"].rates["found"].rate < 1


def test_known_neighbors_find_at_least_as_many_with_directions(mixed):
    plain = mixed.to_undirected().without_kinds()
    assert shoal.attack(mixed, mixed, "adjacency").rate >= shoal.attack(plain, plain, "adjacency").rate


def test_grampa_ignores_directions_and_says_so(mixed):
    plain = mixed.to_undirected().without_kinds()
    assert np.array_equal(standardize_adjacency(mixed), standardize_adjacency(plain))
    notes = [" ".join(shoal.attack(mixed, mixed, by=Grampa(then=then)).notes) for then in (None, "korula-lattanzi")]
    assert ["symmetric matrix" in told for told in notes] == [True, True]
    assert ["korula-lattanzi" in told for told in notes] == [False, True]
    assert "symmetric matrix" not in " ".join(shoal.attack(plain, plain, by=Grampa()).notes)


# What does not handle them refuses them by name.


def test_planted_walk_refuses_directions(mixed):
    with pytest.raises(BadGraph, match=r"planted-walk.*--undirected"):
        shoal.attack(mixed, mixed, by=PlantedWalk(method=shoal.methods.Perturb(add=1)))
    with pytest.raises(BadGraph, match=r"PlantedWalk.*--undirected"):
        PlantedWalk(method=shoal.methods.Perturb(add=1))(Pair.of(mixed, mixed), None, seed=1)


class Unaware(Attack):
    """An attack that does not say whether it handles directions."""

    shell, title, means, source, main = "unaware", "unaware", "Guesses.", "this test", "found"

    def __call__(self, pair, release, seed):
        raise AssertionError


def test_an_attack_that_says_nothing_about_them_refuses_directions(mixed):
    with pytest.raises(BadGraph, match=r"unaware.*--undirected"):
        shoal.attack(mixed, mixed, by=Unaware())
    assert [name for name, kind in ATTACKS.items() if not kind.reads_ties] == ["planted-walk"]


def test_original_and_release_have_the_same_form(mixed):
    with pytest.raises(BadParameter, match=r"attack: .*directions.*only in the original"):
        shoal.attack(mixed, mixed.to_undirected().without_kinds(), by="cascade")


def test_directed_files_in_the_shell(shell, tmp_path):
    mails = tmp_path / "mails.csv"
    g = draw_tournament(25, seed=4)
    mails.write_text("from,to\n" + "".join(f"p{a},p{b}\n" for a, b, _ in g.each_link()))
    asked = ("attack", str(mails), str(mails), "--same-names", "--by", "korula-lattanzi", "--known-seeds", "8")
    code, out, _ = shell(*asked, "--directed")
    assert (code, "directed" in out) == (0, True)
    code, _, err = shell(
        "attack",
        str(mails),
        str(mails),
        "--same-names",
        "--by",
        "planted-walk",
        "--method",
        "perturb:add=1",
        "--directed",
    )
    assert (code, "--undirected" in err) == (2, True)


def test_an_attack_says_that_directions_and_kinds_are_known():
    mixed = shoal.examples.office(40).without_attributes()
    told = "The attacker knows the directions and kinds of links."
    ways = [{"by": Cascade()}, {"by": KorulaLattanzi(repeats=1)}, {"by": NarayananShmatikov(repeats=1)}]
    for way in [*ways, {"knowledge": "neighbors:1"}]:
        assert told in shoal.attack(mixed, mixed, **way).notes
        assert not any("directions" in note for note in shoal.attack(plain_of(mixed), plain_of(mixed), **way).notes)
    assert told not in shoal.attack(mixed, mixed, knowledge="counts:1").notes
    assert told not in shoal.attack(mixed, mixed, by=Grampa(then=None)).notes


def plain_of(graph):
    return graph.to_undirected().without_kinds()
