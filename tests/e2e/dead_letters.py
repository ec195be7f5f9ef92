"""Dead letters: 300 events that a receiver refuses, found in groups, retried at a pace across a kill -9, dismissed."""
import collections
import json
import subprocess
import sys
import threading

import harness as h

EVENTS = 300


class Fickle(h.Receiver):
    """Answers 400 until it is mended, then 204; counts what it accepted by webhook-id."""

    def __init__(self):
        self.mended = threading.Event()
        accepted = self.accepted = collections.Counter()
        mended, lock = self.mended, threading.Lock()

        class Handler(h.ReceiverHandler):
            def do_POST(self):
                size = int(self.headers["Content-Length"])
                if len(self.rfile.read(size)) < size:
                    return  # the sender died in the middle
                if mended.is_set():
                    with lock:
                        accepted[self.headers["webhook-id"]] += 1
                self.send_response_only(204 if mended.is_set() else 400)
                if not mended.is_set():
                    self.send_header("Content-Length", "0")
                self.end_headers()

        self.serve(Handler)


def fail_events(server, endpoint, count, event_type):
    """That many events, FAILED; returns their keys."""

    def work(number):
        client = server.client()
        for _ in range(number, count, 8):
            made = client.ok("POST", "/v1/events", {"eventType": event_type, "targetTimestampUTC": "now",
                                                    "endpointId": endpoint, "deliveryPayload": {}})
            keys.append(made["idempotencyKey"])

    keys = []
    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    client = server.client()
    preview = {"resource": "events", "action": "retry", "filter": {"eventType": event_type}, "dryRun": True}
    h.wait_until(lambda: client.ok("POST", "/v1/bulk", preview)["count"] == count, f"{count} {event_type} to fail")
    return set(keys)


def over(client, operation):
    path = f"/v1/operations/{operation['id']}"
    return h.wait_until(lambda: (now := client.ok("GET", path))["status"] != "RUNNING" and now, "the end of it")


def groups(client, by):
    answer = client.ok("GET", f"/v1/stats/failures?by={by}")
    assert answer["complete"] and sum(group["count"] for group in answer["data"]) == answer["counted"], answer
    return {group[by]: group["count"] for group in answer["data"]}


def check_groups(client, endpoint, other):
    assert groups(client, "reason") == {"HTTP_STATUS 400": EVENTS + 20}
    assert groups(client, "endpointId") == {endpoint: EVENTS, other: 20}
    group = client.ok("GET", "/v1/stats/failures")["data"][0]
    assert group["oldest"] <= group["newest"] and len(group["sampleIds"]) == 5, group
    assert client.ok("GET", f"/v1/events/{group['sampleIds'][0]}")["failureReason"] == "HTTP_STATUS 400"
    listed = client.all("/v1/events?status=FAILED&failureReason=HTTP_STATUS&dismissed=false&limit=500")
    assert len(listed) == EVENTS + 20, len(listed)


def retry_across_a_kill(start, server, receiver, endpoint, keys):
    """At a pace, killed in the middle: each is delivered exactly once, by the instance that continues."""
    client = server.client()
    wish = {"resource": "events", "action": "retry", "filter": {"endpointId": endpoint}, "perSecond": 40}
    dry = client.ok("POST", "/v1/bulk", {**wish, "dryRun": True})
    assert dry["count"] == EVENTS and len(dry["samples"]) == 5, dry["count"]
    receiver.mended.set()
    answer = client.call("POST", "/v1/bulk", wish)
    operation = answer.json()
    assert answer.status == 202 and answer.headers["Location"] == f"/v1/operations/{operation['id']}", answer.body
    assert (operation["kind"], operation["status"], operation["total"]) == ("BULK", "RUNNING", EVENTS), operation
    assert 0 < operation["done"] <= 40, "the pace is not kept"
    further = h.wait_until(lambda: (now := client.ok("GET", f"/v1/operations/{operation['id']}"))["done"]
                           > operation["done"] and now, "the next second's worth", every=0.02)
    server.kill()
    assert further["done"] < EVENTS, further
    server = start()
    client = server.client()
    finished = over(client, operation)
    assert (finished["status"], finished["done"], finished["failed"]) == ("COMPLETED", EVENTS, 0), finished
    done = f"/v1/events?status=COMPLETED&endpointId={endpoint}&limit=500"
    h.wait_until(lambda: len(client.all(done)) == EVENTS, "every retry to be delivered")
    # A request under way at the kill is sent again when its lease expires, under the same id: that is the window
    # that is promised. All others are sent once, and nothing is missing.
    retried = {event["idempotencyKey"]: event for event in client.all(done)}
    assert set(retried) == set(receiver.accepted) == keys
    twice = {key for key, count in receiver.accepted.items() if count > 1}
    assert all(retried[key]["attempt"] > 1 for key in twice), "sent twice, though not by the kill"
    assert groups(client, "endpointId").get(endpoint) is None, "what was retried is no dead letter any more"
    return server, finished, len(twice)


def retry_again(client, endpoint):
    """No event is left to retry, and the response names the holder of each key."""
    again = client.ok("POST", "/v1/bulk", {"resource": "events", "action": "retry", "filter": {"endpointId": endpoint}})
    assert (again["status"], again["total"], again["done"]) == ("COMPLETED", 0, 0), again
    failed = client.ok("GET", f"/v1/events?status=FAILED&endpointId={endpoint}&limit=3")["data"]
    by_id = client.ok("POST", "/v1/bulk", {"resource": "events", "action": "retry", "ids": [e["id"] for e in failed]})
    finished = over(client, by_id)
    assert (finished["status"], finished["done"], finished["failed"]) == ("COMPLETED", 0, 3), finished
    errors = client.all(finished["errorsUrl"] + "?limit=2")
    assert [error["number"] for error in errors] == [1, 2, 3], errors
    assert {error["code"] for error in errors} == {"DUPLICATE_IDEMPOTENCY_KEY"}, errors
    single = client.call("POST", f"/v1/events/{failed[0]['id']}/retry")
    assert single.status == 409 and single.json()["existingId"] in errors[0]["detail"], single.body


def stop_and_dismiss(client, other, receiver):
    before = sum(receiver.accepted.values())
    slow = client.ok("POST", "/v1/bulk", {"resource": "events", "action": "retry", "perSecond": 1,
                                          "filter": {"endpointId": other}})
    stopped = client.ok("DELETE", f"/v1/operations/{slow['id']}")
    assert stopped["status"] == "STOPPED" and stopped["done"] < 20, stopped
    left = 20 - stopped["done"]
    dismissed = over(client, client.ok("POST", "/v1/bulk", {"resource": "events", "action": "dismiss",
                                                            "filter": {"failureReason": "HTTP_STATUS 400"}}))
    assert (dismissed["status"], dismissed["done"]) == ("COMPLETED", left), dismissed
    assert client.ok("GET", "/v1/stats/failures")["data"] == []
    h.wait_until(lambda: "sundial_dead_letters 0" in client.get("/metrics").body.decode(), "the metric")
    h.wait_until(lambda: sum(receiver.accepted.values()) == before + stopped["done"], "what was released to arrive")


def at_most_four(client, endpoint):
    """A fifth is refused, with when to come back."""
    many = 100  # seconds: the first still runs when the fifth is asked for, on a slow machine too
    client.ok("POST", "/v1/events/batch", {"events": [{"eventType": "LATER", "targetTimestampUTC": "2030-01-01T00:00:00Z",
                                                       "endpointId": endpoint, "deliveryPayload": {}}] * many})
    wish = {"resource": "events", "action": "reschedule", "set": {"shift": "PT1H"}, "perSecond": 1,
            "filter": {"eventType": "LATER"}}
    running = [client.ok("POST", "/v1/bulk", wish) for _ in range(4)]
    refused = client.call("POST", "/v1/bulk", wish)
    assert refused.status == 429 and refused.json()["code"] == "RATE_LIMITED", refused.body
    assert refused.json()["retryable"] and int(refused.headers["Retry-After"]) > 0
    done = sum(client.ok("DELETE", f"/v1/operations/{operation['id']}")["done"] for operation in running)
    hours = [int(event["targetTimestampUTC"][11:13]) for event in client.all("/v1/events?eventType=LATER")]
    assert len(hours) == many and sum(hours) == done >= 4, (hours, done)
    cancelled = over(client, client.ok("POST", "/v1/bulk", {"resource": "events", "action": "cancel",
                                                            "filter": {"eventType": "LATER"}}))
    assert (cancelled["status"], cancelled["done"]) == ("COMPLETED", many), cancelled


def check_refusals(client):
    def pointers(body):
        answer = client.call("POST", "/v1/bulk", {"resource": "events", **body})
        assert answer.status == 400, answer.body
        return [(error["pointer"], error["code"]) for error in answer.json()["errors"]]

    assert pointers({"action": "delete", "filter": {}}) == [("/action", "not_allowed")]
    assert pointers({"action": "retry"}) == [("/filter", "required")]
    assert pointers({"action": "retry", "filter": {}, "ids": ["x"]})[0] == ("/ids", "not_allowed")
    assert pointers({"action": "retry", "ids": ["x"]}) == [("/ids/0", "bad_format")]
    assert pointers({"action": "cancel", "filter": {}}) == [("/filter", "required")]
    assert pointers({"action": "retry", "filter": {"endpointId": "ext:none", "targetFrom": "soon"}}) == [
        ("/filter/endpointId", "not_allowed"), ("/filter/targetFrom", "bad_time")]
    assert pointers({"action": "retry", "filter": {"status": "COMPLETED"}}) == [("/filter/status", "not_allowed")]
    assert pointers({"action": "reschedule", "filter": {"q": "a"}, "set": {"shift": "an hour"}}) == [
        ("/set/shift", "bad_format")]


def main(kind):
    receiver = Fickle()
    with h.folder() as directory, h.database(kind, directory) as db:
        start = lambda: h.Server("serve", "--db", db, *h.LOCAL_RECEIVERS, "--scheduler.lease=PT20S",
                                 folder=directory).ready()
        server = start()
        client = server.client()
        endpoint, other = (client.ok("POST", "/v1/endpoints", {"name": name, "type": "WEBHOOK", "url": receiver.url})["id"]
                           for name in ("one", "other"))
        check_refusals(client)
        keys = fail_events(server, endpoint, EVENTS, "ORDER")
        fail_events(server, other, 20, "OTHER")
        check_groups(client, endpoint, other)
        server, finished, twice = retry_across_a_kill(start, server, receiver, endpoint, keys)
        client = server.client()
        retry_again(client, endpoint)
        stop_and_dismiss(client, other, receiver)
        at_most_four(client, endpoint)
        print(f"{kind}: {finished['done']} dead letters retried across a kill -9: each delivered, "
              f"{twice} of them sent twice, as their request was under way")
        assert server.stop() == 0


def command_line():
    """dlq and event: what they print, whom they ask, and their exit codes."""

    def run(*arguments):
        done = subprocess.run([h.PROGRAM, *arguments, "--server", f"http://127.0.0.1:{server.port}"],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=h.HANG_GUARD)
        return done.returncode, done.stdout, done.stderr

    receiver = Fickle()
    with h.folder() as directory, h.running("serve", "--db", "x.db", *h.LOCAL_RECEIVERS, folder=directory) as server:
        client = server.client()
        endpoint = client.ok("POST", "/v1/endpoints", {"name": "one", "type": "WEBHOOK", "url": receiver.url})["id"]
        code, out, err = run("dlq", "list")
        assert (code, out, err) == (0, "", "none\n"), (out, err)
        fail_events(server, endpoint, 12, "ORDER")
        code, out, _ = run("dlq", "groups")
        assert code == 0 and out.splitlines()[1].split()[0] == "12" and "HTTP_STATUS 400" in out, out
        code, out, _ = run("dlq", "groups", "--by", "endpointId", "--json")
        assert code == 0 and json.loads(out)["data"][0]["endpointId"] == endpoint, out
        code, out, err = run("dlq", "list", "--type", "ORDER", "--reason", "HTTP_STATUS 4", "--limit", "5")
        assert code == 0 and len(out.splitlines()) == 6 and "and more" in err, out
        code, out, _ = run("dlq", "export", "--endpoint", endpoint)
        rows = [json.loads(line) for line in out.splitlines()]
        assert code == 0 and len(rows) == 12, len(rows)
        first, second, *_ = (row["id"] for row in rows)

        code, out, _ = run("dlq", "retry", "--endpoint", endpoint, "--dry-run")
        assert code == 0 and "12 events" in out and len(out.splitlines()) == 7, out
        code, _, err = run("dlq", "retry", "--endpoint", endpoint)
        assert code == 2 and "12 events" in err and "-y" in err, err
        code, _, err = run("dlq", "retry")
        assert code == 2 and "--all" in err, err
        code, _, err = run("dlq", "retry", "--endpoint", "ext:none", "-y")
        assert code == 2 and "/filter/endpointId" in err, err
        code, out, _ = run("dlq", "dismiss", first, "--note", "refunded by hand", "-y")
        assert code == 0 and "COMPLETED  1 of 1" in out, out
        code, out, _ = run("event", "get", first, "--json")
        assert code == 0 and json.loads(out)["dismissalNote"] == "refunded by hand", out

        receiver.mended.set()
        code, out, _ = run("event", "retry", second)
        assert code == 0 and f"retries {second}" in out, out
        code, _, err = run("event", "retry", second)
        assert code == 4 and "DUPLICATE_IDEMPOTENCY_KEY" in err, err
        code, out, _ = run("dlq", "retry", "--type", "ORDER", "--per-second", "1000", "-y", "--json")
        assert code == 0 and json.loads(out)["done"] == 10, out
        code, out, _ = run("dlq", "retry", first, second, "-y")
        assert code == 7 and "1 failed" in out, "the dismissed one goes, the other has gone"
        h.wait_until(lambda: sum(receiver.accepted.values()) == 12, "all twelve to arrive")
        h.wait_until(lambda: len(client.all("/v1/events?status=COMPLETED")) == 12, "all twelve to be noted")
        assert set(receiver.accepted.values()) == {1}, receiver.accepted
        code, _, err = run("dlq", "retry", "--all")
        assert code == 0 and "nothing to retry" in err, err

        code, out, _ = run("event", "list", "--status", "COMPLETED,FAILED", "--limit", "500")
        assert code == 0 and len(out.splitlines()) == 25, out
        code, out, _ = run("event", "get", first)
        assert code == 0 and "failureReason" in out and "HTTP_STATUS 400" in out, out
        code, out, _ = run("event", "explain", first)
        assert code == 0 and "PERMANENT" in out and "HTTP_STATUS 400" in out and out.splitlines()[2].split()[0] == "step", out
        code, _, err = run("event", "get", "01990000-0000-7000-8000-00000000ffff")
        assert code == 3 and "EVENT_NOT_FOUND" in err, err
        later = [client.ok("POST", "/v1/events", {"eventType": "LATER", "targetTimestampUTC": "now+7d",
                                                  "endpointId": endpoint, "deliveryPayload": {}})["id"] for _ in range(4)]
        code, out, _ = run("event", "cancel", later[0], "-y")
        assert code == 0 and "CANCELLED" in out, out
        code, out, _ = run("event", "cancel", "--type", "LATER", "-y", "--no-wait")
        assert code == 0 and "BULK" in out, out
        h.wait_until(lambda: len(client.all("/v1/events?status=CANCELLED")) == 4, "all to be cancelled")
        code, _, err = run("event", "cancel", first, "-y")
        assert code == 4 and "INVALID_STATE_TRANSITION" in err, err
        print("dlq list, retry, dismiss, export; event list, get, explain, retry, cancel: as documented")


if __name__ == "__main__":
    which = sys.argv[1]
    command_line() if which == "command_line" else main(which)
