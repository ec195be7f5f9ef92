"""A rolling upgrade: three instances of the previous version on one PostgreSQL are replaced one by one, while clients write and
events are delivered.

SUNDIAL_OLDER names the program of that version. A mode of the present program that plays an older one would test that mode, and
building the older one takes ten minutes, so the test is skipped without it. docs/releasing.md says how to make it.
"""
import collections
import datetime
import http.client
import os
import subprocess
import sys
import threading
import uuid

import harness as h
import old_schemas

OLDER = os.environ.get("SUNDIAL_OLDER")
# Migrations before which all instances of the version before must be stopped (docs/operating.md, Which database).
STOP_FIRST = {19, 24}
# Of each instance in each step: both versions do a part of the work before the next step.
CLAIMS_IN_A_STEP = 5
OCCURRENCES = 800  # of a schedule that lies behind: a chain in which each claim stores the next event


def skip(why):
    print(why)
    sys.exit(77)


def schema_of(url):
    sql = "SELECT max(version) FROM sundial.schema_migrations"
    return int(subprocess.run(["psql", url, "-XAtc", sql], check=True, capture_output=True, text=True).stdout)


class Fleet:
    """The instances, each with its place in the order of the upgrade."""

    def __init__(self, url, folder):
        self.url, self.folder, self.servers = url, folder, []

    def start(self, program):
        server = h.Server("serve", "--db", self.url, *h.LOCAL_RECEIVERS, "--scheduler.lease=PT20S", folder=self.folder, program=program)
        self.servers.append(server.ready())
        return server

    def alive(self):
        return [server for server in self.servers if server.process.poll() is None]

    def all_work(self):
        """Waits until each living instance has claimed more."""
        goals = [(server, len(server.logged("event.claimed")) + CLAIMS_IN_A_STEP) for server in self.alive()]
        h.wait_until(lambda: all(len(server.logged("event.claimed")) >= goal for server, goal in goals), "claims of every instance")

    def end(self):
        for server in self.alive():
            server.kill()


class Writer(threading.Thread):
    """A client that repeats a request under its key at another instance if one ends, and takes no other failure."""

    def __init__(self, fleet, number):
        super().__init__(daemon=True)
        self.fleet, self.number, self.stopped = fleet, number, threading.Event()
        self.events, self.appended, self.tokens, self.repeated, self.failure = [], [], [], 0, None

    def request(self, method, path, body, headers=None):
        key = str(uuid.uuid4())
        for turn in range(200):
            servers = self.fleet.alive()
            try:
                client = servers[(self.number + turn) % len(servers)].client()
                answer = client.call(method, path, body, {"Idempotency-Key": key, **(headers or {})})
            except (OSError, http.client.HTTPException):
                self.repeated += 1
                continue
            if answer.status == 503 and answer.json()["code"] in ("SHUTTING_DOWN", "NOT_READY"):
                self.repeated += 1
                continue
            assert answer.status < 300, f"{method} {path}: {answer.status} {answer.body.decode()}"
            return answer.json() if answer.body else None
        raise AssertionError(f"no instance took {method} {path}")

    def turn(self, number):
        name = f"w{self.number}-{number}"
        event = self.request("POST", "/v1/events", {"eventType": "ROLLED", "targetTimestampUTC": "now", "endpointId": "ext:r",
                                                    "deliveryPayload": {"name": name}, "idempotencyKey": name})
        self.events.append(event["id"])
        fact = str(uuid.uuid4())
        done = self.request("POST", f"/v1/streams/Writer/{self.number}",
                            {"expectedVersion": len(self.appended), "events": [{"eventId": fact, "eventType": "Turned", "data": {}}]})
        assert done["lastVersion"] == len(self.appended) + 1, done
        self.appended.append(fact)
        lock = self.request("POST", f"/v1/locks/rolling-{self.number}", {"holder": name})
        self.tokens.append(int(lock["fencingToken"]))
        self.request("DELETE", f"/v1/locks/rolling-{self.number}", None, {"Sundial-Lock-Token": lock["lockToken"]})

    def run(self):
        try:
            number = 0
            while not self.stopped.is_set():
                number += 1
                self.turn(number)
        except BaseException as error:  # noqa: BLE001
            self.failure = error

    def finish(self):
        self.stopped.set()
        self.join(h.HANG_GUARD)
        if self.failure:
            raise self.failure


def schedule_behind(client):
    """An interval of a minute that began long ago, none of whose occurrences may be left out."""
    begin = datetime.datetime.now(datetime.timezone.utc).replace(second=0, microsecond=0) - datetime.timedelta(minutes=OCCURRENCES)
    client.ok("POST", "/v1/schedules", {"eventType": "CHAIN", "externalId": "chain", "trigger": {"every": "PT1M"}, "timezone": "UTC",
                                        "startsAt": begin.strftime("%Y-%m-%dT%H:%M:%SZ"), "misfire": "all", "endpointId": "ext:r"})


def refused(program, url, folder):
    server = h.Server("serve", "--db", url, *h.LOCAL_RECEIVERS, folder=folder, program=program)
    assert server.process.wait(h.HANG_GUARD) == 1, server.log_text()
    assert "newer than this program" in server.log_text(), server.log_text()


def replace_all(fleet):
    """One instance after another, the second by kill -9. Returns the events that were in flight then."""
    for step in range(3):
        fleet.start(h.PROGRAM)
        fleet.all_work()
        oldest = fleet.alive()[0]
        if step == 1:
            client = fleet.alive()[1].client()
            oldest.kill()
            in_flight = {event["id"] for event in client.all("/v1/events?status=PROCESSING&limit=500")}
        else:
            assert oldest.stop() == 0, oldest.log_text()
        fleet.all_work()
    return in_flight


def check(fleet, writers, receiver):
    client = fleet.alive()[0].client()
    made = {event for writer in writers for event in writer.events}

    def due():
        now = datetime.datetime.now(datetime.timezone.utc).isoformat()
        return [event for status in ("PENDING", "PROCESSING") for event in client.all(f"/v1/events?status={status}&limit=500")
                if event["targetTimestampUTC"] < now]
    h.wait_until(lambda: not due(), "every event to be settled")
    completed = {event["id"] for event in client.all("/v1/events?status=COMPLETED&eventType=ROLLED&limit=500")}
    assert completed == made, (len(made - completed), len(completed - made))
    tries = collections.Counter(receiver.ids())
    assert not made - set(tries), "an event was never sent"
    chain = [event["targetTimestampUTC"] for event in client.all("/v1/events?status=COMPLETED&eventType=CHAIN&limit=500")]
    assert len(chain) == len(set(chain)) >= OCCURRENCES, "an occurrence is missing or was planned twice"
    moments = sorted(datetime.datetime.fromisoformat(moment.replace("Z", "+00:00")) for moment in chain)
    assert moments[-1] - moments[0] == datetime.timedelta(minutes=len(moments) - 1), "an occurrence is missing"
    for writer in writers:
        stream = client.all(f"/v1/streams/Writer/{writer.number}?limit=500")
        assert [event["eventId"] for event in stream] == writer.appended
        assert writer.tokens == sorted(set(writer.tokens)), "a fencing token did not rise"
    return made, {event for event, times in tries.items() if times > 1}


def rolling():
    if not OLDER:
        skip("SUNDIAL_OLDER must name the program of the previous version: in another worktree at its commit, ./sundial-dev build release "
             "makes build/release/bin/sundial")
    receiver = h.Receiver(delay=0.02)
    with h.folder() as directory, h.postgres() as url:
        fleet = Fleet(url, directory)
        try:
            for _ in range(3):
                fleet.start(OLDER)
            before = schema_of(url)
            stops = STOP_FIRST & set(range(before + 1, old_schemas.newest("postgres") + 1))
            if stops:
                skip(f"before migration {min(stops)} all instances of an earlier version are stopped")
            client = fleet.servers[0].client()
            client.ok("POST", "/v1/endpoints", {"name": "receiver", "type": "WEBHOOK", "url": receiver.url, "externalId": "r"})
            schedule_behind(client)
            writers = [Writer(fleet, number) for number in range(3)]
            for writer in writers:
                writer.start()
            fleet.all_work()
            in_flight = replace_all(fleet)
            after = schema_of(url)
            for writer in writers:
                writer.finish()
            made, twice = check(fleet, writers, receiver)
            assert twice <= in_flight, f"sent twice without a reason: {twice - in_flight}"
            if after > before:
                refused(OLDER, url, directory)
            assert all(server.stop() == 0 for server in fleet.alive())
            print(f"schema {before} to {after}: {len(made)} events of writers and a chain, none lost; {len(twice)} sent twice, by a kill; "
                  f"{sum(writer.repeated for writer in writers)} requests repeated")
        finally:
            fleet.end()


if __name__ == "__main__":
    h.main({"rolling": rolling})
