"""Well-known small networks, as text: a line for each vertex, with its neighbors that have a later line."""

from __future__ import annotations

KARATE = """\
0: 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 17, 19, 21, 31
1: 2, 3, 7, 13, 17, 19, 21, 30
2: 3, 7, 8, 9, 13, 27, 28, 32
3: 7, 12, 13
4: 6, 10
5: 6, 10, 16
6: 16
7:
8: 30, 32, 33
9: 33
10:
11:
12:
13: 33
14: 32, 33
15: 32, 33
16:
17:
18: 32, 33
19: 33
20: 32, 33
21:
22: 32, 33
23: 25, 27, 29, 32, 33
24: 25, 27, 31
25: 31
26: 29, 33
27: 33
28: 31, 33
29: 32, 33
30: 32, 33
31: 32, 33
32: 33
33:
"""

FLORENTINE = """\
Acciaiuoli: Medici
Medici: Barbadori, Ridolfi, Tornabuoni, Albizzi, Salviati
Castellani: Peruzzi, Strozzi, Barbadori
Peruzzi: Strozzi, Bischeri
Strozzi: Ridolfi, Bischeri
Barbadori:
Ridolfi: Tornabuoni
Tornabuoni: Guadagni
Albizzi: Guadagni, Ginori
Salviati: Pazzi
Pazzi:
Bischeri: Guadagni
Guadagni: Lamberteschi
Ginori:
Lamberteschi:
"""

DAVIS = """\
Evelyn Jefferson: E1, E2, E3, E4, E5, E6, E8, E9
Laura Mandeville: E1, E2, E3, E5, E6, E7, E8
Theresa Anderson: E2, E3, E4, E5, E6, E7, E8, E9
Brenda Rogers: E1, E3, E4, E5, E6, E7, E8
Charlotte McDowd: E3, E4, E5, E7
Frances Anderson: E3, E5, E6, E8
Eleanor Nye: E5, E6, E7, E8
Pearl Oglethorpe: E6, E8, E9
Ruth DeSand: E5, E7, E8, E9
Verne Sanderson: E7, E8, E9, E12
Myra Liddel: E8, E9, E10, E12
Katherina Rogers: E8, E9, E10, E12, E13, E14
Sylvia Avondale: E7, E8, E9, E10, E12, E13, E14
Nora Fayette: E6, E7, E9, E10, E11, E12, E13, E14
Helen Lloyd: E7, E8, E10, E11, E12
Dorothy Murchison: E8, E9
Olivia Carleton: E9, E11
Flora Price: E9, E11
E1:
E2:
E3:
E4:
E5:
E6:
E7:
E8:
E9:
E10:
E11:
E12:
E13:
E14:
"""

CLUBS = "HHHHHHHHHOHHHHOOHHOHOHOOOOOOOOOOOO"
"""For each member of the karate club the club after the split: H for Mr. Hi, O for the officer."""


def parse_links(text: str) -> tuple[list[str], list[tuple[str, str]]]:
    r"""Return the vertices of a network and its links.

    >>> parse_links("a: b, c\nb:\nc:")
    (['a', 'b', 'c'], [('a', 'b'), ('a', 'c')])
    """
    rows = [line.split(":") for line in text.splitlines()]
    links = [(name, other.strip()) for name, others in rows for other in others.split(",") if other]
    return [name for name, _ in rows], links
