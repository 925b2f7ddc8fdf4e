"""Scenarios on the command line: risk, check, recommend, anonymize and scenarios."""

import csv
import json
import re
import shlex
import stat

import networkx as nx
import pytest

import shoal
from messages import tells
from shoal.risk.scenario import PRESETS

pytestmark = pytest.mark.usefixtures("brief_searches")

OURS = """
name = "three friends"
base = "internal"
k = 4
allow = "10%"
decided_by = "Committee 7"

[[knows]]
spec = "degree"
sentence = "Friends count friends."
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_links(path, graph):
    path.write_text("source,target\n" + "".join(f"{a},{b}\n" for a, b in graph.edges), encoding="utf-8")


def write_ring(path, size=20):
    """Write a ring: every person has the same number of links, and 2 candidates by one neighbor."""
    write_links(path, nx.cycle_graph(size))


def read_rows(path):
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


# risk: one row per person, and who is exposed.


def test_the_rows_of_risk_are_private_and_sorted(place, shell):
    code, out, _ = shell("risk", "example:florentine", "--scenario", "internal", "--csv", "people.csv")
    file = place / "people.csv"
    assert (code, stat.S_IMODE(file.stat().st_mode)) == (0, 0o600)
    assert tells(out, "Written: people.csv", "private")
    rows = read_rows(file)
    names = shoal.examples.florentine().names
    assert sorted(row["name"] for row in rows) == sorted(names)
    assert (rows[0]["name"], rows[0]["reason"]) == ("Medici", "Medici has 6 links: 1 candidate.")
    fewest = [int(row["fewest"]) for row in rows]
    assert fewest == sorted(fewest) == [min(int(row[spec]) for spec in list(row)[3:-1]) for row in rows]
    before = file.read_bytes()
    code, _, err = shell("risk", "example:florentine", "--csv", "people.csv")
    assert (code, file.read_bytes(), tells(err, "people.csv", "--force")) == (2, before, True)
    assert shell("risk", "example:florentine", "--knows", "degree", "--csv", "people.csv", "--force")[0] == 0
    assert read_rows(file)[0].keys() == {"name", "fewest", "reason", "degree", "upper bounds"}


def test_a_row_of_risk_holds_names_as_they_are(place, shell):
    (place / "odd.csv").write_text('source,target\n"a,b","=1+1"\n"=1+1",\u202ec\n', encoding="utf-8")
    assert shell("risk", "odd.csv", "--knows", "degree", "--csv", "rows.csv")[0] == 0
    assert {row["name"] for row in read_rows(place / "rows.csv")} == {"a,b", "=1+1", "\u202ec"}


def test_risk_names_people_only_on_request(shell):
    hidden, named = (shell("risk", "example:florentine", *more)[1] for more in ([], ["--names"]))
    names = shoal.examples.florentine().names
    assert not any(name in hidden for name in names)
    assert tells(named, "The 5 most exposed", "Medici has 6 links.")
    assert hidden.count("Only vertex") >= 1


def test_the_most_exposed_are_shown_without_values_that_name_them(place, shell):
    (place / "people.csv").write_text("name,email,age\n" + "".join(f"{i},p{i}@mail,{i % 3}\n" for i in range(9)))
    code, out, _ = shell("risk", "people.csv", "--key", "name", "--columns", "email,age")
    assert (code, "@mail" in out) == (0, False)
    assert "@mail" in shell("risk", "people.csv", "--key", "name", "--columns", "email,age", "--names")[1]


def test_risk_judges_by_the_scenario(shell):
    _, out, _ = shell("risk", "example:karate", "--scenario", "internal")
    assert tells(out, "outside the scenario:", "FAIL for", "internal", "degree", "fewer than 3 candidates", "5 %")
    _, out, _ = shell("risk", "example:karate", "--scenario", "internal", "-k", "2")
    assert tells(out, "WEAKER", "k is 2", "internal with k = 2")
    found = json.loads(shell("risk", "example:karate", "--json")[1])
    assert (found["schema"], found["scenario"]["name"], found["below"]) == (2, "agreement", 5)
    assert (found["judgment"]["verdict"], found["judgment"]["people"]) == ("fail", 34)
    inside = [row["knows"] for row in found["risks"] if row["in_scenario"]]
    assert inside == ["degree", "neighbors:1"]


def test_named_knowledge_is_counted_without_a_scenario(shell):
    _, out, _ = shell("risk", "example:karate", "--knows", "degree")
    assert "scenario" not in out
    found = json.loads(shell("risk", "example:karate", "--knows", "degree", "--json")[1])
    assert ([row["knows"] for row in found["risks"]], "judgment" in found) == (["degree"], False)
    code, _, err = shell("risk", "example:karate", "--knows", "degree", "--scenario", "public")
    assert (code, tells(err, "--knows", "--scenario")) == (2, True)


# check: exit codes.


@pytest.mark.parametrize(
    ("options", "code", "verdict"),
    [
        (["--knows", "degree", "--at-least", "20"], 0, "PASS"),
        (["--knows", "neighbors:1", "--at-least", "3"], 1, "FAIL"),
        (["--knows", "neighbors:1", "--at-least", "3", "--allow", "99%"], 1, "FAIL"),
        (["--knows", "degree", "--at-least", "5", "--allow", "2%"], 0, "PASS"),
        (["--scenario", "internal"], 1, "FAIL"),
        (["--scenario", "internal", "--knows", "degree"], 0, "WEAKER"),
        (["--scenario", "ours.toml"], 0, "PASS"),
    ],
)
def test_check_exits_with_the_verdict(options, code, verdict, place, shell):
    write_ring(place / "ring.csv")
    (place / "ours.toml").write_text(OURS.replace("k = 4", "k = 20").replace('base = "internal"\n', ""))
    found, out, _ = shell("check", "ring.csv", *options)
    assert (found, verdict in out) == (code, True)
    as_json = shell("check", "ring.csv", *options, "--json")
    assert (as_json[0], json.loads(as_json[1])["exit"], json.loads(as_json[1])["schema"]) == (code, code, 2)


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--at-least", "3"],
        ["--at-least", "3", "--scenario", "public", "--knows", "degree"],
        ["--scenario", "public", "--allow", "2%"],
        ["--knows", "degree", "--at-least", "3", "--allow", "100%"],
        ["--scenario", "publik"],
        ["--scenario", "gone.toml"],
    ],
)
def test_check_refuses_unclear_questions(options, place, shell):
    write_ring(place / "ring.csv")
    code, out, err = shell("check", "ring.csv", *options)
    assert (code, out) == (2, "")
    assert err


def test_a_share_is_compared_exactly(place, shell):
    write_links(place / "star.csv", nx.star_graph(49))  # 50 people; the center is unique
    codes = [
        shell("check", "star.csv", "--knows", "degree", "--at-least", "2", "--allow", allow)[0]
        for allow in ("2%", "0.02", "1/50", "1.99%")
    ]
    assert codes == [0, 0, 0, 1]


def test_other_knowledge_with_a_scenario_is_reported(shell):
    code, out, _ = shell("check", "example:karate", "--scenario", "internal", "--knows", "subgraph:1", "--json")
    found = json.loads(out)
    assert (code, found["scenario"]["name"]) == (0, "internal with other knowledge")
    assert found["scenario"]["knows"] == ["subgraph:1"]
    _, out, _ = shell("check", "example:karate", "--scenario", "internal", "--knows", "subgraph:1")
    assert tells(out, "WEAKER than the scenario “internal”", "degree", "PASS")


@pytest.mark.parametrize("more", [[], ["--allow", "0"], ["--json"]])
def test_with_the_original_both_facts_must_pass(more, place, shell):
    ring, broken = nx.cycle_graph(20), nx.cycle_graph(20)
    broken.add_edge(0, 10)
    write_links(place / "ring.csv", ring)
    write_links(place / "broken.csv", broken)
    asks = ["--knows", "degree", "--at-least", "3", *more]
    # the ring as published: every person has 2 links; with facts from the other one, 0 and 10 fit no person
    code, out, _ = shell("check", "ring.csv", "--original", "broken.csv", *asks)
    assert code == 0
    if not more:
        assert tells(out, "18 of 20", "misled")
    # published with the two of 3 links: facts from the release alone fail
    code, out, _ = shell("check", "broken.csv", "--original", "ring.csv", *asks)
    assert code == 1
    if more == ["--json"]:
        found = json.loads(out)
        assert [(one["facts"], one["verdict"]) for one in found["judgments"]] == [
            *(("release", "fail"), ("original", "pass"))
        ]
        assert found["verdict"] == "fail"


def test_recoded_values_cannot_be_judged_in_text_or_json(place, shell):
    (place / "before.csv").write_text("age\n1\n1\n2\n2\n3\n3\n4\n4\n")
    (place / "after.csv").write_text("age\n1\n1\n2\n2\n3-4\n3-4\n3-4\n3-4\n")
    asks = ["check", "after.csv", "--table", "--original", "before.csv", "--at-least", "2"]
    code, out, _ = shell(*asks)
    assert (code, "CANNOT TELL" in out) == (2, True)
    code, out, _ = shell(*asks, "--json")
    assert (code, json.loads(out)["verdict"]) == (2, "cannot tell")


# scenarios: the presets and files.


def test_scenarios_are_listed(shell):
    code, out, _ = shell("scenarios")
    assert code == 0
    assert tells(out, "public: k = 12", "agreement: k = 5", "2 %", "internal: k = 3", "5 %", "docs/scenarios.md")
    found = json.loads(shell("scenarios", "--json")[1])
    assert found["schema"] == 1
    assert [(one["name"], one["k"], one["allow"]) for one in found["scenarios"]] == [
        *(("public", 12, "0%"), ("agreement", 5, "2%"), ("internal", 3, "5%"))
    ]
    assert [tuple(one["knows"]) for one in found["scenarios"]] == [one.knows for one in PRESETS.values()]


def test_a_scenario_file_is_shown(place, shell):
    (place / "ours.toml").write_text(OURS)
    code, out, _ = shell("scenarios", "ours.toml")
    assert code == 0
    assert tells(out, "three friends: k = 4", "10 %", "degree", "WEAKER than the scenario “internal”", "10 %")
    [one] = json.loads(shell("scenarios", "ours.toml", "--json")[1])["scenarios"]
    assert one == {"name": "three friends", "knows": ["degree"], "k": 4, "allow": "10%"}


def test_a_file_must_not_borrow_the_name_of_a_preset(place, shell):
    (place / "agreement.toml").write_text("k = 2")
    code, _, err = shell("scenarios", "agreement.toml")
    assert (code, tells(err, "agreement.toml", "name", "preset")) == (2, True)
    (place / "agreement.toml").write_text('decided_by = "us"')
    assert shell("scenarios", "agreement.toml")[0] == 0


# recommend: ready commands.


@pytest.mark.slow
def test_recommend_prints_commands_that_run(place, shell):
    write_links(place / "my friends.csv", nx.karate_club_graph())
    (place / "ours.toml").write_text(OURS)
    asks = ["my friends.csv", "--scenario", "ours.toml", "--separator", ","]
    code, out, _ = shell("recommend", *asks, "--seed", "1")
    commands = [shlex.split(line) for line in out.splitlines() if line.startswith("  shoal anonymize")]
    assert (code, bool(commands), len(commands) <= 3) == (0, True, True)
    for at, words in enumerate(commands):
        assert words[2:7] == ["my friends.csv", "--separator", ",", "--scenario", "ours.toml"]
        names = {"OUT.csv": f"{at}.csv", "SECRET.csv": f"{at}-secret.csv"}
        code, out, _ = shell(*(names.get(word, word) for word in words[1:]))
        assert (code, "Scenario: PASS" in out) == (0, True)


@pytest.mark.slow
def test_recommend_for_programs(shell):
    code, out, _ = shell("recommend", "example:karate", "--scenario", "internal", "-k", "2", "--json", "--seed", "1")
    found = json.loads(out)
    assert (code, found["schema"], found["scenario"]["name"], found["unchanged"]) == (
        *(0, 1, "internal with k = 2", "fail"),
    )
    verdicts = [one["verdict"] for one in found["attempts"] if "verdict" in one]
    assert verdicts == sorted(verdicts, key=["pass", "cannot tell", "fail"].index)
    assert verdicts[0] == "pass"
    best = found["attempts"][0]
    assert best["command"].startswith("shoal anonymize example:karate --scenario internal --method ")
    assert (best["people"], "-k 2" in best["command"], "seed" in best["command"]) == (34, True, False)


@pytest.mark.slow
def test_recommend_exits_with_1_if_no_method_passes(shell):
    code, out, _ = shell("recommend", "example:florentine", "--scenario", "public", "--json")
    tried = json.loads(out)["attempts"]
    assert (code, [one["verdict"] for one in tried if "verdict" in one].count("pass")) == (1, 0)
    assert any("no links" in one.get("refused", "") for one in tried)  # it would pass, and be useless
    code, out, _ = shell("recommend", "example:florentine", "--scenario", "public", "--time-limit", "0.000001")
    assert (code, tells(out, "No method was tried", "Not tried")) == (1, True)


@pytest.mark.slow
def test_recommend_starts_from_the_edits_that_are_accepted(place, shell):
    (place / "ours.toml").write_text(OURS)
    asks = ["recommend", "example:karate", "--scenario", "ours.toml", "--seed", "1"]
    code, out, _ = shell(*asks, "--most-edits", "25%", "--json")
    found = json.loads(out)
    best = found["attempts"][0]
    assert (code, found["most_edits"], best["verdict"], best["accepted"]) == (0, 19, "pass", True)
    assert (best["people"], best["people_left_out"], best["links_changed"] <= 19 / 78) == (34, 0, True)
    assert any("--method reduce-risk --knows degree" in one.get("command", "") for one in found["attempts"])
    code, out, _ = shell(*asks, "--most-edits", "0")
    assert (code, tells(out, "None of the", "at most 0 changed links", "do not pass")) == (1, True)
    assert tells(out, "This one passes, and changes more links than you accept")
    code, _, err = shell(*asks, "--most-edits", "-3")
    assert (code, tells(err, "most_edits", "-3")) == (2, True)


def test_recommend_says_that_nothing_needs_to_change(place, shell):
    write_links(place / "full.csv", nx.complete_graph(30))
    code, out, _ = shell("recommend", "full.csv", "--scenario", "public")
    assert (code, tells(out, "passes the scenario “public” as it is")) == (0, True)


# anonymize: the manifest and the README say what was declared.


def anonymize(shell, *options, source="example:karate", output="out.csv", code=0):
    found = shell("anonymize", source, "-o", output, *options)
    assert found[0] == code, found[2]
    return found


def test_the_manifest_states_the_scenario(place, shell):
    (place / "ours.toml").write_text(OURS)
    _, out, _ = anonymize(shell, "--method", "match-degrees", "--scenario", "ours.toml", "--seed", "1")
    assert tells(out, "WEAKER", "Scenario: PASS", "three friends")
    page = json.loads((place / "out.csv.release.json").read_text())
    found = page["scenario"]
    assert {name: found[name] for name in ("name", "knows", "k", "allow", "counted")} == {
        "name": "three friends",
        "knows": ["degree"],
        "k": 4,
        "allow": "10%",
        "counted": {"degree": "degree"},
    }
    assert page["method"]["k"] == 4  # the scenario's
    judged = found["facts of the release"]
    assert (judged["verdict"], judged["people"], judged["below"]) == ("pass", 34, 0)
    for file in ("out.csv.release.json", "out.csv.README.md"):
        text = (place / file).read_text()
        assert not any(secret in text for secret in ("Committee", "count friends", "toml", str(place)))


def test_json_of_anonymize_has_the_judgments(place, shell):
    _, out, _ = anonymize(shell, "--method", "match-degrees", "--scenario", "internal", "--json")
    judged = json.loads(out)["private"]["judgments"]
    assert [one["facts"] for one in judged] == ["release", "original"]
    assert {one["verdict"] for one in judged} == {"fail"}  # one known neighbor
    assert "judgments" not in (place / "out.csv.release.json").read_text()


def test_the_decider_and_the_sentences_are_published_only_on_request(place, shell):
    (place / "ours.toml").write_text(f"publish_decider = true\npublish_sentences = true\n{OURS}")
    anonymize(shell, "--method", "match-degrees", "--scenario", "ours.toml")
    found = json.loads((place / "out.csv.release.json").read_text())["scenario"]
    assert (found["decided by"], found["sentences"]) == ("Committee 7", ["Friends count friends."])


def test_k_of_the_command_changes_the_scenario(place, shell):
    _, out, _ = anonymize(shell, "--method", "match-degrees", "--scenario", "agreement", "-k", "3")
    assert tells(out, "WEAKER than the scenario “agreement”", "k is 3", "agreement with k = 3")
    found = json.loads((place / "out.csv.release.json").read_text())["scenario"]
    assert (found["name"], found["k"]) == ("agreement with k = 3", 3)


@pytest.mark.slow
def test_a_scenario_alone_chooses_a_method_that_passes(place, shell):
    _, out, _ = anonymize(shell, "--scenario", "internal", "--mapping", "secret.csv", "--seed", str(2**70))
    assert tells(out, "Chosen: --method", "Scenario: PASS")
    assert shell("check", "out.csv", "--scenario", "internal")[0] == 0
    checked = shell(
        "check", "out.csv", "--scenario", "internal", "--original", "example:karate", "--mapping", "secret.csv"
    )
    assert checked[0] == 0
    code, _, err = shell("anonymize", "example:florentine", "--scenario", "public", "-o", "none.csv")
    assert (code, tells(err, "no release that passes"), (place / "none.csv").exists()) == (2, True, False)


def test_the_commands_in_the_readme_run(place, shell):
    options = ["--method", "match-degrees", "-k", "2"]
    anonymize(shell, *options, output="my release.csv")
    text = (place / "my release.csv.README.md").read_text()
    commands = [shlex.split(line) for line in text.splitlines() if line.startswith("shoal ")]
    assert commands == [["shoal", "check", "my release.csv", "--knows", "degree", "--at-least", "2"]]
    assert shell(*commands[0][1:])[0] == 0


def test_the_readme_describes_columns(place, shell):
    (place / "told.csv").write_text("column,description\nage,Age in years at the interview\n")
    anonymize(
        shell,
        *("--method", "mondrian", "-k", "5", "--columns", "age,sex", "--descriptions", "told.csv"),
        source="example:people",
    )
    text = (place / "out.csv.README.md").read_text()
    assert tells(text, "| column |", "description", "| age |", "Age in years at the interview", "| sex |")
    assert tells(text, "still finds at least 5 candidates", "not about whether a link exists", "release id")


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("column,description\nagee,x\n", ["agee", "Did you mean 'age'"]),
        ("column,description\nage,x\nage,y\n", ["age", "again"]),
        ("age,x\n", ["column,description"]),
        ("", ["column,description"]),
        ("column,description\nage\n", ["age"]),
    ],
)
def test_wrong_descriptions_are_refused_and_nothing_is_written(text, facts, place, shell):
    (place / "told.csv").write_text(text)
    options = ["--method", "mondrian", "-k", "5", "--columns", "age", "--descriptions", "told.csv"]
    _, _, err = anonymize(shell, *options, source="example:people", code=2)
    assert tells(err, "told.csv", *facts)
    assert [file.name for file in place.iterdir()] == ["told.csv"]


HOSTILE = "a|b`<script>alert(1)</script>[x](http://e)\u202e"


def test_hostile_columns_are_text_in_the_readme(place, shell):
    rows = "".join(f"{i % 2},{i % 3}\n" for i in range(12))
    (place / "odd.csv").write_text(f'"{HOSTILE}",b\n{rows}', encoding="utf-8")
    (place / "told.csv").write_text(f'column,description\n"{HOSTILE}","# head | <img src=x>"\n', encoding="utf-8")
    options = ["--table", "--method", "mondrian", "-k", "2", "--descriptions", "told.csv"]
    anonymize(shell, *options, source="odd.csv", output="out.csv")
    text = (place / "out.csv.README.md").read_text(encoding="utf-8")
    page, code = text.split("## How to check")[0], text.split("```")[1]
    assert not re.search(r"(?<!\\)[<\[]", page)
    assert not any(markup in page for markup in ("\u202e", "\n# head"))
    row = next(line for line in page.splitlines() if "alert" in line and line.startswith("|"))
    assert row.replace("\\|", "").count("|") == 6
    assert "\u202e" not in code
    (words,) = [shlex.split(line) for line in code.splitlines() if line.startswith("shoal")]
    assert words[:4] == ["shoal", "check", "out.csv", "--table"]  # no word of the name became a command


def test_a_scenario_file_is_not_overwritten(place, shell):
    (place / "ours.toml").write_text(OURS)
    writers = [
        ["risk", "example:karate", "--scenario", "ours.toml", "--csv", "ours.toml", "--force"],
        ["anonymize", "example:karate", "--method", "match-degrees", "--scenario", "ours.toml", "--force",
         "-o", "out.csv", "--mapping", "ours.toml"],
        ["audit", "example:karate", "--scenario", "ours.toml", "--force", "-o", "ours.toml"],
    ]  # fmt: skip
    for command in writers:
        code, _, err = shell(*command)
        assert (code, "ours.toml" in err, (place / "ours.toml").read_text()) == (2, True, OURS)
    (place / "told.csv").write_text("column,description\n")
    options = ["--method", "match-degrees", "-k", "2", "--descriptions", "told.csv", "--mapping", "told.csv", "--force"]
    anonymize(shell, *options, code=2)
    assert (place / "told.csv").read_text() == "column,description\n"


@pytest.mark.parametrize(
    "command", [["check", "--scenario", "internal"], ["recommend", "--scenario", "internal", "--time-limit", "0.001"]]
)
def test_columns_that_a_judgment_leaves_out_are_named(command, shell):
    first, *options = command
    assert tells(shell(first, "example:karate", *options)[2], "club", "not assumed known", "--columns")
    assert "not assumed known" not in shell(first, "example:karate", *options, "--columns", "club")[2]
