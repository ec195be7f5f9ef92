"""Attempts: which ones count, when they began, and the numbers that their receiver sees."""
import datetime
import subprocess
import threading
import time

import harness as h

NO_CIRCUIT = "--delivery.circuit.min_calls=1000"
LEASE = ("--scheduler.lease=PT15S", "--delivery.timeout=PT5S")


class Receiver(h.Receiver):
    """Keeps the headers of each request. Answers `status`; on the status None it answers nothing until it is let go."""

    def __init__(self, status=204):
        self.lock = threading.Lock()
        self.status, self.headers = status, []
        self.let_go = threading.Event()
        receiver = self

        class Handler(h.ReceiverHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                with receiver.lock:
                    receiver.headers.append(dict(self.headers))
                    status = receiver.status
                if status is None:
                    receiver.let_go.wait(h.HANG_GUARD)
                    return
                self.send_response_only(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

        self.serve(Handler)

    def count(self):
        with self.lock:
            return len(self.headers)

    def answer(self, status):
        with self.lock:
            self.status = status
        self.let_go.set()


def endpoint(client, url, **members):
    return client.ok("POST", "/v1/endpoints", {"name": "receiver", "type": "WEBHOOK", "externalId": "r", "url": url,
                                               **members})


def event(client, key, **members):
    return client.ok("POST", "/v1/events", {"eventType": "REMINDER", "targetTimestampUTC": "now", "endpointId": "ext:r",
                                            "deliveryPayload": {}, "idempotencyKey": key, **members})


def status_of(client, one):
    return client.ok("GET", f"/v1/events/{one['id']}")["status"]


def instant(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def metric(client, name, **labels):
    wanted = name + "{" + ",".join(f'{label}="{value}"' for label, value in labels.items()) + "} "
    lines = [line for line in client.get("/metrics").body.decode().splitlines() if line.startswith(wanted)]
    return float(lines[0].rsplit(" ", 1)[1]) if lines else 0.0


def lateness(kind):
    """The process is killed while the receiver has the first request. The event, `explain`, the metric and the log
    all tell the lateness of that attempt, although the next attempt comes much later."""
    receiver = Receiver(status=None)
    with h.folder() as directory, h.database(kind, directory) as db:
        start = lambda: h.Server("serve", "--db", db, *h.LOCAL_RECEIVERS, *LEASE, folder=directory).ready()
        server = start()
        endpoint(server.client(), receiver.url)
        due = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=2)  # a busy machine creates it in time too
        made = event(server.client(), "reminder", targetTimestampUTC=due.isoformat(timespec="milliseconds"))
        h.wait_until(lambda: receiver.count() == 1, "the first request")
        server.kill()
        receiver.answer(204)
        due = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=2)
        h.wait_until(lambda: datetime.datetime.now(datetime.timezone.utc) > due, "an attempt from now on to be late")
        server = start()
        client = server.client()
        h.wait_until(lambda: status_of(client, made) == "COMPLETED", "the event to be completed")

        over = client.ok("GET", f"/v1/events/{made['id']}")
        late = over["latenessMs"]
        assert (over["attempt"], over["retryCount"]) == (2, 1), over
        assert late >= 0 and over["lateExecution"] == (late > 1000), over  # on a busy machine the first one was late too
        explained = client.ok("GET", f"/v1/events/{made['id']}/explain")
        first = next(step for step in explained["steps"] if step["step"] == "attempt")
        assert (first["number"], first["outcome"]) == (1, "LOST"), first
        began = instant(first["startedAt"]) - instant(over["targetTimestampUTC"])
        assert began == datetime.timedelta(milliseconds=late), (first, over)
        assert ("late" in explained["steps"][-1]["text"]) == (late > 1000), explained["steps"][-1]
        line = h.wait_until(lambda: server.logged("event.completed"), "the log")[0]
        assert (line["latenessMs"], line["lateExecution"]) == (late, late > 1000), line
        h.wait_until(lambda: metric(client, "sundial_event_lateness_seconds_count", event_type="REMINDER") == 1, "the metric")
        counted = metric(client, "sundial_event_lateness_seconds_sum", event_type="REMINDER")
        assert abs(counted * 1000 - late) <= 1, (counted, late)
        assert metric(client, "sundial_late_executions_total", event_type="REMINDER") == (late > 1000)
        print(f"killed in its first attempt: event, explain, log and metric all say {late} ms")
        assert server.stop() == 0


def server_for(kind, directory, db):
    return h.Server("serve", "--db", db, *h.LOCAL_RECEIVERS, NO_CIRCUIT, folder=directory).ready()


def sundial(server, *arguments):
    """Exit code, standard output, standard error of a command."""
    done = subprocess.run([h.PROGRAM, *arguments, "--server", f"http://127.0.0.1:{server.port}"],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=h.HANG_GUARD)
    return done.returncode, done.stdout, done.stderr


def waiting(kind):
    """The receiver was down. After its repair nothing has to wait for the next attempt of its policy."""
    receiver = Receiver(status=503)
    with h.folder() as directory, h.database(kind, directory) as db:
        server = server_for(kind, directory, db)
        client = server.client()
        day = {"retryPolicy": {"delays": ["PT24H"] * 3}}
        endpoint(client, receiver.url, **day)
        made = [event(client, f"e-{i}") for i in range(4)]
        waits = lambda: client.all("/v1/events?waitingFor=RETRY")
        h.wait_until(lambda: len(waits()) == 4, "four events to wait for a retry")
        first = client.ok("GET", f"/v1/events/{made[0]['id']}")
        assert (first["waitingFor"], first["status"], first["retryCount"]) == ("RETRY", "PROCESSING", 1), first
        assert client.all("/v1/events?waitingFor=CIRCUIT,LIMIT,ENDPOINT,SCHEDULE") == []
        code, out, _ = sundial(server, "event", "list", "--waiting-for", "RETRY")
        assert code == 0 and out.count("RETRY") == 4, out
        moved = client.call("PATCH", f"/v1/events/{first['id']}", {"targetTimestampUTC": "now"})
        assert moved.status == 409 and moved.json()["waitingFor"] == "RETRY", moved.body
        assert "waits for its next attempt" in moved.json()["detail"], moved.body

        receiver.answer(204)
        answer = client.call("POST", f"/v1/events/{first['id']}/retry")
        assert answer.status == 200, answer.body
        sooner = answer.json()
        assert (sooner["id"], sooner["version"]) == (first["id"], first["version"] + 1), sooner
        assert answer.headers["ETag"] == f'"{sooner["version"]}"', answer.headers
        h.wait_until(lambda: status_of(client, first) == "COMPLETED", "the retry of one event")
        code, out, _ = sundial(server, "event", "retry", made[1]["id"])
        assert code == 0 and "is attempted now" in out, out
        h.wait_until(lambda: status_of(client, made[1]) == "COMPLETED", "the retry by command")
        code, out, err = sundial(server, "event", "retry", "--waiting-for", "RETRY", "--endpoint", "ext:r", "-y")
        assert code == 0 and "2 of 2" in out, (out, err)
        for one in made[2:]:
            h.wait_until(lambda: status_of(client, one) == "COMPLETED", "the retry by filter")
        with receiver.lock:
            seconds = [headers["webhook-id"] for headers in receiver.headers if headers["Sundial-Attempt"] == "2"]
        assert sorted(seconds) == ["e-0", "e-1", "e-2", "e-3"], seconds

        # A change that repairs the endpoint brings them forward if it is asked to.
        receiver.answer(503)
        late = event(client, "late")
        h.wait_until(lambda: len(waits()) == 1, "an event to wait for a retry")
        receiver.answer(204)
        client.ok("PATCH", "/v1/endpoints/ext:r", {"url": receiver.url + "/new"})
        assert len(waits()) == 1, "it goes on only if it is asked to"
        client.ok("PATCH", "/v1/endpoints/ext:r?retryWaiting=true", {"url": receiver.url})
        h.wait_until(lambda: status_of(client, late) == "COMPLETED", "the retry by the repair")
        receiver.answer(503)
        last = event(client, "last")
        h.wait_until(lambda: len(waits()) == 1, "an event to wait for a retry")
        receiver.answer(204)
        code, out, err = sundial(server, "endpoint", "set", "ext:r", "--enable", "--retry-waiting")
        assert code == 0 and "ext:r" in out and "enabled" in out, (out, err)
        h.wait_until(lambda: status_of(client, last) == "COMPLETED", "the retry by the command")
        code, out, _ = sundial(server, "endpoint", "list")
        assert code == 0 and "ext:r" in out and "CLOSED" in out, out
        receiver.answer(503)
        replaced = event(client, "replaced")
        h.wait_until(lambda: len(waits()) == 1, "an event to wait for a retry")
        receiver.answer(204)
        repaired = {"name": "r", "type": "WEBHOOK", "url": receiver.url + "/put", "retryPolicy": {"delays": ["PT24H"]}}
        client.ok("PUT", "/v1/endpoints/ext:r", repaired)
        assert len(waits()) == 1, "it goes on only if it is asked to"
        client.ok("PUT", "/v1/endpoints/ext:r?retryWaiting=true", repaired)
        h.wait_until(lambda: status_of(client, replaced) == "COMPLETED", "the retry by a whole endpoint")
        assert sundial(server, "endpoint", "set", "ext:r")[0] == 2
        assert sundial(server, "endpoint", "reset", "ext:r", "--retry-waiting")[0] == 0
        print(f"{kind}: events that waited a day for a retry were attempted at once: by id, by filter, by a repair")
        assert server.stop() == 0


def keys(kind):
    """A cancelled reminder can be set again; an occurrence of a schedule comes back only by its retry."""
    receiver = Receiver()
    with h.folder() as directory, h.database(kind, directory) as db:
        server = server_for(kind, directory, db)
        client = server.client()
        endpoint(client, receiver.url)
        later = {"targetTimestampUTC": "now+7d"}
        first = event(client, "reminder", **later)
        body = {"eventType": "REMINDER", "endpointId": "ext:r", "deliveryPayload": {}, "idempotencyKey": "reminder",
                "targetTimestampUTC": "now"}
        assert client.call("POST", "/v1/events", body).json()["code"] == "DUPLICATE_IDEMPOTENCY_KEY"
        client.ok("DELETE", f"/v1/events/{first['id']}")
        found = client.all("/v1/events?idempotencyKey=reminder")
        assert [one["status"] for one in found] == ["CANCELLED"], found
        second = client.ok("POST", "/v1/events", body)
        assert second["id"] != first["id"]
        h.wait_until(lambda: status_of(client, second) == "COMPLETED", "the second reminder")
        assert client.call("POST", "/v1/events", body).json()["eventStatus"] == "COMPLETED"
        assert client.call("POST", f"/v1/events/{first['id']}/retry").status == 409

        schedule = client.ok("POST", "/v1/schedules", {
            "eventType": "DAILY", "trigger": {"cron": "0 9 * * *"}, "timezone": "Europe/Paris", "endpointId": "ext:r",
            "payload": {}})
        planned = h.wait_until(lambda: client.all(f"/v1/events?scheduleId={schedule['id']}&status=PENDING"), "it")[0]
        client.ok("DELETE", f"/v1/events/{planned['id']}")
        client.ok("PATCH", f"/v1/schedules/{schedule['id']}", {"payload": {"n": 1}})
        live = lambda: [one for one in client.all(f"/v1/events?scheduleId={schedule['id']}&status=PENDING")
                        if one["targetTimestampUTC"] == planned["targetTimestampUTC"]]
        assert live() == [], "a cancelled occurrence stays cancelled"
        answer = client.call("POST", f"/v1/events/{planned['id']}/retry")
        assert answer.status == 201, answer.body
        back = answer.json()
        assert back["retryOf"] == planned["id"] and back["idempotencyKey"] == planned["idempotencyKey"], back
        assert (back["status"], back["targetTimestampUTC"]) == ("PENDING", planned["targetTimestampUTC"]), back
        assert [one["id"] for one in live()] == [back["id"]]
        assert client.call("POST", f"/v1/events/{planned['id']}/retry").json()["existingId"] == back["id"]
        print(f"{kind}: a cancelled reminder was set again under its key; a cancelled occurrence came back by its retry")
        assert server.stop() == 0


def numbers(kind):
    """Under one webhook-id the attempt numbers only grow, also across retries and a new event."""
    receiver = Receiver(status=400)
    with h.folder() as directory, h.database(kind, directory) as db:
        server = server_for(kind, directory, db)
        client = server.client()
        endpoint(client, receiver.url)
        one = event(client, "order")
        for _ in range(2):
            h.wait_until(lambda: status_of(client, one) == "FAILED", "it to fail")
            retried = client.call("POST", f"/v1/events/{one['id']}/retry")
            assert retried.status == 201, retried.body
            one = retried.json()
        h.wait_until(lambda: status_of(client, one) == "FAILED", "it to fail")
        client.ok("PATCH", f"/v1/events/{one['id']}", {"dismissed": True})
        receiver.answer(204)
        again = event(client, "order")
        h.wait_until(lambda: status_of(client, again) == "COMPLETED", "the new event under the key")
        with receiver.lock:
            sent = [(headers["webhook-id"], headers["Sundial-Attempt"]) for headers in receiver.headers]
        assert sent == [("order", str(number)) for number in (1, 2, 3, 4)], sent
        assert client.ok("GET", f"/v1/events/{again['id']}")["attempt"] == 4
        print(f"{kind}: attempts 1 to 4 of one webhook-id, across two retries and a new event")
        assert server.stop() == 0


def recovery(kind):
    """Sixty events are missed, and their endpoint takes four at a time. It is said that they were attempted when they
    were, and not before; a process that is killed meanwhile leaves the rest to the next one, which says so too."""
    missed = 60
    receiver = Receiver(status=None)
    with h.folder() as directory, h.database(kind, directory) as db:
        start = lambda: h.Server("serve", "--db", db, *h.LOCAL_RECEIVERS, *LEASE, NO_CIRCUIT, folder=directory).ready()
        began = time.monotonic()
        server = start()
        enough = max(8, 5 * (time.monotonic() - began))  # seconds to create them and to stop, on a busy machine too
        client = server.client()
        endpoint(client, receiver.url, maxInFlight=4, timeout="PT5S", retryPolicy={"delays": ["PT1H"]})
        due = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=enough)
        client.ok("POST", "/v1/events/batch?atomic=true", {"events": [
            {"eventType": "REMINDER", "targetTimestampUTC": due.isoformat(), "endpointId": "ext:r", "deliveryPayload": {},
             "idempotencyKey": f"m-{i}"} for i in range(missed)]})
        assert server.stop() == 0
        assert receiver.count() == 0, "too slow to create them in time"
        past = due + datetime.timedelta(seconds=2)
        h.wait_until(lambda: datetime.datetime.now(datetime.timezone.utc) > past, "all to be missed")
        server = start()
        started = h.wait_until(lambda: server.logged("recovery.started"), "the recovery")[0]
        assert started["missedCount"] == missed, started
        h.wait_until(lambda: receiver.count() >= 4, "the first requests")
        assert not server.logged("recovery.finished"), "four of sixty"
        server.kill()
        receiver.answer(204)
        server = start()
        client = server.client()
        went_on = h.wait_until(lambda: server.logged("recovery.started"), "the recovery to go on")[0]
        assert missed - 16 <= went_on["missedCount"] <= missed, went_on
        h.wait_until(lambda: server.logged("recovery.finished"), "the recovery to be finished")
        with receiver.lock:
            attempted = {headers["webhook-id"] for headers in receiver.headers}
        assert len(attempted) == missed, len(attempted)
        assert server.stop() == 0
        print(f"{kind}: {missed} missed, four at a time, one kill: finished when all had been attempted")


if __name__ == "__main__":
    h.main({"lateness": lateness, "waiting": waiting, "keys": keys, "numbers": numbers, "recovery": recovery})
