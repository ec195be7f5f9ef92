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
# The last: the instance that ran the request has ended. A key stays in progress until PostgreSQL notices that; one of a
# lock, for a minute.
LATER = {"SHUTTING_DOWN", "NOT_READY", "IDEMPOTENCY_IN_PROGRESS"}
CHAINS = 10  # schedules of a second: each claim of an occurrence stores the next


def skip(why):
    print(why)
    sys.exit(77)


def schema_of(url):
    sql = "SELECT max(version) FROM sundial.schema_migrations"
    return int(subprocess.run(["psql", url, "-XAtc", sql], check=True, capture_output=True, text=True).stdout)


class Fleet:
    """The instances, each with its place in the order of the upgrade."""

    def __init__(self, url, folder):
        self.url, self.folder, self.servers, self.writers = url, folder, [], []

    def start(self, program):
        server = h.Server("serve", "--db", self.url, *h.LOCAL_RECEIVERS, "--scheduler.lease=PT20S", folder=self.folder, program=program)
        self.servers.append(server.ready())
        return server

    def alive(self):
        return [server for server in self.servers if server.process.poll() is None]

    def all_work(self):
        """Waits until each living instance has claimed more. The failure of a writer ends the wait."""
        goals = [(server, len(server.logged("event.claimed")) + CLAIMS_IN_A_STEP) for server in self.alive()]

        def look():
            for writer in self.writers:
                writer.check()
            return all(len(server.logged("event.claimed")) >= goal for server, goal in goals)
        h.wait_until(look, "claims of every instance")

    def end(self):
        for server in self.alive():
            server.kill()


class Writer(threading.Thread):
    """A client that goes from instance to instance, turn by turn: what an instance is asked to create it claims itself,
    mostly. It repeats a request under its key at another instance if one ends, and takes no other failure."""

    def __init__(self, fleet, number):
        super().__init__(daemon=True)
        self.fleet, self.number, self.stopped = fleet, number, threading.Event()
        self.events, self.appended, self.tokens, self.repeated, self.failure = [], [], [], 0, None
        self.turns = 0

    def request(self, method, path, body, headers=None, done=None):
        """`done` is the code of the answer if the first attempt succeeded and only its response was lost."""
        key = str(uuid.uuid4())
        for attempt in range(200):
            servers = self.fleet.alive()
            try:
                client = servers[(self.number + self.turns + attempt) % len(servers)].client()
                answer = client.call(method, path, body, {"Idempotency-Key": key, "Prefer": "wait=10", **(headers or {})})
            except (OSError, http.client.HTTPException):
                self.repeated += 1
                continue
            if answer.status in (409, 503) and answer.json()["code"] in LATER:
                self.repeated += 1
                continue
            if attempt and answer.status == 409 and answer.json()["code"] == done:
                return None
            assert answer.status < 300, f"{method} {path}: {answer.status} {answer.body.decode()}"
            return answer.json() if answer.body else None
        raise AssertionError(f"no instance took {method} {path}")

    def turn(self):
        self.turns += 1
        name = f"w{self.number}-{self.turns}"
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
        # If the instance dies meanwhile, the lock may be released and the request carried out again (guide/idempotency.md).
        self.request("DELETE", f"/v1/locks/rolling-{self.number}", None, {"Sundial-Lock-Token": lock["lockToken"]}, "LOCK_NOT_HELD")

    def run(self):
        try:
            while not self.stopped.is_set():
                self.turn()
        except BaseException as error:  # noqa: BLE001
            self.failure = error

    def check(self):
        if self.failure:
            raise self.failure

    def finish(self):
        self.stopped.set()
        self.join(h.HANG_GUARD)
        self.check()


def start_chains(client):
    return [client.ok("POST", "/v1/schedules", {"eventType": "CHAIN", "trigger": {"every": "PT1S"}, "timezone": "UTC", "misfire": "all",
                                                "endpointId": "ext:r"})["id"] for _ in range(CHAINS)]


def check_chains(client, chains):
    occurrences = collections.defaultdict(list)
    for event in client.all("/v1/events?status=COMPLETED&eventType=CHAIN&limit=500"):
        occurrences[event["scheduleId"]].append(datetime.datetime.fromisoformat(event["targetTimestampUTC"].replace("Z", "+00:00")))
    assert occurrences.keys() == set(chains), "a chain ended"
    for moments in occurrences.values():
        moments.sort()
        apart = [(later - earlier).total_seconds() for earlier, later in zip(moments, moments[1:])]
        assert apart and set(apart) == {1.0}, f"an occurrence is missing or was planned twice: {moments}"
    return sum(len(moments) for moments in occurrences.values())


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


def check(fleet, writers, receiver, chains):
    client = fleet.alive()[0].client()
    made = {event for writer in writers for event in writer.events}
    for chain in chains:
        client.ok("PATCH", f"/v1/schedules/{chain}", {"enabled": False})

    def due():
        now = datetime.datetime.now(datetime.timezone.utc).isoformat()
        return [event for status in ("PENDING", "PROCESSING") for event in client.all(f"/v1/events?status={status}&limit=500")
                if event["targetTimestampUTC"] < now]
    h.wait_until(lambda: not due(), "every event to be settled")
    completed = {event["id"] for event in client.all("/v1/events?status=COMPLETED&eventType=ROLLED&limit=500")}
    assert completed == made, (len(made - completed), len(completed - made))
    with receiver.lock:
        tries = collections.Counter(headers["Sundial-Event-Id"] for _, headers, _ in receiver.received)
    assert not made - set(tries), "an event was never sent"
    for writer in writers:
        stream = client.all(f"/v1/streams/Writer/{writer.number}?limit=500")
        assert [event["eventId"] for event in stream] == writer.appended
        assert writer.tokens == sorted(set(writer.tokens)), "a fencing token did not rise"
    return made, check_chains(client, chains), {event for event, times in tries.items() if times > 1}


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
            chains = start_chains(client)
            writers = fleet.writers = [Writer(fleet, number) for number in range(3)]
            for writer in writers:
                writer.start()
            fleet.all_work()
            in_flight = replace_all(fleet)
            after = schema_of(url)
            for writer in writers:
                writer.finish()
            made, occurrences, twice = check(fleet, writers, receiver, chains)
            assert twice <= in_flight, f"sent twice without a reason: {twice - in_flight}"
            if after > before:
                refused(OLDER, url, directory)
            assert all(server.stop() == 0 for server in fleet.alive())
            print(f"schema {before} to {after}: {len(made)} events of writers and {occurrences} of schedules, none lost; "
                  f"{len(twice)} sent twice, by a kill; "
                  f"{sum(writer.repeated for writer in writers)} requests repeated")
        finally:
            fleet.end()


if __name__ == "__main__":
    h.main({"rolling": rolling})
