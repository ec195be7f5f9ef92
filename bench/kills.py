"""Measures the delay that a killed instance causes: one of three is killed with requests in flight, again and again.

    python3 bench/kills.py [sqlite|postgres] [--kills 100] [--rate 200] [--answer-after 0.25] [--apart]

Three `serve` with default settings on one PostgreSQL (with SQLite: one, which is started again) deliver events that are due at
once to a receiver that answers after a pause. Prints for the events whose request a kill cut off the time from the kill to
the next request, and the lateness of the first request of all others. --apart puts each instance on a machine of its own, as
far as they can tell: they do not see each other's processes end, and judge by heartbeats alone.
"""
import argparse
import collections
import os
import random
import sys
import threading
import time

from bed import h

SECONDS_BETWEEN_KILLS = 8


def start(db, directory, machine):
    seen = os.path.join(directory, f"machine-{machine}")
    os.makedirs(seen, exist_ok=True)
    return h.Server("serve", "--db", db, *h.LOCAL_RECEIVERS, folder=directory,
                    environment={"XDG_RUNTIME_DIR": seen})


class Load(threading.Thread):
    """Creates events at a steady rate, through each instance in turn at random, until it is ended."""

    def __init__(self, servers, rate):
        super().__init__(daemon=True)
        self.servers, self.rate, self.created, self.ended = servers, rate, {}, threading.Event()

    def run(self):
        batch, number, clients = max(1, self.rate // 20), 0, {}
        while not self.ended.wait(batch / self.rate):
            events = [{"eventType": "LOAD", "targetTimestampUTC": "now", "endpointId": "ext:r", "idempotencyKey": f"e-{number + i}",
                       "deliveryPayload": {}} for i in range(batch)]
            server = random.choice(self.servers)
            try:
                if server not in clients:
                    clients[server] = server.client()
                if clients[server].call("POST", "/v1/events/batch", {"events": events}).status < 300:
                    now = time.time()
                    self.created.update((event["idempotencyKey"], now) for event in events)
                    number += batch
            except (OSError, TypeError, h.http.client.HTTPException):
                clients.pop(server, None)  # it was killed, or is not ready yet; the same keys are sent again


def quantiles(values):
    values = sorted(values)
    at = lambda part: values[min(len(values) - 1, int(len(values) * part))]
    return f"median {at(0.5):.2f}, p99 {at(0.99):.2f}, maximum {values[-1]:.2f} s" if values else "none"


def kill_again_and_again(kind, db, directory, wanted):
    receiver = h.Receiver(delay=wanted.answer_after)
    machines = range(3) if kind == "postgres" else range(1)
    place = lambda number: number if wanted.apart else 0
    servers = [start(db, directory, place(number)).ready() for number in machines]
    kills = []
    try:
        servers[0].client().ok("POST", "/v1/endpoints", {"name": "receiver", "type": "WEBHOOK", "url": receiver.url, "externalId": "r"})
        load = Load(servers, wanted.rate)
        load.start()
        for number in range(wanted.kills):
            next_kill = time.time() + SECONDS_BETWEEN_KILLS
            while time.time() < next_kill:
                time.sleep(0.05)
            victim = random.randrange(len(servers))
            kills.append(time.time())
            servers[victim].kill()
            servers[victim] = start(db, directory, place(victim)).ready()
            print(f"\rkill {number + 1} of {wanted.kills}", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)
        time.sleep(SECONDS_BETWEEN_KILLS)
        load.ended.set()
        load.join()
        client = servers[0].client()
        h.wait_until(lambda: not client.ok("GET", "/v1/events?status=PENDING,PROCESSING&limit=1")["data"], "every event to be settled", 120)
    finally:
        for server in servers:
            if server.process.poll() is None:
                server.kill()
    return receiver.received, load.created, kills


def report(received, created, kills):
    requests = collections.defaultdict(list)
    for at, headers, _ in received:
        requests[headers["webhook-id"]].append(at)
    again, first, more, unexplained = [], [], 0, 0
    for key, times in requests.items():
        if key in created:
            first.append(times[0] - created[key])
        if len(times) > 1:
            kill = next((kill for kill in kills if times[0] < kill < times[1]), None)
            if kill is not None:
                again.append(times[1] - kill)
            unexplained += kill is None
            more += len(times) > 2
    lost = sum(key not in requests for key in created)
    print(f"{len(kills)} kills, {len(created)} events, {lost} lost; {more} with more than two requests, "
          f"{unexplained} with a second one that no kill explains")
    print(f"in flight at a kill: {len(again)}; from the kill to the next request: {quantiles(again)}; "
          f"{sum(value > 5 for value in again)} later than 5 s")
    print(f"first requests after creation: {quantiles(first)}; {sum(value > 5 for value in first)} later than 5 s")
    return lost == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", nargs="?", default="postgres", choices=["sqlite", "postgres"])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--rate", type=int, default=200, help="events a second")
    parser.add_argument("--answer-after", type=float, default=0.25, help="seconds until the receiver answers")
    parser.add_argument("--apart", action="store_true", help="instances that do not see each other's processes")
    wanted = parser.parse_args()
    with h.folder() as directory, h.database(wanted.kind, directory) as db:
        received, created, kills = kill_again_and_again(wanted.kind, db, directory, wanted)
    return 0 if report(received, created, kills) else 1


if __name__ == "__main__":
    sys.exit(main())
