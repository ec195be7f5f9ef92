"""Programs that speak SQL: their events commit with their own rows, and the server delivers them. From psql, from Python
(psycopg), from libpq, from node, through a pooler, and as a role that may do nothing else."""
import collections
import json
import os
import re
import subprocess
import sys
import threading

import harness as h
from poolers import pooler

try:
    import psycopg
except ImportError:  # this interpreter may not be the one that Debian's packages are for
    psycopg = None
    if sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
    raise

HERE = os.path.dirname(os.path.abspath(__file__))


def psql(url, *statements, check=True):
    """Each statement by itself, in one session; the values of all of them, a line for each row."""
    command = ["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-v", "VERBOSITY=verbose", url]
    for statement in statements:
        command += ["-c", statement]
    done = subprocess.run(command, capture_output=True, text=True, timeout=h.HANG_GUARD)
    if check:
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()
    assert done.returncode != 0, done.stdout
    return done.stderr


def connect(url, **options):
    return psycopg.connect(url, autocommit=True, **options)


def value(connection, statement, *parameters):
    return connection.execute(statement, parameters).fetchone()[0]


def receiving(client, receiver):
    return client.ok("POST", "/v1/endpoints",
                     {"name": "receiver", "type": "WEBHOOK", "url": receiver.url, "externalId": "r"})


def refusal(connection, statement, *parameters):
    """SQLSTATE, code and data."""
    try:
        connection.execute(statement, parameters)
    except psycopg.Error as error:
        return error.sqlstate, error.diag.message_primary, json.loads(error.diag.message_detail)
    raise AssertionError(f"not refused: {statement}")


ORDER = ("INSERT INTO orders VALUES ({0}); SELECT sundial.schedule_event("
         "'ORDER_PLACED', now(), '{{\"order\": {0}}}', 'r', idempotency_key => 'order-{0}')")


def orders():
    """From psql: an order and its event commit together, or neither does; a savepoint takes both back."""
    receiver = h.Receiver()
    with h.folder() as directory, h.postgres(migrated=True) as url:
        with h.running("serve", "--db", url, *h.LOCAL_RECEIVERS, folder=directory) as server:
            receiving(server.client(), receiver)
            psql(url, "CREATE TABLE orders (id integer PRIMARY KEY)")
            psql(url, f"BEGIN; {ORDER.format(1)}; COMMIT")
            psql(url, f"BEGIN; {ORDER.format(2)}; ROLLBACK")
            psql(url, f"BEGIN; {ORDER.format(3)}; SAVEPOINT s; {ORDER.format(4)}; ROLLBACK TO s; {ORDER.format(5)}; COMMIT")
            h.wait_until(lambda: receiver.count() >= 3, "the events of three orders")
            assert psql(url, "SELECT string_agg(id::text, ',' ORDER BY id) FROM orders") == "1,3,5"
            assert sorted(receiver.ids()) == ["order-1", "order-3", "order-5"]
            assert {json.loads(body)["order"] for _, _, body in receiver.received} == {1, 3, 5}
            again = psql(url, ORDER.format(6).replace("order-6", "order-1"), check=False)
            assert "SD409: DUPLICATE_IDEMPOTENCY_KEY" in again, again
            assert json.loads(re.search(r"DETAIL:  (.*)", again).group(1))["status"] in ("COMPLETED", "PROCESSING"), again
            assert server.stop() == 0


def local_times():
    """A local time has no instant until the server has found it; a zone that no server knows is refused at once."""
    with h.folder() as directory, h.postgres(migrated=True) as url:
        with h.running("serve", "--db", url, folder=directory) as server:
            client = server.client()
            event = lambda event_id: client.ok("GET", f"/v1/events/{event_id}")
            with connect(url) as db:
                local = "SELECT sundial.schedule_local('WAKE', %s, %s, gap => %s)::text"
                state, code, data = refusal(db, local, "2027-01-05 09:00", "Mars/Base", "later")
                assert (state, code, data["errors"][0]["code"]) == ("SD400", "VALIDATION_FAILED", "unknown_zone"), data
                with db.transaction():
                    winter = value(db, local, "2027-01-05 09:00", "America/New_York", "compatible")
                    assert value(db, "SELECT target IS NULL AND waiting_for IS NULL FROM sundial.v_events WHERE id = %s", winter)
                gap = value(db, local, "2027-03-28 02:30", "Europe/Paris", "reject")
                h.wait_until(lambda: event(winter)["targetTimestampUTC"], "the instant of the local time")
                assert event(winter)["targetTimestampUTC"] == "2027-01-05T14:00:00.000Z", event(winter)
                assert event(winter)["targetTimestampLocal"] == "2027-01-05T09:00:00.000-05:00", event(winter)
                h.wait_until(lambda: event(gap)["status"] == "FAILED", "the refusal")
                assert event(gap)["failureReason"].startswith("nonexistent_time "), event(gap)
                assert event(gap)["targetTimestampUTC"] is None, event(gap)
                assert client.call("POST", f"/v1/events/{gap}/retry", {}).status == 409
                assert value(db, "SELECT count(*) FROM sundial.intake") == 0
            assert server.stop() == 0


def woken():
    """With a tick of a minute, sundial.wake() makes the server find an instant, and send a due event, at once."""
    receiver = h.Receiver()
    with h.folder() as directory, h.postgres(migrated=True) as url:
        settings = (*h.LOCAL_RECEIVERS, "--scheduler.tick=PT60S", f"--storage.listen_url={url}")
        with h.running("serve", "--db", url, *settings, folder=directory) as server, connect(url) as db:
            client = server.client()
            receiving(client, receiver)
            event = value(db, "SELECT sundial.schedule_local('WAKE', '2027-01-05 09:00', 'America/New_York')::text")
            assert client.ok("GET", f"/v1/events/{event}")["targetTimestampUTC"] is None
            db.execute("SELECT sundial.wake()")
            h.wait_until(lambda: client.ok("GET", f"/v1/events/{event}")["targetTimestampUTC"], "the instant, before the tick", 45)
            db.execute("SELECT sundial.schedule_event('WAKE', now(), endpoint => 'r')")
            db.execute("SELECT sundial.wake()")
            h.wait_until(lambda: receiver.count() == 1, "the delivery, before the tick", 45)
            assert server.stop() == 0


def killed():
    """The server is killed again and again while it finds instants and plans birthdays: each is done exactly once."""
    with h.folder() as directory, h.postgres(migrated=True) as url:
        psql_ready = lambda: subprocess.run(["psql", "-XqAtc", "SELECT count(*) > 0 FROM sundial.tz_fingerprints", url],
                                            capture_output=True, text=True).stdout.strip() == "t"
        with h.running("serve", "--db", url, folder=directory) as server:
            h.wait_until(psql_ready, "the schema")
            assert server.stop() == 0
        total, rounds = 400, 4
        with connect(url) as db:
            for i in range(rounds):
                db.execute("SELECT sundial.schedule_local('WAKE', '2030-06-01 09:00', 'Europe/Paris') FROM generate_series(1, %s::integer)", (total,))
                db.execute("SELECT sundial.upsert_user('user-' || n, 'Ada', 'Li', '1992-02-29', 'Europe/Paris') FROM generate_series(%s::integer, %s::integer) AS n",
                           (i * 20, i * 20 + 19))
                left = value(db, "SELECT count(*) FROM sundial.intake")
                with h.running("serve", "--db", url, folder=directory) as one, h.running("serve", "--db", url, folder=directory) as other:
                    h.wait_until(lambda: value(db, "SELECT count(*) FROM sundial.intake") < left, "some requests to be done")
                    one.kill()
                    other.kill()
            with h.running("serve", "--db", url, folder=directory) as server:
                h.wait_until(lambda: value(db, "SELECT count(*) FROM sundial.intake") == 0, "all requests to be done")
                assert server.stop() == 0
            assert db.execute("SELECT count(*), min(version), max(version), count(DISTINCT due) FROM sundial.events "
                              "WHERE event_type = 'WAKE'").fetchone() == (rounds * total, 2, 2, 1)
            assert db.execute("SELECT count(*), count(DISTINCT user_id) FROM sundial.events WHERE event_type = 'BIRTHDAY'"
                              ).fetchone() == (rounds * 20, rounds * 20)


def writers():
    """32 writers at once, some roll back, and all ask for the same few keys: one event for each key."""
    receiver = h.Receiver()
    with h.folder() as directory, h.postgres(migrated=True) as url:
        with h.running("serve", "--db", url, *h.LOCAL_RECEIVERS, folder=directory) as server:
            receiving(server.client(), receiver)
            psql(url, "CREATE TABLE won (key text PRIMARY KEY, writer integer)")
            outcomes = collections.Counter()

            def write(writer):
                with connect(url) as db:
                    for i in range(20):
                        key = f"shared-{i}"
                        try:
                            with db.transaction():
                                value(db, "SELECT sundial.schedule_event('RACE', now(), '{}', 'r', idempotency_key => %s)", key)
                                db.execute("INSERT INTO won VALUES (%s, %s)", (key, writer))
                                if (writer + i) % 3 == 0:
                                    raise psycopg.Rollback
                                outcomes["committed"] += 1
                        except psycopg.Error as error:
                            assert error.sqlstate == "SD409", error
                            outcomes["refused"] += 1

            threads = [threading.Thread(target=write, args=(writer,)) for writer in range(32)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert psql(url, "SELECT count(*), count(DISTINCT key) FROM won") == "20|20"
            h.wait_until(lambda: receiver.count() >= 20, "twenty events")
            assert sorted(receiver.ids()) == sorted(f"shared-{i}" for i in range(20))
            print(f"32 writers: {dict(outcomes)}")
            assert server.stop() == 0


def granted():
    """A role with only the grant; a trigger of the caller's own table calls the function; a reader sees no payloads."""
    with h.folder() as directory, h.postgres(migrated=True) as url:
        with h.running("serve", "--db", url, folder=directory) as server:
            client = server.client()
            client.ok("POST", "/v1/endpoints", {"name": "Workers", "type": "PULL", "externalId": "w"})
            psql(url, "CREATE ROLE app", "CREATE ROLE reader", "CREATE SCHEMA shop AUTHORIZATION app")
            sundial = os.environ["SUNDIAL"]
            for role, flags in (("app", []), ("reader", ["--read-only"])):
                done = subprocess.run([sundial, "db", "grant", "--to", role, "--db", url, *flags], capture_output=True, text=True)
                assert done.returncode == 0, done.stderr
            missing = subprocess.run([sundial, "db", "grant", "--to", "nobody-here", "--db", url], capture_output=True, text=True)
            assert missing.returncode == 1 and "there is no role 'nobody-here'" in missing.stderr, missing.stderr

            with connect(url, options="-c role=app") as db:
                db.execute("CREATE TABLE shop.orders (id integer PRIMARY KEY)")
                db.execute("""CREATE FUNCTION shop.remind() RETURNS trigger LANGUAGE plpgsql AS $$
                              BEGIN
                                  PERFORM sundial.schedule_event('REMIND', now(), jsonb_build_object('order', NEW.id), 'w',
                                                                 idempotency_key => 'order-' || NEW.id);
                                  RETURN NULL;
                              END $$""")
                db.execute("CREATE TRIGGER remind AFTER INSERT ON shop.orders FOR EACH ROW EXECUTE FUNCTION shop.remind()")
                db.execute("INSERT INTO shop.orders SELECT generate_series(1, 5)")
                claimed = db.execute("SELECT id, version, payload FROM sundial.claim('w', 'app-1')").fetchall()
                assert sorted(row[2]["order"] for row in claimed) == [1, 2, 3, 4, 5], claimed
                for event_id, version, _ in claimed:
                    assert value(db, "SELECT sundial.complete(%s, %s)", event_id, version)
                for forbidden in ("SELECT count(*) FROM sundial.events", "SELECT count(*) FROM sundial.v_events",
                                  "SELECT sundial.ask_server('EVENT', gen_random_uuid())", "DELETE FROM sundial.users",
                                  "SET search_path = sundial; SELECT count(*) FROM users"):
                    try:
                        db.execute(forbidden)
                        raise AssertionError(f"allowed: {forbidden}")
                    except psycopg.errors.InsufficientPrivilege:
                        pass
            with connect(url, options="-c role=reader") as db:
                assert value(db, "SELECT count(*) FROM (SELECT id, status FROM sundial.v_events) AS seen") == 5
                for forbidden in ("SELECT payload FROM sundial.v_events", "SELECT sundial.schedule_event('X', now())",
                                  "SELECT first_name FROM sundial.users"):
                    try:
                        db.execute(forbidden)
                        raise AssertionError(f"allowed: {forbidden}")
                    except psycopg.errors.InsufficientPrivilege:
                        pass
            assert {e["status"] for e in client.ok("GET", "/v1/events")["data"]} == {"COMPLETED"}
            assert server.stop() == 0


def control_plane():
    """Users and schedules by SQL are those of the API: the same rows, the same planning, the same record of changes."""
    with h.folder() as directory, h.postgres(migrated=True) as url:
        with h.running("serve", "--db", url, folder=directory) as server:
            client = server.client()
            pending = lambda user: client.ok("GET", f"/v1/events?userId={user}&status=PENDING")["data"]
            with connect(url) as db:
                upsert = "SELECT sundial.upsert_user('crm-7', 'Ada', %s, '1992-02-29', %s)::text"
                ada = value(db, upsert, "Li", "Europe/Paris")
                by_http = client.ok("POST", "/v1/users", {"firstName": "Ada", "lastName": "Li", "dateOfBirth": "1992-02-29",
                                                          "timezone": "Europe/Paris"})["id"]
                h.wait_until(lambda: pending(ada), "the first birthday")
                same = ("targetTimestampUTC", "targetTimezone", "deliveryPayload", "eventType", "status", "scheduleId")
                assert [{m: e[m] for m in same} for e in pending(ada)] == [{m: e[m] for m in same} for e in pending(by_http)]
                before = pending(ada)[0]["targetTimestampUTC"]
                assert value(db, upsert, "Lo", "Asia/Tokyo") == ada
                h.wait_until(lambda: pending(ada)[0]["targetTimestampUTC"] != before, "the birthday to move")
                assert "Ada Lo" in json.dumps(pending(ada)[0]["deliveryPayload"])
                recorded = client.ok("GET", f"/v1/streams/User/{ada}")["data"]
                assert [(e["eventType"], e["version"], sorted(e["data"])) for e in recorded] == [
                    ("UserCreated", 1, ["dateOfBirth", "dates", "externalId", "firstName", "lastName", "metadata", "timezone"]),
                    ("UserUpdated", 2, ["lastName", "timezone"])], recorded
                assert recorded[0]["metadata"]["actor"].startswith("sql:"), recorded

                with db.transaction():
                    nightly = value(db, "SELECT sundial.schedule_cron('nightly', '30 2 * * *', '{\"a\": 1}', 'Europe/Paris')::text")
                    never = value(db, "SELECT sundial.schedule_cron('never', '0 0 30 2 *')::text")
                    weekly = value(db, "SELECT sundial.schedule_rule('weekly', %s::jsonb)::text", json.dumps(
                        {"trigger": {"rrule": {"dtstart": "2027-01-04T09:30:00", "rrule": "FREQ=WEEKLY;BYDAY=MO"}},
                         "timezone": "Europe/Paris", "misfire": "skip", "priority": "HIGH"}))
                h.wait_until(lambda: client.get("/v1/schedules/ext:weekly").status == 200, "the schedules")
                found = client.ok("GET", "/v1/schedules/ext:nightly")
                assert (found["id"], found["trigger"], found["payload"]) == (nightly, {"cron": "30 2 * * *"}, {"a": 1}), found
                assert client.ok("GET", f"/v1/schedules/{weekly}")["priority"] == "HIGH"
                assert len(client.ok("GET", f"/v1/events?scheduleId={nightly}&status=PENDING")["data"]) == 1
                name, status, code, detail = db.execute("SELECT name, status, code, detail FROM sundial.v_intake").fetchone()
                assert (name, status, code) == ("never", "FAILED", "VALIDATION_FAILED") and "/trigger/cron" in detail, detail
                assert client.get(f"/v1/schedules/{never}").status == 404

                occurrence = client.ok("GET", f"/v1/events?scheduleId={nightly}&status=PENDING")["data"][0]["id"]
                assert value(db, "SELECT sundial.cancel_event(%s)", occurrence)
                assert not value(db, "SELECT sundial.cancel_event(%s)", occurrence)
                h.wait_until(lambda: client.ok("GET", f"/v1/events?scheduleId={nightly}&status=PENDING")["data"], "the successor")
                assert value(db, "SELECT sundial.unschedule('nightly')")
                assert not value(db, "SELECT sundial.unschedule('nightly')")
                h.wait_until(lambda: client.get("/v1/schedules/ext:nightly").status == 404, "the schedule to go")
                assert value(db, "SELECT sundial.delete_user('crm-7')")
                assert client.get(f"/v1/users/{ada}").status == 404
                assert not pending(ada)
            assert server.stop() == 0


def streams():
    """The same batch by SQL and by HTTP is one batch, in whatever order they come; refusals are the same."""
    with h.folder() as directory, h.postgres(migrated=True) as url:
        with h.running("serve", "--db", url, folder=directory) as server:
            client = server.client()
            batch = [{"eventId": f"0199a000-0000-7000-8000-00000000000{i}", "eventType": "Placed",
                      "data": {"z": [1, 2.50, {"b": "ü\n\"", "a": None}], "a": i, "é": True}} for i in range(3)]
            append = "SELECT * FROM sundial.append('Order', %s, %s, %s::jsonb)"
            with connect(url) as db:
                first = db.execute(append, ("sql", 0, json.dumps(batch))).fetchone()
                assert first[:2] == (1, 3) and first[4:] == (3, False), first
                answer = client.call("POST", "/v1/streams/Order/sql", {"expectedVersion": 0, "events": batch})
                assert answer.status == 200 and answer.json()["replayed"], answer.body
                for event in batch:
                    event["eventId"] = event["eventId"].replace("0199a000", "0199b000")
                client.ok("POST", "/v1/streams/Order/http", {"expectedVersion": 0, "events": batch})
                again = db.execute(append, ("http", 0, json.dumps(batch))).fetchone()
                assert again[5] is True and again[:2] == (1, 3), again
                state, code, data = refusal(db, append, "http", 7, json.dumps([{"eventType": "Paid"}]))
                assert (state, code, data["actualVersion"]) == ("SD409", "OPTIMISTIC_LOCK", 3), data
                batch[1]["data"] = {}
                state, code, data = refusal(db, append, "http", -1, json.dumps(batch))
                assert (state, code) == ("SD422", "EVENT_ID_REUSED"), data
                assert "DIFFERENT_CONTENT" in {conflict["reason"] for conflict in data["conflicts"]}, data
                with db.transaction(force_rollback=True):
                    db.execute(append, ("undone", 0, json.dumps([{"eventType": "Placed"}])))
                assert client.get("/v1/streams/Order/undone").json()["version"] == 0
            assert server.stop() == 0


def through_pgbouncer():
    """Each transaction may get another session."""
    receiver = h.Receiver()
    with h.folder() as directory, pooler() as pool:
        with h.running("serve", "--db", pool.url, *h.LOCAL_RECEIVERS, folder=directory) as server:
            receiving(server.client(), receiver)
            with connect(pool.url, prepare_threshold=None) as one, connect(pool.url, prepare_threshold=None) as other:
                one.execute("CREATE TABLE orders (id integer PRIMARY KEY)")
                for i in range(10):
                    for db, order in ((one, 2 * i), (other, 2 * i + 1)):
                        with db.transaction():
                            for statement in ORDER.format(order).split("; "):
                                db.execute(statement)
                            if order % 5 == 0:
                                raise psycopg.Rollback
            kept = {f"order-{i}" for i in range(20) if i % 5 != 0}
            h.wait_until(lambda: receiver.count() >= len(kept), "the events")
            assert set(receiver.ids()) == kept
            assert server.stop() == 0


def libpq(program):
    """From C: commit, rollback, a process killed in between, a duplicate key."""
    receiver = h.Receiver()
    with h.folder() as directory, h.postgres(migrated=True) as url:
        with h.running("serve", "--db", url, *h.LOCAL_RECEIVERS, folder=directory) as server:
            receiving(server.client(), receiver)
            psql(url, "CREATE TABLE orders (id integer PRIMARY KEY)")

            def place(order, key, end):
                return subprocess.run([program, url, str(order), key, end], capture_output=True, text=True, timeout=h.HANG_GUARD)

            first = place(1, "c-1", "commit")
            assert first.returncode == 0, first.stderr
            assert place(2, "c-2", "rollback").returncode == 0
            killed = place(3, "c-3", "die")
            assert killed.returncode < 0 and killed.stdout.strip(), killed
            again = place(4, "c-1", "commit")
            state, code, detail = again.stdout.split(" ", 2)
            assert (state, code) == ("SD409", "DUPLICATE_IDEMPOTENCY_KEY"), again.stdout
            assert json.loads(detail)["existingId"] == first.stdout.strip(), again.stdout
            # The killed program's key is free once the server has noticed.
            h.wait_until(lambda: place(5, "c-3", "commit").returncode == 0, "the transaction of the killed program to end")
            h.wait_until(lambda: receiver.count() >= 2, "two events")
            assert sorted(receiver.ids()) == ["c-1", "c-3"]
            assert psql(url, "SELECT string_agg(id::text, ',' ORDER BY id) FROM orders") == "1,5"
            assert server.stop() == 0


def node(with_npm, work):
    """From node, with the package pg."""
    receiver = h.Receiver()
    with h.folder() as directory, h.postgres(migrated=True) as url:
        with h.running("serve", "--db", url, *h.LOCAL_RECEIVERS, folder=directory) as server:
            receiving(server.client(), receiver)
            database, user, host = re.match(r"postgresql:///([^?]+)\?user=([^&]+)&host=(.+)", url).groups()
            done = subprocess.run([with_npm, os.path.join(HERE, "sql_node"), work, "client.mjs", host, user, database],
                                  capture_output=True, text=True, timeout=h.HANG_GUARD)
            assert done.returncode == 0, done.stderr
            seen = json.loads(done.stdout.splitlines()[-1])
            assert seen["orders"] == [1] and seen["refused"]["code"] == "SD409", seen
            assert seen["refused"]["detail"]["existingId"] == seen["placed"]["id"], seen
            h.wait_until(lambda: receiver.count() >= 1, "the event")
            assert receiver.ids() == ["node-1"]
            assert server.stop() == 0


if __name__ == "__main__":
    h.main({"orders": orders, "local_times": local_times, "woken": woken, "killed": killed, "writers": writers, "granted": granted,
            "streams": streams, "control_plane": control_plane, "through_pgbouncer": through_pgbouncer, "libpq": libpq, "node": node})
