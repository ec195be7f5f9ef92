"""A real Citus with two workers: the contract suites, how many transactions take two phases, a coordinator that
dies between them, and a worker that is away. Skipped without PostgreSQL's extension citus."""
import contextlib
import json
import os
import subprocess
import sys
import threading

import harness as h

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/chaos"))
import citus
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

            wait_for_rest(cluster)
            singles = step("created one by one", lambda: [
                client.ok("POST", "/v1/events", {**event, "idempotencyKey": f"single-{n}"}) for n in range(many)])
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
            assert server.stop() == 0
        assert len(receiver.ids()) == len(set(receiver.ids())) == many
        alone = {name: seen[name] for name in ("created one by one", "edited one by one", "created, delivered and settled",
                                               "cancelled one by one")}
        assert not any(alone.values()), alone
        assert seen["created as an atomic batch"] == 2, seen


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


def dead_worker():
    """While a worker is away the events of the other one are delivered, and its own when it is back."""
    with h.folder() as directory, citus.running(directory) as cluster:
        cluster.distribute()
        receiver = h.Receiver()
        with h.running("serve", "--db", cluster.url, *h.LOCAL_RECEIVERS, folder=directory) as server:
            client = server.client()
            endpoint = client.ok("POST", "/v1/endpoints", {"name": "good", "type": "WEBHOOK", "url": receiver.url})["id"]
            made = {}
            for n in range(60):
                key = f"before-{n}"
                made[client.ok("POST", "/v1/events", {**EVENT, "endpointId": endpoint, "targetTimestampUTC": "now+20s",
                                                      "idempotencyKey": key})["id"]] = key
            dead = cluster.workers[0]
            there = {made[one] for one in events_on(dead)}
            elsewhere = set(made.values()) - there
            assert there and elsewhere, made
            dead.kill()
            h.wait_until(lambda: elsewhere <= set(receiver.ids()), "the events of the other worker")
            assert not there & set(receiver.ids()), "an event of the dead worker was delivered"
            answers = [client.call("POST", "/v1/events", {**EVENT, "endpointId": endpoint, "targetTimestampUTC": "now",
                                                          "idempotencyKey": f"meanwhile-{n}"}).status for n in range(20)]
            assert set(answers) == {201, 503}, answers
            dead.start()
            h.wait_until(lambda: there <= set(receiver.ids()), "the events of the worker that is back")
            h.wait_until(lambda: not client.all("/v1/events?status=PENDING,PROCESSING"), "their ends")
            assert server.stop() == 0
        assert len(receiver.ids()) == len(set(receiver.ids())), "an event was sent twice"


def events_on(worker):
    """The ids of the events in all parts of a worker."""
    shown = "SET citus.override_table_visibility = off; "
    parts = worker.sql(shown + "SELECT oid::regclass FROM pg_class WHERE relname ~ '^events_[0-9]+$' AND relkind = 'r'").split("\n")
    return worker.sql(" UNION ALL ".join(f"SELECT id FROM {part}" for part in parts)).split("\n")


if __name__ == "__main__":
    citus.use_tools()
    h.main({"contracts": contracts, "counted": counted, "in_doubt": in_doubt, "dead_worker": dead_worker})
