"""Endpoints are put and deleted, over HTTP and by command; the birthday schedule is restored as the guide tells."""
import json
import os
import sqlite3
import subprocess
import threading
import time

import harness as h

MANY = 450  # more than two transactions cancel
BIRTHDAYS = {"eventType": "BIRTHDAY", "perUser": True, "trigger": {"yearly": {"on": "dateOfBirth", "at": "09:00"}},
             "payload": {"message": "Hey, {firstName} {lastName} it's your birthday"}}


def sundial(server, *arguments, text=None):
    done = subprocess.run([h.PROGRAM, *arguments, "--server", f"http://127.0.0.1:{server.port}"], input=text,
                          stdin=None if text is not None else subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=h.HANG_GUARD, check=False)
    return done.returncode, done.stdout, done.stderr


def event(client, target="now+48h"):
    return client.ok("POST", "/v1/events", {"eventType": "T", "targetTimestampUTC": target, "endpointId": "ext:queue",
                                            "deliveryPayload": {}})


def refused(answer, count):
    problem = answer.json()
    assert (answer.status, problem["code"], problem["count"]) == (409, "ENDPOINT_IN_USE", count), answer.body
    return problem


def deletion(client):
    made = client.ok("PUT", "/v1/endpoints/ext:queue", {"name": "Q", "type": "PULL", "maxInFlight": 9})
    same = client.call("PUT", "/v1/endpoints/ext:queue", {"name": "Q", "type": "PULL", "maxInFlight": 9})
    assert (same.status, same.json()["version"]) == (200, 1), same.body
    event(client, "now")
    held = h.wait_until(lambda: client.ok("POST", "/v1/endpoints/ext:queue/claim", {"worker": "w"})["data"], "a claim")[0]
    wanted = {"eventType": "T", "targetTimestampUTC": "now+48h", "endpointId": "ext:queue", "deliveryPayload": {}}
    client.ok("POST", "/v1/events/batch", {"events": [wanted] * MANY})

    refused(client.call("DELETE", "/v1/endpoints/ext:queue"), MANY + 1)
    assert client.ok("GET", "/v1/endpoints/ext:queue")["version"] == 1
    problem = refused(client.call("DELETE", "/v1/endpoints/ext:queue?cancelEvents=true"), 1)
    assert "claimed" in problem["detail"], problem
    assert not client.ok("GET", "/v1/endpoints/ext:queue")["enabled"]
    client.ok("POST", f"/v1/events/{held['id']}/complete", {"version": held["version"]})
    assert client.call("DELETE", "/v1/endpoints/ext:queue?cancelEvents=true").status == 204
    assert client.call("GET", "/v1/endpoints/ext:queue").json()["code"] == "ENDPOINT_NOT_FOUND"
    ended = client.all(f"/v1/events?endpointId={made['id']}&limit=500")
    assert sorted(one["status"] for one in ended) == ["CANCELLED"] * MANY + ["COMPLETED"], len(ended)
    last = [one for one in client.ok("GET", "/v1/feed?aggregateType=Endpoint&limit=500")["data"]][-1]
    assert (last["eventType"], last["aggregateId"]) == ("EndpointDeleted", made["id"]), last


def at_once(server):
    """Four callers delete one endpoint: one of them succeeds."""
    client = server.client()
    for _ in range(10):
        client.ok("PUT", "/v1/endpoints/ext:queue", {"name": "Q", "type": "PULL"})
        event(client)
        statuses = []
        callers = [threading.Thread(target=lambda: statuses.append(
            server.client().call("DELETE", "/v1/endpoints/ext:queue?cancelEvents=true").status)) for _ in range(4)]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join()
        assert sorted(statuses) == [204, 404, 404, 404], statuses


def commands(server, client, directory):
    path = os.path.join(directory, "queue.json")
    with open(path, "w") as file:
        json.dump({"name": "Q", "type": "PULL", "maxInFlight": 9}, file)
    code, out, _ = sundial(server, "endpoint", "put", "ext:queue", path)
    assert code == 0 and "ext:queue  PULL  enabled" in out and "secret" not in out, out
    code, out, err = sundial(server, "endpoint", "put", "ext:hook",
                             text='{"name":"H","type":"WEBHOOK","url":"http://127.0.0.1:9/hook"}')
    assert code == 0 and "secret whsec_" in out and "only once" in err, (out, err)
    assert sundial(server, "endpoint", "put", "ext:hook", "none.json")[0] == 2
    assert sundial(server, "endpoint", "put", "ext:hook", text="{}")[0] == 2
    event(client)
    code, _, err = sundial(server, "endpoint", "delete", "ext:queue")
    assert code == 2 and "give -y" in err, err
    code, _, err = sundial(server, "endpoint", "delete", "ext:queue", "-y")
    assert code == 4 and "1 live event points to the endpoint" in err, err
    code, out, _ = sundial(server, "endpoint", "delete", "ext:queue", "-y", "--cancel-events")
    assert (code, out) == (0, "deleted\n"), out
    assert sundial(server, "endpoint", "delete", "ext:queue", "-y")[0] == 3


def birthdays(client):
    client.ok("POST", "/v1/users", {"firstName": "Ada", "lastName": "Li", "dateOfBirth": "1992-02-29",
                                    "timezone": "Europe/Paris"})
    before = client.ok("GET", "/v1/schedules/ext:birthday")
    planned = client.ok("GET", "/v1/events?eventType=BIRTHDAY&status=PENDING")["data"]
    assert client.call("DELETE", "/v1/schedules/ext:birthday").status == 204
    assert client.call("PUT", "/v1/schedules/ext:birthday", BIRTHDAYS).status == 201

    def keys():
        return [one["idempotencyKey"] for one in client.ok("GET", "/v1/events?eventType=BIRTHDAY&status=PENDING")["data"]]
    h.wait_until(lambda: keys() == [one["idempotencyKey"] for one in planned] != [], "the birthday to be planned again")
    after = client.ok("GET", "/v1/schedules/ext:birthday")
    for own in ("id", "version", "createdAt", "updatedAt"):
        assert before.pop(own) is not None and after.pop(own) is not None
    assert after == before, (before, after)


def inbox_in_trouble():
    """An inbox that answers 503, then too late, then as usual: retries, time-outs and refused settings."""
    with h.folder() as directory, h.running("serve", "--db", os.path.join(directory, "sundial.db"), "--ui.inbox=true",
                                            "--delivery.circuit.min_calls=1000", folder=directory) as server:
        client = server.client()
        client.ok("POST", "/v1/endpoints", {"name": "bin", "type": "INBOX", "externalId": "bin", "timeout": "PT20S",
                                            "retryPolicy": {"delays": ["PT1S"]}, "inboxStatus": "400"})

        def event():
            return client.ok("POST", "/v1/events", {"eventType": "T", "targetTimestampUTC": "now", "endpointId": "ext:bin",
                                                    "deliveryPayload": {}})["id"]

        def attempt(identifier):
            return h.wait_until(lambda: client.ok("GET", f"/v1/attempts?eventId={identifier}")["data"], "an attempt")[-1]
        refused = event()
        h.wait_until(lambda: client.ok("GET", f"/v1/events/{refused}")["failureReason"] == "HTTP_STATUS 400", "the refusal")
        assert len(client.ok("GET", "/v1/endpoints/ext:bin/inbox")["data"]) == 1, "a refused request was received nevertheless"
        code, out, err = sundial(server, "endpoint", "set", "ext:bin", "--inbox-status", "503")
        assert code == 0 and client.ok("GET", "/v1/endpoints/ext:bin")["inboxStatus"] == "503", (out, err)
        failing = event()
        first = attempt(failing)
        assert (first["outcome"], first["statusCode"]) == ("RETRYABLE", 503), first
        client.ok("PATCH", "/v1/endpoints/ext:bin", {"inboxStatus": None, "inboxDelay": "PT5S", "timeout": "PT1S"})
        asked = time.monotonic()
        late = event()
        timed_out = attempt(late)
        assert time.monotonic() - asked >= 1, "the answer takes its time"
        assert timed_out["error"]["code"] == "TIMEOUT" and timed_out["durationMs"] >= 1000, timed_out
        assert "inboxStatus" not in client.ok("PATCH", "/v1/endpoints/ext:bin", {"inboxDelay": "PT0S", "timeout": "PT20S"})
        good = event()
        h.wait_until(lambda: client.ok("GET", f"/v1/events/{good}")["status"] == "COMPLETED", "a delivery")
        for wrong in ({"inboxStatus": "199"}, {"inboxStatus": "abc"}, {"inboxDelay": "PT61S"}, {"inboxDelay": "P1M"}):
            answer = client.call("PATCH", "/v1/endpoints/ext:bin", wrong)
            assert answer.status == 400 and answer.json()["errors"][0]["pointer"] == "/" + next(iter(wrong)), answer.body
        client.ok("POST", "/v1/endpoints", {"name": "q", "type": "PULL", "externalId": "q"})
        assert client.call("PATCH", "/v1/endpoints/ext:q", {"inboxStatus": "503"}).status == 400
        assert server.stop() == 0


def signed_inbox():
    """An inbox signs once it has a secret. Each kept request says which secret signed it, and a changed body is found."""
    with h.folder() as directory:
        database = os.path.join(directory, "sundial.db")
        with h.running("serve", "--db", database, "--ui.inbox=true", folder=directory) as server:
            client = server.client()
            made = client.ok("POST", "/v1/endpoints", {"name": "bin", "type": "INBOX", "externalId": "bin"})
            assert "secret" not in made and made["secretHint"] is None, made

            def received():
                """Sends one more. Returns the results of the checks of all requests, the latest first."""
                before = len(client.ok("GET", "/v1/endpoints/ext:bin/inbox")["data"])
                client.ok("POST", "/v1/events", {"eventType": "T", "targetTimestampUTC": "now", "endpointId": "ext:bin",
                                                 "deliveryPayload": {"text": "x"}})
                kept = h.wait_until(lambda: len(client.ok("GET", "/v1/endpoints/ext:bin/inbox")["data"]) > before
                                    and client.ok("GET", "/v1/endpoints/ext:bin/inbox")["data"], "a request")
                return [(one["signature"]["state"], one["signature"]["secret"]) for one in kept]
            assert received() == [("MISSING", None)]
            rotated = client.ok("POST", "/v1/endpoints/ext:bin/rotate-secret", {})
            assert rotated["secret"].startswith("whsec_"), rotated
            assert received() == [("VALID", "CURRENT"), ("MISSING", None)]
            request = client.ok("GET", "/v1/endpoints/ext:bin/inbox?limit=1")["data"][0]
            assert 0 <= request["signature"]["ageMs"] < 300_000 and "whsec_" not in json.dumps(request), request
            # The old secret signs beside the new one. Once it is gone, its own signatures are not valid any more.
            client.ok("POST", "/v1/endpoints/ext:bin/rotate-secret", {"oldSignsFor": "PT1H"})
            assert received()[:2] == [("VALID", "CURRENT"), ("VALID", "PREVIOUS")]
            client.ok("POST", "/v1/endpoints/ext:bin/rotate-secret", {"oldSignsFor": "PT0S"})
            assert received()[:2] == [("VALID", "CURRENT"), ("INVALID", None)]
            code, out, err = sundial(server, "inbox", "list", "ext:bin")
            lines = [line.split() for line in out.splitlines()]
            assert code == 0 and lines[0][2:4] == ["signature", "secret"] and "VALID" in lines[1] and "MISSING" in lines[4], (out, err)
            assert server.stop() == 0
        # Someone changes the body where it is kept.
        with sqlite3.connect(database) as stored:
            stored.execute("""UPDATE inbox_requests SET body = CAST(replace(CAST(body AS TEXT), '"x"', '"y"') AS BLOB)""")
        stored.close()
        with h.running("serve", "--db", database, "--ui.inbox=true", folder=directory) as server:
            kept = server.client().ok("GET", "/v1/endpoints/ext:bin/inbox")["data"]
            assert all('"y"' in one["body"] for one in kept), kept
            assert [one["signature"]["state"] for one in kept] == ["INVALID"] * 3 + ["MISSING"], kept
            assert server.stop() == 0


def put_and_delete(kind):
    with h.folder() as directory, h.database(kind, directory) as url:
        with h.running("serve", "--db", url, *h.LOCAL_RECEIVERS, "--delivery.allow_http=true", folder=directory) as server:
            client = server.client()
            deletion(client)
            at_once(server)
            commands(server, client, directory)
            birthdays(client)
            assert server.stop() == 0


if __name__ == "__main__":
    h.main({"put_and_delete": put_and_delete, "inbox_in_trouble": inbox_in_trouble, "signed_inbox": signed_inbox})
