"""Synthetic table of people, with skewed and correlated columns as in a census.

No person is real, and no distribution is copied from a real census. Marital status, retirement and education depend on
age, large towns attract people from abroad, and some answers are missing.
"""

from __future__ import annotations

import numpy as np

from shoal.data.arrays import Ints
from shoal.data.column import MISSING, Column
from shoal.data.encode import renumber_codes
from shoal.data.table import Table
from shoal.errors import whole
from shoal.seeds import AnySeed, parse_seed

SEX = ("f", "m")
EDUCATION = ("primary", "secondary", "vocational", "bachelor", "master", "doctorate")
MARITAL = ("single", "married", "divorced", "widowed")
OCCUPATION = {
    "none": (0, 0.0),
    "cleaning": (21_000, 0.3),
    "farming": (24_000, 0.4),
    "sales": (28_000, 1.2),
    "transport": (31_000, 0.8),
    "care": (32_000, 1.6),
    "crafts": (35_000, 1.5),
    "office": (37_000, 2.2),
    "teaching": (44_000, 3.6),
    "engineering": (58_000, 3.9),
    "management": (72_000, 3.8),
    "medicine": (85_000, 4.8),
    "retired": (20_000, 0.0),
}
"""For each occupation, the typical yearly income and the typical level in EDUCATION."""
BIRTHPLACE = ("here", "nearby", "abroad", "far abroad")
AREAS = 400
"""The number of postal codes; the largest has about one in thirty people."""


def people(people: int = 1000, seed: AnySeed = 7) -> Table:
    """Return a synthetic table: age, sex, zip, birthplace, education, marital, occupation, hours, income.

    Parameters
    ----------
    people
        The number of people.
    seed
        An int or a numpy Generator. The same seed gives the same people.

    Examples
    --------
    >>> table = people(5)
    >>> table
    Table(5 rows; columns: age, sex, zip, birthplace, education, marital, occupation, hours, income)
    """
    n, seed = whole(people, "people", "people", 1), parse_seed(seed, "people")
    draw = np.random.default_rng(seed)
    age = _ages(draw, n)
    sex = (draw.random(n) < 0.49).astype(np.int64)
    area = _areas(draw, n)
    education = _educations(draw, age, area)
    occupation = _occupations(draw, age, sex, education)
    hours = _hours(draw, occupation, sex)
    columns = {
        "age": _numbers(age),
        "sex": _words(sex, SEX),
        "zip": _words(area, tuple(f"{code:05d}" for code in _codes(seed))),
        "birthplace": _words(_some(draw, _birthplaces(draw, area), 0.02), BIRTHPLACE),
        "education": _words(_some(draw, education, 0.03), EDUCATION),
        "marital": _words(_maritals(draw, age, sex), MARITAL),
        "occupation": _words(_some(draw, occupation, 0.05), tuple(OCCUPATION)),
        "hours": _numbers(hours),
        "income": _numbers(_incomes(draw, age, education, occupation, hours)),
    }
    return Table(n, columns)


def _ages(draw: np.random.Generator, n: int) -> Ints:
    """Draw ages from 16: uniform up to 60, then decreasing."""
    chance = np.where(np.arange(16, 101) < 60, 1.0, np.exp(-(((np.arange(16, 101) - 60) / 18) ** 2)))
    return draw.choice(np.arange(16, 101), n, p=chance / chance.sum())


def _areas(draw: np.random.Generator, n: int) -> Ints:
    """Draw where people live: few large towns, many small places."""
    chance = 1 / (np.arange(AREAS) + 5) ** 0.9
    return draw.choice(AREAS, n, p=chance / chance.sum())


def _codes(seed: int) -> list[int]:
    """Return distinct postal codes; nearby codes often share their first digits, and some start with 0."""
    drawn = np.random.default_rng(seed).choice(9_000, AREAS, replace=False)
    return sorted(int(code) * 3 + 1_001 for code in drawn)


def _birthplaces(draw: np.random.Generator, area: Ints) -> Ints:
    """Draw birthplaces; people from abroad live mostly in large towns."""
    u = draw.random(len(area))
    town = np.where(area < 40, 1.0, 0.4)
    steps: Ints = np.sum([u < 0.45, u < 0.22 * town, u < 0.05 * town], axis=0, dtype=np.int64)
    return steps


def _educations(draw: np.random.Generator, age: Ints, area: Ints) -> Ints:
    """Draw the highest degree: lower for the young and the old, higher in large towns."""
    wish = draw.normal(1.9, 1.15, len(age)) - 0.018 * np.clip(age - 45, 0, None) + 0.4 * (area < 40)
    reach = np.select([age < 19, age < 22, age < 25, age < 29], [0.9, 2.4, 3.4, 4.4], 5.4)
    degree: Ints = np.clip(np.floor(np.minimum(wish, reach)), 0, 5).astype(np.int64)
    return degree


def _maritals(draw: np.random.Generator, age: Ints, sex: Ints) -> Ints:
    """Draw the marital status; more women than men are widowed."""
    u, v = draw.random((2, len(age)))
    ever = u < 0.9 / (1 + np.exp(-(age - 30 - sex) / 4.5))
    widowed = v < np.clip((age - 50) / 100, 0, 1) * np.where(sex == 0, 1.5, 0.6)
    divorced = v > 1 - np.clip((age - 25) / 130, 0, 0.22)
    return np.where(ever, np.select([widowed, divorced], [3, 2], 1), 0)


def _occupations(draw: np.random.Generator, age: Ints, sex: Ints, education: Ints) -> Ints:
    """Draw an occupation that fits the degree; many of the young and the old have none."""
    asked = np.array([degree for _, degree in OCCUPATION.values()][1:-1])
    size = np.array([1.3, 0.5, 1.6, 1.1, 1.4, 1.3, 1.7, 0.8, 0.9, 0.7, 0.25])
    leaning = np.array([0.7, -0.2, 0.1, -0.9, 0.9, -1.1, 0.4, 0.6, -0.9, -0.3, 0.1])
    weight = np.array(
        [size * np.exp(-((asked - degree) ** 2) / 1.1 + lean * leaning) for degree in range(6) for lean in (1, -1)]
    )
    steps = np.cumsum(weight / weight.sum(axis=1, keepdims=True), axis=1)
    job = 1 + (draw.random((len(age), 1)) > steps[2 * education + sex, :-1]).sum(axis=1)
    idle = draw.random(len(age)) < np.select([age < 19, age < 25], [0.8, 0.45], 0.09 + 0.05 * (1 - sex))
    return np.select([age > draw.integers(60, 69, len(age)), idle], [len(OCCUPATION) - 1, 0], job)


def _hours(draw: np.random.Generator, occupation: Ints, sex: Ints) -> Ints:
    """Draw weekly working hours, most often 40; missing without work."""
    usual = np.where(draw.random(len(sex)) < 0.18 + 0.25 * (1 - sex), 20, 40)
    other = np.clip(np.round(draw.normal(usual, 7)), 1, 90).astype(np.int64)
    hours = np.where(draw.random(len(sex)) < 0.55, usual, other)
    return np.where((occupation == 0) | (occupation == len(OCCUPATION) - 1), MISSING, hours)


def _incomes(draw: np.random.Generator, age: Ints, education: Ints, occupation: Ints, hours: Ints) -> Ints:
    """Draw yearly incomes in hundreds, with a long tail; one in twelve is missing, and more among high incomes."""
    usual = np.array([wage for wage, _ in OCCUPATION.values()])[occupation]
    grown = usual * (1 + 0.008 * np.clip(age - 25, 0, 30)) * (1 + 0.06 * education)
    spread = np.exp(draw.normal(0, 0.28, len(age)) + 0.5 * (draw.random(len(age)) < 0.01))
    income = np.round(grown * spread * np.where(hours == MISSING, 40, hours) / 4000).astype(np.int64) * 100
    silent = draw.random(len(age)) < np.where(income > 120_000, 0.2, 1 / 12)
    return np.where(silent | (occupation == 0), MISSING, income)


def _some(draw: np.random.Generator, codes: Ints, share: float) -> Ints:
    """Make a share of the answers missing."""
    return np.where(draw.random(len(codes)) < share, MISSING, codes)


def _words(codes: Ints, words: tuple[str, ...]) -> Column:
    return renumber_codes(codes, words)


def _numbers(numbers: Ints) -> Column:
    """Return non-negative integers as a column; MISSING is no answer."""
    return renumber_codes(numbers, tuple(range(int(numbers.max()) + 1)))
