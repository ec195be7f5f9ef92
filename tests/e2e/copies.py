"""`sundial db copy` between real databases: everything arrives, also after kills, and a server goes on where the old one stopped."""
import contextlib
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import uuid

import harness as h

OTHER = {"sqlite": "postgres", "postgres": "sqlite"}
NEVER = 2**63 - 1
NOT_COPIED = {"schema_migrations", "settings", "event_counts", "instance_reports"}
ODD_TEXT = "a\tb\\n\n\r\"'é\u2028\U0001f600 \\N\x08\x0c\x1f%"


def run(*arguments, code=0):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("SUNDIAL")}
    done = subprocess.run([h.PROGRAM, "db", *arguments], env=clean, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=h.HANG_GUARD)
    assert done.returncode == code, (arguments, done)
    return done.stdout if code == 0 else done.stdout + done.stderr


def copy(source, target, *flags):
    return json.loads(run("copy", target, "--db", source, "--json", "-y", *flags))


@contextlib.contextmanager
def pair(kind, directory):
    """A database of that kind, and the place for one of the other kind."""
    with h.postgres() as url:
        file = os.path.join(directory, "copied.db")
        yield (file, url) if kind == "sqlite" else (url, file)


def serve(database, directory, environment=None):
    return h.running("serve", "--db", database, *h.LOCAL_RECEIVERS, folder=directory, environment=environment)


def tables_of(connection):
    names = [name for name, in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]
    return sorted(set(names) - NOT_COPIED)


def rows_of(file):
    """Every row of every table, without an order: each database has its own."""
    with contextlib.closing(sqlite3.connect(file)) as connection:
        return {table: sorted(connection.execute(f'SELECT * FROM "{table}"').fetchall(), key=repr) for table in tables_of(connection)}


class Filler:
    """Rows with the values that are hard to convert, for every table and column."""

    TEXTS = {
        "status": "PENDING", "role": "ADMIN", "state": "OPEN", "kind": "yearly", "outcome": "FAILED", "type": "WEBHOOK", "gap": "shift",
        "overlap": "first", "leap": "feb28", "misfire": "all", "concurrency": "allow", "origin": "rule", "zone": "Europe/Paris",
        ("schedules", "timezone"): None, "nominal": "2027-02-28", "date_of_birth": "0001-01-01", "yearly_at": "09:30:15", "retry_policy": "custom", "format": "RAW",
        "dates": '{"a":"2027-01-02","b\\"\\\\":"2028-02-29"}', "metadata": json.dumps({"A": ODD_TEXT, "a": "", "é": "x"}, ensure_ascii=False, sort_keys=True),
        "rdates": '["2027-01-01T00:00","x\\ny"]', "exdates": "[]", "retry_delays": "[1,60,3600]", "calls": "[1,2,3,4,5,6]", "failures": "[0,0,0,0,0,1]",
        "signing_keys": f'[["v1","c2VhbGVk","{NEVER}"],["v1a","x\\u0008\\"","1800000000123456"]]', "options": '{"a":"1","b":"x\\\\y"}',
        "errors": '[{"code":"bad","detail":"no\\ttab","pointer":"/a/0"},{"a":1.50,"bb":null,"c":[true]}]',
        ("endpoints", "headers"): '[["X-A","sealed","…f"],["B","",""]]', ("inbox_requests", "headers"): json.dumps([["X", ODD_TEXT], ["x", ""]], ensure_ascii=False),
        ("event_history", "status"): "CANCELLED", ("operations", "status"): "COMPLETED", ("operations", "kind"): "replan",
    }
    INTEGERS = {
        "priority": 3, "shard": 0, "per_user": 1, "enabled": 1, "pull": 0, "free": 1, "sealed": 1, "second_pass": 1, "planned_version": 1, "version": 7,
        "claimable_at": NEVER, "timeout": 30, "open_for": 600, "every": 3600, "misfire_window": 90061, "misfire_grace": 60, "jitter": 3_600_000_000 - 1,
        "nominal_time": 34_215_000_001, "duration": 123_456_789, "attempt": 5, "retry_count": 2, "finished_at": 1_800_000_000_000_001,
        "due": -62_135_596_800_000_000, "wall": 253_402_300_799_999_999, ("tz_fingerprints", "fingerprint"): -(2**63) + 1, "last_id": 2**40,
        ("schedules", "jitter"): 300, ("event_history", "due"): 253_402_300_799_999_999,
    }

    def __init__(self, connection):
        self.connection, self.number = connection, 0

    def value(self, table, name, kind, key):
        self.number += 1
        for names in ((table, name), name):
            for known in (self.TEXTS, self.INTEGERS):
                if names in known and not (key and name != "shard"):
                    return known[names]
        if kind == "BLOB":
            size = 32 if name.endswith("_hash") or name == "fingerprint" else 16
            return bytes([self.number % 256, 0, 9, 10, 92]) + os.urandom(size - 5) if name not in ("body", "response_body", "answer", "progress") else b"\0\t\n\\x\xff" * 3
        if kind == "INTEGER":
            return 1_800_000_000_000_000 + self.number if name.endswith(("_at", "_until", "ends", "since", "slot")) else self.number
        return f"{ODD_TEXT} {self.number}"[:120]

    def fill(self, rows=3):
        for table in tables_of(self.connection):
            if table in ("schedules", "users"):
                self.connection.execute(f"DELETE FROM {table}")
            columns = [(name, kind, pk) for _, name, kind, _, _, pk, hidden in self.connection.execute(f"PRAGMA table_xinfo({table})") if not hidden]
            for row in range(rows):
                values = {name: self.value(table, name, kind, pk) for name, kind, pk in columns}
                if row == 2:  # everything that may be null
                    for _, name, _, filled, _, pk, hidden in self.connection.execute(f"PRAGMA table_xinfo({table})"):
                        if not (filled or pk or hidden):
                            values[name] = None
                    if table == "operations":
                        values["finished_at"] = 1
                    if table == "schedules":
                        values["timezone"], values["per_user"] = "UTC", 0
                if table == "events":
                    values["claimed_by"] = None
                if table in ("attempts", "event_history"):
                    name = "instance_id" if table == "attempts" else "settled_by"
                    values[name] = None if row == 2 else values[name] + (b"worker \xc3\xa9" if row == 1 else b"")
                names = ", ".join(f'"{name}"' for name in values)
                self.connection.execute(f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(values))})", list(values.values()))
        self.connection.execute("UPDATE sqlite_sequence SET seq = 987654 WHERE name = 'recorded_events'")
        self.connection.commit()


def filled(directory):
    """A SQLite database with rows in every table."""
    file = os.path.join(directory, "filled.db")
    run("migrate", "--db", file)
    with contextlib.closing(sqlite3.connect(file)) as connection:
        Filler(connection).fill()
    return file


def psql(url, sql):
    return subprocess.run(["psql", url, "-XAtqc", sql], check=True, capture_output=True, text=True).stdout.strip()


def round_trip():
    """SQLite to PostgreSQL and back: every value of every column is the same."""
    with h.folder() as directory, h.postgres() as url:
        file, back = filled(directory), os.path.join(directory, "back.db")
        before = rows_of(file)
        run("migrate", "--db", url)
        plan = copy(file, url, "--dry-run")
        assert plan["dryRun"] and plan["rows"] == sum(map(len, before.values())), plan
        assert psql(url, "SELECT to_regnamespace('sundial_copy')") == "" and psql(url, "SELECT count(*) FROM sundial.users") == "0"
        there = copy(file, url)
        assert rows_of(file) == before, "the source has not changed"
        assert {table["name"]: table["rows"] for table in there["tables"]} == {table: len(rows) for table, rows in before.items()}
        assert psql(url, "SELECT to_regnamespace('sundial_copy')") == ""
        assert psql(url, "SELECT count(*) FROM sundial.attempts WHERE worker = 'worker é'") == "1"
        here = copy(url, back)
        assert here["tables"] == there["tables"], [pair for pair in zip(there["tables"], here["tables"]) if pair[0] != pair[1]]
        after = rows_of(back)
        assert after.keys() == before.keys()
        for table, rows in before.items():
            assert after[table] == rows, (table, [pair for pair in zip(rows, after[table]) if pair[0] != pair[1]][:1])
        with contextlib.closing(sqlite3.connect(back)) as connection:
            assert connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'recorded_events'").fetchone() == (987654,)
            assert connection.execute("SELECT sum(rows) FROM event_counts").fetchone() == (len(before["events"]) + len(before["event_history"]),)
        assert sorted(name for name in os.listdir(directory) if name.startswith("back.db")) == ["back.db", "back.db-lock"]
        assert "has data" in run("copy", url, "--db", file, "-y", code=1)
        assert "has data" in run("copy", back, "--db", url, "-y", code=1)
        assert "give -y" in run("copy", url, "--db", file, code=2)


TESTS = {"round_trip": round_trip}

if __name__ == "__main__":
    TESTS[sys.argv[1]](*sys.argv[2:])
    print("ok", *sys.argv[1:])
