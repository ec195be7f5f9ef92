"""Where the rows of a database are: `sundial db status`, `reshard`, and `distribute` over a real Citus cluster."""
import contextlib
import json
import os
import subprocess
import sys
import time
import urllib.parse

import daily_use
import harness as h

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/chaos"))
import citus

TABLES = ["events", "event_keys", "attempts", "event_moves", "event_history"]
EVENT = {"eventType": "T", "targetTimestampUTC": "2050-01-01T00:00:00Z", "deliveryPayload": {"n": 1}}


def run(*arguments, code=0):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("SUNDIAL")}
    done = subprocess.run([h.PROGRAM, "db", *arguments], env=clean, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=h.HANG_GUARD)
    assert done.returncode == code, (arguments, done)
    return done.stdout if code == 0 else done.stdout + done.stderr


def run_json(*arguments, code=0):
    return json.loads(run(*arguments, "--json", code=code))


def psql(url, text):
    return subprocess.run(["psql", "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", text], check=True,
                          capture_output=True, text=True).stdout.strip()


def serve(database, directory):
    return h.running("serve", "--db", database, *h.LOCAL_RECEIVERS, folder=directory)


def fill(database, directory, receiver):
    """Events of each table: waiting ones, delivered ones, a failed one with its attempts. Returns their keys by status."""
    with serve(database, directory) as server:
        client = server.client()
        endpoints = {name: client.ok("POST", "/v1/endpoints", {"name": name, "type": "WEBHOOK", "url": url})["id"]
                     for name, url in (("good", receiver.url), ("bad", receiver.url.replace("/hook", "/refuse")))}
        waiting = [f"later-{n}" for n in range(100)]
        client.ok("POST", "/v1/events/batch", {"events": [{**EVENT, "endpointId": endpoints["good"], "idempotencyKey": key} for key in waiting]})
        done = [f"now-{n}" for n in range(40)]
        client.ok("POST", "/v1/events/batch", {"events": [{**EVENT, "endpointId": endpoints["good"], "targetTimestampUTC": "now", "idempotencyKey": key} for key in done]})
        failed = client.ok("POST", "/v1/events", {**EVENT, "endpointId": endpoints["bad"], "targetTimestampUTC": "now", "idempotencyKey": "failed"})
        h.wait_until(lambda: client.ok("GET", f"/v1/events/{failed['id']}")["status"] == "FAILED", "the refused delivery")
        h.wait_until(lambda: len(client.all("/v1/events?status=COMPLETED&limit=100")) == len(done), "the deliveries")
        assert server.stop() == 0
    return {"waiting": waiting, "done": done, "failed": failed["id"]}


def wait_for_no_instance(*command):
    """A report of an instance counts for ten seconds."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("SUNDIAL")}
    h.wait_until(lambda: "instance(s) of sundial" not in subprocess.run([h.PROGRAM, "db", *command], env=clean, capture_output=True,
                                                                       text=True).stderr, "the end of the instance")


def rows_by_shard(url):
    """Of each table the rows without their shards, which must not change otherwise."""
    return {table: psql(url, f"SELECT count(*), md5(string_agg(row::text, ',' ORDER BY row::text)) FROM (SELECT to_jsonb(each) - 'shard' AS row "
                             f"FROM sundial.{table} AS each) AS rows") for table in TABLES}


def status(kind):
    with h.folder() as directory, h.database(kind, directory, empty=True) as database:
        shown = run_json("status", "--db", database, code=1)
        assert shown["schemaVersion"] == 0 and shown["pendingMigrations"] > 30 and shown["shards"] == 0, shown
        run("migrate", "--db", database)
        with serve(database, directory) as server:
            server.client().ok("POST", "/v1/events", EVENT)
            shown = run_json("status", "--db", database)  # beside the server
            assert server.stop() == 0
        assert shown["pendingMigrations"] == 0 and shown["schemaVersion"] > 30 and shown["bytes"] > 100_000, shown
        assert shown["distributed"] is False and shown["nodes"] == [] and shown["parts"] == [], shown
        text = run("status", "--db", database)
        assert f"schema    version {shown['schemaVersion']}, up to date" in text and "applied  first" in text, text
        if kind == "sqlite":
            assert shown["shards"] == 1 and shown["liveEvents"] == 1 and shown["place"] == database, shown
            assert "SQLite 3." in text and "events    1 live" in text, text
            refused = [run("distribute", "-y", "--db", database, code=1), run("reshard", "--shards", "64", "-y", "--db", database, code=1)]
            assert all("is for PostgreSQL" in each for each in refused), refused
            return
        assert shown["shards"] == 16 and shown["liveEvents"] is None, shown
        assert {row["name"] for row in shown["tables"]} == {*TABLES, "all others"}, shown
        assert all(row["bytes"] > 0 for row in shown["tables"]), shown
        assert "shards    16 on one machine" in text and "table     events: " in text, text
        for flags in (["-y"], ["--dry-run"]):
            refused = run("distribute", *flags, "--db", database, code=1)
            assert refused.count("\n") == 1 and "extension citus is " in refused, refused
        assert "give -y" in run("distribute", "--db", database, code=2)


def reshard():
    with h.folder() as directory, h.postgres() as url:
        receiver = h.Receiver(refuse="/refuse")
        run("migrate", "--db", url)
        made = fill(url, directory, receiver)
        wait_for_no_instance("reshard", "--shards", "64", "--dry-run", "--db", url)
        before = rows_by_shard(url)
        assert "power of two" in run("reshard", "--shards", "48", "-y", "--db", url, code=1)
        assert "give -y" in run("reshard", "--shards", "64", "--db", url, code=2)
        expected = run_json("reshard", "--shards", "64", "--dry-run", "--db", url)
        assert run_json("status", "--db", url)["shards"] == 16
        done = run_json("reshard", "--shards", "64", "-y", "--db", url)
        assert (done["shardsBefore"], done["shards"], done["moved"]) == (16, 64, expected["moved"]) and done["moved"]["events"] > 0, (expected, done)
        assert run_json("status", "--db", url)["shards"] == 64 and "sound" in run("check", "--db", url)
        assert rows_by_shard(url) == before
        assert "already" in run("reshard", "--shards", "64", "-y", "--db", url)
        assert psql(url, "SELECT sundial.shards(), count(DISTINCT shard) > 16 FROM sundial.events") == "64|t"
        # A process that still counts sixteen shards cannot put an event where nothing finds it.
        wrong = subprocess.run(["psql", "-X", "-d", url, "-c", "UPDATE sundial.events SET shard = shard % 16 WHERE shard >= 16"],
                               capture_output=True, text=True)
        assert "events_are_in_their_shard" in wrong.stderr, wrong
        use_resharded(url, directory, made, receiver)
        restored(url, directory)


def use_resharded(url, directory, made, receiver):
    with serve(url, directory) as server:
        client = server.client()
        assert client.call("POST", "/v1/events", {**EVENT, "idempotencyKey": made["done"][0]}).status == 409
        assert client.call("POST", "/v1/events", {**EVENT, "idempotencyKey": made["waiting"][0]}).status == 409
        assert client.ok("GET", f"/v1/events/{made['failed']}")["status"] == "FAILED"
        assert len(client.ok("GET", f"/v1/attempts?eventId={made['failed']}")["data"]) == 1
        seen = receiver.count()
        for event in client.all("/v1/events?status=PENDING&limit=100"):
            client.ok("PATCH", f"/v1/events/{event['id']}", {"targetTimestampUTC": "now"}, {"If-Match": f'"{event["version"]}"'})
        h.wait_until(lambda: receiver.count() >= seen + len(made["waiting"]), "deliveries after the change")
        h.wait_until(lambda: not client.all("/v1/events?status=PENDING"), "their ends")
        assert len(set(receiver.ids())) == len(receiver.ids()), "an event was sent twice"
        assert server.stop() == 0
    assert psql(url, "SELECT status FROM sundial.v_events WHERE id = sundial.schedule_event('sql', now() + interval '1 day')") is not None


def restored(url, directory):
    """A backup takes its number of shards along."""
    saved = os.path.join(directory, "saved.backup")
    run("backup", saved, "--db", url)
    with h.postgres() as other:
        run("migrate", "--db", other)
        run("restore", saved, "--db", other)
        assert psql(other, "SELECT sundial.shards(), (SELECT value FROM sundial.settings WHERE name = 'shards')") == "64|64"
        assert "sound" in run("check", "--db", other)


def distributed():
    with h.folder() as directory, citus.running(directory) as nodes:
        url, workers = nodes.url, nodes.workers
        receiver = h.Receiver(refuse="/refuse")
        run("migrate", "--db", url)
        made = fill(url, directory, receiver)
        wait_for_no_instance("reshard", "--shards", "64", "--dry-run", "--db", url)
        refused = run("distribute", "-y", "--db", url, code=1)
        assert "16 shards, too few" in refused and "db reshard --shards 64" in refused, refused
        run("reshard", "--shards", "64", "-y", "--db", url)
        before = rows_by_shard(url)
        events = psql(url, "SELECT status, count(*) FROM sundial.v_events GROUP BY 1 ORDER BY 1")
        nodes.add_workers()
        planned = run_json("distribute", "--dry-run", "--db", url)
        assert planned["distributed"] == TABLES and planned["flattensHistory"] and len(planned["workers"]) == 2 and not planned["refusals"], planned
        assert not run_json("status", "--db", url)["distributed"]
        done = run_json("distribute", "-y", "--db", url)
        assert done["distributed"] == TABLES, done
        again = run_json("distribute", "-y", "--db", url)
        assert again["distributed"] == [] and again["alreadyDistributed"] == TABLES, again
        assert rows_by_shard(url) == before
        assert psql(url, "SELECT status, count(*) FROM sundial.v_events GROUP BY 1 ORDER BY 1") == events
        check_status(url, workers)
        assert made["failed"] in psql(url, "SELECT id FROM sundial.event_history WHERE status = 'FAILED'")
        check_history(url)
        assert "distributed" in run("reshard", "--shards", "128", "-y", "--db", url, code=1)


def check_status(url, workers):
    shown = run_json("status", "--db", url)
    assert shown["distributed"] and shown["citus"] and len(shown["parts"]) == 32, shown
    assert sorted(shard for part in shown["parts"] for shard in part["shards"]) == list(range(64)), shown["parts"]
    assert all(part["bytes"] > 0 for part in shown["parts"]), shown["parts"]
    nodes = {node["address"]: node for node in shown["nodes"]}
    held = [nodes[f"127.0.0.1:{worker.port}"] for worker in workers]
    assert sum(node["parts"] for node in held) == 32 and sum(node["shards"] for node in held) == 64, nodes
    text = run("status", "--db", url)
    assert "shards    64 in 32 parts, distributed by citus" in text and text.count("(worker)") == 2, text
    # Each lookup by shard and id is a task for one worker.
    plan = psql(url, "EXPLAIN SELECT * FROM sundial.events WHERE shard = 3 AND id = '01990000-0000-7000-8000-000000000003'")
    assert "Task Count: 1" in plan, plan


def check_history(url):
    """One level; months are made and dropped."""
    assert psql(url, "SELECT count(*) FROM pg_partition_tree('sundial.event_history') WHERE level > 1") == "0"
    psql(url, "SELECT sundial.make_history_partitions()")
    months = psql(url, "SELECT count(*) FROM pg_partition_tree('sundial.event_history') WHERE isleaf")
    assert months == "10", months  # three months of three statuses, and the default
    assert psql(url, "SELECT sundial.drop_history_partitions('failed', now() + interval '10 years')") == "3"
    assert psql(url, "SELECT sundial.drop_history_partitions('done', now() + interval '10 years')") == "6"
    psql(url, "SELECT sundial.make_history_partitions()")


def unfit_worker():
    with h.folder() as directory, citus.running(directory) as nodes:
        coordinator, worker, _ = nodes.nodes
        run("migrate", "--db", coordinator.url(), "--storage.shards=64")
        worker.sql("DROP DATABASE sundial", database="postgres")
        worker.sql("CREATE DATABASE sundial TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'", database="postgres")
        worker.sql("CREATE EXTENSION citus")
        coordinator.sql(f"SELECT citus_add_node('127.0.0.1', {worker.port})")
        for flags in (["-y"], ["--dry-run"]):
            refused = run("distribute", *flags, "--db", coordinator.url(), code=1)
            assert f"the database on 127.0.0.1:{worker.port} has encoding SQL_ASCII" in refused, refused
        assert psql(coordinator.url(), "SELECT count(*) FROM pg_dist_partition") == "0"


@contextlib.contextmanager
def distributed_database(directory):
    with citus.running(directory) as nodes:
        yield nodes.distribute().url


def deliveries():
    """Two instances deliver, one of them is killed: nothing is lost or early, and each event ends once."""
    with h.folder() as directory, distributed_database(directory) as url:
        receiver = h.Receiver(refuse="/refuse")
        wanted = [f"{kind}-{n}" for kind in ("single", "batch") for n in range(30)]
        with serve(url, directory) as first, serve(url, directory) as second:
            client = second.client()
            good = client.ok("POST", "/v1/endpoints", {"name": "good", "type": "WEBHOOK", "url": receiver.url})["id"]
            bad = client.ok("POST", "/v1/endpoints", {"name": "bad", "type": "WEBHOOK", "url": receiver.url.replace("/hook", "/refuse")})["id"]
            event = {**EVENT, "endpointId": good, "targetTimestampUTC": "now"}
            for key in wanted[:30]:
                client.ok("POST", "/v1/events", {**event, "idempotencyKey": key})
            assert client.call("POST", "/v1/events", {**event, "idempotencyKey": wanted[0]}).status == 409
            client.ok("POST", "/v1/events/batch", {"events": [{**event, "idempotencyKey": key} for key in wanted[30:]]})
            first.kill()  # with what it holds; the other instance takes that over
            refused = client.ok("POST", "/v1/events", {**event, "endpointId": bad, "idempotencyKey": "refused"})
            h.wait_until(lambda: client.ok("GET", f"/v1/events/{refused['id']}")["status"] == "FAILED", "the refused delivery")
            h.wait_until(lambda: psql(url, "SELECT count(*) FROM sundial.event_history WHERE status = 'COMPLETED'") == str(len(wanted)), "the deliveries")
            assert second.stop() == 0
        ended = psql(url, "SELECT count(*), count(DISTINCT id), count(*) FILTER (WHERE finished_at < due) FROM sundial.event_history")
        assert ended == f"{len(wanted) + 1}|{len(wanted) + 1}|0", ended
        assert psql(url, "SELECT count(*) FROM sundial.events") == "0"
        # A duplicate is a delivery whose instance died before it could record it.
        lost = int(psql(url, "SELECT count(*) FROM sundial.attempts WHERE outcome = 'LOST'"))
        sent = [key for key in receiver.ids() if key != "refused"]
        assert len(set(sent)) == len(wanted) and len(sent) - len(wanted) <= lost, (len(sent), lost)


class Patient(h.Client):
    """Repeats a read that took longer than a statement may: on a busy machine the first ones of a cluster do. A refused
    statement would fail each time."""

    def call(self, method, path, *arguments, **options):
        answer = super().call(method, path, *arguments, **options)
        end = time.monotonic() + h.HANG_GUARD
        while method == "GET" and answer.status == 503 and not answer.overloaded() and time.monotonic() < end:
            answer = super().call(method, path, *arguments, **options)
        return answer


def day():
    """A day of a server with two workers and two instances. No statement is refused."""
    with h.folder() as directory, distributed_database(directory) as url:
        receiver = h.Receiver(refuse="/404")
        with serve(url, directory) as one, serve(url, directory) as other:
            client = Patient(one.port)
            daily_use.schedules(client)
            daily_use.events(client, receiver)
            daily_use.batches(client)
            planned(client, receiver)
            pulled(client)
            counted(client)
            assert one.stop() == 0 and other.stop() == 0
            for server in (one, other):
                refused = [line for line in server.log() if "opened again" in line["msg"] or "PostgreSQL refused" in line.get("error", "")]
                assert not refused, refused
        ended = psql(url, "SELECT count(*) = count(DISTINCT id), count(*) FILTER (WHERE status = 'COMPLETED' AND finished_at < due) FROM sundial.event_history")
        assert ended == "t|0", ended


def planned(client, receiver):
    """A birthday that is due plans the next one, and a job by cron its next run, until its schedule is deleted."""
    client.ok("PATCH", "/v1/schedules/ext:birthday", {"endpointId": "ext:crm"})
    user = client.ok("POST", "/v1/users", {"firstName": "Ada", "lastName": "L", "dateOfBirth": "1990-05-05", "timezone": "Europe/Berlin"})
    mine = f"/v1/events?userId={user['id']}"
    [birthday] = client.all(mine)
    client.ok("PATCH", f"/v1/events/{birthday['id']}", {"targetTimestampUTC": "now"}, {"If-Match": f'"{birthday["version"]}"'})
    h.wait_until(lambda: client.ok("GET", f"/v1/events/{birthday['id']}")["status"] == "COMPLETED", "the birthday")
    [after] = client.all(mine + "&status=PENDING")
    assert int(after["targetTimestampLocal"][:4]) == int(birthday["targetTimestampLocal"][:4]) + 1, (birthday, after)
    assert client.call("DELETE", f"/v1/users/{user['id']}").status == 204
    assert client.all(mine) == []

    job = client.ok("POST", "/v1/schedules", {"eventType": "JOB", "endpointId": "ext:crm", "trigger": {"cron": "*/2 * * * * *"}, "timezone": "UTC"})
    runs = f"/v1/events?scheduleId={job['id']}"
    h.wait_until(lambda: len(client.all(runs + "&status=COMPLETED")) >= 3, "three runs of the job")
    assert client.call("DELETE", f"/v1/schedules/{job['id']}").status == 204
    h.wait_until(lambda: not client.all(runs + "&status=PENDING,PROCESSING"), "the end of the job")
    done = [event["targetTimestampUTC"] for event in client.all(runs + "&status=COMPLETED")]
    assert len(set(done)) == len(done), done


def pulled(client):
    """A worker claims, keeps, gives back, completes and fails its events."""
    client.ok("POST", "/v1/endpoints", {"name": "Printers", "externalId": "printers", "type": "PULL"})
    jobs = {client.ok("POST", "/v1/events", {"eventType": "PRINT", "targetTimestampUTC": "now", "endpointId": "ext:printers", "deliveryPayload": page})["id"]
            for page in range(3)}

    def claim(limit):
        return client.ok("POST", "/v1/endpoints/ext:printers/claim", {"worker": "w-1", "limit": limit, "wait": "PT20S"})["data"]

    def answer(verb, event, **members):
        return client.ok("POST", f"/v1/events/{event['id']}/{verb}", {"version": event["version"], **members})

    held = []
    while len(held) < len(jobs):
        held += claim(len(jobs) - len(held))
    assert {event["id"] for event in held} == jobs, held
    assert answer("extend", held[0])["leaseExpiresAt"] >= held[0]["leaseExpiresAt"]
    answer("release", held[0])
    [again] = claim(1)
    assert again["id"] == held[0]["id"] and again["attempt"] == 2, again
    assert answer("complete", again)["status"] == answer("complete", held[1])["status"] == "COMPLETED"
    assert answer("fail", held[2], reason="no paper", retry=False)["status"] == "FAILED"


def counted(client):
    """The counts and lists that read all machines."""
    now = client.ok("GET", "/v1/stats")["now"]
    assert now["pending"]["count"] == len(client.all("/v1/events?status=PENDING")), now
    events = client.all("/v1/events?limit=7")
    assert len(events) == len({event["id"] for event in events}) > 7, events
    assert sorted(events, key=lambda event: (event["targetTimestampUTC"], event["id"])) == events
    created = client.all("/v1/events?sort=-createdAt&limit=7")
    assert sorted(event["id"] for event in created) == sorted(event["id"] for event in events), created
    assert sorted(created, key=lambda event: (event["createdAt"], event["id"]), reverse=True) == created
    key = events[0]["idempotencyKey"]
    assert events[0]["id"] in {event["id"] for event in client.all(f"/v1/events?idempotencyKey={urllib.parse.quote(key)}")}, key
    failed = client.all("/v1/events?status=FAILED")
    assert {event["eventType"] for event in failed} == {"X", "PRINT"}, failed
    assert any(attempt["statusCode"] == 404 for attempt in client.all("/v1/attempts")), "the refused delivery"


def on_citus(test):
    citus.use_tools()
    {"distributed": distributed, "unfit_worker": unfit_worker, "deliveries": deliveries, "day": day}[test]()


if __name__ == "__main__":
    h.main({"status": status, "reshard": reshard, "citus": on_citus})
