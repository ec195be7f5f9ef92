"""A PostgreSQL that is lost between COMMIT and its answer: the outcome is found out, and answered as if nothing had
been; what the scheduler writes happens once."""
import collections
import contextlib
import re
import threading

import harness as h
from relay import Relay, hang_up

CREATES = 40


class Proxy(Relay):
    """`cut` decides for each message whether its answer is to be lost, and the connection with it, when its third comes; the
    server has it all the same."""

    def __init__(self, direct):
        self.cut, self.commits, self.cuts, self.lock = None, 0, 0, threading.Lock()
        super().__init__(direct, threading.Event)

    def shall_cut(self, data):
        cut = self.cut
        if not cut or not cut(data):
            return False
        with self.lock:
            self.commits += 1
            self.cuts += self.commits % 3 == 0
            return self.commits % 3 == 0

    def ask(self, client, server, lose):
        with contextlib.suppress(OSError):
            while data := client.recv(65536):
                if self.shall_cut(data):
                    lose.set()
                server.sendall(data)
        if not lose.is_set():
            hang_up(server)

    def answer(self, client, server, lose):
        with contextlib.suppress(OSError):
            while (data := server.recv(65536)) and not lose.is_set():
                client.sendall(data)
        hang_up(client, server)


def of_a_request(data):
    """A COMMIT alone: those of the worker come with what they commit."""
    return b"\0COMMIT\0" in data[:20]


def of_the_worker(statement):
    """Statements are known by their names."""
    return lambda data: b"\0COMMIT\0" in data and b"\0" + statement + b"\0" in data


@contextlib.contextmanager
def behind_a_proxy(*settings):
    with h.folder() as directory, h.postgres(migrated=True) as url:
        proxy = Proxy(url)
        with h.running("serve", "--db", proxy.url, *h.LOCAL_RECEIVERS, *settings, folder=directory) as server:
            yield proxy, server, server.client()
            assert server.stop() == 0


def expect_told(proxy, server, client, operation):
    """Every cut is counted, and in the log: those of the operation, and of the housekeeping that went on beside it."""
    def counts():
        metrics = client.get("/metrics").body.decode()
        return {name: int(count) for name, count in
                re.findall(r'sundial_commit_outcome_unknown_total\{operation="([^"]+)"\} (\d+)', metrics)}
    # The housekeeping notices a cut of its own in its own time.
    h.wait_until(lambda: sum(counts().values()) >= proxy.cuts, "every cut to be counted")
    counted = counts()
    assert counted.get(operation, 0) > 0, f"nothing was cut: {counted}"
    assert sum(counted.values()) == proxy.cuts, (proxy.cuts, counted)
    assert len(server.wait_for_line("commit.outcome_unknown", proxy.cuts)) == proxy.cuts


def an_event(key, **more):
    return {"eventType": "X", "targetTimestampUTC": "2040-01-01T00:00:00Z", "deliveryPayload": {"key": key}, "idempotencyKey": key, **more}


def creates():
    with behind_a_proxy() as (proxy, server, client):
        proxy.cut = of_a_request
        made = []
        for i in range(CREATES):
            made.append(client.ok("POST", "/v1/events", an_event(f"k-{i}"))["id"])
            client.ok("POST", "/v1/users", {"firstName": "Ada", "lastName": "Li", "dateOfBirth": "1992-02-29", "timezone": "UTC", "externalId": f"u-{i}"})
        proxy.cut = None
        stored = client.all("/v1/events?eventType=X")
        assert sorted(event["id"] for event in stored) == sorted(made), "each create made one event"
        assert len(client.all("/v1/users")) == CREATES
        assert len(client.all("/v1/events?eventType=BIRTHDAY")) == CREATES, "each user has one birthday to come"
        expect_told(proxy, server, client, "transact")
        print(f"{2 * CREATES} creates, {proxy.cuts} of them without an answer to their COMMIT: each is there once")


def changes():
    """Edits, cancellations, dismissals, deletions."""
    receiver = h.Receiver(refuse="/404")
    with behind_a_proxy() as (proxy, server, client):
        client.ok("POST", "/v1/endpoints", {"name": "none", "type": "WEBHOOK", "url": receiver.url.replace("/hook", "/404"),
                                            "externalId": "none"})
        edited, cancelled, failed, users = [], [], [], []
        for i in range(12):
            edited.append(client.ok("POST", "/v1/events", an_event(f"e-{i}"))["id"])
            cancelled.append(client.ok("POST", "/v1/events", an_event(f"c-{i}"))["id"])
            failed.append(client.ok("POST", "/v1/events", an_event(f"f-{i}", targetTimestampUTC="now", endpointId="ext:none"))["id"])
            users.append(client.ok("POST", "/v1/users", {"firstName": "A", "lastName": "B", "dateOfBirth": "1990-01-01", "timezone": "UTC"})["id"])
        h.wait_until(lambda: all(client.ok("GET", f"/v1/events/{id}")["status"] == "FAILED" for id in failed), "dead letters")
        proxy.cut = of_a_request
        for id in edited:
            answer = client.ok("PATCH", f"/v1/events/{id}", {"priority": "HIGH"}, headers={"If-Match": '"1"'})
            assert (answer["priority"], answer["version"]) == ("HIGH", 2), answer
        for id in cancelled:
            answer = client.call("DELETE", f"/v1/events/{id}", headers={"If-Match": '"1"'})
            assert (answer.status, answer.json()["status"], answer.json()["version"]) == (200, "CANCELLED", 2), answer.body
        for id in failed:
            assert client.ok("PATCH", f"/v1/events/{id}", {"dismissed": True})["dismissedAt"]
        for id in users:
            assert client.ok("PATCH", f"/v1/users/{id}", {"timezone": "Asia/Tokyo"}, headers={"If-Match": '"1"'})["version"] == 2
        for id in users:
            assert client.call("DELETE", f"/v1/users/{id}", headers={"If-Match": '"2"'}).status == 204
        proxy.cut = None
        assert all(client.ok("GET", f"/v1/events/{id}")["version"] == 2 for id in edited + cancelled)
        assert client.all("/v1/users") == []
        expect_told(proxy, server, client, "transact")
        print(f"{5 * 12} changes, {proxy.cuts} of them without an answer to their COMMIT: each happened once, and its client knows")


def deliveries():
    """The events that the scheduler settles and releases."""
    receiver = h.Receiver()
    with behind_a_proxy("--delivery.workers=4", "--scheduler.claim_batch=2") as (proxy, server, client):
        client.ok("POST", "/v1/endpoints", {"name": "r", "type": "WEBHOOK", "url": receiver.url, "externalId": "r"})
        proxy.cut = of_the_worker(b"settle_accepted")
        keys = [f"s-{i}" for i in range(60)]
        for key in keys:
            client.ok("POST", "/v1/events", an_event(key, targetTimestampUTC="now", endpointId="ext:r"))
        done = lambda: not client.ok("GET", "/v1/events?status=PENDING,PROCESSING&limit=1")["data"]
        h.wait_until(done, "every event to be settled")
        assert sorted(receiver.ids()) == sorted(keys), "each was sent once"
        assert {event["status"] for event in client.all("/v1/events?limit=500")} == {"COMPLETED"}
        expect_told(proxy, server, client, "settle")
        settles = proxy.cuts

        client.ok("PATCH", "/v1/endpoints/ext:r", {"enabled": False})
        proxy.cut = of_the_worker(b"give_back")
        parked = [client.ok("POST", "/v1/events", an_event(f"p-{i}", targetTimestampUTC="now", endpointId="ext:r"))["id"] for i in range(30)]
        waits = lambda id: (event := client.ok("GET", f"/v1/events/{id}"))["status"] == "PROCESSING" and event["claimedBy"] is None
        h.wait_until(lambda: all(waits(id) for id in parked), "every event to wait for its endpoint")
        proxy.cut = None
        expect_told(proxy, server, client, "give back")
        client.ok("PATCH", "/v1/endpoints/ext:r", {"enabled": True})
        h.wait_until(done, "every event to be settled")
        count = collections.Counter(receiver.ids())
        assert set(count.values()) == {1} and len(count) == len(keys) + len(parked), count
        assert all(client.ok("GET", f"/v1/events/{id}")["retryCount"] == 0 for id in parked), "to wait spends no try"
        assert not server.logged("lease.expired"), "nothing was left to its lease"
        print(f"{len(keys)} settled with {settles} answers lost, {len(parked)} given back with {proxy.cuts - settles}: each was sent once")


if __name__ == "__main__":
    h.main({"creates": creates, "changes": changes, "deliveries": deliveries})
