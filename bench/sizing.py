#!/usr/bin/env python3
"""How large a machine must be: a server gets events over HTTP and sends them to a receiver at a steady rate; CPU, memory, connections
and bytes written of the server and of its database. Then the bytes that stored events take.

usage: bench/sizing.py [--seconds N] [--rates 10,100,500] [--rows N] [--payload BYTES]
"""
import argparse
import contextlib
import os
import time

import bed
from machine import cpu_seconds
import serving


def bytes_written(process):
    with open(f"/proc/{process}/io", encoding="ascii") as io:
        return next(int(line.split()[1]) for line in io if line.startswith("write_bytes:"))


class Used:
    """The use of a server and its database so far."""

    def __init__(self, place, storage, server):
        self.place, self.storage, self.server = place, storage, server

    def now(self):
        written = (int(self.place.sql("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint")) if self.storage == "postgres"
                   else bytes_written(self.server.process.pid))
        return cpu_seconds(self.server.process.pid), self.place.database_cpu() if self.storage == "postgres" else 0.0, written

    def connections(self):
        if self.storage == "sqlite":
            return 0
        return int(self.place.sql("SELECT count(*) FROM pg_stat_activity WHERE datname LIKE 'bench%'"))


def create(client, endpoint, first, count, when, payload):
    events = [{"eventType": "SIZE", "endpointId": endpoint, "targetTimestampUTC": when, "idempotencyKey": f"e-{first + n}", "deliveryPayload": {"text": payload}}
              for n in range(count)]
    client.ok("POST", "/v1/events/batch", {"events": events})


def fresh(place, storage):
    return place.database() if storage == "postgres" else place.file()


@contextlib.contextmanager
def served(place, where, receiver):
    with bed.h.running("serve", "--db", where, *bed.h.LOCAL_RECEIVERS, folder=place.folder) as server:
        client = server.client()
        endpoint = client.ok("POST", "/v1/endpoints", {"name": "size", "type": "WEBHOOK", "url": receiver.url})["id"]
        yield server, client, endpoint


def steady(place, storage, rate, seconds, payload):
    """One line: use at this rate, which is created and delivered."""
    receiver = bed.h.Receiver()
    with fresh(place, storage) as where, served(place, where, receiver) as (server, client, endpoint):
        used = Used(place, storage, server)
        create(client, endpoint, 0, 100, "now", payload)
        bed.h.wait_until(lambda: receiver.count() == 100, "the first deliveries")  # statements are prepared, memory is there
        before, began = used.now(), time.monotonic()
        for tenth in range(seconds * 10):
            create(client, endpoint, 100 + tenth * rate // 10, rate // 10, "now+1s", payload)
            time.sleep(max(0.0, began + (tenth + 1) / 10 - time.monotonic()))
        connections = used.connections()
        total = 100 + seconds * 10 * (rate // 10)
        bed.h.wait_until(lambda: receiver.count() >= total, "every delivery")
        took = time.monotonic() - began
        if took > seconds * 1.2 + 3:
            raise bed.NotMeasured(f"{rate}/s: {took:.0f} s instead of {seconds}")
        process, database, written = (after - earlier for after, earlier in zip(used.now(), before))
        events = total - 100
        return (f"| {storage} | {rate} | {process / events * 1e6:.0f} µs, {process / seconds:.2f} | {database / events * 1e6:.0f} µs, {database / seconds:.2f} "
                f"| {written / events / 1000:.1f} kB, {written / seconds / 1000:.0f} kB/s | {serving.resident_megabytes(server.process.pid):.0f} MB | {connections or '–'} |")


def size_of(place, storage, where):
    """While no server runs: SQLite's log has gone into the file then."""
    if storage == "sqlite":
        return os.path.getsize(where)
    name = where.partition("?")[0].rpartition("/")[2]
    return int(place.sql(f"SELECT pg_database_size('{name}')"))


def stored(place, storage, rows, payload):
    """Bytes of each pending event, and of each delivered one with its attempt."""
    receiver = bed.h.Receiver()
    sizes = []
    for when in ("now+300d", "now"):
        with fresh(place, storage) as where:
            with served(place, where, receiver) as (server, _, _):
                assert server.stop() == 0
            empty = size_of(place, storage, where)
            with served(place, where, receiver) as (server, client, endpoint):
                for first in range(0, rows, 500):
                    create(client, endpoint, first, min(500, rows - first), when, payload)
                if when == "now":
                    bed.h.wait_until(lambda: receiver.count() >= rows, "every delivery", 600)
                    bed.h.wait_until(lambda: not client.all("/v1/events?status=PROCESSING&limit=500"), "every settlement")
                assert server.stop() == 0
            sizes.append((size_of(place, storage, where) - empty) / rows)
    return f"| {storage} | {sizes[0]:.0f} | {sizes[1]:.0f} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--rates", default="10,100,500", help="multiples of ten")
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--payload", type=int, default=200)
    asked = parser.parse_args()
    payload = "x" * asked.payload
    with bed.bed() as place:
        print("| storage | events/s | CPU of Sundial: each, cores | CPU of PostgreSQL: each, cores | written: each, a second | memory | connections |\n|---|---|---|---|---|---|---|")
        for storage in ("sqlite", "postgres"):
            for rate in map(int, asked.rates.split(",")):
                print(steady(place, storage, rate, asked.seconds, payload), flush=True)
        print("\n| storage | bytes of a pending event | of a delivered one with its attempt |\n|---|---|---|")
        for storage in ("sqlite", "postgres"):
            print(stored(place, storage, asked.rows, payload), flush=True)


if __name__ == "__main__":
    main()
