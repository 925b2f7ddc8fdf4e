"""Data sets whose files are taken away, and what the scripts of the page make of the same files."""

from dataclasses import dataclass, field

PEOPLE = "name,age,town,ill\nAnn,30,Rome,yes\nBob,40,Rome,no\nCem,30,Oslo,no\nDan,40,Oslo,yes\nEve,40,Oslo,no\n"
MAILS = "from,to,kind\n" + "".join(f"p{a},p{b},mail\n" for a in range(8) for b in range(8) if a != b)
SENDERS = "name,age,town,ill\n" + "".join(f"p{a},30,Rome{a % 3},{a % 2}\n" for a in range(8))
CLIQUE = "".join(f"p{a},p{b}\n" for a in range(8) for b in range(a))
NODES = "".join(f'<node id="n{i}"><data key="d">{"xy"[i % 2]}</data></node>' for i in range(8))
EDGES = "".join(f'<edge source="n{a}" target="n{b}"/>' for a in range(8) for b in range(a))
GRAPHML = f"""<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d" for="node" attr.name="a,b:c" attr.type="string"/>
<graph edgedefault="undirected">{NODES}{EDGES}</graph></graphml>"""


@dataclass(frozen=True)
class Taking:
    """A data set, and the choices that are made on its pages."""

    name: str
    body: str
    people: tuple[str, str] | None = None
    reading: dict[str, str] = field(default_factory=dict)
    roles: dict[str, str] = field(default_factory=dict)
    scenario: str = "agreement"
    k: int = 0

    def open(self, site):
        """Open the data set, and make the choices."""
        opened = site.upload(self.name, self.body, people=self.people)
        if self.reading:
            site.post(f"/data/{opened.key}/open/reading", self.reading)
            site.finish(opened)
        assert opened.data is not None, opened.jobs["read"].error
        at = {name: i for i, name in enumerate(opened.roles)}
        site.post(f"/data/{opened.key}/open/roles", {f"role-{at[name]}": role for name, role in self.roles.items()})
        site.post(f"/data/{opened.key}/risk/scenario", {"scenario": self.scenario})
        if self.k:
            site.get(f"/data/{opened.key}/risk/counts?k={self.k}")
        return opened

    def write_files(self, folder):
        """Write the files of the data set."""
        for name, text in [(self.name, self.body), *([self.people] if self.people else [])]:
            (folder / name).write_text(text, newline="")


def make_downloads(site, opened):
    """Make both files on the page "Take away", and return the downloads."""
    for name in ("report", "people"):
        assert site.post(f"/data/{opened.key}/take-away/make/{name}").status_code == 200
    site.finish(opened)
    answers = [site.get(f"/data/{opened.key}/take-away/download/{name}") for name in ("report", "people")]
    assert [answer.status_code for answer in answers] == [200, 200], opened.jobs["report"].error
    return [answer.content for answer in answers]


# It passes, because a report on data that fails takes seconds to try methods.
HARD = Taking(
    'it\'s "my" data & <b>\u00fc\u65e5<b>$HOME.csv',
    MAILS,
    ("the people; rm.csv", SENDERS),
    {"direction": "directed", "kind": "kind"},
    {"town": "other", "ill": "sensitive"},
    k=3,
)
CASES = {
    "hard": HARD,
    "clique": Taking("clique.csv", CLIQUE, reading={"header": "no"}),
    "graphml": Taking("net.graphml", GRAPHML, scenario="internal"),
    "table": Taking("-people.csv", PEOPLE, reading={"what": "table", "key": "name"}, roles={"ill": "sensitive"}, k=2),
    "returns": Taking("returns.csv", CLIQUE.replace("p3", '"p\r3"').replace("p4", '"=p,4\n"')),
}
