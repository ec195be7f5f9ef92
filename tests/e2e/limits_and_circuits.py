"""Rate limits and circuits: limits that instances share, endpoints that are gone (410), and the claim log of a circuit."""
import collections
import contextlib
import datetime
import json
import os
import subprocess
import threading
import time

import harness as h

LEASE = 15  # seconds, the shortest that is allowed
BRIEF = (f"--scheduler.lease=PT{LEASE}S", "--delivery.timeout=PT5S")


class Receiver(h.Receiver):
    """Answers `status` after `delay` seconds; knows how many requests it has in hand, and when each came."""

    def __init__(self, status=204, delay=0.0):
        self.status, self.delay = status, delay
        self.lock = threading.Lock()
        self.now = self.most = 0
        self.times, self.events, self.attempts = [], [], []
        receiver = self

        class Handler(h.ReceiverHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                with receiver.lock:
                    receiver.now += 1
                    receiver.most = max(receiver.most, receiver.now)
                    receiver.times.append(time.monotonic())
                    receiver.events.append(self.headers["Sundial-Event-Id"])
                    receiver.attempts.append(int(self.headers["Sundial-Attempt"]))
                    status, delay = receiver.status, receiver.delay
                if delay:
                    time.sleep(delay)
                with receiver.lock:
                    receiver.now -= 1
                self.send_response_only(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

        self.serve(Handler)

    def count(self):
        with self.lock:
            return len(self.times)

    def forget_most(self):
        with self.lock:
            self.most = self.now


@contextlib.contextmanager
def instances(kind, *settings):
    """One process on a file; three on a PostgreSQL."""
    with h.folder() as directory, h.database(kind, directory) as where:
        servers = [h.Server("serve", "--db", where, *h.LOCAL_RECEIVERS, *BRIEF, *settings, folder=directory).ready()
                   for _ in range(1 if kind == "sqlite" else 3)]
        try:
            yield servers
        finally:
            for server in servers:
                if server.process.poll() is None:
                    server.kill()


def endpoint(client, url, **members):
    body = {"name": "receiver", "type": "WEBHOOK", "externalId": "r", "url": url,
            "retryPolicy": {"delays": ["PT1S"] * 50}, **members}
    return client.ok("POST", "/v1/endpoints", body)


def create(client, count, prefix):
    """In one request: a slow machine would deliver the first of them while the others are created."""
    events = [{"eventType": "LOAD", "targetTimestampUTC": "now", "endpointId": "ext:r", "deliveryPayload": {},
               "idempotencyKey": f"{prefix}-{i}"} for i in range(count)]
    return [one["id"] for one in client.ok("POST", "/v1/events/batch", {"events": events})["data"]]


def circuit(client):
    return client.ok("GET", "/v1/endpoints/ext:r")["circuit"]


def metric(client, name):
    for line in client.get("/metrics").body.decode().splitlines():
        if line.startswith(name + " "):
            return float(line.rsplit(" ", 1)[1])
    return 0.0


def starts(client, since):
    """When the recorded attempts after `since` began, by the clock of the database: a slow receiver notices them later."""
    began = (datetime.datetime.fromisoformat(one["startedAt"].replace("Z", "+00:00"))
             for one in client.all("/v1/attempts?endpointId=ext:r&limit=200") if one["startedAt"])
    return sorted(at for at in began if at > since)


def all_completed(client, count):
    def look():
        events = client.all("/v1/events?limit=500")
        return len(events) == count and all(event["status"] == "COMPLETED" for event in events)
    h.wait_until(look, f"all {count} events to be completed")


def breaker(kind):
    """Down: the circuit opens, events wait and no try of theirs is spent, one probe at a time. Up: it closes."""
    receiver = Receiver(status=503)
    with instances(kind, "--delivery.circuit.open=PT2S", "--delivery.circuit.open_max=PT4S") as servers:
        client = servers[0].client()
        endpoint(client, receiver.url)
        assert circuit(client) == {"state": "CLOSED", "failureRatio": 0.0, "openedAt": None, "probeAt": None}
        create(client, 10, "first")
        shown = h.wait_until(lambda: (now := circuit(client))["state"] == "OPEN" and now, "the circuit to open")
        assert shown["openedAt"] and shown["probeAt"] and shown["failureRatio"] >= 0.5, shown
        waiting = create(client, 20, "waiting")
        h.wait_until(lambda: metric(client, 'sundial_events_waiting{reason="circuit"}') >= 20, "events to wait")
        assert metric(client, 'sundial_circuit_state{endpoint="r"}') in (1, 2)
        before, since = receiver.count(), datetime.datetime.now(datetime.timezone.utc)
        probes = h.wait_until(lambda: (found := starts(client, since))[2:] and found, "three probes")
        gaps = [(later - earlier).total_seconds() for earlier, later in zip(probes, probes[1:])]
        assert all(gap > 1.5 for gap in gaps), f"probes came {gaps} seconds apart: not one at a time"

        receiver.status = 204
        all_completed(client, 30)
        h.wait_until(lambda: circuit(client)["state"] == "CLOSED", "the circuit to close")
        probed = collections.Counter(receiver.events)
        for event in waiting:
            history = client.ok("GET", f"/v1/events/{event}")
            assert history["retryCount"] == probed[event] - 1, (history, probed[event])
        untried = [event for event in waiting if probed[event] == 1]
        assert len(untried) >= 10, "events that were no probe were sent once"
        for change in ("opened", "closed"):
            h.wait_until(lambda: any(server.logged(f"endpoint.circuit_{change}") for server in servers), f"a line: {change}")
        print(f"{len(servers)} instances: circuit opened after {before} requests, {len(probes)} probes "
              f"{min(gaps):.1f} s apart or more, {len(untried)} of 20 waiting events sent once, no try spent")


def closed_by_hand(kind):
    """An operator need not wait for the probe."""
    receiver = Receiver(status=503)
    with instances(kind, "--delivery.circuit.open=PT1H", "--delivery.circuit.open_max=PT1H") as servers:
        client = servers[0].client()
        made = endpoint(client, receiver.url)
        create(client, 10, "first")
        h.wait_until(lambda: circuit(client)["state"] == "OPEN", "the circuit to open")
        h.wait_until(lambda: metric(client, 'sundial_events_waiting{reason="circuit"}') >= 10, "all events to wait")
        receiver.status = 204
        refused = client.call("PATCH", "/v1/endpoints/ext:r", {"circuit": {"state": "OPEN"}})
        assert refused.status == 400 and refused.json()["errors"][0]["pointer"] == "/circuit/state", refused.body
        closed = client.ok("PATCH", "/v1/endpoints/ext:r", {"circuit": {"state": "CLOSED"}})
        assert closed["circuit"]["state"] == "CLOSED" and closed["version"] == made["version"], closed
        all_completed(client, 10)
        servers[0].wait_for_line("endpoint.circuit_closed")


def ask(url, statement):
    return subprocess.run(["psql", "-XAtqc", statement, url], check=True, capture_output=True, text=True, timeout=h.HANG_GUARD).stdout.strip()


@contextlib.contextmanager
def locked(url, table):
    """No other transaction writes to it meanwhile."""
    session = subprocess.Popen(["psql", "-XAtq", url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        session.stdin.write(f"BEGIN; LOCK TABLE {table} IN SHARE MODE; SELECT 'locked';\n")
        session.stdin.flush()
        assert session.stdout.readline().strip() == "locked"
        yield
    finally:
        session.stdin.close()  # ends its transaction
        session.wait(timeout=h.HANG_GUARD)


def claim_log():
    """A circuit closes after an event was claimed, and before it is released: each version of the event has a maker in the
    claim log, also the one that the instance makes because the event need not wait any more."""
    receiver = Receiver(status=503)
    with h.folder() as directory, h.database("postgres", directory) as where:
        claims = os.path.join(directory, "claims")
        with h.running("serve", "--db", where, *h.LOCAL_RECEIVERS, *BRIEF, "--delivery.circuit.open=PT1H",
                       "--delivery.circuit.open_max=PT1H", f"--log.claims={claims}", folder=directory) as server:
            client = server.client()
            endpoint(client, receiver.url)
            create(client, 10, "first")
            h.wait_until(lambda: metric(client, 'sundial_events_waiting{reason="circuit"}') >= 10, "all events to wait")
            receiver.status = 204
            with locked(where, "sundial.attempts"):
                [event] = create(client, 1, "late")
                waits = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'sundial.attempts'::regclass AND mode = 'RowExclusiveLock'"
                h.wait_until(lambda: ask(where, waits) != "0", "a release to begin")
                client.ok("PATCH", "/v1/endpoints/ext:r", {"circuit": {"state": "CLOSED"}})
            all_completed(client, 11)
            version = client.ok("GET", f"/v1/events/{event}")["version"]
        with open(claims, encoding="utf-8") as file:
            lines = [line for line in map(json.loads, file) if line.get("id") == event and line["type"] == "ok" and line["op"] != "extend"]
        steps = [(line["op"], line["version"]) for line in lines]
        assert steps == [("claim", 2), ("release", 2), ("update", 4), ("claim", 5), ("settle", 5)], steps
        assert version == 6, version


def in_flight(kind):
    """Never more at once than maxInFlight over all instances; the slots of a killed instance are free after its lease."""
    limit, count = 4, 120
    receiver = Receiver(delay=0.25)
    with instances(kind) as servers:
        client = servers[0].client()
        endpoint(client, receiver.url, maxInFlight=limit)
        create(client, count, "e")
        all_completed(client, count)
        assert receiver.most == limit, f"at most {receiver.most} at once where {limit} are allowed"
        print(f"{len(servers)} instances, {count} events: at most {receiver.most} at once of {limit}")
        if kind == "sqlite":
            return
        receiver.forget_most()
        receiver.delay = 1.0
        create(client, 100, "f")
        instance_of = {server.client().ok("GET", "/v1/info")["instanceId"]: server for server in servers[1:]}

        def victim():
            with receiver.lock:
                latest = receiver.events[-limit:]
            holders = [client.ok("GET", f"/v1/events/{event}")["claimedBy"] for event in latest]
            return next((instance_of[holder] for holder in holders if holder in instance_of), None)
        h.wait_until(victim, "one that can be killed to send", every=0.02).kill()
        killed = time.monotonic()
        h.wait_until(lambda: time.monotonic() > killed + 2, "what it sent to be over")
        receiver.forget_most()
        h.wait_until(lambda: receiver.now == limit and time.monotonic() > killed + LEASE, "its slots to come back")
        print(f"one killed: all {limit} slots in use again {time.monotonic() - killed:.0f} s later, lease {LEASE} s")
        all_completed(client, count + 100)
        assert receiver.most <= limit, f"{receiver.most} at once where {limit} are allowed"


def rate(kind):
    """Never more in any span than burst and rate over all instances."""
    per_second, burst, count = 20, 5, 80
    receiver = Receiver()
    with instances(kind) as servers:
        client = servers[0].client()
        endpoint(client, receiver.url, rateLimit={"perSecond": per_second, "burst": burst})
        create(client, count, "e")
        all_completed(client, count)
        times = sorted(receiver.times)
        # A request may be on its way for a while: it is when it arrives that is measured here.
        on_the_way = 1.0
        for first in range(count):
            for last in range(first, count):
                span = times[last] - times[first] + on_the_way
                allowed = burst + per_second * span
                assert last - first + 1 <= allowed, f"{last - first + 1} requests in {span:.2f} s"
        took = times[-1] - times[0]
        assert took >= (count - burst) / per_second - on_the_way, took
        print(f"{len(servers)} instances: {count} requests in {took:.1f} s at {per_second}/s and {burst} at once")


def waiting_costs_nothing(kind):
    """Events that wait for a limit use no attempt: every first request says so, and no attempt is recorded."""
    count = 60
    receiver = Receiver(delay=0.05)
    with instances(kind) as servers:
        client = servers[0].client()
        endpoint(client, receiver.url, rateLimit={"perSecond": 20, "burst": 1}, maxInFlight=2)
        made = create(client, count, "e")
        waited = h.wait_until(lambda: metric(client, 'sundial_events_waiting{reason="limit"}'), "events to wait")
        all_completed(client, count)
        assert receiver.attempts == [1] * count, collections.Counter(receiver.attempts)
        for event in made:
            steps = client.ok("GET", f"/v1/events/{event}/explain")["steps"]
            tries = [step["text"] for step in steps if step["step"] == "attempt"]
            assert len(tries) == 1 and "SUCCEEDED" in tries[0], tries
        times = sorted(receiver.times)
        print(f"{len(servers)} instances: {count} requests in {times[-1] - times[0]:.1f} s at 20/s, {waited:.0f} waited, "
              f"each of them tried once")


def gone(kind):
    """410 disables the endpoint: other events wait, no try is spent, until it is enabled."""
    receiver = Receiver(status=410)
    with instances(kind) as servers:
        client = servers[0].client()
        endpoint(client, receiver.url)
        first = create(client, 1, "first")[0]
        h.wait_until(lambda: not client.ok("GET", "/v1/endpoints/ext:r")["enabled"], "the endpoint to be disabled")
        disabled = client.ok("GET", "/v1/endpoints/ext:r")
        assert "410" in disabled["disabledReason"], disabled
        h.wait_until(lambda: client.ok("GET", f"/v1/events/{first}")["status"] == "FAILED", "the end of the event")
        waiting = create(client, 10, "waiting")
        h.wait_until(lambda: metric(client, 'sundial_events_waiting{reason="endpoint"}') == 10, "events to wait")
        assert receiver.count() == 1
        for event in waiting:
            shown = client.ok("GET", f"/v1/events/{event}")
            assert (shown["status"], shown["retryCount"], shown["nextAttemptAt"]) == ("PROCESSING", 0, None), shown
        h.wait_until(lambda: any(server.logged("endpoint.disabled") for server in servers), "a line: disabled")
        receiver.status = 204
        client.ok("PATCH", "/v1/endpoints/ext:r", {"enabled": True})
        h.wait_until(lambda: all(client.ok("GET", f"/v1/events/{event}")["status"] == "COMPLETED" for event in waiting),
                     "what waited to be delivered")
        assert all(client.ok("GET", f"/v1/events/{event}")["retryCount"] == 0 for event in waiting)


if __name__ == "__main__":
    h.main({"breaker": breaker, "closed_by_hand": closed_by_hand, "claim_log": claim_log, "in_flight": in_flight, "rate": rate,
            "waiting_costs_nothing": waiting_costs_nothing, "gone": gone})
