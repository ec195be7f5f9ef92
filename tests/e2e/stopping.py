"""SIGTERM under load, and kill -9 of a holder: which events are sent twice, and when held events are sent again."""
import collections
import http.client
import os
import signal
import sqlite3
import threading
import time

import harness as h

LEASE, TICK = 15, 1


def start(db, directory, *more):
    return h.Server("serve", "--db", db, *h.LOCAL_RECEIVERS, "--scheduler.lease=PT15S", "--delivery.timeout=PT5S", *more,
                    folder=directory).ready()


def endpoint(client, url, timeout="PT5S"):
    client.ok("POST", "/v1/endpoints", {"name": "slow", "type": "WEBHOOK", "url": url, "externalId": "r", "timeout": timeout})


def create(client, count):
    for i in range(count):
        client.ok("POST", "/v1/events", {"eventType": "X", "targetTimestampUTC": "now", "endpointId": "ext:r",
                                         "idempotencyKey": f"e-{i}", "deliveryPayload": {}})


def settled(client):
    return not client.ok("GET", "/v1/events?status=PENDING,PROCESSING&limit=1")["data"]


def terminated(kind):
    """A process that is asked to stop while its receiver is slow: nothing is sent twice, nothing is left to a lease."""
    receiver = h.Receiver(delay=1.5)
    with h.folder() as directory, h.database(kind, directory) as db:
        first = start(db, directory, "--delivery.workers=20")
        endpoint(first.client(), receiver.url)
        create(first.client(), 60)
        h.wait_until(lambda: receiver.count() >= 21, "requests in flight")
        began = time.monotonic()
        assert first.stop() == 0
        took = time.monotonic() - began
        second = start(db, directory, "--delivery.workers=20")
        client = second.client()
        h.wait_until(lambda: settled(client), "every event to be settled")
        twice = [key for key, n in collections.Counter(receiver.ids()).items() if n > 1]
        assert not twice and len(receiver.ids()) == 60, f"sent twice: {twice}"
        assert not [line for line in second.logged("lease.expired")], "something was left to its lease"
        assert all(event["status"] == "COMPLETED" and event["retryCount"] == 0 for event in client.all("/v1/events?limit=500"))
        print(f"stopped in {took:.1f} s with a slow receiver: 60 events, no request twice")
        assert second.stop() == 0


def twice():
    """The second signal ends it now, whatever is in flight."""
    release = threading.Event()
    receiver = h.Receiver(hold=release)
    with h.folder() as directory, h.database("sqlite", directory) as db:
        for pause in (0, 1.5):  # while it still accepts, and afterwards
            server = h.Server("serve", "--db", db, *h.LOCAL_RECEIVERS, "--scheduler.lease=PT40S", folder=directory).ready()
            if pause == 0:
                endpoint(server.client(), receiver.url, timeout="PT30S")
            sent = receiver.count()
            server.client().ok("POST", "/v1/events", {"eventType": "X", "targetTimestampUTC": "now", "endpointId": "ext:r",
                                                      "deliveryPayload": {}})
            h.wait_until(lambda: receiver.count() > sent, "a request in flight")
            server.process.send_signal(signal.SIGTERM)
            h.wait_until(lambda: server.logged("server.draining"), "the first signal to be heard")
            time.sleep(pause)  # this tests the moment of the second signal
            server.process.send_signal(signal.SIGTERM)
            assert server.process.wait(timeout=h.HANG_GUARD) == 130
        release.set()
        print("a second signal ended it at once")


def populate(file, count):
    """So many people like the one that there is, in one transaction in memory, with ids in order as those of the program."""
    with sqlite3.connect(file) as database:
        database.execute("PRAGMA cache_size = -1000000")
        columns = [row[1] for row in database.execute("PRAGMA table_info(users)")]
        values = ["CAST(printf('%016d', i) AS BLOB)" if column == "id" else column for column in columns]
        database.execute(f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT {count}) "
                         f"INSERT INTO users ({','.join(columns)}) SELECT {','.join(values)} FROM users, n")
    database.close()


def processor_time(process):
    """Seconds that it has used so far."""
    with open(f"/proc/{process}/stat", encoding="ascii") as kernel:
        fields = kernel.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def outlasted():
    """A request that takes longer than a stop waits for: the process leaves it, and in good order."""
    with h.folder() as directory, h.database("sqlite", directory) as db:
        first = start(db, directory)
        client = first.client()
        client.ok("POST", "/v1/users", {"firstName": "Ada", "lastName": "Li", "dateOfBirth": "1990-01-01", "timezone": "Asia/Tokyo"})
        client.ok("POST", "/v1/schedules", {"externalId": "x", "eventType": "X", "enabled": False, "perUser": True,
                                            "trigger": {"cron": "0 9 29 2 *"}, "payload": {}})
        assert first.stop() == 0
        populate(db, 400_000)
        second = start(db, directory)

        def look():
            try:
                second.client().call("POST", "/v1/schedules/ext:x/backfill", {"from": "2026-01-01T00:00:00Z", "to": "now", "dryRun": True})
            except (OSError, http.client.HTTPException):
                pass  # no process answers it any more
        asked = threading.Thread(target=look)
        before = processor_time(second.process.pid)
        asked.start()
        h.wait_until(lambda: processor_time(second.process.pid) > before + 0.5, "the request to be under way")
        began = time.monotonic()
        assert second.stop() == 0
        took = time.monotonic() - began
        asked.join()
        assert second.logged("server.drain_cut_short"), f"the request took less than {took:.1f} s: too few people"
        print(f"stopped in {took:.1f} s, whatever was under way")


def killed():
    """A holder that dies: its event is sent again by another instance as soon as its lease expires."""
    release = threading.Event()
    receiver = h.Receiver(hold=release)
    with h.folder() as directory, h.database("postgres", directory) as db:
        victim = start(db, directory)
        endpoint(victim.client(), receiver.url)
        create(victim.client(), 5)
        h.wait_until(lambda: receiver.count() == 5, "requests in flight")
        victim.kill()
        killed_at = time.time()
        release.set()
        other = start(db, directory)
        h.wait_until(lambda: receiver.count() == 10, "every event to be sent again")
        client = other.client()
        h.wait_until(lambda: settled(client), "every event to be settled")
        took = max(at for at, _, _ in receiver.received[5:]) - killed_at
        assert {line["operation"] for line in other.logged("lease.expired")} == {"claim"}
        attempts = sorted((headers["webhook-id"], headers["Sundial-Attempt"]) for _, headers, _ in receiver.received)
        assert attempts == sorted((f"e-{i}", n) for i in range(5) for n in ("1", "2")), attempts
        print(f"sent again {took:.1f} s after the kill; the bound is {LEASE + 2 * TICK + 5} s on a machine with time for it")
        assert other.stop() == 0


if __name__ == "__main__":
    h.main({"terminated": terminated, "twice": twice, "outlasted": outlasted, "killed": killed})
