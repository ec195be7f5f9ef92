"""Idempotency-Key on the real program: one effect and one answer, however often, wherever and whenever a process dies."""
import collections
import json
import os
import sys
import threading

import harness as h

ADA = {"firstName": "Ada", "lastName": "Li", "dateOfBirth": "1992-02-29", "timezone": "Europe/Paris"}
NOBODY = "01990000-0000-7000-8000-000000000009"


def key(name):
    return {"Idempotency-Key": name}


def replayed(answer):
    return answer.headers.get("Idempotency-Replayed") == "true"


def users(client):
    return len(client.all("/v1/users"))


def serve(url, directory, crash_at=None):
    environment = {"CRASH_POINT": crash_at} if crash_at else {}
    return h.Server("serve", "--db", url, *h.LOCAL_RECEIVERS, folder=directory, environment=environment).ready()


# A body for each operation that takes one, by its operationId; what they name need not exist: 404 is an answer too.
EVENT = {"eventType": "X", "targetTimestampUTC": "now+1h", "deliveryPayload": {}}
SCHEDULE = {"eventType": "X", "trigger": {"every": "PT1H"}, "timezone": "UTC", "payload": {}}
BODIES = {
    ("POST", "/v1/users"): ADA, ("PUT", "/v1/users/{id}"): {"lastName": "Lo"}, ("PATCH", "/v1/users/{id}"): {"lastName": "Lo"},
    ("POST", "/user"): ADA, ("PUT", "/user/{id}"): {"lastName": "Lo"}, ("POST", "/users"): ADA,
    ("PUT", "/users/{id}"): {"lastName": "Lo"}, ("POST", "/v1/events"): EVENT,
    ("POST", "/v1/events/batch"): {"events": [EVENT, EVENT]},
    ("POST", "/v1/users/batch"): {"users": [ADA]}, ("POST", "/v1/users/import"): {"users": [ADA]},
    ("POST", "/v1/session"): {"key": "sundial_sk_x"},
    ("PATCH", "/v1/events/{id}"): {"priority": "HIGH"}, ("POST", "/v1/events/{id}/complete"): {"version": 2},
    ("POST", "/v1/events/{id}/fail"): {"version": 2}, ("POST", "/v1/events/{id}/release"): {"version": 2},
    ("POST", "/v1/events/{id}/extend"): {"version": 2, "lease": "PT30S"},
    ("POST", "/v1/endpoints"): {"name": "Q", "type": "PULL"}, ("PATCH", "/v1/endpoints/{id}"): {"name": "Q"},
    ("PUT", "/v1/endpoints/{id}"): {"name": "Q"},
    ("POST", "/v1/endpoints/{id}/claim"): {"worker": "w"}, ("POST", "/v1/schedules"): SCHEDULE,
    ("PUT", "/v1/schedules/{id}"): SCHEDULE, ("PATCH", "/v1/schedules/{id}"): {"note": "n"},
    ("POST", "/v1/schedules/{id}/backfill"): {"from": "2026-01-01T00:00:00Z", "to": "2026-01-02T00:00:00Z"},
    ("POST", "/v1/schedules/bulk"): {"action": "pause", "filter": {"tag": "none"}, "dryRun": True},
    ("POST", "/v1/preview"): {"schedule": {"trigger": {"every": "PT1H"}, "timezone": "UTC"}},
    ("POST", "/v1/bulk"): {"resource": "events", "action": "cancel", "filter": {"status": "PENDING"}, "dryRun": True},
    ("POST", "/v1/api-keys"): {"name": "k", "role": "READ"}, ("POST", "/v1/calendars"): {"scheduleId": "ext:none"},
    ("POST", "/v1/streams/{aggregateType}/{aggregateId}"): {"events": [{"eventType": "Made", "data": {}}]},
    ("PUT", "/v1/streams/{aggregateType}/{aggregateId}/snapshot"): {"version": 1, "schemaVersion": 1, "state": {}},
    ("PUT", "/v1/clock"): {"now": "2027-01-05T12:00:00Z"}, ("POST", "/v1/clock/advance"): {"by": "PT1S"},
    ("PUT", "/v1/checkpoints/{name}"): {"position": 0, "previous": 0},
    ("POST", "/v1/locks/{name}"): {"holder": "job"}, ("PUT", "/v1/locks/{name}"): {"lockToken": "t"},
}
# The first three with the bodies above; the cookies of a browser are never kept.
WITHOUT_EFFECT = {("POST", "/v1/preview"), ("POST", "/v1/bulk"), ("POST", "/v1/schedules/bulk"), ("POST", "/v1/session"), ("DELETE", "/v1/session")}
HEADERS = {("DELETE", "/v1/locks/{name}"): {"Sundial-Lock-Token": "t"}}


def every_operation(kind):
    """Each operation that changes something answers a repetition with its first answer, whatever that is."""
    with h.folder() as directory, h.database(kind, directory) as url:
        server = serve(url, directory)
        client = server.client()
        document = client.ok("GET", "/openapi.json")
        made = client.ok("POST", "/v1/api-keys", {"name": "root", "role": "ADMIN"})
        admin = {"Authorization": f"Bearer {made['key']}"}
        seen = collections.Counter()
        for path, operations in document["paths"].items():
            for method in sorted(set(operations) & {"post", "put", "patch", "delete"}):
                operation = (method.upper(), path)
                where = path.replace("{id}", NOBODY).replace("{aggregateType}", "Order").replace("{name}", "n")
                where = where.replace("{aggregateId}", "1").replace("{number}", "1")
                headers = {**admin, **key(f"walk-{method}-{path}"), **HEADERS.get(operation, {})}
                first, second = (client.call(operation[0], where, BODIES.get(operation), headers) for _ in range(2))
                about = (operation, first.status, first.body, second.status, second.body)
                seen[first.status] += 1
                if first.status in (400, 412, 415):
                    raise AssertionError(f"not a valid request, so nothing is shown: {about}")
                if json.loads(first.body or b"{}").get("retryable"):
                    continue
                if operation in WITHOUT_EFFECT:
                    assert not replayed(first) and not replayed(second), about
                    continue
                assert not replayed(first) and replayed(second), about
                assert (second.status, second.body) == (first.status, first.body), about
                for name in ("Content-Type", "Location", "ETag"):
                    assert first.headers.get(name) == second.headers.get(name), (name, about)
                assert first.headers["X-Request-Id"] != second.headers["X-Request-Id"]
        print(f"{kind}: {sum(seen.values())} operations replay their answers: {dict(seen)}")
        assert server.stop() == 0


def requests(kind):
    """Which requests count as the same, and which parts of a response are kept."""
    with h.folder() as directory, h.database(kind, directory) as url:
        server = serve(url, directory)
        client = server.client()
        admin = {"Authorization": f"Bearer {client.ok('POST', '/v1/api-keys', {'name': 'root', 'role': 'ADMIN'})['key']}"}

        def ask(method, path, body, name, expected, replay=False, **headers):
            answer = client.call(method, path, body, {**admin, **key(name), **headers})
            assert (answer.status, replayed(answer)) == (expected, replay), (method, path, answer.status, answer.body)
            return answer

        def people():
            return len(json.loads(client.call("GET", "/v1/users", headers=admin).body)["data"])

        first = ask("POST", "/v1/users", ADA, "made", 201)
        backwards = dict(reversed(ADA.items()))
        assert ask("POST", "/v1/users", backwards, '"made"', 201, replay=True).body == first.body  # ID03
        ask("POST", "/v1/users", {**ADA, "lastName": "Lo"}, "made", 422)  # ID04
        person = f"/v1/users/{first.json()['id']}"
        rename = {"lastName": "Lo"}
        edited = {"If-Match": first.headers["ETag"]}
        moved = ask("PATCH", person, rename, "edit", 200, **edited)
        assert ask("PATCH", person, rename, "edit", 200, replay=True, **edited).body == moved.body  # ID17
        ask("PATCH", person, rename, "edit", 422)  # ID05: without If-Match
        ask("PUT", person, rename, "edit", 422, **edited)
        ask("PATCH", person + "?x=1", rename, "edit", 400, **edited)
        ask("PATCH", f"/v1/users/{NOBODY}", rename, "nobody", 404)
        ask("PATCH", f"/v1/users/{NOBODY}", rename, "nobody", 404, replay=True)  # ID13
        ask("POST", "/v1/users", {"firstName": ""}, "mended", 400)
        ask("PATCH", person, rename, "mended", 412, **{"If-Match": '"99"'})
        before = people()
        ask("POST", "/v1/users", ADA, "mended", 201)  # ID14, ID15: nothing was kept of the two
        ask("POST", "/v1/users", ADA, "k" * 256, 400)  # ID16
        assert people() == before + 1
        locked = client.call("POST", "/v1/locks/n", {"holder": "a"}, admin)
        assert locked.status == 201, locked.body
        ask("POST", "/v1/locks/n", {"holder": "b"}, "contended", 409)
        ask("POST", "/v1/locks/n", {"holder": "b"}, "contended", 409)  # ID14: it may be free the next time
        ask("GET", person, None, "read", 200)
        ask("GET", person, None, "read", 200)  # ID21
        weak = client.call("POST", "/v1/api-keys", {"name": "weak", "role": "READ"}, admin).json()["key"]
        refused = client.call("POST", "/v1/users", ADA, {"Authorization": f"Bearer {weak}", **key("made")})
        assert refused.status == 403 and not replayed(refused), refused.body  # ID20
        strong = client.call("POST", "/v1/api-keys", {"name": "strong", "role": "ADMIN"}, admin).json()["key"]
        other = client.call("POST", "/v1/users", ADA, {"Authorization": f"Bearer {strong}", **key("made")})
        assert other.status == 201 and not replayed(other), other.body  # ID06
        assert people() == before + 2
        assert server.stop() == 0


def at_once(kind):
    """Fifty at the same moment: one effect; the others see its answer, or that it is under way."""
    with h.folder() as directory, h.database(kind, directory) as url:
        server = serve(url, directory)
        answers = ask_at_once([server] * 50)
        tell(kind, answers)
        assert users(server.client()) == 1
        patient = server.client().call("POST", "/v1/users", ADA, {**key("k"), "Prefer": "wait=10"})
        assert patient.status == 201 and replayed(patient), patient.body
        assert server.stop() == 0


def three_instances():
    """The same key at three instances of one database; then one of them is killed."""
    with h.folder() as directory, h.postgres(migrated=True) as url:
        servers = [serve(url, directory) for _ in range(3)]
        answers = ask_at_once(servers * 8)
        tell("three instances", answers)
        assert users(servers[0].client()) == 1
        servers[0].kill()
        for server in servers[1:]:
            again = server.client().call("POST", "/v1/users", ADA, key("k"))
            assert again.status == 201 and replayed(again), again.body
            assert server.stop() == 0


def ask_at_once(servers):
    begin = threading.Barrier(len(servers))
    answers = [None] * len(servers)

    def ask(number):
        client = servers[number].client()
        begin.wait()
        answers[number] = client.call("POST", "/v1/users", ADA, key("k"))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(len(servers))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def tell(where, answers):
    first = [answer for answer in answers if answer.status == 201 and not replayed(answer)]
    others = [answer for answer in answers if answer.status == 201 and replayed(answer)]
    refused = [answer for answer in answers if answer.status == 409]
    assert len(first) == 1, [(a.status, a.headers, a.body) for a in answers]
    assert len(first) + len(others) + len(refused) == len(answers), [a.status for a in answers]
    assert all(answer.body == first[0].body for answer in others)
    assert all(answer.json()["code"] == "IDEMPOTENCY_IN_PROGRESS" and int(answer.headers["Retry-After"]) > 0
               for answer in refused)
    print(f"{where}: of {len(answers)} at once 1 was carried out, {len(others)} saw its answer, {len(refused)} were told to wait")


def killed(kind, rounds):
    """kill -9 before and after the commit, in turn: the repetition is carried out, or replayed; always one effect."""
    with h.folder() as directory, h.database(kind, directory) as url:
        for number in range(int(rounds)):
            after = number % 2 == 1
            server = serve(url, directory, f"answer once: {'after' if after else 'before'} commit:1")
            name = f"round-{number}"
            body = {**ADA, "externalId": name}
            try:
                server.client().call("POST", "/v1/users", body, key(name))
                raise AssertionError("it should have died")
            except (OSError, h.http.client.HTTPException):
                server.process.wait(timeout=h.HANG_GUARD)
            server = serve(url, directory)
            answer = server.client().call("POST", "/v1/users", body, key(name))
            assert answer.status == 201, (number, answer.status, answer.body)
            assert replayed(answer) == after, (number, answer.headers)
            again = server.client().call("POST", "/v1/users", body, key(name))
            assert replayed(again) and again.body == answer.body, (number, again.body)
            assert users(server.client()) == number + 1, number
            server.kill()
        print(f"{kind}: {rounds} kills, before and after the commit in turn: {rounds} users, each made once")


if __name__ == "__main__":
    h.main({f.__name__: f for f in (every_operation, requests, at_once, three_instances, killed)})
