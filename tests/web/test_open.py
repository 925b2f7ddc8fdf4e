"""The page "Open": what was understood, each choice, roles of columns, and errors beside their row."""

import re

import pytest

import shoal
from shoal.errors import BadFile
from shoal.web.workspace import ROLES
from web_site import read_text

LINKS = "from,to,kind\nAnn,Bob,mail\nBob,Cem,call\nCem,Dan,mail\nDan,Ann,call\nAnn,Cem,mail\n"
PEOPLE = "name,age,town\nAnn,30,Rome\nBob,40,Rome\nCem,30,Oslo\nDan,40,Oslo\n"


@pytest.fixture
def change(site):
    """Send choices for a data set as its form does, and wait until it has been read again."""

    def send(opened, path="reading", **fields):
        answer = site.post(f"/data/{opened.key}/open/{path}", fields, headers={"hx-request": "true"})
        site.finish(opened)
        return answer

    return send


def show(site, opened):
    """Return the page as a reload shows it."""
    answer = site.get(f"/data/{opened.key}/open")
    assert answer.status_code == 200
    return answer.text


def find_chosen(page, name):
    """Return the value of the chosen option of a choice, and None if the choice is not offered."""
    found = re.search(rf'<select name="{name}">(.*?)</select>', page, re.DOTALL)
    return found and re.search(r'<option value="([^"]*)" selected>', found.group(1)).group(1)


def test_the_first_rows_are_shown_with_what_was_understood(site):
    opened = site.upload("mails.csv", LINKS)
    page = show(site, opened)
    text = read_text(page)
    assert "4 people, 5 links" in text
    assert "from first end" in text
    assert "to second end" in text
    assert "kind not used" in text
    assert re.search(r"2 Ann Bob mail 3 Bob Cem call", text)
    assert find_chosen(page, "first") == "0"
    assert find_chosen(page, "second") == "1"
    assert find_chosen(page, "direction") == find_chosen(page, "kind") == find_chosen(page, "separator") == ""
    assert "suggest a direction" in text
    assert opened.notes
    assert all(note.split(":")[0] in text for note in opened.notes)


CHOICES = [
    ({"direction": "directed"}, {"directed": True}),
    ({"kind": "kind"}, {"kind": "kind"}),
    ({"first": "1", "second": "2"}, {"columns": (1, 2)}),
    ({"header": "no"}, {"header": False}),
    ({"separator": "semicolon"}, {"separator": "semicolon"}),
    ({"encoding": "latin-1"}, {"encoding": "latin-1"}),
]


@pytest.mark.filterwarnings("ignore::shoal.errors.Notice")
@pytest.mark.parametrize(("fields", "options"), CHOICES, ids=",".join)
def test_each_choice_changes_what_is_read_and_is_kept(site, change, tmp_path, fields, options):
    opened = site.upload("mails.csv", LINKS)
    first = opened.jobs["read"]
    assert change(opened, sent="1", **fields).status_code == 200
    assert opened.jobs["read"] is not first
    place = tmp_path / "mails.csv"
    place.write_text(LINKS)
    if "separator" in options:
        with pytest.raises(BadFile) as caught:
            shoal.read_graph(place, **options)
        assert opened.jobs["read"].error == str(caught.value).replace(str(place), "mails.csv")
        assert opened.data is None
    else:
        assert opened.data == shoal.read_graph(place, **options)
    page = show(site, opened)
    for name, value in fields.items():
        assert find_chosen(page, name) == value
    again = opened.jobs["read"]
    change(opened, sent="1", **fields)
    assert opened.jobs["read"] is again  # the same choice is not read once more


def test_links_from_a_person_to_themselves_are_dropped_if_asked(site, change):
    opened = site.upload("loops.csv", "a,b\nx,y\ny,z\nz,z\nx,x\n")
    assert opened.data is None
    assert "loop" in opened.jobs["read"].error
    change(opened, sent="1", drop_loops="on")
    assert opened.data.m == 3
    assert 'name="drop_loops" checked' in show(site, opened)
    change(opened, sent="1")
    assert opened.data is None


def test_numbers_of_a_kind_are_grouped(site, change):
    opened = site.upload("calls.csv", "a,b,length\nx,y,1\ny,z,5\nz,x,50\n")
    change(opened, sent="1", kind="length", bins="0,10,100")
    assert len(opened.data.kinds) == 2
    assert 'value="0,10,100"' in show(site, opened)
    change(opened, sent="1", kind="")
    assert not opened.data.kinds
    assert opened.reading.bins is None


def test_a_file_with_one_row_per_person_can_be_read_as_a_table(site, change):
    opened = site.upload("people.csv", PEOPLE)
    change(opened, sent="1", what="table")
    assert isinstance(opened.data, shoal.Table)
    assert opened.data.n == 4
    change(opened, sent="1", what="table", key="name")
    assert list(opened.data.names) == ["Ann", "Bob", "Cem", "Dan"]
    page = show(site, opened)
    assert find_chosen(page, "key") == "name"
    assert find_chosen(page, "what") == "table"
    change(opened, what="links")
    assert opened.reading.key is None


def test_equal_ends_are_refused_in_plain_words(site, change):
    opened = site.upload("mails.csv", LINKS)
    before = opened.reading
    answer = change(opened, first="1", second="1")
    assert answer.status_code == 400
    assert "different columns" in answer.text
    assert opened.reading == before


def test_fields_that_no_form_sends_do_no_harm(site, change):
    opened = site.upload("mails.csv", LINKS)
    for fields in (
        {"first": "-1", "second": "x"},
        {"first": "99", "second": "98"},
        {"first": "9" * 5_000, "second": "1"},
        {"encoding": "rot13"},
        {"encoding": "nonsense"},
        {"separator": "xyz"},
        {"sheet": "none"},
        {"kind": "99"},
        {"kind": "kind", "bins": "hierarchy:/etc/passwd"},
        {"key": "<script>"},
        {"file": "/etc/passwd", "people": "/etc/passwd"},
    ):
        change(opened, **fields)
        page = show(site, opened)
        assert "bug in shoal" not in page, fields
        assert "root:" not in page
        assert "<script>" not in page
        change(opened, first="0", second="1", encoding="", separator="", sheet="", kind="", key="")
        assert opened.data is not None, fields


# Roles.


def test_roles_are_guessed_and_chosen(site, change):
    rows = "".join(f"{name},{name.lower()}@x.org,{i % 2},{i}\n" for i, name in enumerate(["Ann", "Bob", "Cem", "Dan"]))
    opened = site.upload("mails.csv", LINKS, people=("people.csv", f"name,mail,sex,<b>\n{rows}"))
    assert opened.roles == {"mail": "identifier", "sex": "quasi-identifier", "<b>": "quasi-identifier"}
    change(
        opened,
        "roles",
        **{"role-1": "sensitive", "role-2": "other", "role-0": "nonsense", "role-9": "other", "role--1": "other"},
    )
    assert opened.roles == {"mail": "identifier", "sex": "sensitive", "<b>": "other"}
    assert opened.policy.columns == ()
    assert opened.policy.sensitive == ("sex",)
    page = show(site, opened)
    assert [
        find_chosen(page.replace(f' aria-label="Role of {name}"', "").replace(f' id="role-{i}"', ""), f"role-{i}")
        for i, name in enumerate(["mail", "sex", "&lt;b&gt;"])
    ] == list(opened.roles.values())
    assert all(word in read_text(page) for word in ROLES)
    change(opened, direction="directed")
    assert opened.roles == {"mail": "identifier", "sex": "sensitive", "<b>": "other"}  # kept when it is read again


# A table about the people.


def test_a_table_about_the_people_is_joined_and_left_out(site, change):
    opened = site.upload("mails.csv", LINKS, people=("people.csv", PEOPLE))
    assert list(opened.data.attributes) == ["age", "town"]
    page = show(site, opened)
    text = read_text(page)
    assert "The table people.csv" in text
    assert "2 Ann 30 Rome" in text
    assert find_chosen(page, "key") == "name"
    change(opened, key="town")
    assert opened.reading.key == "town"
    assert opened.data is None  # no person is called Rome
    assert opened.jobs["read"].error.split(":")[0].split(",")[0] in show(site, opened)
    change(opened, key="name")
    assert list(opened.data.attributes) == ["age", "town"]
    change(opened, "no-people")
    assert list(opened.data.attributes) == []
    assert set(opened.material.files) == {"mails.csv"}
    assert "The table people.csv" not in read_text(show(site, opened))


def test_a_second_table_replaces_the_first(site):
    opened = site.upload("mails.csv", LINKS, people=("people.csv", PEOPLE))
    answer = site.ask(
        "POST", f"/data/{opened.key}/open/people?name=others.csv", body=b"name,job\nAnn,x\nBob,y\nCem,x\nDan,y\n"
    )
    assert answer.json() == {"go": f"/data/{opened.key}/open"}
    site.finish(opened)
    assert list(opened.data.attributes) == ["job"]
    assert set(opened.material.files) == {"mails.csv", "others.csv"}


def test_a_table_needs_a_network_of_its_own(site):
    example = site.open_example("karate")
    assert site.ask("POST", f"/data/{example.key}/open/people?name=people.csv", body=b"x").status_code == 400
    opened = site.upload("mails.csv", LINKS)
    twice = site.ask("POST", f"/data/{opened.key}/open/people?name=mails.csv", body=b"x")
    assert twice.status_code == 400
    assert "mails.csv" in twice.text
    assert opened.data is not None
    too_large = site.ask("POST", f"/data/{opened.key}/open/people?name=p.csv", body=b"x" * 1_000_001)
    assert too_large.status_code == 413


# Errors.


def test_an_error_is_shown_beside_its_row(site):
    rows = "".join(f"p{i},p{i + 1}\n" for i in range(100))
    opened = site.upload("broken.csv", f"from,to\n{rows}p7\n{rows}")
    assert opened.data is None
    page = show(site, opened)
    row, reason = re.search(r'<tr class="bad">(.*?)</tr>\s*<tr class="why">(.*?)</tr>', page, re.DOTALL).groups()
    assert re.search(r">102<", row)
    assert "p7" in row
    assert "102" in reason
    assert "p99" in read_text(page.partition('<tr class="bad">')[0])  # the rows before it
    assert "See the risk" not in page


def test_an_error_in_the_table_about_the_people_is_shown_beside_its_row(site):
    opened = site.upload("mails.csv", LINKS, people=("people.csv", PEOPLE + "Eve,1\nFay,30,Rome\n"))
    assert opened.data is None
    page = show(site, opened)
    row, reason = re.search(r'<tr class="bad">(.*?)</tr>\s*<tr class="why">(.*?)</tr>', page, re.DOTALL).groups()
    assert re.search(r">6<", row)
    assert "Eve" in row
    assert "people.csv" in reason


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("empty.csv", b""),
        ("nothing.csv", b"\n\n"),
        ("binary.csv", bytes(range(256)) * 4),
        ("unknown.xyz", b"hello"),
        ("noending", b"a,b\n"),
        ("broken.graphml", b"<graphml><graph>"),
        ("bomb.graphml", b'<!DOCTYPE x [<!ENTITY a "b">]><graphml>&a;</graphml>'),
        ("broken.json", b"{"),
        ("broken.xlsx", b"PK\x03\x04 no"),
        ("broken.parquet", b"PAR1"),
        ("broken.csv.gz", b"\x1f\x8b no"),
        ("notes.txt", b"This is a text.\nIt has no links at all, but it has commas.\n"),
    ],
)
def test_a_file_that_cannot_be_read_is_explained(site, name, body):
    opened = site.upload(name, body)
    page = show(site, opened)
    assert "bug in shoal" not in page
    if opened.data is None:
        assert "Not read" in page
        assert 'role="alert"' in page
        assert site.get(f"/data/{opened.key}/risk").headers["location"] == f"/data/{opened.key}/open"
        assert site.get(f"/data/{opened.key}/take-away").status_code == 303


def test_reading_shows_that_it_works_and_can_be_canceled_and_begun_again(site, change):
    with site.hold():
        opened = site.upload("mails.csv", LINKS, wait=False)
        page = show(site, opened)
        assert "Reading" in page
        assert "Cancel" in page
        answer = site.post(f"/data/{opened.key}/open/cancel", headers={"hx-request": "true"})
    assert opened.jobs["read"].state == "canceled"
    for page in (answer.text, show(site, opened)):
        assert "Reading was canceled" in page
        assert ">Cancel<" not in page
    site.finish(opened)
    assert opened.data is None
    assert find_chosen(show(site, opened), "first") == "0"  # the choices are there
    change(opened)
    assert opened.data is not None
