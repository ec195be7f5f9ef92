"""Many schedules and many events at once: over HTTP and by command, each with a dry run, as one operation."""
import datetime
import json
import os
import subprocess

import harness as h

SCHEDULES = 50
FIRING = 550  # more than the 500 rows of a page


def over(client, operation):
    path = f"/v1/operations/{operation['id']}"
    ended = h.wait_until(lambda: (now := client.ok("GET", path))["status"] != "RUNNING" and now, "the end of the operation")
    assert ended["status"] == "COMPLETED", ended
    return ended


def sundial(server, *arguments):
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SUNDIAL")}
    done = subprocess.run([h.PROGRAM, *arguments, "--server", f"http://127.0.0.1:{server.port}"], capture_output=True, text=True,
                          timeout=h.HANG_GUARD, env=clean, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def made(client):
    for number in range(SCHEDULES):
        client.ok("POST", "/v1/schedules", {"externalId": f"s{number}", "eventType": "JOB", "timezone": "UTC",
                                            "trigger": {"cron": "0 3 * * *"}, "tags": ["night" if number % 2 else "day"]})


def states(client, tag):
    return [one["enabled"] for one in client.all(f"/v1/schedules?tag={tag}&limit=100")]


def over_http(client):
    change = {"action": "pause", "filter": {"tag": "night"}, "note": "the receiver moves"}
    counted = client.ok("POST", "/v1/schedules/bulk", {**change, "dryRun": True})
    assert counted["count"] == SCHEDULES // 2 and len(counted["samples"]) == 5, counted
    assert all(states(client, "night"))
    answer = client.call("POST", "/v1/schedules/bulk", change)
    assert answer.status == 202 and answer.headers["Location"].startswith("/v1/operations/"), answer.body
    assert over(client, answer.json())["done"] == SCHEDULES // 2
    assert not any(states(client, "night")) and all(states(client, "day"))
    assert client.ok("GET", "/v1/schedules/ext:s1")["note"] == "the receiver moves"
    waiting = lambda: client.ok("GET", "/v1/events?status=PENDING&waitingFor=SCHEDULE&count=exact&limit=1")["totalCount"]
    h.wait_until(lambda: waiting() == SCHEDULES // 2, "the events to wait")
    for body, pointer in (({"action": "pause"}, "/filter"), ({"action": "tag", "ids": ["ext:s1"]}, "/addTags"),
                          ({"action": "resume", "ids": ["ext:nothing"]}, "/ids/0"),
                          ({"action": "resume", "ids": ["ext:s1"], "note": "x"}, "/note"),
                          ({"action": "pause", "ids": ["ext:s1"], "filter": {"tag": "x"}}, "/ids"),
                          ({"action": "pause", "filter": {"endpointId": "ext:nothing"}}, "/filter/endpointId"),
                          ({"action": "explode", "ids": ["ext:s1"]}, "/action")):
        refused = client.call("POST", "/v1/schedules/bulk", body)
        assert refused.status == 400 and refused.json()["errors"][0]["pointer"] == pointer, refused.body
    resumed = client.ok("POST", "/v1/schedules/bulk", {"action": "resume", "ids": ["ext:s1", "ext:s3", "ext:s1"]})
    assert over(client, resumed)["done"] == 2
    assert states(client, "night").count(True) == 2


def the_future(client):
    """More schedules than a page has rows: each fires once, wherever a page ends."""
    for _ in range(FIRING):
        client.ok("POST", "/v1/schedules", {"eventType": "FIRE", "timezone": "UTC", "trigger": {"cron": "0 12 * * *"}})
    day = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=2)).strftime("%Y-%m-%d")
    path = f"/v1/occurrences?from={day}T11:00:00Z&to={day}T13:00:00Z"
    whole = client.all(path + "&limit=500")
    fired = [one["scheduleId"] for one in whole if one["eventType"] == "FIRE"]
    assert len(fired) == len(set(fired)) == FIRING and {one["eventId"] for one in whole} == {None}, len(fired)
    assert client.all(path + "&limit=77") == whole
    assert client.ok("GET", path)["moreSchedules"] is False
    cells = client.ok("GET", f"/v1/stats/heatmap?from={day}T11:00:00Z&to={day}T13:00:00Z&by=status")
    assert sum(sum(line["forecast"]) for line in cells["data"]) == FIRING and not cells["moreSchedules"], cells


def by_command(server, client):
    code, out, err = sundial(server, "schedule", "resume-many", "--tag", "night", "--dry-run")
    assert code == 0 and f"{SCHEDULES // 2 - 2} schedules" in out, (out, err)
    code, out, err = sundial(server, "schedule", "resume-many", "--tag", "night")
    assert code == 2 and "-y" in err, (out, err)
    code, out, err = sundial(server, "schedule", "resume-many", "--tag", "night", "-y")
    assert code == 0 and all(states(client, "night")), (out, err)
    code, out, err = sundial(server, "schedule", "tag-many", "--tag", "night", "--add-tag", "late", "--remove-tag", "night", "-y")
    assert code == 0 and len(states(client, "late")) == SCHEDULES // 2 and not states(client, "night"), (out, err)
    code, out, err = sundial(server, "schedule", "pause-many", "ext:s1", "ext:s2", "--note", "both", "-y", "--json")
    assert code == 0 and json.loads(out)["status"] == "COMPLETED", (out, err)
    assert client.ok("GET", "/v1/schedules/ext:s2")["note"] == "both"
    code, out, err = sundial(server, "schedule", "delete-many", "--tag", "late", "-y")
    assert code == 0 and not states(client, "late") and len(states(client, "day")) == SCHEDULES // 2, (out, err)
    assert sundial(server, "schedule", "delete-many", "-y")[0] == 2


def events_by_command(server, client):
    ids = [client.ok("POST", "/v1/events", {"eventType": "CALL", "targetTimestampLocal": f"2030-05-01T0{hour}:00",
                                            "targetTimezone": "Europe/Berlin", "deliveryPayload": {}})["id"] for hour in (8, 9)]
    due = lambda: [client.ok("GET", f"/v1/events/{one}")["targetTimestampUTC"][:16] for one in ids]
    code, out, err = sundial(server, "event", "reschedule-many", "--type", "CALL", "--by=-PT30M", "--dry-run")
    assert code == 0 and "2 events" in out and due() == ["2030-05-01T06:00", "2030-05-01T07:00"], (out, err)
    code, out, err = sundial(server, "event", "reschedule-many", "--type", "CALL", "--by=-PT30M", "-y")
    assert code == 0 and due() == ["2030-05-01T05:30", "2030-05-01T06:30"], (out, err)
    code, out, err = sundial(server, "event", "reschedule-many", ids[0], "--at", "2030-12-01T08:00", "-y")
    assert code == 0 and due()[0] == "2030-12-01T07:00", (out, err)
    code, out, err = sundial(server, "event", "reschedule-many", *ids, "--at", "2031-01-01T00:00:00Z", "-y")
    assert code == 0 and due() == ["2031-01-01T00:00"] * 2, (out, err)
    assert sundial(server, "event", "reschedule-many", *ids, "-y")[0] == 2


def many(kind):
    with h.folder() as directory, h.database(kind, directory) as db, h.running("serve", "--db", db, folder=directory) as server:
        client = server.client()
        made(client)
        over_http(client)
        by_command(server, client)
        events_by_command(server, client)
        the_future(client)
        assert server.stop() == 0


if __name__ == "__main__":
    h.main({"many": many})
