"""The commands on tables: risk, levels, why, check, minimal-uniques, confusion, anonymize."""

import json
import stat

import pytest

import shoal
from messages import tells

PEOPLE = """id,age,sex,zip,income
Ann,30,f,02139,low
Bob,30,m,02139,low
Cid,30,f,02139,low
Dan,41,m,02141,high
Eve,41,f,02141,low
Fay,,f,02141,high
"""
KEY = ("--key", "id")


@pytest.fixture
def people(tmp_path):
    file = tmp_path / "people.csv"
    file.write_text(PEOPLE)
    return file


def test_risk_of_a_table(shell, people):
    code, out, err = shell("risk", people, "--columns", "age,sex", "--sensitive", "income", "-k", "2", *KEY)
    assert (code, err) == (0, "")
    lines = [line.split() for line in out.splitlines()]
    assert lines[0][0] == "Table(6"
    rows = {line[0]: line[1:] for line in lines if line}
    assert rows["some-columns:1:age,sex"][:3] == ["1", "1", "1"]
    assert rows["columns:age,sex"][:3] == ["1", "4", "4"]
    assert rows["prosecutor"][:2] == ["1.000", "5.0"]
    assert rows["income"][:2] == ["1", "1.00"]


def test_a_table_with_all_columns(shell, people):
    _, out, _ = shell("risk", people, "--table", *KEY, "-k", "2")
    assert "some-columns:3 " in out
    assert "columns:age,sex,zip,income " in out


def test_risk_of_a_table_for_programs(shell, people):
    _, out, _ = shell("risk", people, "--columns", "age,sex", "--sensitive", "income", "--json", *KEY)
    data = json.loads(out)
    assert data["graph"]["records"] == 6
    assert data["table"]["columns"] == ["age", "sex"]
    assert [row["name"] for row in data["table"]["attackers"]] == ["prosecutor", "journalist", "marketer"]
    assert data["table"]["sensitive"][0]["distinct"] == 1


def test_samples_and_populations(shell, people, tmp_path):
    _, out, _ = shell("risk", people, "--columns", "age", "--fraction", "0.1")
    assert "estimates for a random sample" in out
    town = tmp_path / "town.csv"
    town.write_text("age,x\n" + "30,1\n" * 20 + "41,1\n" * 10 + ",1\n" * 5)
    _, out, _ = shell("risk", people, "--columns", "age", "--population", town)
    journalist = next(line.split() for line in out.splitlines() if line.startswith("journalist"))
    assert journalist[1] == "0.200"


def test_levels_of_a_table(shell, people):
    code, out, _ = shell("levels", people, "--columns", "age,sex", "-k", "2", *KEY)
    assert code == 0
    assert "1 known column" in out
    assert "Algorithm" not in out
    data = json.loads(shell("levels", people, "--columns", "age,sex", "-k", "-,2", "--json", *KEY)[1])
    assert data["k"] == [None, 2]
    assert data["histogram"] == {"1": 4, "every": 2}
    assert data["upper_bound"] is None


def test_why_says_where_a_search_of_columns_was_cut_short(shell, tmp_path, monkeypatch):
    """Two columns expose the record 5, so "any knowledge leaves at least 2 candidates" would be false."""
    for name in ("NODES", "WORTH", "TRIED"):
        monkeypatch.setattr(f"shoal.core.column_sets.{name}", 1)
    table = tmp_path / "bits.csv"
    rows = ["0001010", "1010000", "0111010", "0000000", "0000010", "0011000", "0000001"]
    lines = ["id,q0,q1,q2,q3,q4,q5,q6", *(",".join([str(i), *row]) for i, row in enumerate(rows))]
    table.write_text("\n".join(lines))
    code, out, _ = shell("why", table, "5", "--columns", "q0,q1,q2,q3,q4,q5,q6", "-k", "2", *KEY)
    assert code == 0
    assert tells(out, "At least 2 of q0, q1", "The search was cut short")
    monkeypatch.undo()
    _, out, _ = shell("why", table, "5", "--columns", "q0,q1,q2,q3,q4,q5,q6", "-k", "2", *KEY)
    assert tells(out, "Only 5 fits", "No smaller set of columns")


def test_why_a_record_falls(shell, people):
    _, out, _ = shell("why", people, "Fay", "--columns", "age,sex", "-k", "2", *KEY)
    assert out == "Fay has no age. Only Fay fits. No smaller set of columns leaves fewer than 2 candidates.\n"
    _, out, _ = shell("why", people, "Ann", "--columns", "age,sex", "-k", "2", *KEY)
    assert out == "Any knowledge of age, sex leaves at least 2 candidates for Ann.\n"
    _, out, _ = shell("why", people, "Ann", "--knows", "columns:age", "--table", *KEY)
    assert out == "Ann has age 30. 3 records fit: Ann, Bob and Cid.\n"


def test_check_a_table(shell, people):
    known = ("--knows", "columns:zip", "--table")
    assert shell("check", people, *known, "--at-least", "3")[0] == 0
    code, out, _ = shell("check", people, *known, "--at-least", "4")
    assert code == 1
    assert tells(out, "FAIL. ", "(columns:zip)", "6 of 6 records have fewer than 4 candidates.", "has 3 members.\n")


def test_minimal_uniques(shell, people, tmp_path):
    rows = tmp_path / "rows.csv"
    code, out, _ = shell("minimal-uniques", people, "--columns", "age,sex", "--csv", rows, *KEY)
    assert code == 0
    assert "age + sex" in out
    assert rows.read_text().splitlines()[:2] == ["name,smallest,sets,score", "Ann,0,0,0"]
    assert rows.read_text().splitlines()[-1] == "Fay,1,1,1"
    data = json.loads(shell("minimal-uniques", people, "--columns", "age,sex", "--json", *KEY)[1])
    assert data["sets"] == [{"columns": ["age"], "records": 1}, {"columns": ["age", "sex"], "records": 3}]
    assert "exists" in shell("minimal-uniques", people, "--csv", rows)[2]


def test_confusion_of_two_files(shell, people, tmp_path):
    safe, picture = tmp_path / "safe.csv", tmp_path / "curve.svg"
    assert (
        shell("anonymize", people, "--method", "microaggregate", "-k", "3", "--columns", "age,sex", "-o", safe)[0] == 0
    )
    code, out, _ = shell(
        "confusion", people, safe, "--method", "exact", "--columns", "zip", "--t", "1/3", "--plot", picture
    )
    assert code == 0
    assert "conf = 3 at t = 0.3333" in out
    assert "<svg" in picture.read_text()
    data = json.loads(shell("confusion", people, safe, "--method", "distance", "--columns", "age", "--json")[1])
    assert data["curve"][-1][0] == 1.0
    assert "must be a number such as" in shell("confusion", people, safe, "--method", "exact", "--t", "x")[2]
    assert "There is no re-identification method" in shell("confusion", people, safe, "--method", "magic")[2]
    secret = tmp_path / "secret.csv"
    assert "uniform:KNOWLEDGE" in shell("confusion", people, safe, "--method", "exact", "--mapping", secret)[2]


@pytest.mark.parametrize(
    ("method", "extra", "knows"),
    [
        ("microaggregate", ("-k", "3", "--columns", "age,sex"), "columns:age,sex"),
        ("mondrian", ("-k", "3", "--columns", "age,sex"), "columns:age,sex"),
        ("recode", ("-k", "3", "--columns", "age,sex"), "columns:age,sex"),
        ("hide-columns", ("-k", "2", "-l", "2", "--columns", "age,sex"), "some-columns:2:age,sex"),
    ],
)
def test_what_is_written_keeps_its_promise(shell, people, tmp_path, method, extra, knows):
    safe, secret = tmp_path / "safe.csv", tmp_path / "secret.csv"
    code, out, err = shell("anonymize", people, "--method", method, *extra, "-o", safe, "--mapping", secret, *KEY)
    assert code == 0, err
    assert "Verified:" in out
    assert "without a guarantee: zip, income" in err
    assert shell("check", safe, "--table", "--knows", knows, "--at-least", extra[1])[0] == 0
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    said = json.loads((tmp_path / "safe.csv.release.json").read_text())
    assert said["method"]["name"] == method
    assert "Ann" not in safe.read_text()


def test_swapping_and_distorting_from_the_shell(shell, people, tmp_path):
    safe = tmp_path / "safe.csv"
    swap = ("--method", "swap-within", "--set", "classes=zip", "--columns", "sex")
    code, _, err = shell("anonymize", people, *swap, "-o", safe, *KEY)
    assert code == 2
    assert "unique in its class" in err
    assert not safe.exists()
    code, out, _ = shell("anonymize", people, *swap, "--set", "allow_unique=True", "-o", safe, *KEY)
    assert code == 0
    assert "Guarantee: nothing." in out
    assert "unique in their class and still identif" in out
    before, after = shoal.read_table(people), shoal.read_table(safe)
    assert sorted(before["sex"]) == sorted(after["sex"])


@pytest.mark.slow
def test_a_network_with_its_table(shell, tmp_path):
    out = tmp_path / "safe.csv", tmp_path / "people.csv", tmp_path / "secret.csv"
    code, text, _ = shell(
        "anonymize", "example:village", "--method", "confuse", "-k", "3", "-o", out[0], "--attributes-output", out[1],
        "--mapping", out[2], "--set", "attributes=microaggregate",
    )  # fmt: skip
    assert code == 0
    assert "Changed:" in text
    known = ("--attributes", out[1], "--knows", "adjacency", "--knows", "adjacency+columns:age,sex")
    assert shell("check", out[0], *known, "--at-least", "3")[0] == 0
    code, text, _ = shell("risk", "example:village", "--columns", "age,sex", "-k", "2")
    assert "columns:age,sex+neighbors:2" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--method", "microaggregate"), "needs -k"),
        (("--method", "microaggregate", "-k", "3", "-l", "2"), "has no option -l. It takes: -k, --columns"),
        (("--method", "microaggregate", "-k", "3", "--set", "represntative=mean"), "Did you mean 'representative'"),
        (("--method", "microaggregate", "-k", "3", "--set", "x"), "must be NAME=VALUE"),
        (
            ("--method", "microaggregate", "-k", "3", "--fill", "budget"),
            "has no option --fill. It takes: -k, --columns",
        ),
        (
            ("--method", "microaggregate", "-k", "3", "--set", "k=4"),
            "'k' must be given once. Got it again by --set k=4",
        ),
        (("--method", "swap-within", "--columns", "sex"), "--set classes"),
        (("--method", "microaggregate", "-k", "9"), "at most the number of records, 6"),
        (("--method", "microaggregate", "-k", "x"), "is not a whole number"),
        (("--method", "mondrian", "-k", "2", "--columns", "aeg"), "Did you mean 'age'"),
        (("--method", "mondrian", "-k", "2", "--columns", "age,,sex"), "single commas"),
        (("--method", "nothing", "-k", "2"), "Invalid value for '--method'"),
    ],
)
def test_what_cannot_be_done_says_why_and_writes_nothing(shell, people, tmp_path, arguments, message):
    code, _, err = shell("anonymize", people, *arguments, "-o", tmp_path / "safe.csv")
    assert code == 2
    assert message in err
    assert [file.name for file in tmp_path.iterdir()] == ["people.csv"]


def test_a_method_that_draws_nothing_takes_a_seed_for_the_order(shell, people, tmp_path):
    ask = ("anonymize", people, "--method", "mondrian", "-k", "3", "--columns", "age", "--seed", 2**70, *KEY, "-o")
    assert [shell(*ask, tmp_path / name)[0] for name in ("a.csv", "b.csv")] == [0, 0]
    assert (tmp_path / "a.csv").read_text() == (tmp_path / "b.csv").read_text()


def test_a_column_is_known_or_sensitive(shell, people):
    assert "not both" in shell("risk", people, "--columns", "age", "--sensitive", "age")[2]
    assert "Did you mean 'income'" in shell("risk", people, "--columns", "age", "--sensitive", "incom")[2]


def test_marks_of_missing_values(shell, tmp_path):
    file = tmp_path / "adult.csv"
    file.write_text("age,work\n30,?\n30,?\n41,x\n")
    _, out, _ = shell("why", file, "0", "--knows", "columns:work", "--table", "--missing", "?")
    assert out == "0 has no work. 2 records fit: 0 and 1.\n"


def released(shell, people, folder, columns):
    """Write a release of the people and its mapping, and return both files."""
    safe, secret = folder / "safe.csv", folder / "secret.csv"
    ask = ("anonymize", people, "--method", "mondrian", "-k", "3", "--columns", columns)
    assert shell(*ask, "-o", safe, "--mapping", secret, *KEY)[0] == 0
    return safe, secret


def test_a_released_table_is_attacked(shell, people, tmp_path):
    safe, secret = released(shell, people, tmp_path, "age")
    attack = ("--original", people, "--mapping", secret, *KEY, "--knows", "columns:sex,zip")
    code, out, err = shell("risk", safe, "--table", *attack, "-k", "2")
    assert code == 0, err
    assert "misled" in out


def test_nothing_is_written_over_what_is_read_and_one_place_holds_one_file(shell, people, tmp_path):
    safe = tmp_path / "safe.csv"
    for extra in (("-o", people), ("-o", safe, "--mapping", people)):
        code, _, err = shell(
            "anonymize", people, "--method", "mondrian", "-k", "3", "--columns", "age", *extra, "--force"
        )
        assert code == 2
        assert "is not overwritten" in err
    code, _, err = shell(
        "anonymize", people, "--method", "mondrian", "-k", "3", "--columns", "age", "-o", safe, "--mapping", safe
    )
    assert code == 2
    assert "different paths" in err
    assert people.read_text() == PEOPLE
    assert [file.name for file in tmp_path.iterdir()] == ["people.csv"]


def test_a_release_is_written_whole_or_not_at_all(shell, people, tmp_path):
    safe = tmp_path / "safe.csv"
    ask = ("anonymize", people, "--method", "mondrian", "-k", "3", "--columns", "age", "-o", safe)
    for extra in (("--mapping", tmp_path / "no" / "secret.csv"), ("--attributes-output", tmp_path / "more.csv")):
        assert shell(*ask, *extra)[0] == 2
        assert [file.name for file in tmp_path.iterdir()] == ["people.csv"]


def test_who_is_named_is_said_loudly_and_can_be_left_out(shell, people, tmp_path):
    ask = ("anonymize", people, "--method", "mondrian", "-k", "3", "--columns", "age", "-o")
    assert "EVERY PERSON HAS A UNIQUE VALUE in id" in shell(*ask, tmp_path / "a.csv")[2]
    for name, extra in (("b.csv", KEY), ("c.csv", ("--leave-out", "id"))):
        _, _, err = shell(*ask, tmp_path / name, *extra)
        assert "EVERYBODY" not in err
        assert "Ann" not in (tmp_path / name).read_text()
    assert "'ids'" in shell(*ask, tmp_path / "d.csv", "--leave-out", "ids")[2]
    assert shell("risk", people, "--table", "--key", "ids")[0] == 2


def test_values_that_were_recoded_cannot_be_compared(shell, people, tmp_path):
    safe, secret = released(shell, people, tmp_path, "age,sex")
    attack = ("--table", "--original", people, "--mapping", secret, *KEY)
    code, out, _ = shell("check", safe, *attack, "--knows", "some-columns:2:age,sex", "--at-least", "2")
    assert code == 2
    assert "If values were recoded" in out
    _, out, err = shell("risk", safe, *attack, "--knows", "columns:age,sex")
    assert "If they were recoded" in err
    assert "prosecutor" not in out
    _, out, _ = shell("why", safe, "Ann", *attack, "--knows", "columns:age,sex")
    assert "recoded" in out


def test_codes_are_not_averaged(shell, people, tmp_path):
    file = tmp_path / "codes.csv"
    file.write_text("major,age\n" + "".join(f"{v % 3},{v}\n" for v in range(12)))
    ask = ("anonymize", file, "--method", "microaggregate", "-k", "4", "--columns", "major", "-o")
    shell(*ask, tmp_path / "a.csv", "--texts", "major")
    assert set(shoal.read_table(tmp_path / "a.csv")["major"]) <= {"0", "1", "2", 0, 1, 2}


def test_a_mark_for_a_missing_value_is_noticed(shell, tmp_path):
    file = tmp_path / "x.csv"
    file.write_text("age,sex\n" + "".join(f"{v},f\n" for v in range(20)) + "?,m\n")
    _, _, err = shell("risk", file, "--columns", "age")
    assert tells(err, "'age'", "'?'")
    assert "read as text" not in shell("risk", file, "--columns", "age", "--missing", "?")[2]


def test_an_interrupt_inside_a_compiled_loop_is_an_interrupt(shell, people, monkeypatch):
    from shoal.cli.commands import risk

    def stopped(*_):
        raise SystemError("returned a result with an exception set") from KeyboardInterrupt()

    monkeypatch.setattr(risk, "assess_timed", stopped)
    code, _, err = shell("risk", people, "--columns", "age")
    assert (code, err) == (130, "interrupted; nothing was written.\n")


@pytest.mark.slow
def test_methods_inside_methods_have_options_too(shell, tmp_path):
    out = ("-o", tmp_path / "safe.graphml")
    ask = ("anonymize", "example:village", "--method", "confuse", "-k", "3")
    code, text, err = shell(*ask, "--set", "attributes=swap-within:allow_unique=true", *out)
    assert code == 0, err
    assert "(though not each value)" in text
    assert shell(*ask, "--set", "attributes=swap-within", "-o", tmp_path / "x.graphml")[0] == 2


def test_confusion_says_what_it_means(shell, people, tmp_path):
    _, out, _ = shell("confusion", people, people, "--method", "distance", "--columns", "age,sex", "--t", "0.9")
    assert "1 individual reaches" in out
    safe = tmp_path / "safe.csv"
    shell("anonymize", people, "--method", "mondrian", "-k", "6", "--columns", "age,sex", "-o", safe)
    _, out, _ = shell("confusion", people, safe, "--method", "exact", "--columns", "age,sex", "--t", "0.9")
    assert "6 individuals" in out
    assert "The methods are calibrated" in out


def test_levels_of_the_columns_of_a_network(shell, tmp_path):
    code, out, _ = shell("levels", "example:village", "--columns", "age,sex", "-k", "2")
    assert code == 0
    assert "known column" in out
    assert (
        "must come without"
        in shell("levels", "example:village", "--columns", "age", "-k", "2", "--knows", "neighbors")[2]
    )


def test_check_takes_the_columns_of_a_table(shell, people):
    assert shell("check", people, "--columns", "zip", "--at-least", "3")[0] == 0
    assert (
        "must begin with a line of column names"
        in shell("check", people, "--columns", "zip", "--at-least", "3", "--no-header")[2]
    )


def test_a_cell_that_was_suppressed_makes_an_attack_blind(shell, tmp_path):
    """Whoever reads the blank as suppressed is left with one record for (41, m), though 41 and m are there."""
    before, after = tmp_path / "o.csv", tmp_path / "p.csv"
    before.write_text("age,sex\n41,m\n41,f\n41,f\n30,m\n30,m\n")
    after.write_text("age,sex\n,m\n41,f\n41,f\n30,m\n30,m\n")
    attack = ("check", after, "--table", "--original", before, "--knows", "some-columns:2", "--at-least", "2")
    code, out, _ = shell(*attack)
    assert code == 1  # the blank itself is unique in the release
    assert tells(out, "CANNOT TELL", "1 of 5 records", "By facts from the release: FAIL")


def test_trim_drops_blanks_and_counts_them(shell, tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("id,x\n1,a\n2,a \n")
    code, out, err = shell("risk", file, "--columns", "x", "--json")
    assert (code, json.loads(out)["risks"][0]["k"]) == (0, 1)
    assert "with blanks at their ends: 1" in err
    assert "--trim" in err
    code, out, err = shell("risk", file, "--columns", "x", "--json", "--trim")
    assert (code, json.loads(out)["risks"][0]["k"]) == (0, 2)
    assert "blanks dropped at the ends of cells: 1" in err


def test_trim_is_for_attributes_too(shell, tmp_path):
    (tmp_path / "e.csv").write_text("p,q\nq,r\n")
    (tmp_path / "a.csv").write_text("name,x\np,a\nq,a \nr,a\n")
    asked = ("risk", tmp_path / "e.csv", "--knows", "columns:x", "--json", "--attributes", tmp_path / "a.csv")
    assert json.loads(shell(*asked)[1])["risks"][0]["k"] == 1
    assert json.loads(shell(*asked, "--trim")[1])["risks"][0]["k"] == 3
    code, _, err = shell("risk", tmp_path / "e.csv", "--trim")
    assert (code, "'trim'" in err) == (2, True)
    about = ("--attributes", tmp_path / "a.csv", "--trim", "--original", tmp_path / "e.csv")
    assert shell("risk", tmp_path / "e.csv", "--knows", "degree", *about)[0] == 0


@pytest.fixture
def wide(tmp_path):
    """A table of 1,500 columns: 1,124,250 pairs of them."""
    file = tmp_path / "wide.csv"
    rows = [[f"c{at}" for at in range(1500)], ["0"] * 1500, ["1"] * 1500, ["1"] * 1500]
    file.write_text("\n".join(map(",".join, rows)) + "\n")
    return file


@pytest.mark.slow
def test_sets_of_very_many_columns_are_not_counted_and_that_is_said(shell, wide):
    code, out, err = shell("risk", wide, "--table", "-k", "2")
    assert code == 0
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines() if line.startswith("some-columns:")}
    assert rows["some-columns:1"][0] == "1"
    assert not {"some-columns:2", "some-columns:3"} & set(rows)
    assert tells(err, "not counted", "1,124,250 sets", "2", "561,375,500 sets", "3 of the 1,500 columns")
    assert "columns:c0,c1," in out
    assert "and 1,488 more" in out
    assert len(out) + len(err) < 3_000


@pytest.mark.slow
def test_few_of_very_many_columns_are_named(shell, wide):
    code, _, err = shell("risk", wide, "--columns", "nix")
    assert (code, "and 1,492 more" in err) == (2, True)
    assert len(err) < 1_000
    _, _, err = shell("risk", wide, "--drop-loops", "--knows", "degree")
    assert "and 1,490 more" in err
    assert len(err) < 1_500
