"""A seed is an int or a numpy Generator, wherever one is taken; what is recorded is the int that repeats the result."""

import inspect
import re
from dataclasses import fields, replace

import numpy as np
import pytest

import shoal
from method_cases import ALL, case, quietly
from shoal import attacks, methods
from shoal.data.generalized import Generalized
from shoal.errors import BadParameter, Notice
from shoal.knowledge.view import Pair
from shoal.release import DrawnRelease

pytestmark = pytest.mark.usefixtures("brief_searches")

SEEDED = [(name, i) for name, i in ALL if "seed" in {f.name for f in fields(methods.find_method(name))}]
BAD = {
    "bool": True,
    "float": 1.5,
    "negative": -1,
    "text": "7",
    "RandomState": np.random.RandomState(1),
    "array": np.array([1, 2]),
}


def draw(start=None):
    return np.random.default_rng(start)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "i"), SEEDED)
def test_a_method_draws_its_seed_once_from_a_generator(name, i):
    made, data = case(name, i)
    generator = draw()
    method, other = replace(made, seed=generator), replace(made, seed=generator)
    assert method.seed.bit_length() > 64
    assert method.seed != other.seed
    assert eval(repr(method), vars(methods) | vars(shoal.knowledge)) == method
    first, second = quietly(method, data), quietly(method, data)
    assert first.seed == second.seed == method.seed
    assert first.data == second.data
    assert quietly(replace(made, seed=first.seed), data).data == first.data


def test_every_method_takes_numpy_integers_and_refuses_what_is_no_seed():
    for name, i in SEEDED:
        made, _ = case(name, i)
        seed = replace(made, seed=np.int64(7)).seed
        assert (seed, type(seed)) == (7, int)
        for bad in BAD.values():
            with pytest.raises(BadParameter, match=f"{type(made).__name__}: 'seed' .* 0 or more, or a numpy Generator"):
                replace(made, seed=bad)


def test_the_same_generator_from_the_start_gives_the_same_seed():
    assert methods.EqualizeRows(k=2, seed=draw(7)) == methods.EqualizeRows(k=2, seed=draw(7))


def test_a_release_can_be_repeated_from_its_mapping(tmp_path):
    families = shoal.examples.florentine()
    release = methods.Perturb(add=3, seed=draw())(families)
    release.save(tmp_path / "a.csv", tmp_path / "map-a.csv", seed=draw())
    seeds = re.search(r"seed of the method: (\d+); of the order: (\d+)", (tmp_path / "map-a.csv").read_text())
    method, order = map(int, seeds.groups())
    assert method == release.seed
    (tmp_path / "again").mkdir()  # beside the mapping, a second release would give a notice
    methods.Perturb(add=3, seed=method)(families).save(tmp_path / "again" / "a.csv", seed=order)
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "again" / "a.csv").read_bytes()


def test_a_secret_seed_from_a_generator_that_can_be_guessed_gives_a_notice(tmp_path):
    for start in (7, [1, 2, 3], np.random.SeedSequence(7).spawn(1)[0]):
        with pytest.warns(Notice, match="Perturb: the seed must stay secret"):
            methods.Perturb(add=1, seed=draw(start))
    with pytest.warns(Notice, match="save: the seed must stay secret"):
        methods.MatchDegrees(k=2, seed=draw(7))(shoal.examples.florentine()).save(tmp_path / "a.csv", seed=draw(7))
    methods.Perturb(add=1, seed=draw())  # warnings are errors
    methods.HideColumns(k=2, l=1, seed=draw(7))  # nothing rests on this seed
    methods.Perturb(add=1, seed=np.random.Generator(np.random.MT19937()))


def attack(kind):
    florentine = shoal.examples.florentine()
    pair = Pair.of(florentine, florentine)
    if kind is attacks.PlantedWalk:
        return lambda seed: kind(targets=2, repeats=2, method=methods.EqualizeRows(k=2, effort=1))(pair, None, seed)
    return lambda seed: kind()(pair, None, seed)


def attack_with_knowledge(seed):
    florentine = shoal.examples.florentine()
    return shoal.attack(florentine, florentine, "neighbors:1", trials=5, seed=seed)


def numbers():
    return Generalized.of([("a", "b"), ("b", "c"), ("c", "a")], [0, 0, 1])


def drawn():
    return methods.Generalize(k=2, effort=2, seed=2**70)(shoal.examples.florentine())


def recommend(seed):
    return shoal.recommend(shoal.examples.florentine(), "refinement:2", 2, effort=2, seed=seed)


def recommend_for_scenario(seed):
    links = shoal.Scenario("links", ["degree"], 2, "50%")
    return methods.recommend_for_scenario(shoal.examples.karate(), links, seed=seed)


def frontier(seed):
    club = shoal.examples.karate()
    return shoal.frontier(club, "degree", k=2, methods=["match-degrees"], jobs=1, seed=seed)


def tradeoff(seed):
    club = shoal.examples.karate()
    return shoal.tradeoff(club, "counts:1", k=2, budgets=[2], effort=2, draws=2, seed=seed)


def audit(seed):
    return shoal.audit(shoal.examples.florentine(), k=2, knowledge=["degree"], attacks=(), seed=seed)


RECORDED = {
    "compare": lambda seed: shoal.compare(*[shoal.examples.karate()] * 2, repeats=2, seed=seed),
    "attack": attack_with_knowledge,
    "frontier": frontier,
    "tradeoff": tradeoff,
    "audit": audit,
    "recommend": lambda seed: recommend(seed).method,
    "recommend_for_scenario": lambda seed: recommend_for_scenario(seed).passing[0].method,
    "Generalized.samples": lambda seed: numbers().samples(2, seed),
    "DrawnRelease.samples": lambda seed: drawn().samples(2, seed),
    **{f"{kind.__name__}.__call__": attack(kind) for kind in attacks.ATTACKS.values()},
}
"""Results that record their seed."""
DRAWN = {
    "village": lambda seed: shoal.examples.village(12, seed),
    "people": lambda seed: shoal.examples.people(12, seed),
    "office": lambda seed: shoal.examples.office(20, seed),
    "Generalized.sample": lambda seed: numbers().sample(seed),
    "Generalized.published": lambda seed: numbers().published(seed),
    "DrawnRelease.sample": lambda seed: drawn().sample(seed),
    "DrawnRelease.estimates": lambda seed: drawn().estimates(2, seed),
}
"""Results that are only drawn from it."""


@pytest.mark.slow
@pytest.mark.parametrize("name", RECORDED)
def test_a_result_records_the_seed_that_repeats_it(name):
    found = RECORDED[name](draw())
    assert type(found.seed) is int
    assert found.seed.bit_length() > 64
    again = RECORDED[name](found.seed)
    assert (again.seed, repr(again)) == (found.seed, repr(found))
    assert RECORDED[name](np.uint8(3)).seed == 3


@pytest.mark.filterwarnings("ignore::shoal.errors.Notice")
@pytest.mark.parametrize("name", DRAWN)
def test_a_draw_takes_a_generator(name):
    assert DRAWN[name](draw(7)) == DRAWN[name](draw(7))
    assert DRAWN[name](np.int64(3)) == DRAWN[name](3)


@pytest.mark.parametrize("name", [*RECORDED, *DRAWN])
@pytest.mark.parametrize("bad", BAD.values(), ids=list(BAD))
def test_what_is_no_seed_is_refused_in_one_sentence(name, bad):
    with pytest.raises(BadParameter, match=r"'seed' must be a whole number of 0 or more, or a numpy Generator\. Got"):
        (RECORDED | DRAWN)[name](bad)


def test_every_public_function_with_a_seed_is_tested():
    spaces = (shoal, shoal.examples, shoal.linkage, shoal.tables, shoal.methods, shoal.attacks)
    found = {name: getattr(space, name) for space in spaces for name in space.__all__}
    functions = {name: each for name, each in found.items() if inspect.isfunction(each)}
    for kind in (*found.values(), Generalized, DrawnRelease):
        if isinstance(kind, type) and not inspect.isabstract(kind) and not issubclass(kind, methods.Method):
            members = inspect.getmembers(kind, inspect.isfunction)
            functions |= {f"{kind.__name__}.{name}": each for name, each in members if not re.match("_(?!_call)", name)}
    seeded = {name for name, each in functions.items() if "seed" in inspect.signature(each).parameters}
    internal = {"Generalized.drawn", "Generalized.save"}  # drawn takes the parsed seed; save calls published
    assert seeded - internal == {*RECORDED, *DRAWN}
