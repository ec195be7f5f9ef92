"""How late events start: `rate` a second for `seconds`, each due at an instant of its own, default settings.

    SUNDIAL=build/release/bin/sundial TEMPORARY_POSTGRES=build/dev/bin/temporary_postgres \\
        python3 bench/lateness.py sqlite|postgres [rate] [seconds]

The server measures: start of the first attempt minus due, as the event's latenessMs says (whole milliseconds).
"""
import datetime as dt
import os
import random
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "e2e"))
import harness as h  # noqa: E402


def main(kind, rate=50, seconds=20):
    receiver = h.Receiver()
    rng = random.Random(1)
    with h.folder() as directory, h.database(kind, directory) as db, \
            h.running("serve", "--db", db, *h.LOCAL_RECEIVERS, folder=directory) as server:
        client = server.client()
        client.ok("POST", "/v1/endpoints", {"name": "r", "type": "WEBHOOK", "url": receiver.url, "externalId": "r"})
        begin = dt.datetime.now(dt.timezone.utc) + dt.timedelta(seconds=1)
        total = rate * seconds
        for i in range(total):
            due = begin + dt.timedelta(seconds=2 + i / rate + rng.random() / rate)
            client.ok("POST", "/v1/events", {"eventType": "LATENESS", "endpointId": "ext:r", "deliveryPayload": {},
                                             "targetTimestampUTC": due.isoformat(timespec="microseconds")})
            time.sleep(max(0.0, (begin + dt.timedelta(seconds=i / rate) - dt.datetime.now(dt.timezone.utc)).total_seconds()))
        h.wait_until(lambda: receiver.count() == total, "every delivery")
        h.wait_until(lambda: not client.ok("GET", "/v1/events?status=PENDING,PROCESSING&limit=1")["data"], "settling")
        late = sorted(event["latenessMs"] for event in client.all("/v1/events?eventType=LATENESS&limit=500"))
        assert len(late) == total and late[0] >= 0, "nothing may start early"
        print(f"{kind}: {total} events at {rate}/s: lateness p50 {late[total // 2]} ms, "
              f"p99 {late[total * 99 // 100]} ms, max {late[-1]} ms")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
