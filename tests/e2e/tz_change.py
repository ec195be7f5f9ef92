"""Another tz database under a running Sundial: pending events keep their local time and get the instant that it is now.

Two real releases, exchanged by a symbolic link and SIGHUP. Python's zoneinfo computes which events move, and to which instant
from the same files; no zone and no date is written down here.
"""
import datetime as dt
import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import zoneinfo

import harness as h

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
import tz_releases  # noqa: E402  (needs the path above)

UTC = dt.timezone.utc
MANY = 2000  # ten transactions: time enough for a kill between two


@functools.cache
def zone(directory, name):
    with open(os.path.join(directory, name), "rb") as file:
        return zoneinfo.ZoneInfo.from_file(file, key=name)


def instant(directory, name, wall):
    """As our default policies say: the first of two passes, and out of a gap by its length."""
    return wall.replace(tzinfo=zone(directory, name)).astimezone(UTC)


def written(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def names(directory):
    with open(os.path.join(directory, "tzdata.zi")) as source:
        return [words[1] for words in map(str.split, source) if words and words[0] == "Z" and words[1] != "Factory"]


def moved_walls(old, new, start):
    """For each zone that differs in the year after `start`: a local time that has another instant, at nine o'clock."""
    found = {}
    for name in names(old):
        for day in range(2, 364, 7):  # less than a year, so that a birthday on that day is the next one
            wall = dt.datetime.combine((start + dt.timedelta(days=day)).date(), dt.time(9))
            if instant(old, name, wall) != instant(new, name, wall):
                found[name] = wall
                break
    return found


class Directory:
    """The target of `tz.dir`: a link, exchanged in one step."""

    def __init__(self, folder, target):
        self.path = os.path.join(folder, "zoneinfo")
        os.symlink(target, self.path)

    def becomes(self, target):
        os.symlink(target, self.path + ".next")
        os.replace(self.path + ".next", self.path)


def changed(server, count):
    """The `count`-th line of `tzdb.changed`."""
    return h.wait_until(lambda: server.logged("tzdb.changed")[count - 1:], f"{count} times tzdb.changed")[0]


def create(client, name, wall, **members):
    return client.ok("POST", "/v1/events", {
        "eventType": "REMINDER", "targetTimestampLocal": wall.isoformat(), "targetTimezone": name,
        "deliveryPayload": {}, **members})


def release_of(directory):
    with open(os.path.join(directory, "tzdata.zi")) as source:
        return source.readline().split()[2]


def swap(kind, old, new):
    """Surveyed, refused while half copied, then activated; every event fires once, at its new instant."""
    with h.folder() as directory, h.database(kind, directory) as db:
        tz = Directory(directory, old)
        arguments = ("dev", "--test-clock", "--users=1", "--db", db, f"--tz.dir={tz.path}", "--tz.watch=false")
        with h.running(*arguments, folder=directory) as server:
            client = server.client()
            now = dt.datetime.fromisoformat(client.ok("GET", "/v1/clock")["now"].replace("Z", "+00:00"))
            walls = moved_walls(old, new, now)
            if not walls:
                raise tz_releases.Unavailable("the two releases differ in no zone in the year to come")
            events = {}
            for name, wall in walls.items():
                event = create(client, name, wall, endpointId="ext:inbox")
                assert event["targetTimestampUTC"] == written(instant(old, name, wall)), event
                events[event["id"]] = (name, wall)
            still = [create(client, name, now.replace(tzinfo=None, microsecond=0) + dt.timedelta(days=40))
                     for name in names(old)[:40] if name not in walls]
            person_zone, person_wall = next(iter(walls.items()))
            person = client.ok("POST", "/v1/users", {
                "firstName": "Ada", "lastName": "Li", "timezone": person_zone,
                "dateOfBirth": person_wall.date().replace(year=1992).isoformat()})
            birthday, = client.all(f"/v1/events?userId={person['id']}")
            assert birthday["targetTimestampUTC"] == written(instant(old, person_zone, person_wall))
            events[birthday["id"]] = (person_zone, person_wall)
            ours = {event: written(instant(new, *plan)) for event, plan in events.items()}

            half = os.path.join(directory, "half")
            shutil.copytree(new, half)
            with open(os.path.join(half, person_zone), "r+b") as file:
                file.truncate(100)
            tz.becomes(half)
            assert client.call("GET", "/v1/timezones/impact").status == 503
            server.process.send_signal(signal.SIGHUP)
            h.wait_until(lambda: any(line["level"] == "error" and person_zone in line["msg"] for line in server.log()),
                         "the damaged database to be told")
            assert client.ok("GET", "/v1/info")["tzdb"] == release_of(old)

            tz.becomes(new)
            impact = {move["eventId"]: move for move in client.all("/v1/timezones/impact?limit=7")}
            assert ours.items() <= {key: move["after"] for key, move in impact.items()}.items()
            assert not impact.keys() & {event["id"] for event in still}
            assert client.ok("GET", f"/v1/events/{birthday['id']}")["version"] == 1, "it is only told so far"

            server.process.send_signal(signal.SIGHUP)
            line = changed(server, 1)
            assert line["versions"] == f"{release_of(old)} -> {release_of(new)}", line
            assert line["movedCount"] == len(impact), line
            assert client.ok("GET", "/v1/info")["tzdb"] == release_of(new)
            assert f'sundial_tzdb_info{{version="{release_of(new)}"}} 1' in client.get("/metrics").body.decode()
            assert release_of(old) not in client.get("/metrics").body.decode()
            told = {line["eventId"]: line for line in server.logged("event.rescheduled")}
            for event, (name, wall) in events.items():
                row = client.ok("GET", f"/v1/events/{event}")
                assert row["targetTimestampUTC"] == ours[event] == told[event]["after"], row
                assert row["targetTimestampLocal"].startswith(wall.isoformat()), row
                assert told[event]["before"] == written(instant(old, name, wall))
                assert row["version"] == 2
            for event in still:
                assert client.ok("GET", f"/v1/events/{event['id']}") == event
            assert client.all("/v1/timezones/impact") == []

            client.ok("POST", "/v1/clock/advance", {"by": "PT9600H"})
            for event in events:
                row = client.ok("GET", f"/v1/events/{event}")
                assert row["status"] == "COMPLETED" and row["executedAt"] == ours[event], row
            arrived = [item["headers"]["webhook-id"] for item in client.all("/v1/endpoints/ext:inbox/inbox?limit=500")]
            assert len(arrived) == len(set(arrived)), "delivered twice"
        print(f"{kind}: {release_of(old)} -> {release_of(new)} under a running process: {len(walls)} zones differ, "
              f"{len(impact)} events moved, each delivered once, at its new instant")


def report_then_start(kind, old, new):
    """on_change=report tells and moves nothing; the next start with `reschedule` does."""
    with h.folder() as directory, h.database(kind, directory) as db:
        tz = Directory(directory, old)
        arguments = ("serve", "--db", db, f"--tz.dir={tz.path}")
        name, wall = next(iter(moved_walls(old, new, dt.datetime.now(UTC)).items()))
        with h.running(*arguments, "--tz.on_change=report", folder=directory) as server:
            client = server.client()
            event = create(client, name, wall)
            tz.becomes(new)
            server.process.send_signal(signal.SIGHUP)
            assert changed(server, 1)["movedCount"] == 0
            fresh = create(client, name, wall)
            assert fresh["targetTimestampUTC"] == written(instant(new, name, wall)), "new ones follow it"
            row = client.ok("GET", f"/v1/events/{event['id']}")
            assert (row["targetTimestampUTC"], row["version"]) == (event["targetTimestampUTC"], 1)
            move, = client.all("/v1/timezones/impact")
            assert (move["eventId"], move["after"]) == (event["id"], fresh["targetTimestampUTC"])
            assert server.stop() == 0
        with h.running(*arguments, folder=directory) as server:
            assert server.logged("tzdb.changed")[0]["movedCount"] == 1
            row = server.client().ok("GET", f"/v1/events/{event['id']}")
            assert row["targetTimestampUTC"] == fresh["targetTimestampUTC"]
        print(f"{kind}: reported first, then moved by the next start")


def create_many(server, name, wall):
    def some(first):
        client = server.client()
        for i in range(first, MANY, 4):
            create(client, name, wall, idempotencyKey=f"m-{i}")
    threads = [threading.Thread(target=some, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def assert_all_moved_once(client, expected):
    rows = client.all("/v1/events?eventType=REMINDER&limit=500")
    assert len(rows) == MANY
    assert {row["targetTimestampUTC"] for row in rows} == {expected}
    return {row["version"] for row in rows}


def killed(kind, old, new):
    """kill -9 between two transactions: the next start finishes, and nothing is moved twice."""
    for _ in range(20):
        rest = killed_once(kind, old, new)
        if 0 < rest < MANY:
            print(f"{kind}: killed after {MANY - rest} of {MANY} moves, the rest by the next start")
            return
    raise AssertionError("never killed in the middle: the moves are over too soon; make MANY more")


def killed_once(kind, old, new):
    """How many moves were left to the next start: none if the kill came when all was done."""
    with h.folder() as directory, h.database(kind, directory) as db:
        tz = Directory(directory, old)
        arguments = ("serve", "--db", db, f"--tz.dir={tz.path}")
        name, wall = next(iter(moved_walls(old, new, dt.datetime.now(UTC)).items()))
        with h.running(*arguments, folder=directory) as server:
            create_many(server, name, wall)
            tz.becomes(new)
            server.process.send_signal(signal.SIGHUP)
            # Fast machines make all moves in less time than it takes to parse the log.
            h.wait_until(lambda: "event.rescheduled" in server.log_text(), "the first batch", every=0.001)
            server.kill()
            before = len(server.logged("event.rescheduled"))
        with h.running(*arguments, folder=directory) as server:
            rest = sum(line["movedCount"] for line in server.logged("tzdb.changed"))
            assert assert_all_moved_once(server.client(), written(instant(new, name, wall))) == {2}
            told = len(server.logged("event.rescheduled"))
            assert told == rest and before + told <= MANY
            return rest


def three_instances(kind, old, new):
    """All instances are notified at once; each event moves once."""
    with h.folder() as directory, h.database(kind, directory) as db:
        tz = Directory(directory, old)
        arguments = ("serve", "--db", db, f"--tz.dir={tz.path}")
        name, wall = next(iter(moved_walls(old, new, dt.datetime.now(UTC)).items()))
        with h.running(*arguments, folder=directory) as a, h.running(*arguments, folder=directory) as b, \
                h.running(*arguments, folder=directory) as c:
            create_many(a, name, wall)
            tz.becomes(new)
            for server in (a, b, c):
                server.process.send_signal(signal.SIGHUP)
            moved = [changed(server, 1)["movedCount"] for server in (a, b, c)]
            assert sum(moved) == MANY, moved
            assert assert_all_moved_once(a.client(), written(instant(new, name, wall))) == {2}
        print(f"{kind}: three instances moved {moved} of {MANY} events")


def diff(_, old, new):
    """`sundial zone diff` agrees with Python on which zones differ in the year to come, and from when on."""
    now = dt.datetime.now(UTC)
    expected = set(moved_walls(old, new, now))
    window = [f"--from={written(now)}", f"--to={written(now + dt.timedelta(days=400))}"]
    run = subprocess.run([h.PROGRAM, "zone", "diff", old, new, "--json", *window], check=True, capture_output=True,
                         text=True)
    found = {row["name"]: row for row in json.loads(run.stdout)["data"]}
    assert expected <= found.keys(), expected - found.keys()
    for name, row in found.items():
        at = dt.datetime.fromisoformat(row["at"].replace("Z", "+00:00"))
        before = [at.astimezone(zone(directory, name)).utcoffset() for directory in (old, new)]
        assert before[0] != before[1], f"{name} does not differ at {at}"
    print(f"{release_of(old)} and {release_of(new)}: {len(found)} zones differ, as Python says")


def main():
    test, kind, folder = sys.argv[1:]
    tests = {"swap": swap, "report": report_then_start, "killed": killed,
             "three_instances": three_instances, "diff": diff}
    try:
        tests[test](kind, *tz_releases.two_releases(folder))
    except tz_releases.Unavailable as why:
        print(f"skipped: {why}")
        sys.exit(tz_releases.SKIPPED)


if __name__ == "__main__":
    main()
