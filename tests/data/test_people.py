import numpy as np
import pytest

from shoal.data.examples import people
from shoal.errors import BadParameter


def cells(table):
    return {name: list(table[name]) for name in table}


def test_the_people_are_the_same_for_a_seed():
    assert cells(people(50)) == cells(people(50, seed=7))
    assert cells(people(50, seed=8)) != cells(people(50))


@pytest.mark.parametrize(("n", "seed"), [(1, 0), (3, 1), (1000, 7), (20_000, 2)])
def test_the_people_are_plausible(n, seed):
    table = people(n, seed)
    assert table.n == n == len(table.names)
    assert all(len(table[name]) == n for name in table)
    assert all(16 <= age <= 100 for age in table["age"])
    assert all(len(code) == 5 and code.isdigit() for code in table["zip"])
    assert all(hours is None or 1 <= hours <= 90 for hours in table["hours"])
    assert all(income is None or (income >= 0 and income % 100 == 0) for income in table["income"])
    assert set(table["marital"]) <= {"single", "married", "divorced", "widowed"}


def test_values_are_plain_python_values():
    table = people(200)
    kinds = {name: {type(value) for value in table[name].values} for name in table}
    assert kinds.pop("age") == kinds.pop("hours") == kinds.pop("income") == {int}
    assert all(kind == {str} for kind in kinds.values())


def test_the_people_are_skewed_and_correlated():
    frame = people(20_000).to_pandas()
    shares = frame["zip"].value_counts(normalize=True)
    assert shares.iloc[0] > 10 * shares.median()
    income = frame.groupby("education")["income"].median()
    assert income["primary"] < income["bachelor"] < income["doctorate"]
    assert frame.loc[frame["marital"] == "widowed", "age"].median() > 60 > frame["age"].median()
    assert frame.loc[frame["age"] < 20, "education"].isin(["bachelor", "master", "doctorate"]).sum() == 0
    assert frame.groupby(["age", "sex", "zip"]).size().eq(1).sum() > 1000


def test_some_answers_are_missing():
    table = people(5_000)
    lacking = {name: np.mean(table[name].codes == -1) for name in table}
    assert {name for name in table if lacking[name] == 0} == {"age", "sex", "zip", "marital"}
    assert all(0.01 < lacking[name] < 0.1 for name in ("birthplace", "education", "occupation"))


@pytest.mark.parametrize("n", [0, -1, 2.5, True, "5"])
def test_parameters(n):
    with pytest.raises(BadParameter, match="'people'"):
        people(n)
