"""P15 (performance.md): sundial.schedule_event beside a bare insert of the same row with its key, in turns, by pgbench.

    python3 bench/sql_functions.py URL [PAIRS] [SECONDS]      URL: a database that Sundial has migrated, for nothing else

Both sides: one connection, prepared statements, one transaction per event, committed as the server's settings say. The bare
side computes shard, key and id in the client, as a program that knows the tables would: two inserts in one transaction.
Prints the medians of the latencies and their ratio."""
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

FUNCTION = r"""\set r random(1, 4000000000000000)
SELECT sundial.schedule_event('REMINDER', now() + interval '1 hour', '{"text": "Renew"}', NULL, NULL, 'k-' || :r::bigint::text);
"""
# One round trip, like the function's.
BARE = r"""\set r random(1, 4000000000000000)
\set shard :r % 16
WITH keyed AS (
    INSERT INTO sundial.event_keys (shard, key, event_id, expires_at)
    VALUES (:shard::smallint, 'k-' || :r::bigint::text, ('0199a000-0000-7000-8' || lpad(to_hex(:r::bigint / 4096), 3, '0') || '-' || lpad(to_hex(:r::bigint % 281474976710656), 12, '0'))::uuid,
            now() + interval '401 days')
    RETURNING event_id)
INSERT INTO sundial.events
    (shard, id, status, priority, claimable_at, version, attempt, retry_count, due, idempotency_key, event_type, zone, gap,
     overlap, tz_release, payload, created_at, updated_at)
SELECT :shard::smallint, event_id, 'PENDING', 2, now() + interval '1 hour', 1, 0, 0, now() + interval '1 hour', 'k-' || :r::bigint::text, 'REMINDER', 'UTC',
       'compatible', 'compatible', '', '{"text": "Renew"}', now(), now()
  FROM keyed;
"""
# The same as two statements of one transaction.
TWO = re.sub(r"WITH keyed AS \(\s*(INSERT.*?)\s*RETURNING event_id\)\s*(INSERT.*?)SELECT :shard::smallint, event_id(.*?)\n  FROM keyed;",
             lambda m: "BEGIN;\n" + m.group(1) + ";\n" + m.group(2) + "VALUES (:shard::smallint, ('0199a000-0000-7000-8' || lpad(to_hex(:r::bigint / 4096), 3, '0')"
             " || '-' || lpad(to_hex(:r::bigint % 281474976710656), 12, '0'))::uuid" + m.group(3) + ");\nCOMMIT;", BARE, flags=re.S)


def latency(url, script, seconds):
    pgbench = shutil.which("pgbench") or shutil.which("pgbench", path="/usr/lib/postgresql/15/bin")
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
        file.write(script)
        file.flush()
        done = subprocess.run([pgbench, "-n", "-M", "prepared", "-c", "1", "-T", str(seconds), "-f", file.name, url],
                              capture_output=True, text=True, check=True)
    return float(re.search(r"latency average = ([\d.]+) ms", done.stdout).group(1))


def main(url, pairs=5, seconds=4):
    sides = {"function": FUNCTION, "bare, one statement": BARE, "bare, two statements": TWO}
    seen = {name: [] for name in sides}
    for _ in range(int(pairs)):
        for name, script in sides.items():
            seen[name].append(latency(url, script, float(seconds) if "." in str(seconds) else int(seconds)))
    for name, values in seen.items():
        print(f"{name}: {statistics.median(values):.3f} ms ({min(values):.3f}-{max(values):.3f})")
    for name in list(sides)[1:]:
        ratios = [a / b for a, b in zip(seen["function"], seen[name])]
        print(f"function / {name}: {statistics.median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f})")


if __name__ == "__main__":
    main(*sys.argv[1:])
