"""kill -9, again and again, while events are created and delivered."""
import collections
import json
import os
import random
import signal
import sys
import threading
import time

import harness as h


# The longest time-out, of requests that a test holds: on a slow machine none may time out before the test lets it go.
PATIENT = {"timeout": "PT30S"}


def endpoint(client, url, **members):
    return client.ok("POST", "/v1/endpoints", {"name": "receiver", "type": "WEBHOOK", "url": url, "externalId": "r", **members})


def counts(client):
    return collections.Counter(event["status"] for event in client.all("/v1/events?limit=500"))


def instance_killed(machines):
    """Of three instances one is killed with deliveries in flight. Another finds it dead, and sends them again long before
    their leases end: by its missing heartbeat if they run on different machines, else because its process has ended."""
    apart = machines == "apart"
    release = threading.Event()
    receiver = h.Receiver(delay=0.0, hold=release)
    with h.folder() as directory, h.postgres() as url:
        def start(number):
            # Instances see each other's processes in a common folder.
            seen = os.path.join(directory, f"machine-{number if apart else 0}")
            os.makedirs(seen, exist_ok=True)
            return h.Server("serve", "--db", url, *h.LOCAL_RECEIVERS, "--scheduler.lease=PT10M", folder=directory,
                            environment={"XDG_RUNTIME_DIR": seen})
        servers = [start(number).ready() for number in range(3)]
        try:
            client = servers[0].client()
            endpoint(client, receiver.url, **PATIENT)
            for number in range(30):
                client.ok("POST", "/v1/events", {"eventType": "REMINDER", "targetTimestampUTC": "now", "endpointId": "ext:r",
                                                 "deliveryPayload": {}, "idempotencyKey": f"e-{number}"})
            h.wait_until(lambda: receiver.count() == 30, "every event to be in flight")
            holders = collections.Counter(event["claimedBy"] for event in client.all("/v1/events?status=PROCESSING"))
            dead, held = holders.most_common(1)[0]
            # Which process that is, its log says.
            victim = h.wait_until(lambda: next((server for server in servers if any(
                line["claimedBy"] == dead for line in server.logged("event.claimed"))), None), "its line in a log")
            victim.kill()
            h.wait_until(lambda: receiver.count() >= 30 + held, "what it held to be sent again")
            others = [server for server in servers if server is not victim]
            found = h.wait_until(lambda: [line for server in others for line in server.logged("instance.dead")], "the line of its death")
            assert {(line["instance"], line["ended"]) for line in found} == {(dead, not apart)}, found
            release.set()
            client = others[0].client()
            h.wait_until(lambda: counts(client) == {"COMPLETED": 30}, "every event to be settled")
            tries = collections.Counter(receiver.ids())
            assert sorted(tries.values()) == [1] * (30 - held) + [2] * held, tries
            print(f"one of three instances was killed with {held} deliveries in flight: each was sent once more, and no other")
            assert all(server.stop() == 0 for server in others)
            assert not any(server.logged("heartbeat.lost") for server in others)
        finally:
            release.set()
            for server in servers:
                if server.process.poll() is None:
                    server.kill()


def only_instance(kind):
    """The only instance is killed with deliveries in flight, and started again. It sends them again long before their
    leases end, and finds each earlier one dead once."""
    release = threading.Event()
    receiver = h.Receiver(hold=release)
    with h.folder() as directory, h.database(kind, directory) as db:
        start = lambda: h.Server("serve", "--db", db, *h.LOCAL_RECEIVERS, "--scheduler.lease=PT10M", folder=directory)
        server = start().ready()
        try:
            client = server.client()
            endpoint(client, receiver.url, **PATIENT)
            for number in range(10):
                client.ok("POST", "/v1/events", {"eventType": "REMINDER", "targetTimestampUTC": "now", "endpointId": "ext:r",
                                                 "deliveryPayload": {}, "idempotencyKey": f"e-{number}"})
            for kills in range(1, 4):
                h.wait_until(lambda: receiver.count() == 10 * kills, "every event to be in flight")
                killed = {event["claimedBy"] for event in server.client().all("/v1/events?status=PROCESSING")}
                server.kill()
                killed_at = time.time()
                server = start()
                h.wait_until(lambda: receiver.count() == 10 * (kills + 1), "every event to be sent again")
                took = max(at for at, _, _ in receiver.received[10 * kills:]) - killed_at
                server.ready()
                ended = lambda: {line["instance"] for line in server.logged("instance.dead") if line["ended"]}
                if kind == "postgres":
                    h.wait_until(lambda: ended() >= killed, "the lines of their deaths")
                else:
                    assert not ended(), ended()
                print(f"killed and started again: all 10 deliveries sent again after {took:.2f} s")
            release.set()
            h.wait_until(lambda: counts(server.client()) == {"COMPLETED": 10}, "every event to be settled")
            assert set(collections.Counter(receiver.ids()).values()) == {4}
            assert server.stop() == 0
        finally:
            release.set()
            if server.process.poll() is None:
                server.kill()


def database_away():
    """PostgreSQL stands still for six seconds. No instance takes another one for dead, and each event ends COMPLETED."""
    release = threading.Event()
    receiver = h.Receiver(hold=release)
    with h.folder() as directory, h.postgres(migrated=True) as url:
        start = lambda: h.Server("serve", "--db", url, *h.LOCAL_RECEIVERS, "--scheduler.lease=PT10M", folder=directory)
        servers = [start().ready() for _ in range(2)]
        try:
            client = servers[0].client()
            endpoint(client, receiver.url, **PATIENT)
            for number in range(10):
                client.ok("POST", "/v1/events", {"eventType": "REMINDER", "targetTimestampUTC": "now", "endpointId": "ext:r",
                                                 "deliveryPayload": {}, "idempotencyKey": f"e-{number}"})
            h.wait_until(lambda: receiver.count() == 10, "every event to be in flight")
            backends = h.postgres_processes(url)
            for number in backends:
                os.kill(number, signal.SIGSTOP)
            try:
                threading.Event().wait(6)  # the outage itself
            finally:
                for number in reversed(backends):
                    os.kill(number, signal.SIGCONT)
            h.wait_until(lambda: all(server.logged("heartbeat.lost") for server in servers), "the heartbeats to begin again")
            release.set()
            h.wait_until(lambda: counts(servers[0].client()) == {"COMPLETED": 10}, "every event to be settled")
            assert not any(server.logged("instance.dead") for server in servers)
            assert not any(server.logged("lease.expired") for server in servers)
            assert max(collections.Counter(receiver.ids()).values()) <= 2
            print(f"PostgreSQL away for 6 s: no instance was found dead; {receiver.count() - 10} of 10 deliveries were sent again")
            assert all(server.stop() == 0 for server in servers)
        finally:
            release.set()
            for server in servers:
                if server.process.poll() is None:
                    server.kill()


def three_instances(events, kills, seed, database=h.postgres):
    """Three processes on one PostgreSQL; a random one is killed every so often, and started again."""
    rng = random.Random(seed)
    receiver = h.Receiver(delay=0.3)  # each instance has something in flight, even if a slow machine creates 20 events a second
    with h.folder() as directory, database() as url:
        start = lambda: h.Server("serve", "--db", url, *h.LOCAL_RECEIVERS, "--scheduler.lease=PT20S", folder=directory)
        servers = [start().ready() for _ in range(3)]
        killed = []
        try:
            endpoint(servers[0].client(), receiver.url)
            keys = [f"e-{i}" for i in range(events)]
            creators = start_creators(servers, keys)
            for number in range(kills):
                goal = events * (number + 1) // (kills + 1)
                h.wait_until(lambda: receiver.count() >= goal, "progress", 300)
                victim = rng.randrange(3)
                servers[victim].kill()
                killed.append(servers[victim])
                servers[victim] = start().ready()
            for creator in creators:
                creator.join()
            client = servers[0].client()
            h.wait_until(lambda: len(set(receiver.ids())) == events, "every event to arrive", 300)
            h.wait_until(lambda: not client.ok("GET", "/v1/events?status=PENDING,PROCESSING&limit=1")["data"],
                         "every event to be settled", 300)
            finished = counts(client)
            assert finished == {"COMPLETED": events}, finished
            repeated = [key for key, n in collections.Counter(receiver.ids()).items() if n > 1]
            attempts = collections.defaultdict(list)
            for _, headers, body in receiver.received:
                attempts[headers["webhook-id"]].append(int(headers["Sundial-Attempt"]))
                assert json.loads(body)["key"] == headers["webhook-id"]
            assert all(len(set(numbers)) == len(numbers) for numbers in attempts.values()), "an attempt was sent twice"
            completed = [line for server in killed + servers for line in server.logged("event.completed")]
            again = [line for line in completed if max(attempts[line["idempotencyKey"]]) > line["attempt"]]
            assert completed and not again, f"sent again after it was completed: {again}"
            lost = [key for key, numbers in attempts.items() if max(numbers) > 1]
            print(f"{events} events, {kills} kills of one of three instances: all delivered, all COMPLETED once; "
                  f"{len(lost)} claimed again after a kill, {len(repeated)} of them sent twice under one webhook-id")
            assert lost, "no kill found anything in flight: the test shows nothing"
            assert all(server.stop() == 0 for server in servers)
        finally:
            for server in servers:
                if server.process.poll() is None:
                    server.kill()


class Creator:
    """Creates events on whichever server lives. The same key never creates a second event, so it simply repeats requests."""

    def __init__(self, servers, first):
        self.servers, self.at, self.client = servers, first, None

    def create(self, key):
        h.wait_until(lambda: self.one_try(key), f"{key} to be created")

    def one_try(self, key):
        self.client = self.client or self.servers[self.at % len(self.servers)].client()
        try:
            answer = self.client.call("POST", "/v1/events", {"eventType": "LOAD", "targetTimestampUTC": "now",
                                                             "endpointId": "ext:r", "idempotencyKey": key,
                                                             "deliveryPayload": {"key": key}})
            return answer.status == 201 or answer.json()["code"] == "DUPLICATE_IDEMPOTENCY_KEY"
        except (OSError, h.http.client.HTTPException):
            self.client = None
            self.at += 1
            return False


def start_creators(servers, keys):
    """Eight threads, each its part."""

    def work(number):
        creator = Creator(servers, number)
        for key in keys[number::8]:
            creator.create(key)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    return threads


def one_file(rounds, seed):
    """One process on SQLite, killed under load: nothing that it acknowledged is lost."""
    rng = random.Random(seed)
    receiver = h.Receiver()
    acknowledged = set()
    with h.folder() as directory:
        db = os.path.join(directory, "sundial.db")
        start = lambda: h.Server("serve", "--db", db, *h.LOCAL_RECEIVERS, folder=directory).ready()
        server = start()
        endpoint(server.client(), receiver.url)
        for round_number in range(rounds):
            stop = threading.Event()
            mine = [set() for _ in range(4)]

            def load(number):
                client, n = server.client(), 0
                while not stop.is_set():
                    key = f"r{round_number}-{number}-{n}"
                    n += 1
                    try:
                        answer = client.call("POST", "/v1/events", {
                            "eventType": "LOAD", "targetTimestampUTC": "now", "endpointId": "ext:r",
                            "idempotencyKey": key, "deliveryPayload": {"key": key}})
                    except (OSError, h.http.client.HTTPException):
                        return
                    if answer.status == 201:
                        mine[number].add(key)

            threads = [threading.Thread(target=load, args=(i,)) for i in range(4)]
            for thread in threads:
                thread.start()
            wanted = rng.randrange(20, 200)
            h.wait_until(lambda: sum(map(len, mine)) >= wanted, "load")
            server.kill()
            stop.set()
            for thread in threads:
                thread.join()
            acknowledged |= set().union(*mine)
            server = start()
        client = server.client()
        h.wait_until(lambda: not client.ok("GET", "/v1/events?status=PENDING,PROCESSING&limit=1")["data"],
                     "every event to be settled", 300)
        finished = client.all("/v1/events?limit=500")
        kept = {event["idempotencyKey"] for event in finished if event["status"] == "COMPLETED"}
        assert acknowledged <= kept, f"{len(acknowledged - kept)} acknowledged events were lost"
        assert acknowledged <= set(receiver.ids())
        assert all(json.loads(body)["key"] == headers["webhook-id"] for _, headers, body in receiver.received)
        print(f"{rounds} kills: {len(acknowledged)} acknowledged, all delivered and COMPLETED; "
              f"{len(receiver.ids()) - len(set(receiver.ids()))} repeated")
        assert server.stop() == 0


if __name__ == "__main__":
    which, *numbers = sys.argv[1:]
    tests = {"three_instances": three_instances, "one_file": one_file, "instance": instance_killed,
             "only_instance": only_instance, "database_away": database_away}
    tests[which](*(int(number) if number.isdigit() else number for number in numbers))
