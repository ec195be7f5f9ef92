"""A real Citus with two workers: the contract suites, how many transactions take two phases, a coordinator that
dies between them, and a worker that is away, restarted or replaced. Skipped without PostgreSQL's extension citus."""
import collections
import concurrent.futures
import contextlib
import json
import os
import subprocess
import sys
import threading

import harness as h

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/chaos"))
import citus
from postgres import Postgres
from proxy import Proxy

EVENT = {"eventType": "T", "targetTimestampUTC": "2050-01-01T00:00:00Z", "deliveryPayload": {"n": 1}}


def contracts(program):
    """The contract suites of the adapter on the coordinator: the program distributes its database itself."""
    # By its default Citus refuses a worker that reads the test clock, which is a table.
    with h.folder() as directory, citus.running(directory) as cluster:
        cluster.add_workers()
        told = os.path.join(directory, "told.json")
        done = subprocess.run([program, "--gtest_filter=Citus/*", f"--gtest_output=json:{told}", "--gtest_brief=1"],
                              env={**os.environ, "SUNDIAL_CITUS": cluster.url}, cwd=directory, check=False)
        with open(told, encoding="utf-8") as file:
            suites = json.load(file)
        assert cluster.parts(), "the suites ran on a database that is not distributed"
    print(f"{suites['tests']} contracts on Citus, {suites['failures']} failed")
    assert done.returncode == 0 and suites["tests"] > 400, suites["tests"]


def prepared(cluster):
    """Transactions that a worker has prepared so far."""
    return sum(int(worker.sql("SELECT coalesce(sum(calls), 0) FROM pg_stat_statements WHERE query LIKE 'PREPARE TRANSACTION%'"))
               for worker in cluster.workers)


def wait_for_rest(cluster):
    """A server that starts makes partitions on all machines, and looks for old rows."""
    seen = [-1]

    def rests():
        seen.append(prepared(cluster))
        return seen[-1] == seen[-2]
    h.wait_until(rests, "the server to have started its upkeep", every=2)


def counted():
    """PREPAREs of each event, by the workers' own count."""
    options = ("fsync=off", "pg_stat_statements.max=50000")
    with h.folder() as directory, citus.running(directory, options, "citus,pg_stat_statements") as cluster:
        cluster.distribute()
        cluster.coordinator.sql("CREATE EXTENSION pg_stat_statements")  # Citus creates it on the workers, too
        receiver = h.Receiver()
        with h.running("serve", "--db", cluster.url, *h.LOCAL_RECEIVERS, folder=directory) as server:
            client = server.client()
            endpoint = client.ok("POST", "/v1/endpoints", {"name": "good", "type": "WEBHOOK", "url": receiver.url})["id"]
            event = {**EVENT, "endpointId": endpoint}
            many, seen = 100, {}

            def step(name, work):
                before = prepared(cluster)
                answer = work()
                seen[name] = prepared(cluster) - before
                print(f"{name}: {seen[name] / many:.2f} PREPAREs for each of {many} events", flush=True)
                return answer

            def batch(name, atomic):
                body = {"events": [{**event, "idempotencyKey": f"{name}-{n}"} for n in range(many)]}
                return client.ok("POST", f"/v1/events/batch?atomic={atomic}", body)

            def at_once(clients=10):
                """Without group commit each has a transaction of its own."""
                def create(number):
                    own = server.client()
                    for n in range(many // clients):
                        own.ok("POST", "/v1/events", {**event, "idempotencyKey": f"at-once-{number}-{n}"})
                with concurrent.futures.ThreadPoolExecutor(clients) as threads:
                    list(threads.map(create, range(clients)))

            wait_for_rest(cluster)
            singles = step("created one by one", lambda: [
                client.ok("POST", "/v1/events", {**event, "idempotencyKey": f"single-{n}"}) for n in range(many)])
            step("created by ten clients at once", at_once)
            step("created as a batch", lambda: batch("batch", "false"))
            step("created as an atomic batch", lambda: batch("atomic", "true"))
            step("edited one by one", lambda: [
                client.ok("PATCH", f"/v1/events/{one['id']}", {"deliveryPayload": {"n": 2}}, {"If-Match": f'"{one["version"]}"'})
                for one in singles])
            step("cancelled one by one", lambda: [client.ok("DELETE", f"/v1/events/{one['id']}") for one in singles])

            def deliver():
                for n in range(many):
                    client.ok("POST", "/v1/events", {**event, "targetTimestampUTC": "now", "idempotencyKey": f"due-{n}"})
                h.wait_until(lambda: len(client.all("/v1/events?status=COMPLETED&limit=500")) == many, "the deliveries")
            step("created, delivered and settled", deliver)
            sent = receiver.count()
            allowed = count_exceptions(client, endpoint, event, many, step)
            assert server.stop() == 0
        seen["removed by retention"] = count_retention(cluster, many)
        assert len(set(receiver.ids()[:sent])) == sent == many
        alone = {name: count for name, count in seen.items() if name not in allowed}
        assert not any(alone.values()), alone
        assert seen["created as an atomic batch"] == 2, seen


def count_exceptions(client, endpoint, event, many, step):
    """The transactions of several shards that ADR 0060 lists. Returns the names of these steps."""
    step("created with an Idempotency-Key", lambda: [
        client.ok("POST", "/v1/events", {**event, "eventType": "ONCE"}, {"Idempotency-Key": f"once-{n}"}) for n in range(many)])
    step("created with their users", lambda: [
        client.ok("POST", "/v1/users", {"firstName": "Ada", "lastName": "Li", "dateOfBirth": "1992-02-29", "timezone": "Europe/Paris"})
        for n in range(many)])

    def bulk():
        started = client.ok("POST", "/v1/bulk", {"resource": "events", "action": "cancel", "filter": {"eventType": "ONCE", "status": "PENDING"}})
        h.wait_until(lambda: client.ok("GET", f"/v1/operations/{started['id']}")["status"] == "COMPLETED", "the operation")
    step("cancelled in bulk", bulk)

    def recur():
        for n in range(many):
            client.ok("POST", "/v1/schedules", {"externalId": f"hourly-{n}", "eventType": "HOURLY", "trigger": {"every": "PT1H"},
                                                "timezone": "UTC", "endpointId": endpoint, "payload": {}})
    step("planned with their schedules", recur)

    def succeed():
        """Each is claimed, its successor planned, then it is delivered."""
        before = len(client.all("/v1/events?status=COMPLETED&limit=500"))
        for one in client.all("/v1/events?eventType=HOURLY&status=PENDING&limit=500"):
            client.ok("PATCH", f"/v1/events/{one['id']}", {"targetTimestampUTC": "now"}, {"If-Match": f'"{one["version"]}"'})
        h.wait_until(lambda: len(client.all("/v1/events?status=COMPLETED&limit=500")) == before + many, "the deliveries")
    step("recurring: successors planned, delivered", succeed)
    return {"created as an atomic batch", "created with an Idempotency-Key", "created with their users", "cancelled in bulk",
            "planned with their schedules", "recurring: successors planned, delivered"}


def count_retention(cluster, many):
    """PREPAREs of a server that starts and removes old rows of all shards."""
    cluster.coordinator.sql(f"""
        INSERT INTO sundial.attempts (shard, event_id, number, outcome, recorded_at)
        SELECT n % 64, gen_random_uuid(), 1, 'RETRYABLE', now() - interval '60 days' FROM generate_series(1, {many}) AS n;
        INSERT INTO sundial.event_keys (shard, key, event_id, expires_at)
        SELECT n % 64, 'old-' || n, ('00000000-0000-0000-0000-0000000000' || lpad(to_hex(n % 64), 2, '0'))::uuid,
               now() - interval '1 day' FROM generate_series(1, {many}) AS n;
        INSERT INTO sundial.event_history
            (shard, id, status, priority, finished_at, version, attempt, retry_count, due, idempotency_key, event_type, zone,
             gap, overlap, tz_release, payload, created_at, updated_at)
        SELECT n % 64, gen_random_uuid(), 'COMPLETED', 2, now() - interval '900 days', 1, 1, 0, now(), 'past-' || n, 'T', 'UTC',
               'compatible', 'compatible', '2025b', '{{}}', now(), now() FROM generate_series(1, {many}) AS n""")
    before = prepared(cluster)

    def old():
        return [int(cluster.coordinator.sql(f"SELECT count(*) FROM sundial.{rows}")) for rows in (
            "attempts WHERE recorded_at < now() - interval '30 days'", "event_keys WHERE key LIKE 'old-%'",
            "event_history WHERE idempotency_key LIKE 'past-%'")]
    assert old() == [many] * 3, old()
    with h.folder() as directory, h.running("serve", "--db", cluster.url, *h.LOCAL_RECEIVERS, folder=directory) as server:
        h.wait_until(lambda: not any(old()), "the removal of old rows")
        assert server.stop() == 0
    count = prepared(cluster) - before
    print(f"removed by retention: {count / many:.2f} PREPAREs for each of {many} rows of three kinds", flush=True)
    return count


class Held(Proxy):
    """Between the coordinator and a worker. Keeps the first message that begins with `text` for ever."""
    text = None

    def __init__(self, port, reached):
        self.reached = reached
        super().__init__(port)

    def passed(self, message, link):
        if message[:1] == b"Q" and self.text and message[5:].startswith(self.text):
            self.text, link.cut = None, True
            self.reached.set()
            self.gone.wait(h.HANG_GUARD)
            return b""
        return message


def in_doubt():
    """The coordinator dies in the middle of an atomic batch: before one worker has prepared it, and when both have and neither
    has committed. Its repetition stores it once."""
    many, rounds = 20, 5
    options = ("fsync=off", "citus.node_conninfo=sslmode=disable")  # so that the proxies can read
    with h.folder() as directory, citus.running(directory, options) as cluster, contextlib.ExitStack() as closing:
        reached = threading.Event()
        proxies = [Held(worker.port, reached) for worker in cluster.workers]
        for proxy in proxies:
            closing.callback(proxy.close)
        cluster.distribute([proxy.port for proxy in proxies])
        receiver, doubted = h.Receiver(), 0
        with h.running("serve", "--db", cluster.url, *h.LOCAL_RECEIVERS, folder=directory) as server:
            client = server.client()
            endpoint = client.ok("POST", "/v1/endpoints", {"name": "good", "type": "WEBHOOK", "url": receiver.url})["id"]
            for number in range(2 * rounds):
                text = (b"PREPARE TRANSACTION", b"COMMIT PREPARED")[number % 2]
                keys = [f"{number}-{n}" for n in range(many)]
                body = {"events": [{**EVENT, "endpointId": endpoint, "targetTimestampUTC": "now+1h", "idempotencyKey": key} for key in keys]}
                reached.clear()
                for proxy in proxies:
                    proxy.gone = threading.Event()
                proxies[number // 2 % 2].text = text
                asking = threading.Thread(target=ask, args=(server.port, body), daemon=True)
                asking.start()
                h.wait_until(reached.is_set, f"the coordinator to send {text}")
                cluster.coordinator.kill()
                left = cluster.in_doubt()
                doubted += left
                for proxy in proxies:
                    proxy.text = None
                    proxy.gone.set()
                cluster.coordinator.start()
                asking.join(h.HANG_GUARD)
                h.wait_until(lambda: cluster.in_doubt() == 0, "the recovery of the prepared transactions")
                stored = events_of(cluster, number)
                assert stored in (0, many), (text, stored)
                if text == b"COMMIT PREPARED":
                    assert left > 0 and stored == many, (left, stored)
                answer = h.wait_until(lambda: answered(client, body), "an answer")
                assert answer.status == (409 if stored else 201), (text, stored, answer.body)
                assert events_of(cluster, number) == many
            for event in client.all("/v1/events?status=PENDING&limit=500"):
                client.ok("PATCH", f"/v1/events/{event['id']}", {"targetTimestampUTC": "now"}, {"If-Match": f'"{event["version"]}"'})
            wanted = 2 * rounds * many
            h.wait_until(lambda: len(client.all("/v1/events?status=COMPLETED&limit=500")) == wanted, "the deliveries")
            assert server.stop() == 0
        assert len(receiver.ids()) == len(set(receiver.ids())) == wanted
        print(f"{2 * rounds} coordinators killed, {doubted} transactions left in doubt, {wanted} events delivered once")


def ask(port, body):
    """Its outcome may stay unknown."""
    with contextlib.suppress(OSError):
        h.Client(port).call_once("POST", "/v1/events/batch?atomic=true", body)


def answered(client, body):
    answer = client.call("POST", "/v1/events/batch?atomic=true", body)
    return answer if answer.status != 503 else None


def events_of(cluster, number):
    return int(cluster.coordinator.sql(f"SELECT count(*) FROM sundial.v_events WHERE idempotency_key LIKE '{number}-%'"))


def recurring_events(client, endpoint, count):
    """The keys of events of hourly schedules, soon due."""
    for n in range(count):
        client.ok("POST", "/v1/schedules", {"externalId": f"hourly-{n}", "eventType": "HOURLY", "trigger": {"every": "PT1H"},
                                            "timezone": "UTC", "endpointId": endpoint, "payload": {}})
    events = client.all("/v1/events?eventType=HOURLY&status=PENDING&limit=500")
    for one in events:
        client.ok("PATCH", f"/v1/events/{one['id']}", {"targetTimestampUTC": "now+40s"}, {"If-Match": f'"{one["version"]}"'})
    return {one["idempotencyKey"] for one in events}


def dead_worker():
    """While a worker is away the events of the other one are delivered, and its own when it is back. An event of a schedule
    needs the worker of the next one, too."""
    with h.folder() as directory, citus.running(directory) as cluster:
        cluster.distribute()
        receiver = h.Receiver()
        with h.running("serve", "--db", cluster.url, *h.LOCAL_RECEIVERS, folder=directory) as server:
            client = server.client()
            endpoint = client.ok("POST", "/v1/endpoints", {"name": "good", "type": "WEBHOOK", "url": receiver.url})["id"]
            recurring = recurring_events(client, endpoint, 40)
            assert len(recurring) == 40, recurring
            # In one request: the worker must be away before the first of them is due.
            keys = [f"before-{n}" for n in range(60)]
            rows = client.ok("POST", "/v1/events/batch", {"events": [{**EVENT, "endpointId": endpoint, "targetTimestampUTC": "now+20s",
                                                                      "idempotencyKey": key} for key in keys]})["data"]
            made = {row["id"]: key for row, key in zip(rows, keys)}
            dead = cluster.workers[0]
            there = {made[one] for one in events_on(dead) if one in made}
            elsewhere = set(made.values()) - there
            assert there and elsewhere, made
            dead.kill()
            h.wait_until(lambda: elsewhere <= set(receiver.ids()), "the events of the other worker")
            assert not there & set(receiver.ids()), "an event of the dead worker was delivered"
            h.wait_until(lambda: recurring & set(receiver.ids()), "an event whose next one is on the other worker")
            answers = [client.call("POST", "/v1/events", {**EVENT, "endpointId": endpoint, "targetTimestampUTC": "now",
                                                          "idempotencyKey": f"meanwhile-{n}"}).status for n in range(20)]
            assert set(answers) == {201, 503}, answers
            batch = {"events": [{**EVENT, "endpointId": endpoint, "targetTimestampUTC": "now", "idempotencyKey": f"batch-{n}"}
                                for n in range(40)]}
            partly = client.call("POST", "/v1/events/batch", batch)
            codes = [item.get("code") for item in partly.json()["data"]]
            assert partly.status == 207 and set(codes) == {None, "STORAGE_UNAVAILABLE"}, (partly.status, codes)
            dead.start()
            h.wait_until(lambda: there <= set(receiver.ids()), "the events of the worker that is back")
            again = client.call("POST", "/v1/events/batch", batch).json()["data"]
            assert [item.get("code") for item in again] == [None if code else "DUPLICATE_IDEMPOTENCY_KEY" for code in codes], again
            h.wait_until(lambda: recurring <= set(receiver.ids()), "the events whose next one needs the worker that was away")
            h.wait_until(lambda: not client.all("/v1/events?eventType=T&status=PENDING,PROCESSING"), "their ends")
            assert len(client.all("/v1/events?eventType=HOURLY&status=PENDING&limit=500")) == 40, "a schedule has not gone on"
            assert server.stop() == 0
        assert len(receiver.ids()) == len(set(receiver.ids())), "an event was sent twice"


NEW_HOLDER, FORMER_PRIMARY = "has shards that another server had", "it was replaced"


def told_of(server, text, port):
    """The lines of a server's log that say this of the worker on that port."""
    return [line for line in server.log() if text in line["msg"] and f"127.0.0.1:{port} " in line["msg"]]


def warmed_up(servers, client, endpoint):
    """Each instance has claimed an event. It knows the workers by then."""
    numbers = iter(range(10_000))

    def all_claimed():
        for _ in range(10):
            client.ok("POST", "/v1/events", {**EVENT, "endpointId": endpoint, "targetTimestampUTC": "now",
                                             "idempotencyKey": f"warm-{next(numbers)}"})
        return all(server.logged("event.claimed") for server in servers)
    h.wait_until(all_claimed, "each instance to claim an event", every=1)
    h.wait_until(lambda: not client.all("/v1/events?status=PENDING,PROCESSING"), "the first events")


def due_events(client, endpoint, name, many=40):
    """The ids of that many events that are due now, and their keys."""
    return {client.ok("POST", "/v1/events", {**EVENT, "endpointId": endpoint, "targetTimestampUTC": "now",
                                             "idempotencyKey": f"{name}-{n}"})["id"]: f"{name}-{n}" for n in range(many)}


def restarted_worker():
    """A worker restarts, and then an instance dies. Its claims there are taken over no earlier than a lease after the
    restart, its other claims at once."""
    lease = 30
    with h.folder() as directory, citus.running(directory) as cluster, contextlib.ExitStack() as closing:
        cluster.distribute()
        one, other = cluster.workers
        quick, held = h.Receiver(), threading.Event()
        closing.callback(held.set)
        slow = h.Receiver(hold=held)
        servers = [closing.enter_context(h.running("serve", "--db", cluster.url, *h.LOCAL_RECEIVERS, f"--scheduler.lease=PT{lease}S",
                                                   "--delivery.timeout=PT20S", folder=directory)) for _ in range(2)]
        client = servers[0].client()
        endpoints = {name: client.ok("POST", "/v1/endpoints", {"name": name, "type": "WEBHOOK", "url": receiver.url})["id"]
                     for name, receiver in (("quick", quick), ("slow", slow))}
        warmed_up(servers, client, endpoints["quick"])
        one.kill()
        one.start()
        h.wait_until(lambda: all(told_of(server, NEW_HOLDER, one.port) for server in servers), "both instances to notice the restart")
        assert not any(told_of(server, NEW_HOLDER, other.port) for server in servers), "the other worker was not restarted"

        made = due_events(client, endpoints["slow"], "held")
        h.wait_until(lambda: set(made.values()) <= set(slow.ids()), "every event to be in flight")
        holders = {event["id"]: event["claimedBy"] for event in client.all("/v1/events?status=PROCESSING&limit=500")}
        there = set(events_on(one))
        [(dead, _)] = collections.Counter(holder for event, holder in holders.items() if event in there).most_common(1)
        lost = {event for event, holder in holders.items() if holder == dead}
        victim = next(server for server in servers if any(line["claimedBy"] == dead for line in server.logged("event.claimed")))
        [survivor] = [server for server in servers if server is not victim]
        victim.kill()
        attempts = "SELECT event_id, extract(epoch FROM recorded_at) FROM sundial.attempts WHERE outcome = 'LOST'"

        def taken_over():
            rows = [row.split("|") for row in cluster.coordinator.sql(attempts).split("\n") if row]
            return {event: float(at) for event, at in rows}
        h.wait_until(lambda: set(taken_over()) == lost, "what it held to be taken over")
        end = float(one.sql("SELECT extract(epoch FROM pg_postmaster_start_time())")) + lease
        early = {event: at - end for event, at in taken_over().items() if event in there and at < end}
        assert not early, early
        held.set()
        h.wait_until(lambda: not survivor.client().all("/v1/events?status=PENDING,PROCESSING"), "their ends")
        assert survivor.stop() == 0
        print(f"{len(lost & there)} events were taken over a lease after the restart, {len(lost - there)} were elsewhere")


def former_primary():
    """A standby takes over from a worker, and then the former worker is back under its address. It gives out nothing until
    the other one has its shards again."""
    with h.folder() as directory, citus.running(directory) as cluster:
        cluster.distribute()
        old = cluster.workers[0]
        standby = Postgres(directory, "standby", options=old.options).copy_of(old)
        node = cluster.coordinator.sql(f"SELECT nodeid FROM pg_dist_node WHERE nodeport = {old.port}")

        def put(server):
            cluster.coordinator.sql(f"SELECT citus_update_node({node}, '127.0.0.1', {server.port})")
        receiver = h.Receiver()
        try:
            with h.running("serve", "--db", cluster.url, *h.LOCAL_RECEIVERS, folder=directory) as server:
                client = server.client()
                endpoint = client.ok("POST", "/v1/endpoints", {"name": "good", "type": "WEBHOOK", "url": receiver.url})["id"]
                warmed_up([server], client, endpoint)
                caught_up = "SELECT count(*) FROM pg_stat_replication WHERE replay_lsn = pg_current_wal_lsn()"
                h.wait_until(lambda: old.sql(caught_up) == "1", "the standby to have everything")
                old.kill()
                standby.promote()
                put(standby)
                h.wait_until(lambda: told_of(server, NEW_HOLDER, standby.port), "the instance to notice the standby")
                first = due_events(client, endpoint, "first")
                h.wait_until(lambda: set(first.values()) <= set(receiver.ids()), "the events after the failover")

                old.start()
                put(old)
                h.wait_until(lambda: told_of(server, FORMER_PRIMARY, old.port), "the instance to notice the former primary")
                second = due_events(client, endpoint, "second")
                there = {second[event] for event in events_on(old) if event in second}
                elsewhere = set(second.values()) - there
                assert there and elsewhere, second
                h.wait_until(lambda: elsewhere <= set(receiver.ids()), "the events of the other worker")
                assert not there & set(receiver.ids()), "a former primary gave out events"

                put(standby)
                third = due_events(client, endpoint, "third")
                h.wait_until(lambda: set(third.values()) <= set(receiver.ids()), "the events after its return")
                assert not there & set(receiver.ids())
                assert server.stop() == 0
        finally:
            standby.stop()
        sent = collections.Counter(receiver.ids())
        assert set(sent.values()) == {1}, [key for key, times in sent.items() if times > 1]


def events_on(worker):
    """The ids of the events in all parts of a worker."""
    shown = "SET citus.override_table_visibility = off; "
    parts = worker.sql(shown + "SELECT oid::regclass FROM pg_class WHERE relname ~ '^events_[0-9]+$' AND relkind = 'r'").split("\n")
    return worker.sql(" UNION ALL ".join(f"SELECT id FROM {part}" for part in parts)).split("\n")


if __name__ == "__main__":
    citus.use_tools()
    h.main({"contracts": contracts, "counted": counted, "in_doubt": in_doubt, "dead_worker": dead_worker,
            "restarted_worker": restarted_worker, "former_primary": former_primary})
