"""The API under the console: counters, attempts, instances, live updates, and the login of a browser."""
import http.client
import http.server
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import harness as h
import live_crowd

SKIPPED = 77
PERSON = {"firstName": "Ada", "lastName": "Li", "dateOfBirth": "1992-02-29", "timezone": "UTC"}


class Live:
    """A client of /v1/live. Keeps (event, data, id) of each message, and when it came."""

    def __init__(self, port, topics, last_id=None):
        self.messages, self.last_id = [], last_id
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=h.HANG_GUARD)
        self.connection.request("GET", f"/v1/live?topics={topics}", headers={"Last-Event-ID": last_id} if last_id else {})
        self.answer = self.connection.getresponse()
        assert self.answer.status == 200, self.answer.read()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        fields = {}
        try:
            for line in self.answer:
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name:
                    fields[name] = value
                    continue
                self.last_id = fields.get("id", self.last_id)
                if "data" in fields:
                    self.messages.append((fields["event"], json.loads(fields["data"]), fields.get("id"), time.monotonic()))
                fields = {}
        except (OSError, ValueError, AttributeError, http.client.HTTPException):
            pass  # closed

    def named(self, event):
        return [one for one in self.messages if one[0] == event]

    def close(self):
        self.connection.sock.close()


def live(kind):
    """Changes reach all clients at once, and one that comes back gets those that it has missed."""
    with h.folder() as directory, h.database(kind, directory) as db, \
            h.running("serve", "--db", db, folder=directory) as server:
        client = server.client()
        clients = [Live(server.port, "users,stats") for _ in range(50)]
        h.wait_until(lambda: all(one.named("stats") for one in clients), "the first snapshots")
        slowest = 0
        for number in range(10):
            begun = time.monotonic()
            client.ok("POST", "/v1/users", {**PERSON, "externalId": f"u{number}"})
            h.wait_until(lambda: all(len(one.named("users.created")) == number + 1 for one in clients), "the change")
            slowest = max(slowest, max(one.named("users.created")[-1][3] - begun for one in clients))
        first = clients[0]
        first.close()
        client.ok("POST", "/v1/users", {**PERSON, "externalId": "missed"})
        again = Live(server.port, "users", first.last_id)
        h.wait_until(lambda: again.named("users.created"), "the missed change")
        (missed,) = again.named("users.created")
        assert missed[1]["id"] == client.ok("GET", "/v1/users/ext:missed")["id"], missed
        assert "Ada" not in json.dumps(again.messages), again.messages
        assert server.stop() == 0
        print(f"50 clients had each change after {slowest * 1000:.0f} ms at most")


def crowd(kind):
    """1,000 clients get each change; there is no room for another one."""
    with h.folder() as directory, h.database(kind, directory) as db, \
            h.running("serve", "--db", db, folder=directory) as server:
        delays = live_crowd.measured(server, 3, PERSON)
        assert len(delays) == 3 * live_crowd.MOST
        print(f"99 % had a change after {delays[len(delays) * 99 // 100] * 1000:.0f} ms, all after {delays[-1] * 1000:.0f} ms")
        assert server.stop() == 0


def counted(kind):
    """Deliveries are counted, and an instance reports itself and drains."""
    with h.folder() as directory, h.database(kind, directory) as db, \
            h.running("serve", "--db", db, *h.LOCAL_RECEIVERS, "--delivery.circuit.min_calls=1000", folder=directory) as server:
        client = server.client()
        receiver = h.Receiver(refuse="/no")
        for name, path in (("good", "/hook"), ("bad", "/no")):
            url = receiver.url.replace("/hook", path)
            client.ok("POST", "/v1/endpoints", {"name": name, "type": "WEBHOOK", "externalId": name, "url": url})
        for name in ["good"] * 20 + ["bad"] * 5:
            client.ok("POST", "/v1/events", {"eventType": name.upper(), "targetTimestampUTC": "now", "endpointId": f"ext:{name}",
                                             "deliveryPayload": {}})

        def settled():
            stats = client.ok("GET", "/v1/stats?window=PT10M")
            return stats if stats["completed"] + stats["failed"] == 25 else None

        stats = h.wait_until(settled, "the counters")
        assert (stats["completed"], stats["failed"], stats["failureRatio"]) == (20, 5, 0.2), stats
        assert stats["now"]["deadLetters"] == {"count": 5, "complete": True}, stats
        assert 0 < stats["lateness"]["p50"] <= stats["lateness"]["p99"] < h.HANG_GUARD, stats
        series = client.ok("GET", "/v1/stats/series?metric=executed,failed&by=eventType&from=now-5m&to=now%2B1m")["data"]
        sums = {(one["metric"], one["key"]): sum(one["points"]) for one in series}
        assert sums[("executed", "GOOD")] == 20 and sums[("failed", "BAD")] == 5, sums
        bad = client.all("/v1/attempts?endpointId=ext:bad&limit=2")
        assert len(bad) == 5 and {(one["outcome"], one["statusCode"]) for one in bad} == {("PERMANENT", 404)}, bad
        assert len(client.all("/v1/attempts?outcome=SUCCEEDED&limit=7")) == 20
        (own,) = h.wait_until(lambda: client.ok("GET", "/v1/instances")["data"], "the report of the instance")
        assert own["status"] == "RUNNING" and {one["instanceId"] for one in bad} == {own["id"]}, own
        # The report that follows a claim names its time.
        latest = max(one["startedAt"] for one in client.all("/v1/attempts?limit=200"))
        claim = h.wait_until(lambda: client.ok("GET", "/v1/instances")["data"][0]["lastClaimAt"], "a report of the last claim")
        assert own["startedAt"] <= claim <= latest, (own, claim, latest)
        assert client.call("POST", f"/v1/instances/{own['id']}/drain").status == 202
        assert server.process.wait(h.HANG_GUARD) == 0, "a drained instance ends like one that got SIGTERM"


PAGE = """<!doctype html><script>
const call = (method, path, body, headers) => fetch(path, {method, headers: {"Content-Type": "application/json", ...headers},
                                                           body: body && JSON.stringify(body)});
(async () => {
  const result = {before: (await call("GET", "/v1/users")).status};
  const login = await call("POST", "/v1/session", {key: "KEY"});
  const session = await login.json();
  result.login = login.status;
  result.after = (await call("GET", "/v1/users")).status;
  result.script = document.cookie;
  result.without = (await call("POST", "/v1/users", PERSON)).status;
  result.withToken = (await call("POST", "/v1/users", PERSON, {"Sundial-CSRF": session.csrfToken})).status;
  result.logout = (await call("DELETE", "/v1/session", undefined, {"Sundial-CSRF": session.csrfToken})).status;
  result.end = (await call("GET", "/v1/users")).status;
  await call("POST", "/result", result);
})();
</script>"""


class Front:
    """Serves the page, and passes /v1 on to the server: to a browser they are one origin, over plain http."""

    def __init__(self, port, key):
        self.result, front = None, self

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                if self.path == "/result":
                    front.result = json.loads(body)
                    return self.send(204, {}, b"")
                if not self.path.startswith("/v1/"):
                    page = PAGE.replace("KEY", key).replace("PERSON", json.dumps(PERSON))
                    return self.send(200, {"Content-Type": "text/html"}, page.encode())
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=h.HANG_GUARD)
                connection.request(self.command, self.path, body, dict(self.headers))
                answer = connection.getresponse()
                headers = {name: value for name, value in answer.getheaders() if name.lower() in ("content-type", "set-cookie")}
                return self.send(answer.status, headers, answer.read())

            def send(self, status, headers, body):
                self.send_response_only(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                if status != 204:
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_DELETE = answer

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def chromium():
    """A browser keeps the secure cookie of a login over http on its own machine."""
    if shutil.which("chromium") is None:
        print("skipped: chromium is not installed")
        sys.exit(SKIPPED)
    with h.folder() as directory, h.running("serve", "--db", "x.db", folder=directory) as server:
        key = server.client().ok("POST", "/v1/api-keys", {"name": "first", "role": "ADMIN"})["key"]
        for host in ("localhost", "127.0.0.1"):
            front = Front(server.port, key)
            browser = subprocess.Popen(
                ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
                 "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage", "--disable-extensions",
                 "--no-proxy-server", f"--user-data-dir={os.path.join(directory, host)}", "--remote-debugging-port=0",
                 f"http://{host}:{front.server.server_address[1]}/"],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
            try:
                h.wait_until(lambda: front.result or browser.poll() is not None, f"the page at {host}")
            finally:
                os.killpg(browser.pid, signal.SIGKILL)
                browser.wait(timeout=h.HANG_GUARD)
            wanted = {"before": 401, "login": 201, "after": 200, "script": "", "without": 403, "withToken": 201, "logout": 204,
                      "end": 401}
            assert front.result == wanted, (host, front.result)


if __name__ == "__main__":
    h.main({"live": live, "crowd": crowd, "counted": counted, "chromium": chromium})
