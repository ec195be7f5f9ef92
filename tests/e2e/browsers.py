"""A server without keys refuses web pages: a page of another origin and a rebound name get nothing from it. Tested with the
headers that browsers send, and with pages in a real Chromium. Pages of `http.cors_origins` may use the server."""
import http.client
import http.server
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading

import harness as h

SKIPPED = 77
ADA = {"firstName": "Ada", "lastName": "Li", "dateOfBirth": "1990-05-17", "timezone": "Europe/London"}
KEY = {"name": "p", "role": "ADMIN"}


def ask(port, method, path, fields, body=None, raw=None):
    """One request with exactly these header fields; of `body` those of JSON as well, of `raw` none."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=h.HANG_GUARD)
    try:
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        payload = raw if raw is not None else json.dumps(body).encode() if body is not None else b""
        own = {"Content-Type": "application/json"} if body is not None else {}
        if raw is None:
            own["Content-Length"] = str(len(payload))
        for name, value in {**fields, **own}.items():
            connection.putheader(name, value)
        connection.endheaders(payload or None)
        answer = connection.getresponse()
        return h.Answer(answer.status, dict(answer.getheaders()), answer.read())
    finally:
        connection.close()


def traces(client):
    """The traces that a page can leave: keys, users, events, changes of the control plane."""
    counts = {path: len(client.all(path)) for path in ("/v1/api-keys", "/v1/users", "/v1/events")}
    return {**counts, "position": client.ok("GET", "/v1/feed?limit=500")["nextPosition"]}


REQUESTS = [("POST", "/v1/api-keys", KEY), ("POST", "/v1/users", ADA), ("POST", "/v1/tick", None),
            ("POST", "/v1/endpoints/ext:crm/test", None), ("POST", "/v1/endpoints/ext:crm/rotate-secret", None),
            ("POST", "/v1/schedules/ext:birthday/trigger", None), ("DELETE", "/v1/schedules/ext:birthday", None),
            ("GET", "/v1/users", None), ("GET", "/v1/feed", None), ("GET", "/metrics", None), ("GET", "/livez", None),
            ("GET", "/openapi.json", None), ("OPTIONS", "/v1/users", None)]


def refused_by_header(directory):
    """Requests that a page can send, with the headers of each kind of page."""
    with h.running("serve", "--db", "headers.db", *h.LOCAL_RECEIVERS, folder=directory) as server:
        client, port = server.client(), server.port
        receiver = h.Receiver()
        client.ok("POST", "/v1/endpoints", {"name": "r", "type": "WEBHOOK", "url": receiver.url, "externalId": "crm"})
        before = traces(client)
        own = {"Host": f"127.0.0.1:{port}"}
        pages = [({"Host": "evil.example"}, "HOST_NOT_ALLOWED"), ({"Host": f"evil.example:{port}"}, "HOST_NOT_ALLOWED"),
                 ({"Host": f"evil.example:{port}", "Origin": f"http://evil.example:{port}"}, "HOST_NOT_ALLOWED"),
                 ({**own, "Origin": "https://evil.example"}, "ORIGIN_NOT_ALLOWED"), ({**own, "Origin": "null"}, "ORIGIN_NOT_ALLOWED"),
                 ({**own, "Origin": f"http://localhost:{port}"}, "ORIGIN_NOT_ALLOWED"),
                 ({**own, "Sec-Fetch-Site": "cross-site"}, "ORIGIN_NOT_ALLOWED"), ({**own, "Sec-Fetch-Site": "same-site"}, "ORIGIN_NOT_ALLOWED")]
        for method, path, body in REQUESTS:
            for fields, code in pages:
                answer = ask(port, method, path, fields, body)
                assert answer.status == 403 and answer.json()["code"] == code, f"{method} {path} {fields}: {answer.status} {answer.body}"
                assert "Access-Control-Allow-Origin" not in answer.headers
        assert traces(client) == before, "a page has changed something"
        assert receiver.count() == 0, "a page has made a delivery"
        for host in ("localhost", f"LOCALHOST:{port}", "127.0.0.1", "127.8.8.8:1", "[::1]"):
            assert ask(port, "GET", "/v1/info", {"Host": host}).status == 200, host
        assert ask(port, "POST", "/v1/tick", {**own, "Origin": f"http://127.0.0.1:{port}", "Sec-Fetch-Site": "same-origin"}).status == 200
        link = {**own, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
        for page in ("/", "/ui/", "/docs", "/docs/errors/HOST_NOT_ALLOWED"):
            answer = ask(port, "GET", page, link)
            assert answer.status != 403, f"{page}: {answer.body}"
        assert ask(port, "GET", "/v1/users", link).status == 403
        # As soon as there is a key, the key decides.
        key = client.ok("POST", "/v1/api-keys", KEY)["key"]
        bearer = {"Authorization": f"Bearer {key}"}
        assert ask(port, "GET", "/livez", {"Host": "evil.example"}).status == 200
        assert ask(port, "GET", "/v1/users", {"Host": "evil.example", "Origin": "https://evil.example"}).status == 401
        assert ask(port, "GET", "/v1/info", {"Host": "evil.example", **bearer}).status == 200
        assert server.stop() == 0


def allowed_by_settings(directory):
    """The operator allows a proxy's name, and pages of an origin, with and without keys."""
    origin = "https://app.example"
    with h.running("serve", "--db", "settings.db", "--http.allowed_hosts=sundial.internal", f"--http.cors_origins={origin}", folder=directory) as server:
        port, client = server.port, server.client()
        own = {"Host": f"127.0.0.1:{port}"}
        assert ask(port, "GET", "/v1/info", {"Host": "sundial.internal"}).status == 200
        assert ask(port, "POST", "/v1/tick", {"Host": "sundial.internal", "Origin": "https://sundial.internal"}).status == 200
        asked = {**own, "Origin": origin, "Sec-Fetch-Site": "cross-site"}
        preflight = ask(port, "OPTIONS", "/v1/users", {**asked, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"})
        assert preflight.status == 204 and preflight.headers["Access-Control-Allow-Origin"] == origin, preflight.headers
        assert "POST" in preflight.headers["Access-Control-Allow-Methods"] and "Content-Type" in preflight.headers["Access-Control-Allow-Headers"]
        made = ask(port, "POST", "/v1/users", asked, ADA)
        assert made.status == 201 and made.headers["Access-Control-Allow-Origin"] == origin, made.body
        assert made.headers["Vary"] == "Origin" and "ETag" in made.headers["Access-Control-Expose-Headers"]
        other = ask(port, "OPTIONS", "/v1/users", {**own, "Origin": "https://evil.example", "Access-Control-Request-Method": "POST"})
        assert other.status == 403 and "Access-Control-Allow-Origin" not in other.headers
        key = client.ok("POST", "/v1/api-keys", KEY)["key"]
        unauthenticated = ask(port, "GET", "/v1/users", asked)
        assert unauthenticated.status == 401 and unauthenticated.headers["Access-Control-Allow-Origin"] == origin
        assert ask(port, "GET", "/v1/info", {**asked, "Authorization": f"Bearer {key}"}).status == 200
        assert ask(port, "OPTIONS", "/v1/users", {**asked, "Access-Control-Request-Method": "POST"}).status == 204
        foreign = ask(port, "GET", "/v1/users", {**own, "Origin": "https://evil.example", "Authorization": f"Bearer {key}"})
        assert foreign.status == 200 and "Access-Control-Allow-Origin" not in foreign.headers
        assert server.stop() == 0
    for wrong in ("--http.cors_origins=*", "--http.cors_origins=https://app.example/x", "--http.allowed_hosts=http://a"):
        refused = subprocess.run([h.PROGRAM, "serve", "--db", "wrong.db", "--http.listen=127.0.0.1:0", wrong], cwd=directory,
                                 capture_output=True, text=True, timeout=h.HANG_GUARD)
        assert refused.returncode == 1 and wrong.split("=")[0][2:] in refused.stderr, refused
        assert not os.path.exists(os.path.join(directory, "wrong.db")), "a wrong setting has changed something"


# The page reads, writes with and without a preflight, and uses an image, a form and a beacon. It reports the results to its
# own site.
PAGE = """<!doctype html><meta charset="utf-8"><title>page</title><script>
const api = %(api)s, user = %(user)s, json = {"Content-Type": "application/json"};
const text = answer => answer.text();
const tries = {
  read: () => fetch(api + "/v1/users").then(text),
  open: () => fetch(api + "/openapi.json").then(text),
  create: () => fetch(api + "/v1/users", {method: "POST", headers: json, body: user}).then(text),
  key: () => fetch(api + "/v1/api-keys", {method: "POST", headers: json, body: '{"name":"p"}'}).then(text),
  tick: () => fetch(api + "/v1/tick", {method: "POST"}).then(text),
  blind: () => fetch(api + "/v1/endpoints/ext:crm/test", {method: "POST", mode: "no-cors"}).then(() => "sent"),
  beacon: async () => navigator.sendBeacon(api + "/v1/endpoints/ext:crm/rotate-secret") ? "sent" : "refused",
  image: () => new Promise(done => {
    const image = new Image();
    image.onload = image.onerror = () => done("sent");
    image.src = api + "/metrics";
  }),
  form: () => new Promise(done => {
    const frame = document.createElement("iframe"), form = document.createElement("form");
    frame.name = form.target = "frame";
    form.method = "post";
    form.action = api + "/v1/schedules/ext:birthday/trigger";
    frame.onload = () => { if (form.submitted) done("sent"); };
    document.body.append(frame, form);
    form.submitted = true;
    form.submit();
  }),
};
addEventListener("load", async () => {
  const result = {};
  for (const [name, attempt] of Object.entries(tries)) {
    try { result[name] = await attempt(); } catch (error) { result[name] = "refused"; }
  }
  await fetch("/done", {method: "POST", body: JSON.stringify(result)});
});
</script><body></body>"""
WORDS = {"sent", "refused"}


class Site:
    """A web site on its own port. Its page attacks a server and reports the results to the site."""

    def __init__(self):
        self.results, self.arrived = [], threading.Event()
        self.page, self.target, self.rebound = b"", None, False
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self, status, body, content_type="text/html; charset=utf-8"):
                self.send_response(status)
                self.send_header("Content-Type", content_type)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                if self.path == "/":
                    self.answer(200, site.page)
                elif site.rebound:
                    self.relay(b"")
                else:
                    self.answer(404, b"")

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                if self.path != "/done":
                    return self.relay(body)
                site.results.append(json.loads(body))
                self.answer(200, b"")
                site.arrived.set()

            def relay(self, body):
                fields = {name: value for name, value in self.headers.items() if name != "Accept-Encoding"}
                answer = ask(site.target, self.command, self.path, fields, raw=body)
                self.answer(answer.status, answer.body, answer.headers.get("Content-Type", "text/plain"))

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def turn_on(self, server, rebound=False):
        """`rebound`: after the page has loaded, the site's name leads to the server. The site forwards every other request
        to the server as the browser sent it."""
        api = "" if rebound else f"http://127.0.0.1:{server.port}"
        self.page = (PAGE % {"api": json.dumps(api), "user": json.dumps(json.dumps(ADA))}).encode()
        self.target, self.rebound = server.port, rebound
        return self

    def visited_as(self, name, directory, arrived=lambda: True):
        """The results of the page, in a browser with an empty profile that can reach only loopback addresses. It stays until
        `arrived` as well: nothing tells the page when its beacon was sent."""
        self.arrived.clear()
        profile = os.path.join(directory, f"profile-{os.urandom(4).hex()}")
        os.mkdir(profile)
        browser = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
             "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage", "--disable-extensions",
             "--no-proxy-server", f"--user-data-dir={profile}", "--remote-debugging-port=0",
             "--host-resolver-rules=MAP evil.example 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
             f"http://{name}:{self.port}/"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            h.wait_until(lambda: self.arrived.is_set() or browser.poll() is not None, f"the page as {name}")
            assert self.arrived.is_set(), f"the browser ended with {browser.returncode}"
            h.wait_until(arrived, f"every request of the page as {name}")
        finally:
            os.killpg(browser.pid, signal.SIGKILL)
            browser.wait(timeout=h.HANG_GUARD)
        return self.results[-1]


def in_chromium(directory):
    if shutil.which("chromium") is None:
        print("skipped: chromium is not installed")
        sys.exit(SKIPPED)
    receiver = h.Receiver()

    def prepared(server):
        client = server.client()
        client.ok("POST", "/v1/endpoints", {"name": "r", "type": "WEBHOOK", "url": receiver.url, "externalId": "crm"})
        client.ok("POST", "/v1/users", {**ADA, "firstName": "Zuleika"})
        return client, traces(client)

    with h.running("serve", "--db", "pages.db", *h.LOCAL_RECEIVERS, folder=directory) as server:
        client, before = prepared(server)
        refusals = lambda: [line for line in server.logged("http.request") if line["status"] == 403]
        site = Site().turn_on(server)
        for number, name in enumerate(("127.0.0.1", "evil.example"), 1):  # the same site, and another one
            result = site.visited_as(name, directory, lambda: len(refusals()) >= 9 * number)
            assert set(result.values()) <= WORDS, f"a page as {name} has read: {result}"
            assert result["read"] == result["open"] == result["create"] == result["tick"] == "refused", result
            assert traces(client) == before and receiver.count() == 0, f"a page as {name} has changed something: {traces(client)}"
        result = Site().turn_on(server, rebound=True).visited_as("evil.example", directory, lambda: len(refusals()) >= 3 * 9)
        for name in ("read", "open", "create", "key", "tick"):
            assert json.loads(result[name])["code"] == "HOST_NOT_ALLOWED", result
        assert "Zuleika" not in json.dumps(result)
        assert traces(client) == before and receiver.count() == 0, "a rebound name has changed something"
        assert server.stop() == 0

    # The same page succeeds where the settings allow it, so the server caused the refusals above.
    for rebound in (False, True):
        site = Site()
        setting = "--http.allowed_hosts=evil.example" if rebound else f"--http.cors_origins=http://evil.example:{site.port}"
        with h.running("serve", "--db", f"allowed-{rebound}.db", *h.LOCAL_RECEIVERS, setting, folder=directory) as server:
            client, before = prepared(server)
            result = site.turn_on(server, rebound).visited_as("evil.example", directory)
            assert "Zuleika" in result["read"] and json.loads(result["create"])["firstName"] == "Ada", result
            assert json.loads(result["key"])["code"] == "FIRST_KEY_NOT_ADMIN", result
            assert traces(client)["/v1/users"] == before["/v1/users"] + 1
            assert server.stop() == 0


if __name__ == "__main__":
    def in_a_folder(test):
        def run():
            with h.folder() as directory:
                test(directory)
        return run
    h.main({"headers": in_a_folder(refused_by_header), "settings": in_a_folder(allowed_by_settings), "chromium": in_a_folder(in_chromium)})
