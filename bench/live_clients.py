"""P17: the delay of a change at 1,000 live clients of one instance, and the CPU time that they cost.

    python3 bench/live_clients.py [sqlite|postgres] [--clients 1000] [--changes 50] [--quiet 10]

Connects the clients of /v1/live, creates one user after the other, and prints how long each creation took to reach each
client: p50, p99 and the latest, in milliseconds, counted from before the request. Then it prints the share of one core that
the server uses while nothing changes for `--quiet` seconds. The target is a p99 below 250 ms. Exits with 1 if it is missed.
"""
import argparse
import sys
import time

from bed import h
import live_crowd
from machine import cpu_seconds

TARGET_MS = 250
PERSON = {"firstName": "Ada", "lastName": "Li", "dateOfBirth": "1992-02-29", "timezone": "UTC"}


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("kind", nargs="?", choices=["sqlite", "postgres"], default="sqlite")
    options.add_argument("--clients", type=int, default=live_crowd.MOST)
    options.add_argument("--changes", type=int, default=50)
    options.add_argument("--quiet", type=float, default=10)
    asked = options.parse_args()
    with h.folder() as folder, h.database(asked.kind, folder) as db, h.running("serve", "--db", db, folder=folder) as server:
        pid = server.process.pid
        before = cpu_seconds(pid)
        delays = [one * 1000 for one in live_crowd.measured(server, asked.changes, PERSON, asked.clients)]
        p50, p99 = (delays[len(delays) * share // 100] for share in (50, 99))
        print(f"{asked.kind}: {asked.clients} clients, {asked.changes} changes: p50 {p50:.0f} ms, p99 {p99:.0f} ms, latest {delays[-1]:.0f} ms; "
              f"{(cpu_seconds(pid) - before) / asked.changes * 1000:.0f} ms of CPU a change", flush=True)
        # The server refuses more clients than it may have, and has not yet noticed that the first ones left.
        h.wait_until(lambda: b"\nsundial_live_clients 0\n" in server.client().get("/metrics").body, "the end of the first clients")
        crowd = live_crowd.Crowd(server.port, asked.clients)
        before, begun = cpu_seconds(pid), time.monotonic()
        time.sleep(asked.quiet)
        print(f"quiet: {(cpu_seconds(pid) - before) / (time.monotonic() - begun) * 100:.1f} % of a core", flush=True)
        crowd.close()
    sys.exit(1 if p99 >= TARGET_MS else 0)


if __name__ == "__main__":
    main()
