#!/usr/bin/env python3
"""The effect of an open transaction of a caller on the feed: the delay from an append to its arrival at a follower, before, during and
after the transaction, and the time of appends meanwhile. PostgreSQL.

    python3 bench/open_transaction.py [--seconds 10] [--rate 100]

One client appends to streams of its own over HTTP at a fixed rate, another follows the feed with `wait`. For `--seconds` no
other transaction is open, then a third one is, then none again. The third transaction does one of these:

    schedule    a row of its own and sundial.schedule_event: no recorded event
    append      sundial.append to a stream of its own

At the end an append to the stream of the open transaction shows what its other writers get. Prints a table, and one line for
each of these. SUNDIAL and TEMPORARY_POSTGRES name the programs, as for the end-to-end tests.
"""
import argparse
import contextlib
import statistics
import subprocess
import threading
import time

from bed import h

STATEMENTS = {
    "schedule": "INSERT INTO orders DEFAULT VALUES; SELECT sundial.schedule_event('REMINDER', now() + interval '1 day')",
    "append": "INSERT INTO orders DEFAULT VALUES; "
              "SELECT * FROM sundial.append('Held', '1', -1, '[{\"eventType\": \"Placed\", \"data\": {}}]')",
}


class OpenTransaction:
    """A transaction of psql's."""

    def __init__(self, url):
        self.psql = subprocess.Popen(["psql", url, "-XqAt", "-v", "ON_ERROR_STOP=1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                     text=True)

    def say(self, statements):
        """Returns once the server has done them."""
        self.psql.stdin.write(f"{statements};\n\\echo done\n")
        self.psql.stdin.flush()
        for line in self.psql.stdout:
            if line == "done\n":
                return
        raise SystemExit(f"psql ended in: {statements}")

    def end(self):
        self.psql.stdin.close()
        self.psql.wait(timeout=h.HANG_GUARD)


class Appender(threading.Thread):
    """Appends event after event, each to a stream of its own; notes when each was answered, and how long it took."""

    def __init__(self, server, rate):
        super().__init__(daemon=True)
        self.client, self.rate = server.client(), rate
        self.stopped = threading.Event()
        self.answered, self.took = {}, {}

    def run(self):
        begin = time.monotonic()
        number = 0
        while not self.stopped.wait(max(0.0, begin + number / self.rate - time.monotonic())):
            asked = time.monotonic()
            self.client.ok("POST", f"/v1/streams/Order/{number}", {"events": [{"eventType": "Placed", "data": {"number": number}}]})
            self.answered[number] = time.monotonic()
            self.took[number] = self.answered[number] - asked
            number += 1


class Follower(threading.Thread):
    """Follows the feed; notes when each event arrived."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.client = server.client()
        self.stopped = threading.Event()
        self.arrived = {}

    def run(self):
        after = 0
        while not self.stopped.is_set():
            page = self.client.ok("GET", f"/v1/feed?after={after}&aggregateType=Order&limit=500&wait=PT1S")
            now = time.monotonic()
            for event in page["data"]:
                self.arrived[event["data"]["number"]] = now
            after = page["nextPosition"]


def milliseconds(values):
    values = sorted(value * 1000 for value in values)
    return f"{statistics.median(values):.0f} / {values[len(values) * 99 // 100]:.0f} / {values[-1]:.0f}" if values else "–"


def measured(url, server, kind, seconds, rate):
    appender, follower = Appender(server, rate), Follower(server)
    held = OpenTransaction(url)
    appender.start()
    follower.start()
    time.sleep(seconds)
    opened = time.monotonic()
    held.say(f"BEGIN; {STATEMENTS[kind]}")
    time.sleep(seconds)
    waiting = len(appender.answered) - len(follower.arrived)
    rival = None
    if kind == "append":
        asked = time.monotonic()
        answer = server.client().call("POST", "/v1/streams/Held/1", {"events": [{"eventType": "Paid", "data": {}}]})
        rival = f"{answer.status} {answer.json().get('code', '')} after {time.monotonic() - asked:.1f} s"
    ended = time.monotonic()
    before_end = len(appender.answered)
    held.say("COMMIT")
    held.end()
    committed = time.monotonic()
    h.wait_until(lambda: len(follower.arrived) >= before_end, "the events that waited")
    caught_up = max(follower.arrived[number] for number in range(before_end)) - committed
    time.sleep(seconds)
    for thread in (appender, follower):
        if thread is follower:
            h.wait_until(lambda: len(follower.arrived) == len(appender.answered), "all events")
        thread.stopped.set()
        thread.join()
    for phase, begin, end in (("before", 0.0, opened), ("open", opened, ended), ("after", committed, time.monotonic())):
        numbers = [number for number, at in appender.answered.items() if begin <= at < end]
        delays = [max(0.0, follower.arrived[number] - appender.answered[number]) for number in numbers]
        print(f"| {kind} | {phase} | {len(numbers)} | {milliseconds(delays)} | {milliseconds(appender.took[n] for n in numbers)} |",
              flush=True)
    notes = [f"{kind}: {waiting} events waited when it had been open for {seconds} s; the last of them arrived"
             f" {max(0.0, caught_up) * 1000:.0f} ms after its commit"]
    return notes + ([f"another append to the stream of the open transaction: {rival}"] if rival else [])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rate", type=float, default=100, help="appends per second")
    asked = parser.parse_args()
    print("| transaction | phase | appends | delay of the feed, p50 / p99 / max in ms | append, p50 / p99 / max in ms |\n|---|---|---|---|---|")
    notes = []
    for kind in STATEMENTS:
        with contextlib.ExitStack() as stack:
            folder = stack.enter_context(h.folder())
            url = stack.enter_context(h.postgres(on_disk=True))
            server = stack.enter_context(h.running("serve", "--db", url, folder=folder))
            subprocess.run(["psql", url, "-Xqc", "CREATE TABLE orders (id bigserial)"], check=True)
            notes += measured(url, server, kind, asked.seconds, asked.rate)
            server.stop()
    print("\n" + "\n".join(notes))


if __name__ == "__main__":
    main()
