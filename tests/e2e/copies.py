"""`sundial db copy` between real databases: everything arrives, also after kills, and a server goes on where the old one stopped."""
import base64
import contextlib
import hashlib
import hmac
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


def written(value):
    """JSON as the program writes it."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.replace("\\b", "\\u0008").replace("\\f", "\\u000c")


class Filler:
    """Rows with the values that are hard to convert, for every table and column."""

    TEXTS = {
        "status": "PENDING", "role": "ADMIN", "state": "OPEN", "kind": "yearly", "outcome": "FAILED", "type": "WEBHOOK", "gap": "shift",
        "overlap": "first", "leap": "feb28", "misfire": "all", "concurrency": "allow", "origin": "rule", "zone": "Europe/Paris",
        ("schedules", "timezone"): None, "nominal": "2027-02-28", "date_of_birth": "0001-01-01", "yearly_at": "09:30:15", "retry_policy": "custom", "format": "RAW",
        "dates": '{"a":"2027-01-02","b\\"\\\\":"2028-02-29"}', "metadata": written({"A": ODD_TEXT, "a": "", "é": "x"}),
        "rdates": '["2027-01-01T00:00","x\\ny"]', "exdates": "[]", "event_types": '["A","b\\"c"]', "tags": "[]", "retry_delays": "[1,60,3600]", "calls": "[1,2,3,4,5,6]", "failures": "[0,0,0,0,0,1]",
        "signing_keys": f'[["v1","c2VhbGVk","{NEVER}"],["v1a","x\\u0008\\"","1800000000123456"]]', "options": '{"a":"1","b":"x\\\\y"}',
        "errors": '[{"code":"bad","detail":"no\\ttab","pointer":"/a/0"},{"a":1.50,"bb":null,"c":[true]}]',
        ("endpoints", "headers"): '[["X-A","sealed","…f"],["B","",""]]', ("inbox_requests", "headers"): written([["X", ODD_TEXT], ["x", ""]]),
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
                    if table == "calendars":
                        values["user_id"] = os.urandom(16)  # it shows a schedule, a user or both
                if table == "events":
                    values |= {"claimed_by": None, "user_id": None, "endpoint_id": None}
                if table in ("attempts", "event_history"):
                    name = "instance_id" if table == "attempts" else "settled_by"
                    values[name] = None if row == 2 else values[name] + (b"worker \xc3\xa9" if row == 1 else b"")
                names = ", ".join(f'"{name}"' for name in values)
                self.connection.execute(f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(values))})", list(values.values()))
        self.connection.execute("UPDATE sqlite_sequence SET seq = 987654")
        self.connection.commit()


def filled(directory, large=False):
    """A SQLite database with rows in every table."""
    file = os.path.join(directory, "filled.db")
    run("migrate", "--db", file)
    if large:
        enlarge(file)
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
        assert psql(url, "SELECT count(*) FROM pg_trigger WHERE tgname = 'finished_events_are_queued' AND tgenabled = 'O'") == "1"
        here = copy(url, back)
        assert here["tables"] == there["tables"], [pair for pair in zip(there["tables"], here["tables"]) if pair[0] != pair[1]]
        after = rows_of(back)
        assert after.keys() == before.keys()
        for table, rows in before.items():
            assert after[table] == rows, (table, [pair for pair in zip(rows, after[table]) if pair[0] != pair[1]][:1])
        with contextlib.closing(sqlite3.connect(back)) as connection:
            assert dict(connection.execute("SELECT name, seq FROM sqlite_sequence")) == {"recorded_events": 987654, "outcome_queue": 987654}
            assert connection.execute("SELECT sum(rows) FROM event_counts").fetchone() == (len(before["events"]) + len(before["event_history"]),)
        assert sorted(name for name in os.listdir(directory) if name.startswith("back.db")) == ["back.db", "back.db-lock"]
        assert "has data" in run("copy", url, "--db", file, "-y", code=1)
        assert "has data" in run("copy", back, "--db", url, "-y", code=1)
        assert "give -y" in run("copy", url, "--db", file, code=2)


def enlarge(file):
    """60,000 live events and their keys, made of one that the server wrote."""
    with h.folder() as directory, serve(file, directory) as server:
        client = server.client()
        target = client.ok("POST", "/v1/endpoints", {"externalId": "crm", "name": "crm", "type": "PULL"})["id"]
        client.ok("POST", "/v1/events", {"eventType": "SAVED", "idempotencyKey": "first", "targetTimestampUTC": "now+300d", "endpointId": target,
                                         "deliveryPayload": {"text": ODD_TEXT * 3}})
        assert server.stop() == 0
    with contextlib.closing(sqlite3.connect(file)) as connection:
        columns = [name for _, name, *_, hidden in connection.execute("PRAGMA table_xinfo(events)") if not hidden]
        made = {"id": "randomblob(16)", "idempotency_key": "'key' || number.value"}
        connection.execute(f"""INSERT INTO events ({", ".join(columns)}) SELECT {", ".join(made.get(name, "event." + name) for name in columns)}
            FROM (SELECT * FROM events WHERE idempotency_key = 'first') AS event,
                 (WITH RECURSIVE count(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM count LIMIT 60000) SELECT value FROM count) AS number""")
        connection.execute("""INSERT INTO event_keys (key, event_id, expires_at) SELECT idempotency_key, id, due FROM events
            WHERE idempotency_key NOT IN (SELECT key FROM event_keys)""")
        connection.commit()


def killed(kind):
    """kill -9 at twenty moments of a copy: nothing is visible before the end, each run goes on, and at the end all is there."""
    seed = int(os.environ.get("SEED", time.time_ns() % 1_000_000))
    print("SEED", seed)
    chance = random.Random(seed)
    with h.folder() as directory, pair("sqlite", directory) as (made, server_url), h.postgres() as other_url:
        made = filled(directory, large=True)
        started = time.monotonic()
        expected = copy(made, server_url)
        whole = time.monotonic() - started
        source = made if kind == "sqlite" else server_url

        def new_target(number):
            if kind == "postgres":
                return os.path.join(directory, f"copied{number}.db")
            psql(other_url, f"CREATE DATABASE copied{number}")
            return re.sub(r"/test1\?", f"/copied{number}?", other_url)
        target, targets, kills, since = new_target(1), 1, 0, 0
        longest = whole / 10
        while kills < 20 or since == 0:
            early = ended_early(chance.uniform(0.01, longest), target, "--db", source)
            kills += early
            if early and nothing_visible(target):
                since += 1
                longest *= 1.1  # a machine that has become slower gets as far, too
            else:  # it was faster, or killed behind its last step: all is there, and another one begins
                assert rows_in(target, "events") == {table["name"]: table["rows"] for table in expected["tables"]}["events"], kills
                targets, since, longest = targets + 1, 0, longest / 2
                target = new_target(targets)
        done = copy(source, target)
        assert done["tables"] == expected["tables"]
        assert done["rowsCopiedBefore"] > 0 or since < 5, "the last run went on where the others stopped"
        assert "sound" in run("check", "--db", target)
        if kind == "sqlite":
            assert psql(target, "SELECT to_regnamespace('sundial_copy')") == ""
        else:
            assert rows_of(target) == rows_of(made)
            assert sorted(name for name in os.listdir(directory) if name.startswith(f"copied{targets}.db")) == \
                [f"copied{targets}.db", f"copied{targets}.db-lock"]


def rows_in(target, table):
    if "://" in target:
        return int(psql(target, f"SELECT count(*) FROM sundial.{table}"))
    with contextlib.closing(sqlite3.connect(target)) as connection:
        return connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]


def nothing_visible(target):
    if "://" not in target:
        return not os.path.exists(target)
    if psql(target, "SELECT to_regclass('sundial.recorded_events') IS NULL") == "t":
        return True  # killed while it migrated
    return psql(target, "SELECT (SELECT count(*) FROM sundial.events) + (SELECT count(*) FROM sundial.users)") == "0"


def ended_early(seconds, *arguments):
    process = subprocess.Popen([h.PROGRAM, "db", "copy", *arguments, "-y"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
    return process.wait() == -signal.SIGKILL


def wait_for_report(client):
    """An instance is seen from its first report on, which a thread makes beside the start."""
    h.wait_until(lambda: client.ok("GET", "/v1/instances")["data"], "the report of the instance")


def key_settings(kind, directory):
    """The flags of a server on the source, and what its key becomes: on SQLite the key lies in a file."""
    if kind == "postgres":
        return [f"--security.encryption_key={h.ENCRYPTION_KEY}"]
    return []


def start(kind, database, directory):
    return h.running("serve", "--db", database, "--delivery.allow_private=true", *key_settings(kind, directory), folder=directory)


def signature(secret, headers, body):
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def continues(kind):
    """The server on the copy of a killed one delivers the events in flight, and keeps every promise of the old one."""
    hold = threading.Event()
    receiver = h.Receiver(hold=hold)
    with h.folder() as directory, pair(kind, directory) as (source, target):
        with start(kind, source, directory) as server:
            client = server.client()
            wait_for_report(client)
            assert ("use the database" if kind == "postgres" else "in use by another process") in run("copy", target, "--db", source, "-y", code=1)
            made = client.ok("POST", "/v1/endpoints", {"externalId": "crm", "name": "crm", "type": "WEBHOOK", "url": receiver.url,
                                                       "headers": {"Authorization": "Bearer of-the-crm"}})
            once = {"Idempotency-Key": "the-same-user"}
            user = {"firstName": "Zoë", "lastName": "O'Ma\\ley \"é\"", "dateOfBirth": "1996-02-29", "timezone": "Europe/Paris",
                    "metadata": {"b": "1", "a": "2"}, "dates": {"joined": "2020-05-04"}}
            first = client.call("POST", "/v1/users", user, once)
            assert first.status == 201, first.body
            event = {"eventType": "SAVED", "endpointId": made["id"], "deliveryPayload": {"text": ODD_TEXT}}
            later = [client.ok("POST", "/v1/events", {**event, "idempotencyKey": f"later{n}", "targetTimestampUTC": "now+300d"})["id"] for n in range(10)]
            lock = client.ok("POST", "/v1/locks/job", {"holder": "a"})
            client.ok("DELETE", "/v1/locks/job", headers={"Sundial-Lock-Token": lock["lockToken"]})
            lock = client.ok("POST", "/v1/locks/job", {"holder": "a", "ttl": "PT300S"})
            stream = client.ok("POST", "/v1/streams/Order/1", {"expectedVersion": 0, "events": [{"eventType": "Made", "data": n} for n in range(3)]})
            client.ok("PUT", "/v1/checkpoints/totals", {"position": stream["lastPosition"], "previous": 0})
            lists = ("/v1/schedules", "/v1/users", "/v1/checkpoints/totals", "/v1/streams/Order/1", "/v1/endpoints")
            before = {path: client.ok("GET", path) for path in lists}
            now = [f"now{n}" for n in range(30)]  # also the ids of the webhooks
            client.ok("POST", "/v1/events/batch", {"events": [{**event, "idempotencyKey": key, "targetTimestampUTC": "now"} for key in now]})
            h.wait_until(lambda: receiver.count() > 0, "a delivery in flight")
            server.kill()
        # A killed instance is seen as running for ten seconds.
        h.wait_until(lambda: subprocess.run([h.PROGRAM, "db", "copy", target, "--db", source, "--dry-run"], capture_output=True).returncode == 0
                     if kind == "postgres" else True, "the end of the instance")
        said = run("copy", target, "--db", source, "-y")
        assert "copied and verified" in said and "crm: " in said and "the key for secrets is not copied" in said, said
        assert int(re.search(r"(\d+) claims ended", said).group(1)) > 0, said
        assert "sound" in run("check", "--db", target)
        if kind == "postgres":
            with open(target + ".key", "w", encoding="ascii", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
                file.write(h.ENCRYPTION_KEY + "\n")
            moved = start("sqlite", target, directory)
        else:
            with open(source + ".key", encoding="ascii") as file:
                moved = h.running("serve", "--db", target, "--delivery.allow_private=true", f"--security.encryption_key={file.read().strip()}",
                                  folder=directory)
        hold.set()
        in_flight = set(receiver.ids())
        with moved as server:
            client = server.client()
            assert in_flight
            h.wait_until(lambda: all(receiver.ids().count(one) >= (2 if one in in_flight else 1) for one in now),
                         "every event that was due, and again those that were in flight")
            for _, headers, body in receiver.received:
                assert headers["Authorization"] == "Bearer of-the-crm"
                assert headers["webhook-signature"] == signature(made["secret"], headers, body)
            assert {one["id"] for one in client.all("/v1/events?status=PENDING&limit=200") if one["eventType"] == "SAVED"} == set(later)
            for path, answer in before.items():
                assert client.ok("GET", path) == answer, path
            assert client.call("POST", "/v1/events", {**event, "idempotencyKey": "later3", "targetTimestampUTC": "now+9d"}).status == 409
            assert client.call("POST", "/v1/events", {**event, "idempotencyKey": "now3", "targetTimestampUTC": "now+9d"}).status == 409
            again = client.call("POST", "/v1/users", user, once)
            assert (again.status, again.body) == (first.status, first.body), "the first response once more"
            assert client.call("POST", "/v1/locks/job", {"holder": "b"}).status == 409, "the lock is still held"
            client.ok("PUT", "/v1/locks/job", {"lockToken": lock["lockToken"]})
            client.ok("DELETE", "/v1/locks/job", headers={"Sundial-Lock-Token": lock["lockToken"]})
            assert client.ok("POST", "/v1/locks/job", {"holder": "b"})["fencingToken"] == lock["fencingToken"] + 1 == 3
            wrong = client.call("POST", "/v1/streams/Order/1", {"expectedVersion": 2, "events": [{"eventType": "Made", "data": 4}]})
            assert wrong.status == 409, wrong.body
            more = client.ok("POST", "/v1/streams/Order/1", {"expectedVersion": 3, "events": [{"eventType": "Made", "data": 4}]})
            assert more["lastVersion"] == 4 and more["lastPosition"] > stream["lastPosition"], more
            assert server.stop() == 0


def interrupted(source, target):
    """Makes a partial copy: PostgreSQL refuses a text of the last table, after the others were stored."""
    with contextlib.closing(sqlite3.connect(source)) as connection:
        connection.execute("UPDATE users SET timezone = 'a' || char(0) || 'b'")
        connection.commit()
    assert "U+0000" in run("copy", target, "--db", source, "-y", code=1)
    assert nothing_visible(target)
    with contextlib.closing(sqlite3.connect(source)) as connection:
        connection.execute("UPDATE users SET timezone = 'UTC'")
        connection.commit()


def refused():
    """A copy leaves other data alone, and refuses a partial copy of a source that has changed."""
    with h.folder() as directory, h.postgres() as url, h.postgres() as other:
        source, back = filled(directory), os.path.join(directory, "back.db")
        assert "'sundial db backup'" in run("copy", back, "--db", source, "-y", code=1)
        assert "there is no database" in run("copy", url, "--db", back, "-y", code=1)
        assert "needs a target with a schema" in run("copy", url, "--db", source, "--dry-run", code=1)
        with serve(url, directory) as server:
            wait_for_report(server.client())
            assert "instance(s) of sundial use the database" in run("copy", url, "--db", source, "-y", code=1)
            assert server.stop() == 0
        interrupted(source, url)
        with contextlib.closing(sqlite3.connect(source)) as connection:
            connection.execute("UPDATE api_keys SET name = name || '!'")
            connection.commit()
        assert "has changed since the copy began (table api_keys)" in run("copy", url, "--db", source, "-y", code=1)
        assert nothing_visible(url)
        second = os.path.join(directory, "second.db")
        run("migrate", "--db", second)
        assert "partial copy of another database" in run("copy", url, "--db", second, "-y", code=1)
        done = copy(source, url, "--restart")
        assert done["rowsCopiedBefore"] == 0
        psql(url, "INSERT INTO sundial.intake (kind, subject, data, actor, asked_at) VALUES ('event', gen_random_uuid(), '{}', 'sql:a', now())")
        plan = json.loads(run("copy", back, "--db", url, "--json", "--dry-run", code=1))
        assert [loss["refused"] for loss in plan["notCopied"]] == [True], plan
        assert "no server has completed" in run("copy", back, "--db", url, "-y", code=1) and not os.path.exists(back)
        psql(url, "UPDATE sundial.intake SET failed_at = now(), code = 'X', detail = 'x'")
        assert [(loss["rows"], loss["refused"]) for loss in copy(url, back)["notCopied"]] == [(1, False)]
        # The same partial copy, of a source that did not change.
        interrupted(source, other)
        done = copy(source, other)
        assert 0 < done["rowsCopiedBefore"] < done["rows"], done


TESTS = {"round_trip": round_trip, "killed": killed, "continues": continues, "refused": refused}

if __name__ == "__main__":
    TESTS[sys.argv[1]](*sys.argv[2:])
    print("ok", *sys.argv[1:])
