"""`sundial import` and `sundial apply`: schedules from the files of other schedulers, and as code."""
import json
import os
import subprocess
import sys

import harness as h
import import_files


class Cli:
    def __init__(self, server, directory):
        self.directory = directory
        clean = {name: value for name, value in os.environ.items() if not name.startswith("SUNDIAL")}
        self.environment = clean | {"SUNDIAL_SERVER": f"http://127.0.0.1:{server.port}"}

    def run(self, *arguments, code=0, text=""):
        done = subprocess.run([h.PROGRAM, *arguments], input=text, capture_output=True, text=True, timeout=h.HANG_GUARD,
                              env=self.environment, cwd=self.directory, check=False)
        assert done.returncode == code, (arguments, done)
        self.err = done.stderr
        return done.stdout

    def json(self, *arguments, **more):
        return json.loads(self.run(*arguments, "--json", **more))


def schedules(client, prefix):
    found = [each for each in client.all("/v1/schedules?limit=100") if (each["externalId"] or "").startswith(prefix)]
    return sorted(found, key=lambda each: each["externalId"])


def every_format(cli, client):
    """A dry run changes nothing; an import makes schedules; a second one changes nothing."""
    client.ok("POST", "/v1/endpoints", {"externalId": "bin", "name": "bin", "type": "PULL"})
    rules = {
        "crontab": [({"cron": "30 2 * * *"}, "Europe/Berlin", "boundary"), ({"cron": "*/15 * * * *"}, "Europe/Berlin", "boundary")],
        "pgcron": [({"every": "PT30S"}, "UTC", "compatible"), ({"cron": "0 3 * * *"}, "UTC", "boundary")],
        "quartz": [({"cron": "0/20 * * * 1-5"}, "Europe/Paris", "skip")],
        "eventbridge": [({"cron": "30 2 * * MON-FRI"}, "UTC", "skip"), ({"every": "PT5M"}, "UTC", "compatible")],
        "ics": [({"rrule": "DTSTART;TZID=Europe/Paris:20270104T093000\nRRULE:FREQ=WEEKLY;BYDAY=MO\n"
                           "EXDATE;TZID=Europe/Paris:20270111T093000"}, "Europe/Paris", "skip")],
    }
    for name, wanted in rules.items():
        command = ("import", name, "import." + name)
        shown = cli.run(*command, "--dry-run")
        assert f"{len(wanted)} would be imported, 0 refused" in shown and "Sundial   the same" in shown, shown
        tried = cli.json(*command, "--dry-run")
        assert len(tried["entries"]) == len(wanted) and not tried["refused"], tried
        for entry in tried["entries"]:
            assert 0 < len(entry["sundial"]) <= 3 and entry["old"] == entry["sundial"], entry
        assert not schedules(client, name + "-"), "a dry run stores nothing"
        made = cli.json(*command, "--endpoint", "ext:bin", "--type", "JOB")
        assert made == {"created": len(wanted), "existing": 0, "different": 0, "refused": 0}, made
        stored = schedules(client, name + "-")
        key = lambda each: json.dumps(each[0])
        assert sorted(((each["trigger"], each["timezone"], each["gap"]) for each in stored), key=key) == sorted(wanted, key=key), stored
        assert {each["eventType"] for each in stored} == {"JOB"} and None not in {each["endpointId"] for each in stored}, stored
        again = cli.run(*command, "--endpoint", "ext:bin")
        assert again == f"0 created, {len(wanted)} there already, 0 refused\n", again
        assert schedules(client, name + "-") == stored, "a second import changes nothing"
    paused = [each for each in schedules(client, "") if not each["enabled"]]
    assert {each["trigger"]["every"] for each in paused} == {"PT30S", "PT5M"}, paused
    books = schedules(client, "quartz-")[0]
    assert (books["startsAt"], books["endsAt"]) == ("2026-12-31T23:00:00.000Z", "2028-12-31T22:59:59.000Z"), books
    backup = [each for each in schedules(client, "crontab-backup")][0]
    assert backup["payload"] == {"command": "/usr/bin/backup --all {{x}"}, backup


def clock_changes(cli):
    """Quartz runs nothing in the first pass of the hour that the clocks repeat; Sundial's wildcard rules follow real time."""
    text = import_files.FILES["quartz"].replace("? * 2-6 2027-2028", "* * ?")
    changes = cli.json("import", "quartz", "--dry-run", text=text)["entries"][0]["clockChanges"]
    assert len(changes) == 2, changes
    assert sorted(len(each["onlySundial"]) for each in changes) == [0, 3] and not any(each["onlyOld"] for each in changes), changes
    assert "only Sundial" in cli.run("import", "quartz", "--dry-run", text=text)
    for change in cli.json("import", "crontab", "import.crontab", "--dry-run")["entries"][1]["clockChanges"]:
        assert change["onlyOld"] == change["onlySundial"] == [], change


def invalid_entries(cli, client):
    text = "0 5 * * * first\n@reboot x\n0 25 * * * y\n0 6 * * * second\n"
    with open(os.path.join(cli.directory, "bad.crontab"), "w", encoding="utf-8") as file:
        file.write(text)
    command = ("import", "crontab", "bad.crontab", "--timezone", "Asia/Tokyo")
    assert cli.run(*command, code=2) == ""
    assert "bad.crontab:2: @reboot" in cli.err and "bad.crontab:3: hour '25'" in cli.err and "nothing was imported" in cli.err, cli.err
    before = len(schedules(client, "crontab-"))
    assert "2 would be imported, 2 refused" in cli.run(*command, "--dry-run", code=2)
    assert "2 would be imported, 2 refused" in cli.run(*command, "--dry-run", "--skip-invalid")
    assert len(schedules(client, "crontab-")) == before
    assert cli.run(*command, "--skip-invalid", code=7) == "2 created, 0 there already, 2 refused\n"
    assert cli.run(*command, "--skip-invalid", code=7) == "0 created, 2 there already, 2 refused\n"
    cli.run("import", "crontab", "--timezone", "Mars/Base", text="0 5 * * * a\n", code=2)
    assert "line:1: " in cli.err, cli.err
    cli.run("import", "crontab", "absent", code=2)
    assert "cannot read absent" in cli.err, cli.err
    assert "UTC" in (cli.run("import", "crontab", "--dry-run", text="0 5 * * * a\n") and cli.err), cli.err
    changed = import_files.FILES["pgcron"].replace("0 3", "0 4")
    assert "1 there with another rule" in cli.run("import", "pgcron", text=changed, code=7)
    assert "sundial schedule set" in cli.err, cli.err


def imports(kind):
    with h.folder() as directory, h.database(kind, directory) as url, h.running("serve", "--db", url, folder=directory) as server:
        import_files.write(directory)
        cli, client = Cli(server, directory), server.client()
        every_format(cli, client)
        clock_changes(cli)
        invalid_entries(cli, client)


def apply(kind):
    with h.folder() as directory, h.database(kind, directory) as url, h.running("serve", "--db", url, folder=directory) as server:
        cli, client = Cli(server, directory), server.client()
        other = client.ok("POST", "/v1/schedules", {"externalId": "billing", "eventType": "X", "trigger": {"every": "PT1H"}})["id"]

        def file(text):
            with open(os.path.join(directory, "s.toml"), "w", encoding="utf-8") as out:
                out.write(text)

        text = import_files.FILES["apply"]
        file(text)
        command = ("apply", "-f", "s.toml")
        assert "4 to create, 0 to change, 0 to delete, 0 unchanged" in cli.run(*command, "--dry-run", code=2)
        cli.run(*command, code=2)
        assert "no terminal" in cli.err and not schedules(client, "apply:"), cli.err
        assert "4 applied, 0 refused" in cli.run(*command, "--yes")
        stored = schedules(client, "apply:billing:")
        assert [each["externalId"] for each in stored] == [f"apply:billing:{name}" for name in ("daily", "hourly", "may", "nightly")]
        assert stored[3]["payload"] == {"job": "close", "steps": [1, 2.5, True]} and stored[3]["eventType"] == "nightly", stored[3]
        assert cli.run(*command, "--dry-run") == "0 to create, 0 to change, 0 to delete, 4 unchanged\n"
        assert "0 to change" in cli.run(*command, "-y") and schedules(client, "apply:") == stored, "a second apply changes nothing"

        client.ok("PATCH", f"/v1/schedules/{stored[3]['id']}", {"enabled": False, "note": "audit"}, {"If-Match": "*"})
        assert "4 unchanged" in cli.run(*command, "--dry-run"), "pausing by hand is no difference"
        fewer = text.replace("30 2", "45 2").replace('payload = { job = "close", steps = [1, 2.5, true] }\n', "")
        fewer = fewer[:fewer.index("[schedules.may]")]
        file(fewer)
        shown = cli.run(*command, "--dry-run", code=2)
        assert '"30 2 * * *"} -> {"cron":"45 2 * * *"' in shown and "may is no longer in the file" in shown, shown
        assert "1 applied" in cli.run(*command, "--yes") and len(schedules(client, "apply:")) == 4
        nightly = client.ok("GET", "/v1/schedules/ext:apply:billing:nightly")
        assert (nightly["payload"], nightly["enabled"], nightly["note"]) == ({}, False, "audit"), nightly
        assert cli.json(*command, "--dry-run", "--prune", code=2) == {"create": [], "change": [], "delete": ["daily", "may"], "kept": [],
                                                                      "unchanged": 2}
        assert "2 applied, 0 refused" in cli.run(*command, "--prune", "-y")
        assert [each["externalId"] for each in schedules(client, "apply:")] == ["apply:billing:hourly", "apply:billing:nightly"]
        assert client.ok("GET", f"/v1/schedules/{other}")["version"] == 1, "prune deletes only what the file made"

        file(fewer + 'endpointId = "ext:absent"\n')
        cli.run(*command, "-y", code=3)
        assert "ext:absent" in cli.err, cli.err
        client.ok("POST", "/v1/endpoints", {"externalId": "absent", "name": "now there", "type": "PULL"})
        assert "1 applied" in cli.run(*command, "-y") and "2 unchanged" in cli.run(*command, "--dry-run")
        file(fewer + "nonsense = 1\n")
        assert "0 applied, 1 refused" in cli.run(*command, "-y", code=7) and "nonsense" in cli.err, cli.err
        file(fewer + "x = [")
        assert not cli.run(*command, "-y", code=2) and "s.toml:" in cli.err, cli.err


if __name__ == "__main__":
    h.main({f.__name__: f for f in (imports, apply)})
