"""A database of every earlier schema, with events of every state in it: the present program migrates it, loses no row, delivers the
due events, takes over held ones, and leaves the others alone."""
import datetime
import json
import os
import re
import subprocess
import sys

import harness as h
import old_schemas

BIRTHDAY = "01990000-0000-7000-8000-000000000001"  # the schedule that the first migration makes
USER = "01990000-0000-7000-8000-00000000aa01"
ENDPOINTS = {"r": "01990000-0000-7000-8000-00000000bb01", "off": "01990000-0000-7000-8000-00000000bb02",
             "printers": "01990000-0000-7000-8000-00000000bb03", "box": "01990000-0000-7000-8000-00000000bb04",
             "limited": "01990000-0000-7000-8000-00000000bb05"}
GONE = "01990000-0000-7000-8000-00000000cc01"  # an instance of the version before
OPERATION = "01990000-0000-7000-8000-00000000dd01"
NOW = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
LATER = datetime.datetime(2040, 6, 1, 7, 0, tzinfo=datetime.timezone.utc)
# How long an instance of the version before still holds one of its claims when the present one starts.
HELD_FOR = 3
# The shortest in which an attempt of the endpoints below fits: their time-out, and ten seconds.
SHORT_LEASES = ("--scheduler.lease=PT20S",)


def ago(seconds):
    return NOW - datetime.timedelta(seconds=seconds)


class Old:
    """Fills a schema. `expected`: {key: status} after the start; `sent`: the keys that the receiver gets, each once."""

    def __init__(self, schema, url):
        self.db, self.url, self.expected, self.sent, self.number = schema, url, {}, set(), 0

    def id(self):
        """Of the next row: over all shards."""
        self.number += 1
        return f"01990000-0000-7000-8000-0000000000{self.number:02x}"

    def endpoint(self, name, kind="WEBHOOK", enabled=True, **values):
        db = self.db
        names = {"header_names": "'{}'", "header_values": "'{}'", "sealed_headers": "'{}'", "header_hints": "'{}'"}
        db.insert("endpoints", id=db.uuid(ENDPOINTS[name]), external_id=db.text(name), name=db.text(name), type=db.text(kind),
                  url=db.text(self.url if kind == "WEBHOOK" else ""), headers="'[]'",
                  timeout="10" if db.kind == "sqlite" else "'10 s'", retry_policy="'standard'",
                  retry_delays="'[]'" if db.kind == "sqlite" else "'{}'", retry_client_errors="0",
                  enabled=db.true if enabled else db.false, sealed_secret="x''" if db.kind == "sqlite" else "''", secret_hint="''",
                  version="1", created_at=db.at(ago(900)), updated_at=db.at(ago(900)), **names, **values)
        self.recorded("endpoint", ENDPOINTS[name], "EndpointCreated")

    def recorded(self, kind, subject, event_type):
        db = self.db
        # SQLite is strict about types: the id of an aggregate was a uuid until users had streams of their own.
        aggregate = db.text(subject) if db.has("streams") else db.uuid(subject)
        db.insert("recorded_events", aggregate_type=db.text(kind), aggregate_id=aggregate, version="1", event_id=db.uuid(self.id()),
                  event_type=db.text(event_type), data="'{}'", correlation_id="''", recorded_at=db.at(ago(900)))
        db.insert("streams", aggregate_type=db.text(kind), aggregate_id=aggregate, version="1")

    def event(self, key, expected, table="events", sent=False, free=False, **values):
        """A row of `table`, and the one of its key. Without further values it is an event that became due a minute ago."""
        db, own = self.db, self.id()
        row = {"id": db.uuid(own), "shard": "0" if db.kind == "sqlite" else str(int(own[-2:], 16) % 16), "status": "'PENDING'",
               "priority": "2", "claimable_at": db.at(ago(60)), "version": "1", "attempt": "0", "retry_count": "0",
               "due": db.at(ago(60)), "idempotency_key": db.text(key), "event_type": "'OLD'", "endpoint_id": db.uuid(ENDPOINTS["r"]),
               "zone": "'UTC'", "gap": "'compatible'", "overlap": "'compatible'", "tz_release": "'2025b'",
               "payload": db.text('{"key":  "' + key + '"}'), "created_at": db.at(ago(900)), "updated_at": db.at(ago(60)), **values}
        db.insert(table, **row)
        shard = "0" if db.kind == "sqlite" else f"sundial.shard_of_key({db.text(key)}, 16)"
        db.insert("event_keys", shard=shard, key=db.text(key), event_id=db.uuid(own), expires_at=db.at(LATER),
                  free=db.true if free else db.false, attempt=row["attempt"] if free else "0")
        self.expected[key] = expected
        if sent:
            self.sent.add(key)
        return own

    def claimed(self, key, lease_ends):
        """Held by an instance of that version: its first attempt is under way."""
        db, leases = self.db, "lease_ends" in self.db.columns("events")
        self.event(key, "COMPLETED", sent=True, status="'PROCESSING'", claimed_by=db.uuid(GONE), version="2", attempt="1",
                   claimable_at=db.at(ago(60) if leases else lease_ends), lease_ends=db.at(lease_ends),
                   first_attempt_at=db.at(ago(50)), updated_at=db.at(ago(50)))

    def waiting(self, key, expected, until, sent, **values):
        """Attempted in vain once, by then to be attempted again."""
        db = self.db
        event = self.event(key, expected, sent=sent, status="'PROCESSING'", version="3", attempt="1", retry_count="1",
                           claimable_at=until, first_attempt_at=db.at(ago(50)), **values)
        self.attempt(event)

    def attempt(self, event):
        db = self.db
        db.insert("attempts", shard="0" if db.kind == "sqlite" else str(int(event[-2:], 16) % 16), event_id=db.uuid(event), number="1",
                  outcome="'RETRYABLE'", endpoint_id=db.uuid(ENDPOINTS["r"]), started_at=db.at(ago(50)),
                  duration="1000" if db.kind == "sqlite" else "'1 ms'", status_code="503", error_code="'HTTP_STATUS'",
                  error_text="'503'", response_body="x''" if db.kind == "sqlite" else "''", instance_id=db.uuid(GONE),
                  recorded_at=db.at(ago(50)), held="2")

    def finished(self, key, status, **values):
        self.event(key, status, table="event_history", status=f"'{status}'", finished_at=self.db.at(ago(50)), version="3", **values)

    def fill(self):
        db = self.db
        self.endpoint("r")
        self.endpoint("off", enabled=False)
        self.endpoint("box", kind="INBOX")
        db.insert("users", id=db.uuid(USER), external_id="'u'", first_name="'Ada'", last_name="'Lovelace'",
                  date_of_birth="'1990-05-17'", timezone="'Europe/London'", dates="'{}'", metadata="'{}'", version="1",
                  created_at=db.at(ago(900)), updated_at=db.at(ago(900)))
        self.recorded("user", USER, "UserCreated")
        self.live()
        self.attempt(self.failed())
        self.finished("done", "COMPLETED", settled_by=db.uuid(GONE), started_at=db.at(ago(51)), first_attempt_at=db.at(ago(51)),
                      duration="1000" if db.kind == "sqlite" else "'1 ms'", status_code="204", attempt="1")
        self.finished("dismissed", "FAILED", reason="'no'", attempt="1", dismissed_at=db.at(ago(40)), free=True)
        self.finished("cancelled", "CANCELLED", reason="'not wanted'", free=True)
        self.others()
        if db.kind == "sqlite":
            self.count()

    def failed(self):
        self.finished("failed", "FAILED", reason="'HTTP_STATUS'", attempt="1", settled_by=self.db.uuid(GONE))
        return f"01990000-0000-7000-8000-0000000000{self.number:02x}"

    def live(self):
        db = self.db
        self.event("due", "COMPLETED", sent=True)
        for priority in range(4):
            self.event(f"priority-{priority}", "COMPLETED", sent=True, priority=str(priority))
        self.event("later", "PENDING", due=db.at(LATER), claimable_at=db.at(LATER))
        nine = datetime.datetime(2040, 6, 1, 9, 0)
        self.event("local", "PENDING", due=db.at(LATER), claimable_at=db.at(LATER), zone="'Europe/Berlin'", wall=db.wall(nine))
        eight = datetime.datetime(2040, 5, 17, 8, 0, tzinfo=datetime.timezone.utc)  # 09:00 in London
        self.event("birthday", "PENDING", due=db.at(eight), claimable_at=db.at(eight), user_id=db.uuid(USER), event_type="'BIRTHDAY'",
                   schedule_id=db.uuid(BIRTHDAY), schedule_version="1", nominal="'2040-05-17'", zone="'Europe/London'",
                   wall=db.wall(datetime.datetime(2040, 5, 17, 9, 0)))
        self.claimed("held-too-long", ago(30))
        self.claimed("held", NOW + datetime.timedelta(seconds=HELD_FOR))
        self.waiting("retry", "COMPLETED", db.at(ago(5)), sent=True)
        self.waiting("retry-later", "PROCESSING", db.at(LATER), sent=False)
        self.event("parked", "PROCESSING", status="'PROCESSING'", version="3", attempt="1", claimable_at=db.never,
                   endpoint_id=db.uuid(ENDPOINTS["off"]))
        if "obstacle" in db.columns("events"):
            self.event("circuit", "COMPLETED", sent=True, status="'PROCESSING'", version="3", attempt="1", obstacle="'CIRCUIT'")
            self.endpoint("limited", rate_per_second="5", rate_burst="5")
            self.event("limit", "COMPLETED", sent=True, status="'PROCESSING'", version="3", obstacle="'LIMIT'",
                       endpoint_id=db.uuid(ENDPOINTS["limited"]))
        if self.pulls():
            self.endpoint("printers", kind="PULL")
            self.event("pulled", "PENDING", endpoint_id=db.uuid(ENDPOINTS["printers"]), pull=db.true)

    def pulls(self):
        return "held" in self.db.columns("attempts")  # since there are pull workers

    def others(self):
        """Rows of other tables, as far as they existed."""
        db = self.db
        db.insert("inbox_requests", endpoint_id=db.uuid(ENDPOINTS["box"]), id=db.uuid(self.id()), received_at=db.at(ago(50)),
                  headers="""'[["Content-Type","application/json"]]'""", header_names="'{Content-Type}'",
                  header_values="'{application/json}'", body="x'7b7d'" if db.kind == "sqlite" else "'{}'")
        db.insert("skipped_runs", id=db.uuid(self.id()), schedule_id=db.uuid(BIRTHDAY), user_id=db.uuid(USER), reason="'DISABLED'",
                  first=db.at(ago(9000)), last=db.at(ago(9000)), count="1", recorded_at=db.at(ago(900)))
        for number, status in ((OPERATION, "RUNNING"), (self.id(), "COMPLETED")):
            over = status == "COMPLETED"
            db.insert("operations", id=db.uuid(number), kind="'REPLAN_SCHEDULE'", status=db.text(status), schedule_id=db.uuid(BIRTHDAY),
                      schedule_version="1", done="0", failed="0", claimable_at=db.never if over else db.at(ago(60)), version="1",
                      created_at=db.at(ago(900)), updated_at=db.at(ago(60)), **({"finished_at": db.at(ago(60))} if over else {}))
        db.insert("locks", name="'nightly'", fencing_token="7", token_hash="x'01'" if db.kind == "sqlite" else r"'\x01'",
                  holder="'a job'", acquired_at=db.at(ago(60)), expires_at=db.at(LATER))
        db.insert("checkpoints", name="'reader'", position="1", fencing_token="0", holder="''", held_until=db.at(ago(900)), version="1")
        db.insert("idempotency_keys", tenant="''", principal="''", key="'once'", fingerprint="x'01'" if db.kind == "sqlite" else r"'\x01'",
                  sealed=db.false, steps_done="0", progress="x''" if db.kind == "sqlite" else "''", attempt="1", expires_at=db.at(LATER))

    def count(self):
        """SQLite keeps these numbers in the transactions that change them."""
        self.db.run("""
            UPDATE event_counts SET rows = coalesce((
                SELECT count(*) FROM (
                    SELECT CASE WHEN claimed_by IS NOT NULL THEN 'CLAIMED'
                                ELSE iif(status = 'PENDING', 'PENDING', 'WAITING')
                                     || iif(claimable_at = 9223372036854775807, '_PARKED', '') END AS standing FROM events
                    UNION ALL SELECT status FROM event_history) AS one
                 WHERE one.standing = event_counts.standing), 0)""")

    def counts(self):
        """{table: rows}. Events move from one table to the other."""
        db = self.db
        tables = [table for table in db.tables() if not table.startswith("event_history_") and table not in ("given", "event_counts")]
        rows = {table: int(number) for table, number in db.rows(" UNION ALL ".join(
            f"SELECT '{table}', count(*) FROM {db.prefix}{table}" for table in tables))}
        rows["events"] += rows.pop("event_history")
        return rows


def statuses(client):
    return {event["idempotencyKey"]: event["status"] for event in client.all("/v1/events?limit=500")}


def check_events(client, old, receiver):
    h.wait_until(lambda: old.sent <= set(receiver.ids()), f"what was due on version {old.db.version}")
    h.wait_until(lambda: statuses(client) == old.expected, f"the statuses of version {old.db.version}: {old.expected}")
    with receiver.lock:
        got = {headers["webhook-id"]: (headers["Sundial-Attempt"], body) for _, headers, body in receiver.received}
    assert set(got) == old.sent and len(receiver.ids()) == len(old.sent), receiver.ids()
    again = {key for key, (attempt, _) in got.items() if attempt == "2"}
    assert again == {"held-too-long", "held", "retry"} | (old.sent & {"circuit"}), again
    assert all(json.loads(body) == {"key": key} for key, (_, body) in got.items()), got
    by_key = {event["idempotencyKey"]: event for event in client.all("/v1/events?limit=500")}
    assert by_key["local"]["targetTimestampUTC"].startswith("2040-06-01T07:00:00"), by_key["local"]
    assert by_key["birthday"]["targetTimestampUTC"].startswith("2040-05-17T08:00:00"), by_key["birthday"]
    assert by_key["dismissed"]["dismissedAt"] and not by_key["failed"]["dismissedAt"], by_key["dismissed"]
    [attempt] = client.all(f"/v1/attempts?eventId={by_key['failed']['id']}")
    assert attempt["statusCode"] == 503, attempt


def check_life(client, old, receiver):
    """The rows are not only there: they can be worked with as if this version had written them."""
    # A key that is taken stays taken, one that is free can be used again.
    new = lambda key: client.call("POST", "/v1/events", {"eventType": "NEW", "targetTimestampUTC": "2040-01-01T00:00:00Z",
                                                         "endpointId": "ext:r", "idempotencyKey": key, "deliveryPayload": {}})
    for key, status in (("done", 409), ("later", 409), ("failed", 409), ("cancelled", 201), ("dismissed", 201)):
        answer = new(key)
        assert answer.status == status, (key, answer.body)
    client.ok("PATCH", "/v1/endpoints/ext:off", {"enabled": True})
    h.wait_until(lambda: "parked" in receiver.ids(), "the event that waited for its endpoint")
    client.ok("PATCH", "/v1/users/ext:u", {"timezone": "Asia/Tokyo"})
    moved = next(event for event in client.all("/v1/events?limit=500") if event["idempotencyKey"].startswith("birthday")
                 or event["eventType"] == "BIRTHDAY")
    assert moved["targetTimestampUTC"].startswith("2040-05-17T00:00:00"), moved
    assert len(client.ok("GET", "/v1/endpoints/ext:box/inbox")["data"]) == 1
    if old.pulls():
        [claimed] = client.ok("POST", "/v1/endpoints/ext:printers/claim", {"worker": "w"})["data"]
        assert claimed["idempotencyKey"] == "pulled", claimed
    if old.db.has("operations"):
        over = lambda: client.ok("GET", f"/v1/operations/{OPERATION}")["status"] == "COMPLETED"
        h.wait_until(over, "the operation that was under way")
    if old.db.has("locks"):
        held = {lock["name"]: lock["holder"] for lock in client.all("/v1/locks")}
        assert held["nightly"] == "a job", held


def one(kind, place, version, directory):
    global NOW
    NOW = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
    receiver = h.Receiver()
    old = Old(old_schemas.make(kind, place, version), receiver.url)
    old.fill()
    before = old.counts()
    old.db.close()
    with h.running("serve", "--db", place, *h.LOCAL_RECEIVERS, *SHORT_LEASES, folder=directory) as server:
        client = server.client()
        check_events(client, old, receiver)
        check_life(client, old, receiver)
        assert server.stop() == 0
    after = old_counts(kind, place, old)
    lost = {table: (rows, after[table]) for table, rows in before.items() if table in after and after[table] < rows}
    assert not lost, f"version {version}: {lost}"
    return len(old.expected)


def old_counts(kind, place, old):
    if kind == "sqlite":
        old.db.connection = old_schemas.sqlite3.connect(place)
    rows = old.counts()
    old.db.close()
    return rows


def from_each(kind, first="1", step="1"):
    """Every `step`th version from `first` on, each in a database of its own."""
    with h.folder() as directory, h.database(kind, directory, empty=True) as base:
        versions = range(int(first), old_schemas.newest(kind) + 1, int(step))
        assert versions, f"there is no version {first}"
        events = 0
        for version in versions:
            if kind == "sqlite":
                place = os.path.join(directory, f"v{version}.db")
            else:
                subprocess.run(["psql", base, "-Xqc", f"CREATE DATABASE v{version} TEMPLATE template0 ENCODING 'UTF8'"], check=True)
                place = re.sub(r"^(postgresql://[^/]*/)[^?]*", rf"\1v{version}", base)
            try:
                events += one(kind, place, version, directory)
            except BaseException:
                print(f"failed at version {version}", file=sys.stderr)
                raise
        print(f"{kind}: upgraded from {len(versions)} schemas, {events} events in all; none lost, none sent twice")


if __name__ == "__main__":
    h.main({"from_each": from_each})
