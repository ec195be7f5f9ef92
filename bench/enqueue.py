#!/usr/bin/env python3
"""Rates at which programs enqueue, in turns, on one PostgreSQL with fsync on.

    python3 bench/enqueue.py [--pairs 5] [--loads 1:3000,16:20000] [--only function,add-job] [--json FILE]

Each transaction stores a row of the caller's own and something due in an hour, and commits: BEGIN, INSERT INTO orders,
enqueue, COMMIT. Enqueuing is one prepared statement, except in the last two ways. Nothing claims meanwhile. The ways to enqueue:

    row         nothing: the caller's own row alone, the floor of all others
    river-like  an INSERT into a table with the columns and indexes of River's: primary key, kind, an index to fetch by
                five columns, two GIN indexes, a partial unique one
    add-job     SELECT graphile_worker.add_job(...), of the package in bench/peers
    function    SELECT sundial.schedule_event(...)
    library     CallerTransaction::schedule of the C++ library, on the caller's connection (bench_caller_transactions): two
                round trips, and statements that are not prepared
    http        POST /v1/events to a server, which stores it in a transaction of its own: no row of the caller's
                (`sundial bench create --http`)

`--loads` are connections:transactions: so many connections, each with one transaction or request after the other. Each
turn runs every way once, and begins with another one. Each run has a fresh database, and the number of rows is checked
after it. Prints a table: the median of the rates with their range, and the median of the ratios to add-job of the same
turn. The server of `http` has its default settings, so 8 connections to the database whatever the load.

Build the programs first: cmake --build build/release --target sundial bench_caller_transactions. BENCH_PROGRAMS
(build/release/bin) names their folder, TEMPORARY_POSTGRES the program that starts the server, BENCH_PEERS (build/bench/peers) the
folder where npm installs the packages.
"""
import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

import bed
import machine

ORDERS = "CREATE TABLE orders (id bigserial PRIMARY KEY, total integer NOT NULL)"
# Ours, after the description of River's table in its documentation.
RIVER_LIKE = r"""
CREATE TYPE job_state AS ENUM ('available', 'cancelled', 'completed', 'discarded', 'pending', 'retryable', 'running',
                               'scheduled');
CREATE TABLE jobs (
    id bigserial PRIMARY KEY, state job_state NOT NULL DEFAULT 'available', attempt smallint NOT NULL DEFAULT 0,
    max_attempts smallint NOT NULL CHECK (max_attempts > 0), attempted_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(), finalized_at timestamptz, scheduled_at timestamptz NOT NULL DEFAULT now(),
    priority smallint NOT NULL DEFAULT 1 CHECK (priority BETWEEN 1 AND 4), args jsonb NOT NULL DEFAULT '{}',
    attempted_by text[], errors jsonb[], kind text NOT NULL CHECK (length(kind) BETWEEN 1 AND 127),
    metadata jsonb NOT NULL DEFAULT '{}', queue text NOT NULL DEFAULT 'default' CHECK (length(queue) BETWEEN 1 AND 127),
    tags varchar(255)[] NOT NULL DEFAULT '{}', unique_key bytea);
CREATE INDEX ON jobs (kind);
CREATE INDEX ON jobs (state, finalized_at) WHERE finalized_at IS NOT NULL;
CREATE INDEX ON jobs (state, queue, priority, scheduled_at, id);
CREATE INDEX ON jobs USING gin (args);
CREATE INDEX ON jobs USING gin (metadata);
CREATE UNIQUE INDEX ON jobs (unique_key) WHERE unique_key IS NOT NULL
"""


class Sql:
    """A way that is one statement: pgbench sends it."""

    def __init__(self, statement, table):
        self.statement, self.table = statement, table

    def run(self, url, events, connections):
        pgbench = shutil.which("pgbench") or shutil.which("pgbench", path="/usr/lib/postgresql/15/bin")
        script = ["BEGIN", "INSERT INTO orders (total) VALUES (30)", *([self.statement] if self.statement else []), "COMMIT"]
        with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
            file.write("".join(line + ";\n" for line in script))
            file.flush()
            done = subprocess.run([pgbench, "-n", "-M", "prepared", "-c", str(connections), "-j", str(min(connections, 2)),
                                   "-t", str(events // connections), "-f", file.name, url],
                                  capture_output=True, text=True, check=False)
        rate = re.search(r"tps = ([\d.]+)", done.stdout)
        if done.returncode != 0 or not rate:
            raise bed.NotMeasured(f"pgbench: {done.stdout}{done.stderr}")
        return float(rate.group(1))

    def prepare(self, url):
        pass


class River(Sql):
    def prepare(self, url):
        psql(url, RIVER_LIKE)


class Graphile(Sql):
    def prepare(self, url):
        program = os.path.join(bed.PEERS, "node_modules", ".bin", "node")
        cli = os.path.join(bed.PEERS, "node_modules", "graphile-worker", "dist", "cli.js")
        subprocess.run([program, cli, "--schema-only", "-c", url], check=True, capture_output=True)


class Function(Sql):
    def prepare(self, url):
        subprocess.run([bed.program("sundial"), "db", "migrate", "--db", url], check=True, stdout=subprocess.DEVNULL)


class Library(Function):
    def run(self, url, events, connections):
        lines, _ = bed.run([bed.program("bench_caller_transactions"), url, str(events), str(connections)])
        return lines[-1]["eventsPerSecond"]


WAYS = {
    "row": Sql(None, None),
    "river-like": River("INSERT INTO jobs (kind, args, max_attempts, scheduled_at, state) VALUES ('reminder', '{\"order\": 4711}',"
                        " 25, now() + interval '1 hour', 'scheduled') ON CONFLICT (unique_key) WHERE unique_key IS NOT NULL"
                        " DO UPDATE SET kind = excluded.kind RETURNING *", "jobs"),
    "add-job": Graphile("SELECT graphile_worker.add_job('reminder', '{\"order\": 4711}'::json,"
                        " run_at => now() + interval '1 hour')", "graphile_worker._private_jobs"),
    "function": Function("SELECT sundial.schedule_event('REMINDER', now() + interval '1 hour', '{\"order\": 4711}')",
                         "sundial.events"),
    "library": Library(None, "sundial.events"),
    "http": None,
}
DIVISOR = "add-job"


def psql(url, text):
    done = subprocess.run(["psql", url, "-XqAt", "-v", "ON_ERROR_STOP=1", "-c", text], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise bed.NotMeasured(f"{text}: {done.stderr}")
    return done.stdout.strip()


def measured(place, way, events, connections):
    """Transactions per second."""
    events = events // connections * connections
    if way == "http":
        return place.sundial("postgres", "create", "--http", "--events", events, "--in-flight", connections)["eventsPerSecond"]
    how = WAYS[way]
    with place.database() as url:
        psql(url, ORDERS)
        how.prepare(url)
        psql(url, "CHECKPOINT")
        rate = how.run(url, events, connections)
        for table in filter(None, ("orders", how.table)):
            stored = int(psql(url, f"SELECT count(*) FROM {table}"))
            if stored != events:
                raise bed.NotMeasured(f"{way}: {stored} rows in {table} instead of {events}")
        return rate


def turns(ways, count):
    """The order of each turn. Each begins with another way, so that a drift of the machine within a turn favours none."""
    return [ways[turn % len(ways):] + ways[:turn % len(ways)] for turn in range(count)]


def rates_of(place, ways, asked, connections, events):
    rates = {way: [] for way in ways}
    for number, turn in enumerate(turns(ways, asked.pairs), 1):
        for way in turn:
            rates[way].append(measured(place, way, events, connections))
            print(f"{connections} connections, turn {number}: {way} {rates[way][-1]:,.0f}/s", file=sys.stderr, flush=True)
    return rates


def table_of(connections, rates):
    lines = []
    for way, found in rates.items():
        ratio = ""
        if DIVISOR in rates:
            ratio = f"{statistics.median(one / other for one, other in zip(found, rates[DIVISOR])):.2f}"
        lines.append(f"| {connections} | {way} | {statistics.median(found):,.0f} ({min(found):,.0f}–{max(found):,.0f}) | {ratio} |")
    return "\n".join(lines)


def load_in(text):
    """(connections, transactions) in 16:20000."""
    found = re.fullmatch(r"([0-9]+):([0-9]+)", text)
    connections, events = map(int, found.groups()) if found else (0, 0)
    if not 1 <= connections <= events:
        raise ValueError(f"'{text}' is not connections:transactions with at least one transaction for each connection, such as 16:20000")
    return connections, events


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--loads", default="1:3000,16:20000", help="connections:transactions, comma-separated")
    parser.add_argument("--only", default=",".join(WAYS), help="the ways to enqueue, comma-separated")
    parser.add_argument("--json", help="a file for the rates of each turn")
    asked = parser.parse_args()
    ways = asked.only.split(",")
    if unknown := set(ways) - set(WAYS):
        parser.error(f"no such way: {', '.join(sorted(unknown))}; there are {', '.join(WAYS)}")
    try:
        loads = [load_in(text) for text in asked.loads.split(",")]
    except ValueError as error:
        parser.error(str(error))
    if "add-job" in ways:
        subprocess.run([os.path.join(bed.ROOT, "tests", "crosscheck", "with_npm.sh"), os.path.join(bed.ROOT, "bench", "peers"),
                        bed.PEERS, "-e", ""], check=True)
    with bed.bed() as place:
        described = machine.describe(place.sql("SHOW server_version"))
        print(json.dumps(described), file=sys.stderr, flush=True)
        all_rates = {}
        for connections, events in loads:
            all_rates[f"{connections}:{events}"] = rates_of(place, ways, asked, connections, events)
        print(f"| connections | way | transactions per second | of {DIVISOR} |\n|---|---|---|---|")
        for load, rates in all_rates.items():
            print(table_of(int(load.split(":")[0]), rates))
    if asked.json:
        with open(asked.json, "w", encoding="utf-8") as file:
            json.dump({"set": "enqueue", "machine": described, "loads": all_rates}, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
