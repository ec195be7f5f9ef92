"""One suite for all interfaces: each operation is carried out over every interface that has it, each in a world of its own
(a server with a test clock, on a PostgreSQL database), and all rows of the worlds are compared afterwards.

All worlds take the same steps. Where an interface lacks the operation of a step, its world takes the step over HTTP, so that
the worlds stay equal. Answers are compared, too: what a call returns, the code and the status of a refusal, and that an id in an
answer is that of the stored object. Ids, generated keys, secrets and actors differ by nature and are not compared; instants are, because
the clock stands still."""
import contextlib
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
import harness as h  # noqa: E402
from sql import psql, psycopg  # noqa: E402

from table import INTERFACES, OPERATIONS, has, offered  # noqa: E402

TABLES = ("users", "schedules", "endpoints", "events", "event_history", "event_keys", "attempts", "recorded_events", "streams",
          "locks", "operations", "api_keys", "checkpoints", "snapshots", "intake", "outbox_taken", "outbox_refused")
# Ids and values derived from them, secrets, and the names of callers.
UNCOMPARED = {"secret_hash", "shard", "actor", "dismissed_by", "correlation_id", "content_hash", "token_hash", "sealed_secret", "secret_hint", "hash", "prefix", "last_used_at", "key_hash", "handle",
              "transaction_id", "number"}
NOON = "2027-01-05T12:00:00.000Z"
NOBODY = "00000000-0000-7000-8000-000000000000"  # no object has this id
ADA = {"firstName": "Ada", "lastName": "Li", "dateOfBirth": "1992-02-29", "timezone": "Europe/Paris"}
EVENT = {"eventType": "ORDER", "targetTimestampUTC": NOON, "endpointId": "ext:q", "deliveryPayload": {"order": 1}}
NIGHTLY = {"eventType": "REPORT", "trigger": {"cron": "30 2 * * *"}, "timezone": "Europe/Paris", "payload": {"report": 1},
           "endpointId": "ext:q"}


def plain(value, column=""):
    """Without what differs by nature."""
    if isinstance(value, dict):
        return {key: plain(one, key) for key, one in value.items() if key not in UNCOMPARED}
    if isinstance(value, list):
        return [plain(one) for one in value]
    if isinstance(value, str):
        if value[:1] in "{[":
            with contextlib.suppress(ValueError):
                return plain(json.loads(value))
        value = re.sub(r"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}", "<id>", value)
        value = re.sub(r"(sundial_sk_)?\b(event-)?[0-9a-f]{32}\b", "<key>", value)
        return re.sub(r"\b(sys|req|sql|cli)-[\w<>-]+", "<request>", value)
    return value


class World:
    def __init__(self, interface, server, url, directory):
        self.interface, self.client, self.url, self.directory = interface, server.client(), url, directory
        self.where = ["--server", f"http://127.0.0.1:{server.port}"]
        self.db = psycopg.connect(url, autocommit=True)
        self.known = {}  # what later steps refer to
        self.client.ok("PUT", "/v1/clock", {"now": NOON})

    def http(self, method, path, body=None, headers=None):
        return self.client.ok(method, path, body, headers)

    def sql(self, statement, *parameters):
        """The rows."""
        cursor = self.db.execute(statement, parameters)
        return cursor.fetchall() if cursor.description else []

    def cli(self, *arguments, text="", code=0):
        """The output. `code` is the expected exit code; None: any."""
        done = subprocess.run([h.PROGRAM, *arguments], input=text, capture_output=True, text=True, timeout=h.HANG_GUARD,
                              cwd=self.directory, check=False)
        assert code in (None, done.returncode), (arguments, done.returncode, done.stderr)
        return done.stdout

    def cpp(self, *arguments):
        """The output of one call of the library."""
        done = subprocess.run([os.environ["LIBRARY_CALLS"], self.url, *map(str, arguments)], capture_output=True, text=True,
                              timeout=h.HANG_GUARD, check=False)
        assert done.returncode == 0, (arguments, done.stderr)
        return done.stdout

    # Refusals: the code, and the HTTP status that belongs to it (None where an interface has no number for it).
    def http_refusal(self, method, path, body=None, headers=None):
        answer = self.client.call(method, path, body, headers)
        assert answer.status >= 400, (method, path, answer.status)
        assert answer.json()["status"] == answer.status, answer.body
        return answer.json()["code"], answer.status

    def sql_refusal(self, statement, *parameters):
        try:
            self.db.execute(statement, parameters)
        except psycopg.Error as error:
            return error.diag.message_primary, int(error.sqlstate.removeprefix("SD"))
        raise AssertionError(f"not refused: {statement}")

    def cli_refusal(self, *arguments):
        """The text for people ends with the code; the exit code is that of the status."""
        done = subprocess.run([h.PROGRAM, *arguments, *self.where], capture_output=True, text=True, timeout=h.HANG_GUARD,
                              cwd=self.directory, check=False)
        named = re.search(r"\(([A-Z_]+)\)", done.stderr)
        assert named, (arguments, done.returncode, done.stdout, done.stderr)
        assert done.returncode == EXIT_CODES[STATUS_OF[named[1]]], (arguments, done.returncode, done.stderr)
        return named[1], None

    def cpp_refusal(self, *arguments):
        done = subprocess.run([os.environ["LIBRARY_CALLS"], self.url, *map(str, arguments)], capture_output=True, text=True,
                              timeout=h.HANG_GUARD, check=False)
        assert done.returncode == 1, (arguments, done.returncode, done.stdout)
        return done.stderr.split(":", 1)[0], None

    def stored(self, event):
        """The status of the answer, whose id must be that of the stored event."""
        row = self.http("GET", f"/v1/events/{event['id']}")
        assert row["status"] == event["status"], (event, row)
        return row["idempotencyKey"], row["status"]

    def shown(self, *arguments):
        return json.loads(self.cli(*arguments, "--json", *self.where))

    def file(self, value):
        name = os.path.join(self.directory, f"{self.interface}.json")
        with open(name, "w", encoding="utf-8") as file:
            file.write(value if isinstance(value, str) else json.dumps(value))
        return name

    def event(self, key):
        """Its row, wherever it is."""
        rows = self.http("GET", f"/v1/events?idempotencyKey={key}")["data"]
        assert rows, key
        return rows[0]

    def completed_by_server(self):
        """A server has completed what SQL asked for."""
        h.wait_until(lambda: self.sql("SELECT count(*) FROM sundial.intake")[0][0] == 0, "requests by SQL to be completed")

    def rows(self):
        tables = {}
        for table in TABLES:
            found = [plain(row[0]) for row in self.sql(f"SELECT to_jsonb(its) FROM sundial.{table} AS its")
                     if not str(row[0].get("name")).startswith("sundial.")]  # locks of the server itself
            for row in found:
                if row.get("wall", "") is None:
                    row.pop("tz_release", None)  # an instant depends on no release; SQL functions know none
                if row.get("status") == "PROCESSING" and row.get("claimed_by") is None:
                    row.pop("claimable_at", None)  # the pause before a retry is random
            tables[table] = sorted(found, key=lambda row: json.dumps(row, sort_keys=True))
        return tables


EXIT_CODES = {404: 3, 409: 4}  # docs/reference/cli.md
# For interfaces whose errors have codes only.
STATUS_OF = {"DUPLICATE_IDEMPOTENCY_KEY": 409, "DUPLICATE_EXTERNAL_ID": 409, "EVENT_NOT_FOUND": 404, "INVALID_STATE_TRANSITION": 409,
             "OPTIMISTIC_LOCK": 409, "LOCK_HELD": 409}
STEPS = []  # (operationId, {interface: call}); a call may return a value to compare


def step(operation, **calls):
    STEPS.append((operation, {"C++" if name == "cpp" else name.upper(): call for name, call in calls.items()}))


def refusal(operation, code, **calls):
    """Each call is the arguments of the method `..._refusal` of its interface, or a function that makes them."""
    def call(interface, arguments):
        def run_it(w):
            found, status = getattr(w, f"{interface}_refusal")(*(arguments(w) if callable(arguments) else arguments))
            assert found == code, f"{operation} over {interface}: {found} instead of {code}"
            return [found, STATUS_OF[code] if status is None else status]
        return run_it
    step(operation, **{interface: call(interface, arguments) for interface, arguments in calls.items()})


def answered_event(text):
    """The answer of a call of the library that returns an event."""
    event_id, status = text.split()
    return {"id": event_id, "status": status}


def summary(events):
    return sorted((event["idempotencyKey"], event["status"]) for event in events)


# Endpoints and people.
step("putEndpoint", http=lambda w: w.http("PUT", "/v1/endpoints/ext:q", {"name": "Q", "type": "PULL"}) and None,
     cli=lambda w: w.cli("endpoint", "put", "ext:q", w.file({"name": "Q", "type": "PULL"}), *w.where) and None)
step("createEndpoint", http=lambda w: w.http("POST", "/v1/endpoints", {"name": "R", "type": "PULL", "externalId": "r"}) and None)
step("patchEndpoint", http=lambda w: w.http("PATCH", "/v1/endpoints/ext:r", {"name": "R2"}) and None,
     cli=lambda w: w.cli("endpoint", "set", "ext:r", "--name", "R2", *w.where) and None)
step("getEndpoint", http=lambda w: w.http("GET", "/v1/endpoints/ext:r"), cli=lambda w: w.shown("endpoint", "get", "ext:r"))
step("listEndpoints", http=lambda w: w.http("GET", "/v1/endpoints?limit=500"), cli=lambda w: w.shown("endpoint", "list"))
step("deleteEndpoint", http=lambda w: w.http("DELETE", "/v1/endpoints/ext:r"),
     cli=lambda w: w.cli("endpoint", "delete", "ext:r", "-y", *w.where) and None)
step("v1CreateUser", http=lambda w: w.http("POST", "/v1/users", dict(ADA, externalId="bob")) and None,
     cpp=lambda w: w.cpp("create_user", "bob") and None)
step("v1PutUser", http=lambda w: w.http("PUT", "/v1/users/ext:ada", ADA) and None,
     sql=lambda w: (w.sql("SELECT sundial.upsert_user('ada', 'Ada', 'Li', '1992-02-29', 'Europe/Paris')"), w.completed_by_server()) and None)

# Events.
step("createEvent", http=lambda w: w.stored(w.http("POST", "/v1/events", dict(EVENT, idempotencyKey="one", userId="ext:ada"))),
     sql=lambda w: w.stored({"id": w.sql("SELECT sundial.schedule_event('ORDER', %s, '{\"order\": 1}', 'q', user_ext => 'ada', idempotency_key => 'one')", NOON)[0][0],
                             "status": "PENDING"}),
     cpp=lambda w: w.stored(answered_event(w.cpp("schedule", "one", "ext:ada"))))
refusal("createEvent", "DUPLICATE_IDEMPOTENCY_KEY", http=("POST", "/v1/events", dict(EVENT, idempotencyKey="one", eventType="OTHER")),
        sql=("SELECT sundial.schedule_event('OTHER', %s, '{\"order\": 1}', 'q', idempotency_key => 'one')", NOON),
        cpp=("schedule", "one", "ext:ada"))
refusal("v1CreateUser", "DUPLICATE_EXTERNAL_ID", http=("POST", "/v1/users", dict(ADA, externalId="bob")), cpp=("create_user", "bob"))
refusal("getEvent", "EVENT_NOT_FOUND", http=("GET", f"/v1/events/{NOBODY}"), cli=("event", "get", NOBODY), cpp=("find_event", NOBODY))
refusal("cancelEvent", "EVENT_NOT_FOUND", http=("DELETE", f"/v1/events/{NOBODY}"), sql=("SELECT sundial.cancel_event(%s)", NOBODY),
        cli=("event", "cancel", NOBODY, "-y"), cpp=("cancel", NOBODY))
refusal("retryEvent", "EVENT_NOT_FOUND", http=("POST", f"/v1/events/{NOBODY}/retry", {}), sql=("SELECT sundial.retry_event(%s)", NOBODY),
        cli=("event", "retry", NOBODY))
KEYS = ("a", "b", "c", "d", "e")
BATCH = [dict(EVENT, idempotencyKey=key) for key in KEYS]
step("createEvents", http=lambda w: w.http("POST", "/v1/events/batch", {"events": BATCH}) and None,
     sql=lambda w: w.sql("SELECT sundial.schedule_event('ORDER', %s, '{\"order\": 1}', 'q', idempotency_key => key) FROM unnest(%s::text[]) AS key",
                         NOON, list(KEYS)) and None,
     cli=lambda w: w.cli("event", "import", "-", *w.where, text="".join(json.dumps(one) + "\n" for one in BATCH)) and None)
step("listEvents", http=lambda w: summary(w.http("GET", "/v1/events?limit=500")["data"]),
     sql=lambda w: sorted(w.sql("SELECT idempotency_key, status FROM sundial.v_events")),
     cli=lambda w: summary(w.shown("event", "list", "--limit", "500")["data"]))
step("getEvent", http=lambda w: summary([w.http("GET", f"/v1/events/{w.event('a')['id']}")]),
     sql=lambda w: w.sql("SELECT idempotency_key, status FROM sundial.v_events WHERE id = %s", w.event("a")["id"]),
     cli=lambda w: summary([w.shown("event", "get", w.event("a")["id"])]),
     cpp=lambda w: [w.cpp("find_event", w.event("a")["id"]).split()])
step("explainEvent", http=lambda w: w.http("GET", f"/v1/events/{w.event('a')['id']}/explain"),
     cli=lambda w: w.shown("event", "explain", w.event("a")["id"]))
step("cancelEvent", http=lambda w: w.http("DELETE", f"/v1/events/{w.event('e')['id']}") and None,
     sql=lambda w: w.sql("SELECT sundial.cancel_event(%s)", w.event("e")["id"]) and None,
     cli=lambda w: w.cli("event", "cancel", w.event("e")["id"], "-y", *w.where) and None,
     cpp=lambda w: w.cpp("cancel", w.event("e")["id"]) and None)

# A worker: all five events are claimed, and each ends in another way.
step("claimEvents", http=lambda w: len(w.http("POST", "/v1/endpoints/ext:q/claim", {"worker": "w-1", "limit": 10, "lease": "PT30S"})["data"]),
     sql=lambda w: len(w.sql("SELECT * FROM sundial.claim('q', 'w-1', 10)")), cpp=lambda w: int(w.cpp("claim")))


def report(operation, key, body, function, method):
    def over_http(w):
        event = w.event(key)
        w.http("POST", f"/v1/events/{event['id']}/{operation.removesuffix('Event')}", dict(body, version=event["version"]))

    def by_sql(w):
        event = w.event(key)
        assert w.sql(f"SELECT sundial.{function}", event["id"], event["version"]) == [(True,)]

    def by_library(w):
        event = w.event(key)
        w.cpp(method, event["id"], event["version"])
    step(operation, http=over_http, sql=by_sql, cpp=by_library)


report("extendEvent", "one", {"lease": "PT1M"}, "extend(%s, %s, '1 minute')", "extend")
report("completeEvent", "one", {}, "complete(%s, %s)", "complete")
report("failEvent", "a", {"reason": "no stock", "retry": True}, "fail(%s, %s, 'no stock')", "fail")
report("failEvent", "b", {"reason": "no such order", "retry": False}, "fail(%s, %s, 'no such order', false)", "refuse")
report("releaseEvent", "c", {}, "release(%s, %s)", "release")
for waiting_or_failed in ("a", "b"):
    step("retryEvent", http=lambda w, key=waiting_or_failed: w.http("POST", f"/v1/events/{w.event(key)['id']}/retry", {}) and None,
         sql=lambda w, key=waiting_or_failed: w.sql("SELECT sundial.retry_event(%s)", w.event(key)["id"]) and None,
         cli=lambda w, key=waiting_or_failed: w.cli("event", "retry", w.event(key)["id"], *w.where) and None)

refusal("cancelEvent", "INVALID_STATE_TRANSITION", http=lambda w: ("DELETE", f"/v1/events/{w.event('one')['id']}"),
        sql=lambda w: ("SELECT sundial.cancel_event(%s)", w.event("one")["id"]),
        cli=lambda w: ("event", "cancel", w.event("one")["id"], "-y"), cpp=lambda w: ("cancel", w.event("one")["id"]))


def completed(w, started):
    h.wait_until(lambda: w.http("GET", f"/v1/operations/{started['id']}")["status"] == "COMPLETED", "the operation")


def tag_all(w):
    completed(w, w.http("POST", "/v1/schedules/bulk", {"action": "tag", "filter": {"eventType": ["REPORT"]}, "addTags": ["late"]}))


# Schedules.
step("putSchedule", http=lambda w: w.http("PUT", "/v1/schedules/ext:nightly", NIGHTLY) and None,
     sql=lambda w: (w.sql("SELECT sundial.schedule_rule('nightly', %s::jsonb)", json.dumps(dict(NIGHTLY, endpointId="q"))), w.completed_by_server()) and None)
step("bulkSchedules", http=tag_all,
     cli=lambda w: w.cli("schedule", "tag-many", "--type", "REPORT", "--add-tag", "late", "-y", *w.where) and None)
step("deleteSchedule", http=lambda w: w.http("DELETE", "/v1/schedules/ext:nightly"),
     sql=lambda w: (w.sql("SELECT sundial.unschedule('nightly')"), w.completed_by_server()) and None)

# Streams.
step("appendToStream", http=lambda w: w.http("POST", "/v1/streams/Order/1", {"expectedVersion": "NO_STREAM", "events": [{"eventType": "Placed", "data": {"sum": 5}}]}) and None,
     sql=lambda w: w.sql("SELECT * FROM sundial.append('Order', '1', 0, '[{\"eventType\": \"Placed\", \"data\": {\"sum\": 5}}]')") and None,
     cli=lambda w: w.cli("stream", "append", "Order", "1", "Placed", '{"sum":5}', "--expect", "NO_STREAM", *w.where) and None,
     cpp=lambda w: w.cpp("append") and None)
refusal("appendToStream", "OPTIMISTIC_LOCK",
        http=("POST", "/v1/streams/Order/1", {"expectedVersion": "NO_STREAM", "events": [{"eventType": "Placed", "data": {"sum": 6}}]}),
        sql=("SELECT * FROM sundial.append('Order', '1', 0, '[{\"eventType\": \"Placed\", \"data\": {\"sum\": 6}}]')",),
        cli=("stream", "append", "Order", "1", "Placed", '{"sum":6}', "--expect", "NO_STREAM"), cpp=("append",))
step("readStream", http=lambda w: w.http("GET", "/v1/streams/Order/1"), cli=lambda w: w.shown("stream", "read", "Order", "1"))
step("readFeed", http=lambda w: [one["eventType"] for one in w.http("GET", "/v1/feed?aggregateType=Order")["data"]],
     cli=lambda w: [json.loads(line)["eventType"] for line in w.cli("stream", "follow", "Order", "--once", "--json", *w.where).splitlines()])
step("listStreams", http=lambda w: w.http("GET", "/v1/streams?aggregateType=Order"), cli=lambda w: w.shown("stream", "list", "Order"))


# Locks.
def keep_token(w, token):
    w.known["token"] = token


step("acquireLock", http=lambda w: keep_token(w, w.http("POST", "/v1/locks/job", {"holder": "h", "ttl": "PT1M"})["lockToken"]),
     sql=lambda w: keep_token(w, w.sql("SELECT lock_token FROM sundial.try_lock('job', 'h', '1 minute')")[0][0]),
     cli=lambda w: keep_token(w, w.shown("lock", "acquire", "job", "--holder", "h", "--ttl", "PT1M")["lockToken"]))
refusal("acquireLock", "LOCK_HELD", http=("POST", "/v1/locks/job", {"holder": "other", "ttl": "PT1M"}),
        cli=("lock", "acquire", "job", "--holder", "other", "--ttl", "PT1M"))
step("renewLock", http=lambda w: w.http("PUT", "/v1/locks/job", {"lockToken": w.known["token"], "ttl": "PT2M"}) and None,
     cli=lambda w: w.cli("lock", "renew", "job", w.known["token"], "--ttl", "PT2M", *w.where) and None)
step("listLocks", http=lambda w: [one["name"] for one in w.http("GET", "/v1/locks?q=job")["data"]],
     cli=lambda w: [one["name"] for one in w.shown("lock", "list", "job")["data"]])
step("releaseLock", http=lambda w: w.http("DELETE", "/v1/locks/job", None, {"Sundial-Lock-Token": w.known["token"]}),
     sql=lambda w: w.sql("SELECT sundial.unlock('job', %s)", w.known["token"]) and None,
     cli=lambda w: w.cli("lock", "release", "job", w.known["token"], *w.where) and None)

# Outboxes: each world follows one, with a row that is refused.
step("listIntakes", http=lambda w: [(one["name"], one["taken"], one["refused"]) for one in w.http("GET", "/v1/intakes")["data"]],
     sql=lambda w: w.sql("SELECT name, taken, refused FROM sundial.v_intake WHERE kind = 'OUTBOX'"),
     cli=lambda w: [(one["name"], one["taken"], one["refused"]) for one in w.shown("intake", "list")["data"]])
step("listRefusedRows", http=lambda w: [(one["id"], one["code"]) for one in w.http("GET", "/v1/intakes/refused?intake=shop")["data"]],
     sql=lambda w: w.sql("SELECT row_id, code FROM sundial.v_intake WHERE intake = 'shop' AND status = 'FAILED'"),
     cli=lambda w: [(one["id"], one["code"]) for one in w.shown("intake", "refused", "shop")["data"]])
step("listTakenRows", http=lambda w: w.http("GET", "/v1/intakes/taken?intake=shop"), cli=lambda w: w.shown("intake", "taken", "shop"))

# Operations: all events that wait are cancelled.
def cancel_all(w):
    completed(w, w.http("POST", "/v1/bulk", {"resource": "events", "action": "cancel", "filter": {"eventType": ["ORDER"]}}))


def newest_operation(w):
    return w.http("GET", "/v1/operations")["data"][0]["id"]


step("bulk", http=cancel_all, cli=lambda w: w.cli("event", "cancel", "--type", "ORDER", "-y", *w.where, code=7) and None)
step("listOperations", http=lambda w: [one["kind"] for one in w.http("GET", "/v1/operations")["data"]],
     cli=lambda w: [one["kind"] for one in w.shown("op", "list")["data"]])
# An operation that has ended cannot be stopped.
step("stopOperation", http=lambda w: w.client.call("DELETE", f"/v1/operations/{newest_operation(w)}").status and None,
     cli=lambda w: w.cli("op", "stop", newest_operation(w), *w.where, code=None) and None)

# The clock, and the rest.
step("getClock", http=lambda w: w.http("GET", "/v1/clock"), cli=lambda w: w.shown("clock", "show"))
step("advanceClock", http=lambda w: w.http("POST", "/v1/clock/advance", {"by": "PT1S"}) and None,
     cli=lambda w: w.cli("clock", "advance", "--by", "PT1S", *w.where) and None)
step("listFailures", http=lambda w: summary(w.http("GET", "/v1/events?status=FAILED&dismissed=false")["data"]),
     sql=lambda w: sorted((key, "FAILED") for key, in w.sql("SELECT idempotency_key FROM sundial.v_dead_letters")),
     cli=lambda w: summary(w.shown("dlq", "list")["data"]))
step("getInfo", http=lambda w: sorted(w.http("GET", "/v1/info")), cli=lambda w: sorted(w.shown("info")))
step("v1DeleteUser", http=lambda w: w.http("DELETE", "/v1/users/ext:ada"),
     sql=lambda w: (w.sql("SELECT sundial.delete_user('ada')"), w.completed_by_server()) and None,
     cpp=lambda w: w.cpp("delete_user", w.http("GET", "/v1/users/ext:ada")["id"]) and None)


# API keys, last: from the first one on, requests need it.
def with_key(w):
    return {"Authorization": f"Bearer {w.known['key']}"}


step("createApiKey", http=lambda w: w.known.update(key=w.http("POST", "/v1/api-keys", {"name": "first", "role": "ADMIN"})["key"]),
     cli=lambda w: w.known.update(key=w.cli("key", "create", "--name", "first", "--role", "ADMIN", *w.where).strip()))
step("listApiKeys", http=lambda w: [one["name"] for one in w.http("GET", "/v1/api-keys", None, with_key(w))["data"]],
     cli=lambda w: [one["name"] for one in json.loads(w.cli("key", "list", "--json", "--api-key", w.known["key"], *w.where))["data"]])
step("revokeApiKey", http=lambda w: w.http("DELETE", f"/v1/api-keys/{w.http('GET', '/v1/api-keys', None, with_key(w))['data'][0]['id']}", None, with_key(w)),
     cli=lambda w: w.cli("key", "revoke", w.known["key"].removeprefix("sundial_sk_")[:10], "-y", "--api-key", w.known["key"], *w.where) and None)

def missing():
    """Operations that the table has on an interface, and no step calls there."""
    called = {}
    for operation, calls in STEPS:
        called.setdefault(operation, set()).update(calls)
    return {(operation, interface) for operation in OPERATIONS for interface in INTERFACES
            if interface != "HTTP" and has(operation, interface) and interface not in called.get(operation, ())}


def compare(operation, worlds, kind, found):
    expected = found["HTTP"]
    for interface, value in found.items():
        if value == expected:
            continue
        if kind == "rows":
            table = next(name for name in TABLES if value[name] != expected[name])
            value, expected = ([row for row in a[table] if row not in b[table]] for a, b in ((value, expected), (expected, value)))
            kind = f"rows of {table}"
            if len(value) == len(expected):  # show what differs only
                value, expected = ([{name: row[name] for name in row if row[name] != other.get(name)} for row, other in zip(a, b)]
                                   for a, b in ((value, expected), (expected, value)))
        raise AssertionError(f"{operation}: {kind} differ\n{interface}: {json.dumps(value, indent=1, default=str)}\n"
                             f"HTTP: {json.dumps(expected, indent=1, default=str)}")


def run(document):
    assert offered(document).keys() == OPERATIONS.keys(), "table.py and openapi.json name different operations"
    assert not missing(), f"the table has them, and no step calls them: {sorted(missing())}"
    for operation, calls in STEPS:
        assert calls.keys() <= {name for name in INTERFACES if has(operation, name)}, f"{operation}: the table lacks {calls.keys()}"
    calls_made = 0
    with h.folder() as directory, h.postgres() as first, contextlib.ExitStack() as stack:
        worlds = []
        for interface in INTERFACES:
            name = f"world_{interface.lower().replace('+', 'p')}"
            psql(first, f"CREATE DATABASE {name}")
            url = re.sub(r"/[^/?]+(\?|$)", rf"/{name}\1", first, count=1) if "dbname=" not in first else re.sub(r"dbname=\S+", f"dbname={name}", first)
            psql(url, "CREATE TABLE sundial_outbox (id bigint PRIMARY KEY, kind text, request text)",
                 "INSERT INTO sundial_outbox VALUES (1, 'event', 'no JSON')")
            server = stack.enter_context(h.running("dev", "--test-clock", "--users", "0", "--db", url, f"--storage.intake=shop={url}", folder=directory))
            world = World(interface, server, url, directory)
            h.wait_until(lambda: world.sql("SELECT count(*) FROM sundial.outbox_refused")[0][0] == 1, "the row of the outbox")
            world.sql("UPDATE sundial.outbox_refused SET refused_at = %s", NOON)
            world.sql("UPDATE sundial.outbox_taken SET changed_at = %s", NOON)
            world.sql("UPDATE sundial.schedules SET created_at = %s, updated_at = %s", NOON, NOON)  # the birthday one
            worlds.append(world)
        for operation, calls in STEPS:
            results = {}
            for world in worlds:
                own = world.interface in calls
                result = calls[world.interface if own else "HTTP"](world)
                calls_made += own
                results[world.interface] = plain(json.loads(json.dumps(result, default=str))) or None
            compare(operation, worlds, "answers", results)
            compare(operation, worlds, "rows", {world.interface: world.rows() for world in worlds})
        for world in worlds:
            world.db.close()
    operations = len({operation for operation, _ in STEPS})
    print(f"conformance of interfaces: {operations} operations, {calls_made} calls, answers and rows of {len(TABLES)} tables compared after each of {len(STEPS)} steps")


if __name__ == "__main__":
    run(sys.argv[1])
