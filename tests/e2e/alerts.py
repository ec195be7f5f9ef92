"""Alerts and dashboards (deploy/): Debian's Prometheus scrapes the real program. Every query of rules and dashboards is run,
and alerts are made to fire and to resolve."""
import contextlib
import datetime
import json
import os
import re
import shutil
import signal
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

import harness as h

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "alerts"))
from rules import RULES, alert_rules, dashboard_queries  # noqa: E402

SKIPPED = 77
# Metrics of the other database.
NOT_HERE = {"sqlite": {"sundial_db_pool_connections", "sundial_db_oldest_transaction_seconds", "sundial_db_hidden_sessions"}, "postgres": {"sundial_storage_free_bytes"}}
# Nothing happens in the test that these count.
NOT_NOW = {"sundial_commit_outcome_unknown_total", "sundial_http_shortages_total", "sundial_lock_waits_total",
           'sundial_optimistic_lock_conflicts_total{operation="settle"}'}


class SecureClient(h.Client):
    """Calls a server that needs TLS and a key."""

    def __init__(self, port, key):
        super().__init__(port)
        self.key = key

    def connect(self, timeout):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        return h.http.client.HTTPSConnection("127.0.0.1", self.port, timeout=timeout, context=context)

    def call(self, method, path, body=None, headers=None, timeout=h.HANG_GUARD):
        return super().call(method, path, body, {"Authorization": f"Bearer {self.key}", **(headers or {})}, timeout)


class Prometheus:
    """Scrapes and evaluates once a second. `rules`: the text of a file of rules."""

    def __init__(self, folder, target, rules, scrape=""):
        self.port = h.free_port()
        home = os.path.join(folder, "prometheus")
        os.makedirs(home)
        with open(os.path.join(home, "sundial.rules.yml"), "w", encoding="utf-8") as file:
            file.write(rules)
        with open(os.path.join(home, "prometheus.yml"), "w", encoding="utf-8") as file:
            file.write("global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}\n"
                       "rule_files: [sundial.rules.yml]\n"
                       f"scrape_configs:\n  - job_name: sundial\n    static_configs: [{{targets: ['{target}']}}]\n{scrape}")
        with open(os.path.join(home, "log"), "wb") as log:
            self.process = subprocess.Popen(
                ["prometheus", f"--config.file={home}/prometheus.yml", f"--storage.tsdb.path={home}/data",
                 f"--web.listen-address=127.0.0.1:{self.port}", "--log.level=warn"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=home)
        self.log_path = os.path.join(home, "log")

    def get(self, path, **parameters):
        url = f"http://127.0.0.1:{self.port}{path}?{urllib.parse.urlencode(parameters)}"
        try:
            with urllib.request.urlopen(url, timeout=h.HANG_GUARD) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as refused:
            return refused.code, refused.read()
        except OSError:
            return 0, b""

    def ready(self):
        def look():
            if self.process.poll() is not None:
                with open(self.log_path, encoding="utf-8") as log:
                    raise AssertionError(f"prometheus ended:\n{log.read()}")
            return self.get("/-/ready")[0] == 200
        h.wait_until(look, "prometheus to be ready")
        return self

    def query(self, expression):
        """The samples of an expression, which must parse."""
        status, body = self.get("/api/v1/query", query=expression)
        assert status == 200, f"{expression}: {body.decode()}"
        return json.loads(body)["data"]["result"]

    def alerts(self):
        """{name: annotations} of those that fire."""
        found = json.loads(self.get("/api/v1/alerts")[1])["data"]["alerts"]
        return {alert["labels"]["alertname"]: alert["annotations"] for alert in found if alert["state"] == "firing"}


@contextlib.contextmanager
def prometheus(*arguments):
    watcher = Prometheus(*arguments)
    try:
        yield watcher.ready()
    finally:
        watcher.process.kill()
        watcher.process.wait()


def quick(rules):
    """The same rules for a test of seconds: no `for`, and short ranges."""
    rules = re.sub(r"\n +for: \w+", "", rules)
    rules = re.sub(r"\[(5m|10m)\]", "[10s]", rules)
    return rules.replace("[1h]", "[10s]")


def certificate(directory, days):
    files = [os.path.join(directory, name) for name in ("tls.crt", "tls.key")]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-days", str(days), "-subj", "/CN=localhost", "-out", files[0] + ".new", "-keyout", files[1]],
                   check=True, capture_output=True)
    os.replace(files[0] + ".new", files[0])  # a scrape never sees half of it
    return files


def endpoint(client, name, url, **members):
    body = {"name": name, "type": "WEBHOOK", "externalId": name, "url": url, "retryPolicy": {"delays": ["PT1S"] * 50}}
    return client.ok("POST", "/v1/endpoints", {**body, **members})


def create(client, name, count, due="now"):
    return [client.ok("POST", "/v1/events", {"eventType": "TOLD", "targetTimestampUTC": due, "deliveryPayload": {},
                                             "endpointId": f"ext:{name}"})["id"] for _ in range(count)]


def ago(**time_span):
    return (datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(**time_span)).strftime("%Y-%m-%dT%H:%M:%SZ")


def first_key(url):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("SUNDIAL")}
    made = subprocess.run([h.PROGRAM, "key", "create", "--db", url, "--name", "first", "--role", "ADMIN"],
                          capture_output=True, text=True, timeout=h.HANG_GUARD, env=clean, check=True)
    return made.stdout.strip()


def expiring_key(client):
    tomorrow = ago(days=-1)
    return client.ok("POST", "/v1/api-keys", {"name": "soon", "role": "READ", "expiresAt": tomorrow})


def secure_scrape(key):
    return ("    scheme: https\n    tls_config: {insecure_skip_verify: true}\n"
            f"    authorization: {{credentials: '{key}'}}\n")


def something_of_everything(client):
    """Touches every metric that an ordinary day touches."""
    create(client, "good", 1)
    create(client, "good", 1, ago(minutes=5))
    create(client, "bad", 1)
    create(client, "good", 1, ago(days=-30))
    stream = f"/v1/streams/Order/{time.monotonic_ns()}"
    appended = client.ok("POST", stream, {"expectedVersion": 0, "events": [{"eventType": "Placed", "data": 1}]})
    assert client.call("POST", stream, {"expectedVersion": 0, "events": [{"eventType": "Late", "data": 1}]}).status == 409
    client.call("PUT", "/v1/checkpoints/totals", {"position": appended["lastPosition"], "previous": 0})


def queries(kind):
    """Each query parses, and finds something unless nothing of the kind has happened."""
    good, bad = h.Receiver(), h.Receiver(refuse="/hook")
    with h.folder() as directory, h.database(kind, directory) as url:
        key, files = first_key(url), certificate(directory, 2)
        with h.running("serve", "--db", url, *h.LOCAL_RECEIVERS, f"--http.tls_cert={files[0]}",
                       f"--http.tls_key={files[1]}", folder=directory) as server:
            client = SecureClient(server.port, key)
            expiring_key(client)
            endpoint(client, "good", good.url)
            endpoint(client, "bad", bad.url)
            endpoint(client, "down", f"http://127.0.0.1:{h.free_port()}/hook")
            create(client, "down", 20)
            with open(RULES, encoding="utf-8") as file:
                rules = quick(file.read())
            with prometheus(directory, f"127.0.0.1:{server.port}", rules, secure_scrape(key)) as watcher:
                all_queries = [query.replace("$job", "sundial").replace("$__rate_interval", "10s")
                               for query in dashboard_queries()]
                # Of a rule, what it compares: the rule itself finds something only while it fires.
                all_queries += [re.sub(r"\s(==|<|>) [\d. *]+$", "", quick(rule["expr"]).strip()) for rule in alert_rules()
                                if "absent(" not in rule["expr"]]
                for rule in alert_rules():
                    watcher.query(quick(rule["expr"]))
                may_be_empty = NOT_HERE[kind] | NOT_NOW
                due = {query for query in all_queries if not any(text in query for text in may_be_empty)}
                silent = [query for query in all_queries if query not in due]
                for query in silent:
                    watcher.query(query)

                def answered():
                    something_of_everything(client)
                    due.difference_update([query for query in due if watcher.query(query)])
                    return not due
                end = time.monotonic() + h.HANG_GUARD
                h.wait_until(lambda: answered() or time.monotonic() > end, "queries")
                assert not due, "no data for:\n" + "\n".join(sorted(due))
                print(f"{kind}: {len(all_queries)} queries, {len(all_queries) - len(silent)} with data")


class Story:
    """Makes alerts fire and resolve, and tells the times."""

    def __init__(self, watcher):
        self.watcher = watcher

    def until(self, names, firing):
        started = time.monotonic()

        def look():
            now = self.watcher.alerts()
            for name, annotations in now.items():
                assert all("<error" not in text for text in annotations.values()), (name, annotations)
            return all((name in now) == firing for name in names)
        h.wait_until(look, f"{', '.join(names)} to {'fire' if firing else 'resolve'}")
        return time.monotonic() - started

    def tell(self, names, cause, cure):
        assert not set(names) & set(self.watcher.alerts()), (names, self.watcher.alerts())
        cause()
        fired = self.until(names, True)
        cure()
        resolved = self.until(names, False)
        for name in names:
            print(f"{name}: fired after {fired:.1f} s, resolved after {resolved:.1f} s", flush=True)


def nothing():
    pass


def quiet(watcher, name):
    h.wait_until(lambda: name not in watcher.alerts(), f"{name} to be silent")


def append_too_late(client):
    assert client.call("POST", "/v1/streams/Order/late", {"expectedVersion": 7, "events": [
        {"eventType": "Placed", "data": 1}]}).status == 409


def fire():
    """Alerts fire and resolve on the real program: on SQLite, where the only process can be killed and started again."""
    held = h.threading.Event()
    receiver, bad, slow = h.Receiver(), h.Receiver(refuse="/hook"), h.Receiver(hold=held)
    with h.folder() as directory, h.database("sqlite", directory) as url:
        key, files, port = first_key(url), certificate(directory, 90), h.free_port()
        zones = shutil.copytree("/usr/share/zoneinfo", os.path.join(directory, "zoneinfo"), symlinks=True)
        settings = ("serve", "--db", url, *h.LOCAL_RECEIVERS, f"--http.tls_cert={files[0]}", f"--http.tls_key={files[1]}",
                    "--delivery.circuit.open=PT1S", "--delivery.circuit.open_max=PT1S", f"--tz.dir={zones}")
        running = [h.Server(*settings, folder=directory, port=port).ready()]

        def start():
            running.append(h.Server(*settings, folder=directory, port=port).ready())

        def update_zones():
            """As a package does that brings the same rules under a new name."""
            path = os.path.join(zones, "tzdata.zi")
            with open(path, encoding="utf-8") as file:
                text = re.sub(r"\A# version \S+", "# version 2099z", file.read())
            with open(path + ".new", "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(path + ".new", path)
            running[-1].process.send_signal(signal.SIGHUP)

        def kill():
            running[-1].kill()

        client = SecureClient(port, key)
        try:
            with open(RULES, encoding="utf-8") as file:
                rules = quick(file.read())
            with prometheus(directory, f"127.0.0.1:{port}", rules, secure_scrape(key)) as watcher:
                h.wait_until(lambda: watcher.query("sundial_events_due"), "a scrape")
                h.wait_until(lambda: not watcher.alerts(), "silence")
                story = Story(watcher)
                story.tell(("SundialDown", "SundialNoInstance"), kill, start)

                endpoint(client, "slow", slow.url)
                create(client, "slow", 1)
                h.wait_until(slow.count, "an attempt in flight")

                def killed_in_flight():
                    kill()
                    held.set()
                    start()
                # Prometheus saw the counter of the killed process at 0. The range passes by itself.
                story.tell(("SundialLeasesExpire",), killed_in_flight, nothing)

                endpoint(client, "bad", bad.url)
                failed = []
                story.tell(("SundialDeadLetters",), lambda: failed.extend(create(client, "bad", 2)),
                           lambda: [client.ok("PATCH", f"/v1/events/{event}", {"dismissed": True}) for event in failed])

                endpoint(client, "down", f"http://127.0.0.1:{h.free_port()}/hook")
                story.tell(("SundialCircuitOpen",), lambda: create(client, "down", 10),
                           lambda: client.ok("PATCH", "/v1/endpoints/ext:down", {"url": receiver.url}))

                endpoint(client, "off", receiver.url)
                client.ok("PATCH", "/v1/endpoints/ext:off", {"enabled": False})
                story.tell(("SundialEventsWithoutEndpoint",), lambda: create(client, "off", 1),
                           lambda: client.ok("PATCH", "/v1/endpoints/ext:off", {"enabled": True}))

                endpoint(client, "good", receiver.url)
                # A counter that appears has no rate yet, so the first event only makes it appear.
                create(client, "good", 1, ago(minutes=5))
                h.wait_until(lambda: watcher.query("sundial_late_executions_total"), "a late event in a scrape")
                quiet(watcher, "SundialEventsLate")
                story.tell(("SundialEventsLate",), lambda: create(client, "good", 1, ago(minutes=5)), nothing)

                append_too_late(client)
                h.wait_until(lambda: watcher.query("sundial_optimistic_lock_conflicts_total"), "a conflict in a scrape")
                quiet(watcher, "SundialWriteConflicts")
                story.tell(("SundialWriteConflicts",), lambda: append_too_late(client), nothing)

                story.tell(("SundialTzReleaseChanged",), update_zones, nothing)

                made = []
                story.tell(("SundialKeyExpires",), lambda: made.append(expiring_key(client)),
                           lambda: client.ok("DELETE", f"/v1/api-keys/{made[0]['id']}"))

                story.tell(("SundialCertificateExpires", "SundialCertificateExpiresSoon"), lambda: certificate(directory, 2),
                           lambda: certificate(directory, 90))
        finally:
            held.set()
            running[-1].kill()


if __name__ == "__main__":
    if not shutil.which("prometheus"):
        print("prometheus is missing")
        sys.exit(SKIPPED)
    h.main({"queries": queries, "fire": fire})
