"""Workers that come for their events: nothing is lost with a worker that dies, nothing is completed twice, and who
waits is woken by what comes, not by the clock."""
import collections
import json
import signal
import socket
import subprocess
import sys
import threading

import harness as h

WAIT = 60  # seconds, the most that a worker may wait; no answer here takes as long


def printers(client, **members):
    return client.ok("POST", "/v1/endpoints", {"name": "Printers", "externalId": "printers", "type": "PULL", **members})


def print_job(client, page, **members):
    return client.ok("POST", "/v1/events", {"eventType": "PRINT", "targetTimestampUTC": "now", "endpointId": "ext:printers",
                                            "deliveryPayload": {"page": page}, **members})["id"]


def claim(client, worker, **members):
    return client.ok("POST", "/v1/endpoints/ext:printers/claim", {"worker": worker, **members})["data"]


def answer(client, verb, event, **members):
    return client.call("POST", f"/v1/events/{event['id']}/{verb}", {"version": event["version"], **members})


def attempts(client, event_id):
    steps = client.ok("GET", f"/v1/events/{event_id}/explain")["steps"]
    return [step["outcome"] for step in steps if step["step"] == "attempt"]


def looks(client):
    """How often the server has looked for work of pull workers."""
    for line in client.get("/metrics").body.decode().splitlines():
        if line.startswith('sundial_db_transaction_duration_seconds_count{operation="look_to_pull"}'):
            return int(float(line.split()[-1]))
    return 0


class Waiting:
    """A claim that waits, on a connection of its own. Begun means that the server has looked for it in vain."""

    def __init__(self, server, worker, observer):
        before = looks(observer)
        self.answer = None

        def work():
            self.answer = server.client().call("POST", "/v1/endpoints/ext:printers/claim",
                                               {"worker": worker, "wait": f"PT{WAIT}S", "limit": 100})

        self.thread = threading.Thread(target=work, daemon=True)
        self.thread.start()
        # The claim's own look, and one of the watch that wakes it.
        h.wait_until(lambda: looks(observer) >= before + 2, "the worker to wait")

    def events(self):
        self.thread.join(h.HANG_GUARD)
        assert self.answer.status == 200, self.answer.body
        return self.answer.json()["data"]


def claim_durations(server):
    """Of the claims that were answered: one at least, whose line may come after its answer."""
    return h.wait_until(lambda: [line["durationMs"] for line in server.logged("http.request")
                                 if line["route"] == "/v1/endpoints/{id}/claim"], "the line of a claim")


def hold(port, worker):
    """A worker that takes what it can, says so, and is never heard of again."""
    print(json.dumps(claim(h.Client(int(port)), worker, limit=7, lease="PT2S")), flush=True)
    signal.pause()


def killed_worker(kind, start):
    """Five workers; one is killed while it holds seven events."""
    with start() as server:
        client = server.client()
        printers(client)
        jobs = {print_job(client, page) for page in range(60)}
        holder = subprocess.Popen([sys.executable, __file__, kind, "hold", str(server.port), "w-killed"],
                                  stdout=subprocess.PIPE)
        held = json.loads(holder.stdout.readline())
        holder.kill()
        holder.wait()
        assert len(held) == 7 and {event["claimedBy"] for event in held} == {"w-killed"}, held

        completed, lock = [], threading.Lock()

        def work(name):
            own = server.client()
            while True:
                events = claim(own, name, limit=5, lease="PT30S", wait="PT1S")
                if not events and len(completed) >= len(jobs):
                    return
                for event in events:
                    done = answer(own, "complete", event)
                    again = answer(own, "complete", event)  # as if no answer had come
                    assert done.status == again.status == 200 and done.json() == again.json(), (done.body, again.body)
                    with lock:
                        completed.append((event["id"], name))

        workers = [threading.Thread(target=work, args=(f"w-{number}",)) for number in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

        counts = collections.Counter(event for event, _ in completed)
        assert set(counts) == jobs and set(counts.values()) == {1}, "an event was lost, or completed twice"
        events = {event["id"]: event for event in client.all("/v1/events?limit=500")}
        assert {event["status"] for event in events.values()} == {"COMPLETED"}, events
        for event in held:
            assert attempts(client, event["id"]) == ["LOST", "SUCCEEDED"], attempts(client, event["id"])
            assert events[event["id"]]["attempt"] == 2 and events[event["id"]]["retryCount"] == 1
            late = answer(client, "complete", event)
            assert late.status == 409 and late.json()["code"] == "LEASE_LOST", late.body
        names = {line["claimedBy"] for line in server.wait_for_line("event.completed", len(jobs))}
        assert names == {name for _, name in completed}, names


def woken(start):
    """A waiting request is woken by events that this or another instance creates, and by events that become due."""
    with start() as server:
        client = server.client()
        printers(client)
        waiting = Waiting(server, "w-1", client)
        job = print_job(client, 1)
        assert [event["id"] for event in waiting.events()] == [job]
        waiting = Waiting(server, "w-2", client)
        job = print_job(client, 2, targetTimestampUTC="now+1s")
        assert [event["id"] for event in waiting.events()] == [job]
        event = client.ok("GET", f"/v1/events/{job}")
        assert event["leaseExpiresAt"] > event["targetTimestampUTC"], event
        assert max(claim_durations(server)) < WAIT * 1000, "it was time that ended a wait"


def woken_across(db, directory):
    serve = lambda: h.running("serve", "--db", db, *h.LOCAL_RECEIVERS, folder=directory)
    with serve() as one, serve() as other:
        client = one.client()
        printers(client)
        waiting = Waiting(one, "w-1", client)
        job = print_job(other.client(), 1)
        assert [event["id"] for event in waiting.events()] == [job]
        assert max(claim_durations(one)) < WAIT * 1000, "it was time that ended the wait"
        # Claimed through one, answered through the other.
        event = client.ok("GET", f"/v1/events/{job}")
        assert answer(other.client(), "complete", event).json()["status"] == "COMPLETED"


def late(start):
    """The report of a worker whose event another worker holds changes nothing; that the work was done is recorded."""
    with start() as server:
        client = server.client()
        printers(client)
        job = print_job(client, 1)
        stale = claim(client, "w-slow", lease="PT1S")[0]
        held = claim(client, "w-2", lease="PT1S", wait="PT20S")[0]
        assert held["id"] == job and held["attempt"] == 2, held
        for verb in ("complete", "fail", "release", "extend"):
            refused = answer(client, verb, stale)
            assert refused.status == 409 and refused.json()["code"] == "LEASE_LOST", (verb, refused.body)
        assert attempts(client, job) == ["LATE"], attempts(client, job)
        assert client.ok("GET", f"/v1/events/{job}")["version"] == held["version"]
        # Nothing is heard of the second worker: the next claim completes what the first has done, unseen.
        h.wait_until(lambda: claim(client, "w-3") == [] and client.ok("GET", f"/v1/events/{job}")["status"] == "COMPLETED",
                     "the late success to be taken")
        assert answer(client, "complete", held).status == 409

        printed = print_job(client, 2)
        event = claim(client, "w-1")[0]
        failed = answer(client, "fail", event, reason="no paper").json()
        assert failed["status"] == "PROCESSING" and failed["retryCount"] == 1 and failed["nextAttemptAt"], failed
        event = claim(client, "w-1", wait="PT20S")[0]
        assert event["id"] == printed and event["attempt"] == 2, event
        failed = answer(client, "fail", event, reason="no printer", retry=False).json()
        assert failed["status"] == "FAILED" and failed["failureReason"] == "WORKER no printer", failed


def given_back(start):
    """A worker that is gone before its answer leaves nothing claimed; one that waits when the server stops is answered."""
    with start() as server:
        client = server.client()
        printers(client)
        before = looks(client)
        body = json.dumps({"worker": "w-gone", "wait": f"PT{WAIT}S"}).encode()
        with socket.create_connection(("127.0.0.1", server.port)) as gone:
            gone.sendall(b"POST /v1/endpoints/ext:printers/claim HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                         b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            h.wait_until(lambda: looks(client) >= before + 2, "the worker to wait")
        job = print_job(client, 1)
        event = claim(client, "w-2", wait="PT20S")[0]
        assert event["id"] == job and event["claimedBy"] == "w-2", event
        assert "LOST" not in attempts(client, job), attempts(client, job)
        assert answer(client, "complete", event).status == 200

        waiting = Waiting(server, "w-3", client)
        assert server.stop() == 0
        assert waiting.events() == []


TESTS = {"killed_worker": lambda kind, start: killed_worker(kind, start), "woken": lambda _, start: woken(start),
         "late": lambda _, start: late(start), "given_back": lambda _, start: given_back(start)}


def run(kind):
    for name, test in TESTS.items():
        with h.folder() as directory, h.database(kind, directory) as db:
            test(kind, lambda: h.running("serve", "--db", db, *h.LOCAL_RECEIVERS, folder=directory))
            print(f"{name}: passed", flush=True)
    if kind == "postgres":
        with h.folder() as directory, h.database(kind, directory) as db:
            woken_across(db, directory)
            print("woken_across: passed")


if __name__ == "__main__":
    hold(*sys.argv[3:]) if len(sys.argv) > 2 else run(sys.argv[1])
