"""What counts as an attempt, when it began, and which number its receiver sees."""
import datetime
import http.server
import threading

import harness as h

LEASE = ("--scheduler.lease=PT12S", "--delivery.timeout=PT1S")


class Receiver(h.Receiver):
    """Keeps the headers of each request. Answers `status`; on the status None it answers nothing until it is let go."""

    def __init__(self, status=204):
        self.lock = threading.Lock()
        self.status, self.headers = status, []
        self.let_go = threading.Event()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

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

            def log_message(self, *arguments):
                pass

        class Threads(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request, address):
                pass  # a killed sender resets its connections

        self.server = Threads(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/hook"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

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
    """The process is killed while the receiver has the first request. That attempt was on time: the event, `explain`,
    the metric and the log all say so, although the next attempt comes much later."""
    receiver = Receiver(status=None)
    with h.folder() as directory, h.database(kind, directory) as db:
        start = lambda: h.Server("serve", "--db", db, *h.LOCAL_RECEIVERS, *LEASE, folder=directory).ready()
        server = start()
        endpoint(server.client(), receiver.url)
        due = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=1)
        made = event(server.client(), "reminder", targetTimestampUTC=due.isoformat(timespec="milliseconds"))
        h.wait_until(lambda: receiver.count() == 1, "the first request")
        server.kill()
        receiver.answer(204)
        due += datetime.timedelta(seconds=3)
        h.wait_until(lambda: datetime.datetime.now(datetime.timezone.utc) > due, "an attempt from now on to be late")
        server = start()
        client = server.client()
        h.wait_until(lambda: status_of(client, made) == "COMPLETED", "the event to be completed")

        over = client.ok("GET", f"/v1/events/{made['id']}")
        late = over["latenessMs"]
        assert (over["attempt"], over["retryCount"]) == (2, 1), over
        assert 0 <= late < 1000 and not over["lateExecution"], over
        told = client.ok("GET", f"/v1/events/{made['id']}/explain")
        first = next(step for step in told["steps"] if step["step"] == "attempt")
        assert (first["number"], first["outcome"]) == (1, "LOST"), first
        began = instant(first["startedAt"]) - instant(over["targetTimestampUTC"])
        assert began == datetime.timedelta(milliseconds=late), (first, over)
        assert "late" not in told["steps"][-1]["text"], told["steps"][-1]
        line = h.wait_until(lambda: server.logged("event.completed"), "the log")[0]
        assert (line["latenessMs"], line["lateExecution"]) == (late, False), line
        counted = metric(client, "sundial_event_lateness_seconds_sum", event_type="REMINDER")
        assert metric(client, "sundial_event_lateness_seconds_count", event_type="REMINDER") == 1
        assert abs(counted * 1000 - late) <= 1, (counted, late)
        assert metric(client, "sundial_late_executions_total", event_type="REMINDER") == 0
        print(f"killed in its first attempt: event, explain, log and metric all say {late} ms")
        assert server.stop() == 0


if __name__ == "__main__":
    h.main({"lateness": lateness})
