"""The alert rules and dashboards of deploy/ without a server: promtool checks and tests the rules; every alert has a test, a
section in docs/alerts.md and known metrics, and so has every query of a dashboard. No argument runs all of it."""
import json
import os
import re
import shutil
import subprocess
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
RULES = os.path.join(ROOT, "deploy/prometheus/sundial.rules.yml")
TESTS = os.path.join(ROOT, "tests/alerts/sundial.rules.test.yml")
DASHBOARDS = os.path.join(ROOT, "deploy/grafana")
SKIPPED = 77


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def alert_rules():
    """[{alert, expr, severity, runbook_url, annotations}]: the file has one form, so that no YAML parser is needed."""
    found = []
    for text in re.split(r"\n      - alert: ", read(RULES))[1:]:
        name, rest = text.split("\n", 1)
        expression = re.match(r" +expr: (?:\|\n((?: {10}.*\n)+)|(.*)\n)", rest)
        found.append({"alert": name, "expr": " ".join((expression[1] or expression[2]).split()),
                      "severity": re.search(r"severity: (\w+)", rest)[1],
                      "summary": "summary:" in rest, "description": "description:" in rest,
                      "runbook_url": re.search(r"runbook_url: (\S+)", rest)[1]})
    return found


def dashboards():
    for name in sorted(os.listdir(DASHBOARDS)):
        if name.endswith(".json"):
            yield name, json.loads(read(os.path.join(DASHBOARDS, name)))


def dashboard_queries():
    """The expressions of all panels."""
    return [target["expr"] for _, board in dashboards() for panel in board["panels"] for target in panel.get("targets", [])]


def metrics_of(expression):
    """Names of the metrics, without the endings of a histogram."""
    return {re.sub(r"_(bucket|sum|count)$", "", name) for name in re.findall(r"\bsundial_\w+", expression)}


def documented_metrics():
    return set(re.findall(r"^\| `(sundial_\w+)", read(os.path.join(ROOT, "docs/reference/metrics.md")), re.MULTILINE))


def sections(path):
    """{anchor: text} of the headings of a page."""
    parts = re.split(r"^## (.*)$", read(path), flags=re.MULTILINE)
    anchors = [re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in parts[1::2]]
    return dict(zip(anchors, parts[2::2]))


def rules_are_documented_and_tested():
    known, tests = documented_metrics(), read(TESTS)
    rules = alert_rules()
    assert len(rules) >= 20 and len({rule["alert"] for rule in rules}) == len(rules), len(rules)
    for rule in rules:
        name = rule["alert"]
        assert metrics_of(rule["expr"]) <= known, (name, metrics_of(rule["expr"]) - known)
        assert rule["severity"] in ("critical", "warning", "info"), rule
        assert rule["summary"] and rule["description"], rule
        page, _, anchor = rule["runbook_url"].rpartition("#")
        text = sections(os.path.join(ROOT, page)).get(anchor)
        assert text and (name.lower() == anchor or name in text), f"{rule['runbook_url']} has no text about {name}"
        for word in ("**What.**", "**Why.**", "**Do.**"):
            assert word in text, f"{rule['runbook_url']}: {word} is missing"
        test = re.search(rf"  - name: {name}\n(.*?)(?=\n  - name:|\Z)", tests, re.DOTALL)
        assert test, f"{name} has no test"
        assert test[1].count("exp_samples: []") == 2 and test[1].count("exp_samples: [{") == 1, f"{name}: silent, firing, silent"


def boards_are_sound():
    known, seen = documented_metrics(), set()
    for name, board in dashboards():
        panels = board["panels"]
        assert len({panel["id"] for panel in panels}) == len(panels), name
        assert board["uid"] not in seen, name
        seen.add(board["uid"])
        for panel in panels:
            place = panel["gridPos"]
            assert place["x"] + place["w"] <= 24, (name, panel["title"])
            assert panel["type"] == "row" or panel["targets"], (name, panel["title"])
    for query in dashboard_queries():
        assert metrics_of(query) <= known, (query, metrics_of(query) - known)
        assert set(re.findall(r"\$\w+", query)) <= {"$job", "$__rate_interval"}, query


def main():
    rules_are_documented_and_tested()
    boards_are_sound()
    if not shutil.which("promtool"):
        print("promtool is missing: install prometheus")
        raise SystemExit(SKIPPED)
    with tempfile.TemporaryDirectory(prefix="sundial-rules-") as folder:
        for file in (RULES, TESTS):
            shutil.copy(file, folder)
        for command in (["check", "rules", os.path.basename(RULES)], ["test", "rules", os.path.basename(TESTS)]):
            done = subprocess.run(["promtool", *command], cwd=folder, capture_output=True, text=True, timeout=120)
            assert done.returncode == 0, done.stdout + done.stderr
    print(f"{len(alert_rules())} alerts, {len(dashboard_queries())} queries of dashboards")


if __name__ == "__main__":
    main()
