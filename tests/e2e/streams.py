"""Streams over HTTP: append with an expected version, read, repeat, snapshots, and the feed that has all of it: by
pages, waited for, and followed, with checkpoints."""
import json
import os
import subprocess
import threading
import uuid

import harness as h


def fact(**data):
    return {"eventId": str(uuid.uuid4()), "eventType": "OrderPlaced", "data": data}


def append(client, stream, events, expected=None, headers=None):
    body = {"events": events} if expected is None else {"expectedVersion": expected, "events": events}
    return client.call("POST", f"/v1/streams/{stream}", body, headers)


def code(answer):
    return answer.status, answer.json()["code"]


def appends_and_repeats(client):
    batch = [fact(n=1), fact(n=2)]
    first = append(client, "Order/17", batch, "NO_STREAM")
    assert first.status == 201 and first.headers["ETag"] == '"2"', first.body
    appended = first.json()
    assert (appended["firstVersion"], appended["lastVersion"], appended["replayed"]) == (1, 2, False), appended
    again = append(client, "Order/17", batch, 0)
    assert again.status == 200 and again.json() == {**appended, "replayed": True}, again.body
    refused = append(client, "Order/17", [fact(n=3)], "NO_STREAM")
    assert code(refused) == (409, "OPTIMISTIC_LOCK"), refused.body
    assert refused.json()["expectedVersion"] == 0 and refused.json()["actualVersion"] == 2, refused.body
    reused = append(client, "Order/18", [batch[0]])
    assert code(reused) == (422, "EVENT_ID_REUSED"), reused.body
    assert reused.json()["conflicts"] == [{"eventId": batch[0]["eventId"], "reason": "OTHER_STREAM", "stream": {
        "aggregateType": "Order", "aggregateId": "17"}, "version": 1}], reused.body


def keeps_bytes(client):
    """Events are read exactly as they were sent, number by number."""
    raw = '{"b" : [1.0, 1e2, "\\u00fc"],"a":0}'
    body = '{"events":[{"eventType":"Odd","data":%s}]}' % raw
    assert client.call("POST", "/v1/streams/Odd/%C3%BC%201", body.encode()).status == 201
    read = client.call("GET", "/v1/streams/Odd/%C3%BC%201")
    assert raw in read.body.decode() and read.json()["aggregateId"] == "ü 1", read.body


def conditions(client):
    """Table HP01, HP02."""
    def at(headers, expected=None):
        return append(client, "Order/17", [fact()], expected, headers)
    assert code(at({"If-None-Match": "*"})) == (412, "OPTIMISTIC_LOCK")
    assert code(at({"If-Match": '"7"'})) == (412, "OPTIMISTIC_LOCK")
    assert code(at({"If-Match": 'W/"2"'})) == (412, "OPTIMISTIC_LOCK")
    assert code(at({"If-Match": '"2"'}, 1)) == (400, "VALIDATION_FAILED")
    assert at({"If-Match": '"2"'}, 2).status == 201
    assert at({"If-Match": '"9", "3"'}).status == 201
    assert at({"If-Match": "*"}).status == 201
    absent = append(client, "Order/none", [fact()], None, {"If-Match": '"1"'})
    assert code(absent) == (412, "OPTIMISTIC_LOCK") and absent.json()["actualVersion"] == 0, absent.body
    etag = client.call("GET", "/v1/streams/Draft/1").headers["ETag"]
    assert append(client, "Draft/1", [fact()], None, {"If-Match": etag}).status == 201, etag


def bad_input(client):
    for body, pointer in (({"events": []}, "/events"), ({"events": [{"eventType": "A"}]}, "/events/0/data"),
                          ({"events": [{"eventType": "a b", "data": 1}]}, "/events/0/eventType"),
                          ({"events": [{"eventType": "A", "data": 1, "eventId": "x" * 36}]}, "/events/0/eventId"),
                          ({"expectedVersion": -3, "events": [fact()]}, "/expectedVersion"),
                          ({"expectedVersion": "SOME", "events": [fact()]}, "/expectedVersion")):
        refused = client.call("POST", "/v1/streams/Bad/1", body)
        assert refused.status == 400 and refused.json()["errors"][0]["pointer"] == pointer, refused.body
    assert code(append(client, "User/1", [fact()])) == (400, "VALIDATION_FAILED")
    snapshot = client.call("PUT", "/v1/streams/User/1/snapshot", {"version": 1, "state": {}})
    assert code(snapshot) == (400, "VALIDATION_FAILED"), snapshot.body
    assert snapshot.json()["errors"][0]["pointer"] == "/aggregateType", snapshot.body
    assert code(append(client, "no%20type/1", [fact()])) == (400, "VALIDATION_FAILED")
    assert client.ok("GET", "/v1/streams/Bad/1")["version"] == 0


def reads(client):
    stream = client.ok("GET", "/v1/streams/Order/17?fromVersion=2&toVersion=3")
    assert [event["version"] for event in stream["data"]] == [2, 3] and stream["version"] == 5, stream
    last = client.ok("GET", "/v1/streams/Order/17?direction=backward&limit=1")["data"]
    assert [event["version"] for event in last] == [5], last
    listed = client.all("/v1/streams?aggregateType=Order&limit=1")
    assert [stream["aggregateId"] for stream in listed] == ["17"], listed

    state = {"version": 5, "schemaVersion": 2, "state": {"total": 7}}
    assert code(client.call("GET", "/v1/streams/Order/17/snapshot")) == (404, "AGGREGATE_NOT_FOUND")
    assert client.ok("PUT", "/v1/streams/Order/17/snapshot", state) == state
    assert client.ok("PUT", "/v1/streams/Order/17/snapshot", {"version": 1, "state": {}}) == state
    ahead = client.call("PUT", "/v1/streams/Order/17/snapshot", {"version": 6, "state": {}})
    assert ahead.status == 400, ahead.body


def follow(client, path):
    """All of the feed, page by page."""
    after, seen = 0, []
    while True:
        page = client.ok("GET", f"{path}&after={after}")
        seen += page["data"]
        after = page["nextPosition"]
        if not page["hasMore"]:
            return seen


def control_plane(client):
    """The audit trail: each change of a user is in the user's stream, at the user's version."""
    user = client.ok("POST", "/v1/users", {"firstName": "Ada", "lastName": "Li", "dateOfBirth": "1992-02-29",
                                           "timezone": "Europe/Paris"})
    client.ok("PATCH", f"/v1/users/{user['id']}", {"timezone": "Asia/Tokyo"})
    stream = client.ok("GET", f"/v1/streams/User/{user['id']}")
    assert [(event["version"], event["eventType"]) for event in stream["data"]] == [
        (1, "UserCreated"), (2, "UserUpdated")], stream
    assert stream["data"][1]["data"] == {"timezone": "Asia/Tokyo"}, stream
    assert client.call("DELETE", f"/v1/users/{user['id']}").status == 204
    assert code(client.call("GET", f"/v1/streams/User/{user['id']}")) == (410, "STREAM_DELETED")
    headers = [event for event in follow(client, "/v1/feed?aggregateType=User&limit=7")
               if event["aggregateId"] == user["id"]]
    assert [event["eventType"] for event in headers] == ["UserCreated", "UserUpdated", "UserDeleted"], headers
    assert all(event["deleted"] and event["data"] is None for event in headers), headers


def deleted_schedules(client):
    schedule = client.ok("POST", "/v1/schedules", {"eventType": "T", "timezone": "UTC", "trigger": {"every": "PT1H"}, "payload": {}})
    path = f"/v1/streams/Schedule/{schedule['id']}"
    assert [event["eventType"] for event in client.ok("GET", path)["data"]] == ["ScheduleCreated"]
    assert client.call("DELETE", f"/v1/schedules/{schedule['id']}").status == 204
    assert code(client.call("GET", path)) == (410, "STREAM_DELETED")


def many_writers(server):
    """Eight clients append to four streams while one follows the feed."""
    committed, seen, running = [], [], []
    lock = threading.Lock()

    def write(number):
        client = server.client()
        for turn in range(25):
            events = [fact(n=turn) for _ in range(1 + turn % 3)]
            assert append(client, f"Race/{(number + turn) % 4}", events).status == 201
            with lock:
                committed.extend(event["eventId"] for event in events)

    def read():
        client, after = server.client(), 0
        while True:
            last = not any(thread.is_alive() for thread in running)
            page = client.ok("GET", f"/v1/feed?aggregateType=Race&limit=9&after={after}")
            seen.extend(page["data"])
            after = page["nextPosition"]
            if last and not page["hasMore"]:
                return

    running += [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in running:
        thread.start()
    read()
    assert sorted(event["eventId"] for event in seen) == sorted(committed)
    assert len(committed) == 8 * 49, len(committed)
    positions = [event["position"] for event in seen]
    assert positions == sorted(set(positions))
    for stream in range(4):
        versions = [event["version"] for event in seen if event["aggregateId"] == str(stream)]
        assert versions == list(range(1, len(versions) + 1))


def waits(server):
    """A long poll is answered once something that it asks for is there, and not before."""
    client, waiting = server.client(), server.client()
    end = client.ok("GET", "/v1/feed?limit=1&after=0&aggregateType=Nobody")["nextPosition"]
    assert client.ok("GET", f"/v1/feed?after={end}&wait=PT1S")["data"] == []
    answers = []
    thread = threading.Thread(target=lambda: answers.append(
        waiting.ok("GET", f"/v1/feed?after={end}&aggregateType=Late&wait=PT30S")))
    thread.start()
    assert append(client, "Other/1", [fact()]).status == 201  # nothing that it asks for
    assert append(client, "Late/1", [fact(n=7)]).status == 201
    thread.join()
    assert [event["data"] for event in answers[0]["data"]] == [{"n": 7}], answers
    assert client.call("GET", "/v1/feed?wait=PT61S").status == 400


class Sent:
    """Server-sent events of the feed, as a browser reads them: it connects again if the server ends the answer, as it may
    while it is short of connections to the database."""

    def __init__(self, server, query, headers=None):
        self.server, self.query, self.headers = server, query, {"Accept": "text/event-stream", **(headers or {})}
        self.connect()

    def connect(self):
        self.connection = self.server.client().connect(h.HANG_GUARD)
        self.connection.request("GET", f"/v1/feed?{self.query}", headers=self.headers)
        self.answer = self.connection.getresponse()
        assert self.answer.status == 200 and self.answer.headers["Content-Type"] == "text/event-stream"

    def next(self):
        """Id and data of the next event that has some."""
        fields = {}
        while True:
            line = self.answer.readline().decode()
            if not line:
                fields = {}
                self.connect()
            elif line != "\n":
                name, _, value = line.rstrip("\n").partition(": ")
                fields[name] = fields[name] + "\n" + value if name in fields else value
            else:
                self.headers["Last-Event-ID"] = fields.get("id", self.headers.get("Last-Event-ID", ""))
                if "data" in fields:
                    return int(fields["id"]), json.loads(fields["data"])
                fields = {}


def follows(server):
    client = server.client()
    first = append(client, "Sent/1", [fact(n=1), fact(n=2)]).json()
    sent = Sent(server, "aggregateType=Sent")
    assert [sent.next()[1]["data"]["n"] for _ in range(2)] == [1, 2]
    raw = b'{"events":[{"eventType":"Odd","data":{"a":\r\n 1,\n"b":2}}]}'
    assert client.call("POST", "/v1/streams/Sent/1", raw).status == 201
    position, event = sent.next()
    assert event["data"] == {"a": 1, "b": 2} and position == event["position"], event
    again = Sent(server, "aggregateType=Sent", {"Last-Event-ID": str(first["firstPosition"])})
    assert again.next()[1]["data"]["n"] == 2
    for odd in ("zzz", "1x", "-1", "9223372036854775808"):
        refused = client.call("GET", "/v1/feed", headers={"Accept": "text/event-stream", "Last-Event-ID": odd})
        assert code(refused) == (400, "VALIDATION_FAILED") and "Last-Event-ID" in refused.body.decode(), refused.body
    # Many who follow hold no thread: others are served meanwhile.
    many = [Sent(server, "aggregateType=Sent&after=" + str(position)) for _ in range(40)]
    assert append(client, "Sent/1", [fact(n=9)]).status == 201
    assert all(one.next()[1]["data"]["n"] == 9 for one in many)


def checkpoints(client):
    path = "/v1/checkpoints/totals"
    assert client.ok("GET", path) == {"name": "totals", "position": 0, "eventId": None, "fencingToken": 0,
                                      "holder": None}
    first, second = client.ok("GET", "/v1/feed?limit=2")["data"]
    step = {"position": first["position"], "eventId": first["eventId"], "previous": 0, "fencingToken": 3}
    assert client.ok("PUT", path, step)["position"] == first["position"]
    conflict = client.call("PUT", path, step)
    assert code(conflict) == (409, "CHECKPOINT_CONFLICT") and conflict.json()["position"] == first["position"]
    step = {"position": second["position"], "eventId": second["eventId"], "previous": first["position"]}
    lost = client.call("PUT", path, step)
    assert code(lost) == (409, "LEASE_LOST") and lost.json()["name"] == "totals", lost.body
    other = {**step, "eventId": str(uuid.uuid4()), "fencingToken": 4}
    diverged = client.call("PUT", path, other)
    assert code(diverged) == (409, "FEED_DIVERGED") and diverged.json()["eventId"] == other["eventId"], diverged.body
    assert client.ok("PUT", path, {**step, "fencingToken": 4})["fencingToken"] == 4
    assert code(client.call("GET", "/v1/checkpoints/no%20name")) == (400, "VALIDATION_FAILED")
    assert code(client.call("PUT", path, {**step, "eventId": "x" * 36})) == (400, "VALIDATION_FAILED")


def command_line(server):
    def sundial(*arguments, code=0):
        done = subprocess.run([h.PROGRAM, "stream", *arguments, "--server", f"http://127.0.0.1:{server.port}"],
                              capture_output=True, text=True, timeout=h.HANG_GUARD)
        assert done.returncode == code, (arguments, done)
        return done.stdout

    assert "version 1" in sundial("append", "Cli", "a b/1", "Said", '{"n":1}', "--expect", "NO_STREAM")
    sundial("append", "Cli", "a b/1", "Said", "--expect", "7", code=4)
    assert "version 2" in sundial("append", "Cli", "a b/1", "Said", "--expect", "1")
    assert [line.split() for line in sundial("list", "Cli").splitlines()] == [["type", "stream", "version"], ["Cli", "a", "b/1", "2"]]
    assert [line.split()[-3:] for line in sundial("read", "Cli", "a b/1").splitlines()] == [
        ["version", "event", "data"], ["1", "Said", '{"n":1}'], ["2", "Said", "{}"]]
    lines = [json.loads(line) for line in sundial("follow", "Cli", "--once", "--json").splitlines()]
    assert [line["version"] for line in lines] == [1, 2]


def ends_with_the_server(server):
    """Requests that follow or wait end at once when the server stops."""
    sent = Sent(server, "aggregateType=Nobody")
    end = server.client().ok("GET", "/v1/feed?aggregateType=Nobody")["nextPosition"]
    waiting = server.client().connect(h.HANG_GUARD)
    waiting.request("GET", "/livez")  # a connection that the server has not accepted by the end of a stop gets no answer
    waiting.getresponse().read()
    waiting.request("GET", f"/v1/feed?after={end}&wait=PT30S")
    server.stop()
    assert json.loads(waiting.getresponse().read())["data"] == []
    assert b"data:" not in sent.answer.read()


def versions_required(kind):
    """With http.require_if_match each way of naming a version does, and none is 428."""
    body = {"events": [{"eventType": "Said", "data": {}}]}
    with h.folder() as directory, h.database(kind, directory) as database, \
            h.running("serve", "--db", database, "--http.require_if_match=true", folder=directory) as server:
        client = server.client()

        def append(stream, body=body, **headers):
            return client.call("POST", f"/v1/streams/Strict/{stream}", body, {name.replace("_", "-"): value for name, value in headers.items()}).status
        assert append(1) == 428
        assert append(1, If_None_Match="*") == 201
        assert append(1, If_None_Match="*") == 412
        assert append(1, If_None_Match='"1"') == 400
        assert append(2, {**body, "expectedVersion": "NO_STREAM"}) == 201
        assert append(2, {**body, "expectedVersion": 1}) == 201
        assert append(2, If_Match='"2"') == 201
        unquoted = client.call("POST", "/v1/streams/Strict/2", body, {"If-Match": "3"})
        assert unquoted.status == 412 and "names no version" in unquoted.json()["detail"], unquoted.body
        event = client.ok("POST", "/v1/events", {"eventType": "A", "targetTimestampUTC": "now+1h", "deliveryPayload": 1})
        assert client.call("DELETE", f"/v1/events/{event['id']}").status == 428
        done = subprocess.run([os.environ["SUNDIAL"], "event", "cancel", event["id"], "-y", "--server", f"http://127.0.0.1:{server.port}"],
                              capture_output=True, text=True, timeout=h.HANG_GUARD, check=False)
        assert (done.returncode, done.stdout) == (0, f"{event['id']}  CANCELLED\n"), (done.stdout, done.stderr)


def main(kind):
    versions_required(kind)
    with h.folder() as directory, h.database(kind, directory) as database, \
            h.running("serve", "--db", database, folder=directory) as server:
        client = server.client()
        appends_and_repeats(client)
        keeps_bytes(client)
        conditions(client)
        bad_input(client)
        reads(client)
        control_plane(client)
        deleted_schedules(client)
        many_writers(server)
        waits(server)
        follows(server)
        checkpoints(client)
        command_line(server)
        ends_with_the_server(server)


if __name__ == "__main__":
    import sys
    main(sys.argv[1])
