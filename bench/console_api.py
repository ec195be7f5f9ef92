"""P17: the routes of the console beside many rows.

    python3 bench/console_api.py [sqlite|postgres] [--live 1000000] [--finished 1000000] [--calls 300]

Copies one pending and one finished event until the database has as many rows of each as asked for, spread over the days
before and after now, and a failed attempt for every hundredth finished event. Then it calls each route one request after
the other, and prints p50 and p99 in milliseconds, with the number of rows that the first answer has. The target is a p99
of at most 20 ms. Exits with 1 if a route misses it.
"""
import argparse
import http.client
import json
import sqlite3
import subprocess
import sys
import time

from bed import h

TARGET_MS = 20
ROUTES = [
    "/v1/stats?window=PT1H",
    "/v1/stats?window=PT24H",
    "/v1/stats/series?metric=executed,failed,lateness_p99&from=now-1h&step=PT1M",
    "/v1/stats/series?metric=executed&by=endpointId&from=now-24h&step=PT10M",
    "/v1/stats/series?metric=executed&from=now-30d&step=PT1H",
    "/v1/attempts",
    "/v1/attempts?outcome=RETRYABLE,PERMANENT",
    "/v1/attempts?endpointId=ext:rare",
    "/v1/attempts?statusCode=404",
    "/v1/instances",
    "/v1/stats/heatmap?from=now-1d&to=now",
    "/v1/stats/heatmap?from=now&to=now%2B2d",
    "/v1/events?status=PENDING&count=exact",
    "/v1/events?status=COMPLETED&count=exact&expand=endpoint,schedule,user",
    "/v1/occurrences?from=now&to=now%2B1d",
]


# A copied event of the schedule would be one more planned event of its rule, which has one at a time.
PENDING_COPY = "status = 'PENDING' AND event_type = 'COPY'"


def copies(columns, changed):
    """The columns of a table, and the expression of each for a copy."""
    names = [name for name in columns if name != "guard"]
    return ", ".join(names), ", ".join(changed.get(name, name) for name in names)


def fill_sqlite(path, live, finished):
    database = sqlite3.connect(path)
    database.execute("PRAGMA synchronous = OFF")
    numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)"
    fresh = "CAST(unixepoch() AS INTEGER) * 1000000"

    def columns(table):
        return [row[1] for row in database.execute(f"PRAGMA table_xinfo({table})") if row[6] == 0]

    def copy(table, where, count, changed):
        names, values = copies(columns(table), changed)
        database.execute(f"{numbers} INSERT INTO {table} ({names}) SELECT {values} FROM n, "
                         f"(SELECT * FROM {table} WHERE {where} LIMIT 1)", (count,))

    ids = {"id": "randomblob(16)", "idempotency_key": "'copy-' || i || '-' || hex(randomblob(6))"}
    ahead = f"{fresh} + 3600000000 + i * 86400000000 * 30 / {live}"
    copy("events", PENDING_COPY, live, {**ids, "due": ahead, "claimable_at": ahead})
    back = f"{fresh} - 60000000 - i * 86400000000 * 2 / {finished}"
    copy("event_history", "status = 'COMPLETED'", finished, {**ids, "due": back, "finished_at": back, "started_at": back,
                                                            "first_attempt_at": back})
    database.execute(f"{numbers} INSERT INTO attempts (event_id, number, outcome, started_at, duration, status_code, error_code,"
                     " error_text, response_body, recorded_at)"
                     f" SELECT randomblob(16), 1, 'RETRYABLE', {back}, 1000, 503, 'HTTP_STATUS', '', x'', {back} FROM n",
                     (max(finished // 100, 1),))
    database.execute("UPDATE event_counts SET rows = rows + ? WHERE standing = 'PENDING'", (live,))
    database.execute("UPDATE event_counts SET rows = rows + ? WHERE standing = 'COMPLETED'", (finished,))
    database.commit()
    database.execute("ANALYZE")
    database.close()


def fill_postgres(url, live, finished):
    def run(sql):
        return subprocess.run(["psql", url, "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", sql], check=True, capture_output=True,
                              text=True).stdout.split()

    def columns(table):
        return run("SELECT column_name FROM information_schema.columns WHERE table_schema = 'sundial' AND "
                   f"table_name = '{table}' ORDER BY ordinal_position")

    shards = run("SELECT value FROM sundial.settings WHERE name = 'shards'")[0]

    def copy(table, where, count, changed):
        names, values = copies(columns(table), changed)
        run(f"INSERT INTO sundial.{table} ({names}) SELECT {values} FROM (SELECT i, gen_random_uuid() AS fresh "
            f"FROM generate_series(1, {count}) AS i) AS n, (SELECT * FROM sundial.{table} WHERE {where} LIMIT 1) AS one")

    ids = {"id": "fresh", "idempotency_key": "'copy-' || fresh", "shard": f"(get_byte(uuid_send(fresh), 15) % {shards})::smallint"}
    ahead = f"now() + interval '1 hour' + i * interval '30 days' / {live}"
    copy("events", PENDING_COPY, live, {**ids, "due": ahead, "claimable_at": ahead})
    back = f"now() - interval '1 minute' - i * interval '2 days' / {finished}"
    copy("event_history", "status = 'COMPLETED'", finished, {**ids, "due": back, "finished_at": back, "started_at": back,
                                                            "first_attempt_at": back})
    run("INSERT INTO sundial.attempts (shard, event_id, number, outcome, started_at, status_code, recorded_at)"
        f" SELECT (get_byte(uuid_send(id), 15) % {shards})::smallint, id, 1, 'RETRYABLE', at, 503, at"
        f" FROM (SELECT gen_random_uuid() AS id, {back} AS at FROM generate_series(1, {max(finished // 100, 1)}) AS i) AS n")
    run("VACUUM (ANALYZE) sundial.events, sundial.event_history, sundial.attempts")


def template(db, folder):
    """One pending and one completed event, on endpoints; one endpoint is rare."""
    with h.running("serve", "--db", db, *h.LOCAL_RECEIVERS, "--ui.inbox=true", folder=folder) as server:
        client = server.client()
        for name in ("bin", "rare"):
            client.ok("POST", "/v1/endpoints", {"name": name, "type": "INBOX", "externalId": name})
        client.ok("POST", "/v1/schedules", {"eventType": "CRON", "trigger": {"cron": "*/5 * * * *"}, "timezone": "UTC",
                                            "endpointId": "ext:bin"})
        made = [client.ok("POST", "/v1/events", {"eventType": "COPY", "targetTimestampUTC": when, "endpointId": f"ext:{where}",
                                                 "deliveryPayload": {"text": "x" * 200}})
                for when, where in (("now+30d", "bin"), ("now", "bin"), ("now", "rare"))]
        h.wait_until(lambda: all(client.ok("GET", f"/v1/events/{one['id']}")["status"] == "COMPLETED" for one in made[1:]),
                     "the deliveries")
        server.stop()


def measured(port, target, calls):
    """(p50, p99, rows of the first answer) in milliseconds, over one connection."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    times, rows = [], None
    for _ in range(calls):
        begun = time.perf_counter()
        connection.request("GET", target)
        answer = connection.getresponse()
        body = answer.read()
        times.append((time.perf_counter() - begun) * 1000)
        assert answer.status == 200, (target, answer.status, body)
        if rows is None:
            data = json.loads(body).get("data")
            rows = len(data) if isinstance(data, list) else 1
    times.sort()
    return times[len(times) // 2], times[min(len(times) - 1, len(times) * 99 // 100)], rows


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("kind", nargs="?", choices=["sqlite", "postgres"], default="sqlite")
    options.add_argument("--live", type=int, default=1_000_000)
    options.add_argument("--finished", type=int, default=1_000_000)
    options.add_argument("--calls", type=int, default=300)
    asked = options.parse_args()
    with h.folder() as folder, h.database(asked.kind, folder) as db:
        template(db, folder)
        begun = time.monotonic()
        (fill_sqlite if asked.kind == "sqlite" else fill_postgres)(db, asked.live, asked.finished)
        print(f"{asked.kind}: {asked.live} live and {asked.finished} finished rows in {time.monotonic() - begun:.0f} s", flush=True)
        with h.running("serve", "--db", db, *h.LOCAL_RECEIVERS, "--ui.inbox=true", folder=folder) as server:
            missed = 0
            for route in ROUTES:
                p50, p99, rows = measured(server.port, route, asked.calls)
                missed += p99 > TARGET_MS
                print(f"{p50:8.2f} {p99:8.2f} ms  {rows:5} rows  {route}", flush=True)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
