"""Many write at once over HTTP. HP06: a hundred want the same unique thing; one creates it, 99 get its error code, none gets
a 500. HP04: two edit a version that both have read; one succeeds, the other gets the current version.

usage: racing_writes.py sqlite|postgres
"""
import collections
import sys
import threading

import harness as h

CLIENTS = 100
ROUNDS = 10
USER = {"firstName": "Ada", "lastName": "Li", "dateOfBirth": "1992-03-01", "timezone": "Europe/Paris", "externalId": "ada"}
EVENT = {"eventType": "REMINDER", "targetTimestampUTC": "now+7d", "idempotencyKey": "renewal-1", "deliveryPayload": {}}


def at_once(server, count, ask):
    """The results of `ask(client, number)` in threads that begin together."""
    begin = threading.Barrier(count)
    answers = []

    def run(number):
        client = server.client()
        client.get("/v1/clock")  # connected
        begin.wait()
        answers.append(ask(client, number))

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def make(server, path, body):
    """How often which status came, with its code."""
    answers = at_once(server, CLIENTS, lambda client, _: client.call("POST", path, body))
    return collections.Counter((answer.status, answer.json().get("code")) for answer in answers)


def edit(server, version):
    def patch(client, number):
        body = {"lastName": f"Li the {version}.{number}"}
        return client.call("PATCH", "/v1/users/ext:ada", body, {"If-Match": f'"{version}"'})

    done, refused = sorted(at_once(server, 2, patch), key=lambda answer: answer.status)
    assert done.status == 200 and done.json()["version"] == version + 1, done.body
    assert refused.status == 412 and refused.json()["actualVersion"] == version + 1, refused.body


def check(kind):
    with h.folder() as directory, h.database(kind, directory) as db, \
            h.running("serve", "--db", db, *h.LOCAL_RECEIVERS, folder=directory) as server:
        users = make(server, "/v1/users", USER)
        assert users == {(201, None): 1, (409, "DUPLICATE_EXTERNAL_ID"): CLIENTS - 1}, users
        events = make(server, "/v1/events", EVENT)
        assert events == {(201, None): 1, (409, "DUPLICATE_IDEMPOTENCY_KEY"): CLIENTS - 1}, events
        client = server.client()
        assert len(client.ok("GET", "/v1/users")["data"]) == 1
        assert len(client.ok("GET", "/v1/events?idempotencyKey=renewal-1")["data"]) == 1
        for version in range(1, ROUNDS + 1):
            edit(server, version)
    print(f"one of {CLIENTS} makes it, one of two edits it: passed")


check(sys.argv[1])
