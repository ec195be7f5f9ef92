"""A trial beside the old scheduler: events of SHADOW endpoints are completed and not sent, and compared with its log."""
import datetime as dt
import json
import os
import re

import harness as h
from imports import Cli

UTC = dt.timezone.utc
BEGIN = dt.datetime(2032, 1, 1, tzinfo=UTC)
CRONTAB = "CRON_TZ=Europe/Berlin\n30 2 * * * /usr/bin/backup --all {x}\n0 */2 * * * poll\n"


def written(moment):
    return moment.isoformat().replace("+00:00", "Z")


def runs():
    """The runs of cron in the first day, a second late: the backup at 01:30 UTC, poll at the odd hours."""
    starts = [(BEGIN + dt.timedelta(hours=1, minutes=30), "/usr/bin/backup --all {x}")]
    starts += [(BEGIN + dt.timedelta(hours=hour), "poll") for hour in range(1, 24, 2)]
    return [(at + dt.timedelta(seconds=1), command) for at, command in sorted(starts)]


def syslog(lines):
    return "".join(f"{at.isoformat()} web CRON[7]: (ada) CMD ({command})\n" for at, command in lines)


def settings_are_refused(client):
    answer = client.call("POST", "/v1/endpoints", {"name": "s", "type": "SHADOW", "url": "https://crm.example/"})
    assert answer.status == 400 and answer.json()["errors"][0]["pointer"] == "/url", answer.body


def trial(cli, client):
    cli.run("shadow", "compare", text=syslog(runs()), code=2)
    assert "no endpoint of type SHADOW" in cli.err, cli.err
    client.ok("PUT", "/v1/endpoints/ext:trial", {"name": "trial", "type": "SHADOW"})
    assert cli.json("import", "crontab", "--endpoint", "ext:trial", text=CRONTAB)["created"] == 2
    client.ok("POST", "/v1/clock/advance", {"to": written(BEGIN + dt.timedelta(days=1))})
    done = client.all("/v1/events?endpointId=ext:trial&status=COMPLETED&limit=100")
    assert len(done) == len(runs()) == 13, [event["targetTimestampUTC"] for event in done]
    assert {event["attempt"] for event in done} == {1} and not any(event["lateExecution"] for event in done), done
    assert {json.dumps(event["deliveryPayload"]) for event in done} == {'{"command": "/usr/bin/backup --all {x}"}', '{"command": "poll"}'}


def same(cli):
    shown = cli.run("shadow", "compare", "--timezone", "Europe/Berlin", text=syslog(runs()))
    assert "poll: 12 matched, 0 early, 0 late, 0 missing, 0 extra\n" in shown and "in all: 13 matched" in shown, shown
    found = cli.json("shadow", "compare", "--endpoint", "ext:trial", text=syslog(runs()))
    assert found["same"] and found["deletedSchedules"] == 0 and [job["matched"] for job in found["jobs"]] == [1, 12], found
    assert found["jobs"][0]["largestDifferenceMs"] == 1000 and not found["unknown"] and not found["unread"], found
    cli.run("shadow", "compare", "--tolerance", "PT0S", text=syslog(runs()), code=1)


def different(cli):
    lines = runs()
    late, gone = lines[3], lines[5]
    lines[3] = (late[0] - dt.timedelta(minutes=10), late[1])
    del lines[5]
    lines.insert(2, (BEGIN + dt.timedelta(hours=1, minutes=55), "/usr/bin/backup --all {x}"))
    lines.append((BEGIN + dt.timedelta(hours=23, minutes=30), "unheard of"))
    found = cli.json("shadow", "compare", "--window", "PT20M", text=syslog(lines) + "x CRON[1]: (ada) CMD (y)\n", code=1)
    backup, poll = found["jobs"]
    assert not found["same"] and found["unknown"] == [{"name": "unheard of", "runs": 1}] and len(found["unread"]) == 1, found
    assert len(backup["missing"]) == 1 and backup["missing"][0].startswith("2032-01-01T01:55:00"), backup
    assert len(poll["late"]) == 1 and poll["late"][0]["sundial"].startswith(written(late[0])[:16]), poll
    assert len(poll["extra"]) == 1 and poll["extra"][0].startswith(written(gone[0])[:16]), poll
    shown = cli.run("shadow", "compare", "--window", "PT20M", text=syslog(lines), code=1)
    assert re.search(r"  late      \S+ in the log, PT9M59S later in Sundial\n", shown), shown
    assert "unheard of: no schedule has this name; 1 run in the log" in shown, shown
    until = written(lines[2][0] - dt.timedelta(minutes=1))
    assert cli.json("shadow", "compare", "--to", until, text=syslog(lines[:-1]))["same"], "only what is in the period counts"


def other_logs(cli, client):
    poll = next(each for each in client.all("/v1/schedules?limit=100&endpointId=ext:trial") if "poll" in each["externalId"])
    rows = "".join(f"{written(at).replace('T', ' ').replace('Z', '+00')},Poller,ok\n" for at, command in runs() if command == "poll")
    rows += "".join(f"{written(at)},{command},ok\n" for at, command in runs() if command != "poll")
    command = ("shadow", "compare", "--format", "csv", "--time-column", "start", "--name-column", "job", "--name",
               f"Poller=ext:{poll['externalId']}")
    assert cli.json(*command, text="start,job,result\n" + rows)["same"]
    lines = "".join(json.dumps({"time": int(at.timestamp() * 1000), "name": command}) + "\n" for at, command in runs())
    assert cli.json("shadow", "compare", "--format", "ndjson", text=lines)["same"]
    with open(os.path.join(cli.directory, "bytes.csv"), "wb") as file:
        file.write(b"time,name\n2032-01-01T01:30:01Z,x\xff\n\xff,poll\n")
    odd = cli.json("shadow", "compare", "bytes.csv", "--format", "csv", code=1)  # must be JSON, so UTF-8
    assert odd["unknown"][0]["name"] == "x\\xff" and "\\xff" in odd["unread"][0]["reason"], odd
    for arguments, text, said in ((("--timezone", "Mars/Base"), "x", "--timezone: "), (("--name", "x"), "x", "NAME=SCHEDULE"),
                                  ((), "", "has no run"), (("--format", "csv"), "a,b\n", "no column 'time'"),
                                  (("--format", "csv"), "", "the log is empty"), (("--from", "noon"), syslog(runs()), "--from: "),
                                  (("--tolerance", "1"), syslog(runs()), "--tolerance: "), (("absent.log",), "", "cannot read absent.log"),
                                  (("--user", "eve"), syslog(runs()), "has no run of user eve"),
                                  (("--name", "a=ext:nothing"), syslog(runs()), "no schedule of the endpoint is 'ext:nothing'")):
        cli.run("shadow", "compare", *arguments, text=text, code=2)
        assert said in cli.err, (arguments, cli.err)
    cli.run("shadow", "compare", "--endpoint", "ext:nothing", text=syslog(runs()), code=3)


def going_live(client):
    """Schedules move one by one, and nothing of the trial is sent again."""
    poll = next(each for each in client.all("/v1/schedules?limit=100&endpointId=ext:trial") if "poll" in each["externalId"])
    client.ok("PUT", "/v1/endpoints/ext:real", {"name": "real", "type": "INBOX"})
    client.ok("PATCH", f"/v1/schedules/{poll['id']}", {"endpointId": "ext:real"}, {"If-Match": "*"})
    client.ok("POST", "/v1/clock/advance", {"by": "PT3H"})
    received = client.ok("GET", "/v1/endpoints/ext:real/inbox?limit=20")["data"]
    assert len(received) == 2, received  # 01:00 and 03:00
    assert len(client.all("/v1/events?endpointId=ext:trial&status=COMPLETED&limit=100")) == 14, "the backup is still on trial"


def deleted(cli, client):
    """The events of a deleted schedule have no name any more: they are left out, and the report says so."""
    backup = next(each for each in client.all("/v1/schedules?limit=100&endpointId=ext:trial") if "backup" in each["externalId"])
    client.ok("DELETE", f"/v1/schedules/{backup['id']}")
    found = cli.json("shadow", "compare", text=syslog(runs()), code=1)
    assert found["deletedSchedules"] == 1 and [one["name"] for one in found["unknown"]] == ["/usr/bin/backup --all {x}"], found
    assert "events of 1 deleted schedule are left out\n" in cli.run("shadow", "compare", text=syslog(runs()), code=1)


def trials(kind):
    options = ("dev", "--test-clock", "--users=1")
    with h.folder() as directory, h.database(kind, directory) as url, h.running(*options, "--db", url, folder=directory) as server:
        cli, client = Cli(server, directory), server.client()
        client.ok("PUT", "/v1/clock", {"now": written(BEGIN)})
        settings_are_refused(client)
        trial(cli, client)
        same(cli)
        different(cli)
        other_logs(cli, client)
        going_live(client)
        deleted(cli, client)


if __name__ == "__main__":
    h.main({"trials": trials})
