"""Staged incidents: the alert is silent under the same load before (the control), fires, and what it points to names the
cause: its section in docs/alerts.md, and the panels of the dashboards that the section names. The remedy ends it."""
import contextlib
import os
import re
import shutil
import subprocess
import sys
import threading
import time

import alerts
import harness as h

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "alerts"))
from rules import ROOT, RULES, dashboards, sections  # noqa: E402

SKIPPED = 77
QUIET = 12  # s without an alert: longer than the ranges of alerts.quick()


class Slowness:
    """Each answer of a receiver waits `seconds`, which may change. A receiver's `hold`."""

    seconds = 0.0

    def wait(self, _):
        time.sleep(self.seconds)


@contextlib.contextmanager
def load(server, per_second):
    """Creates that many due events of each endpoint, every second, while the block runs."""
    over, client = threading.Event(), server.client()

    def work():
        while not over.wait(1):
            with contextlib.suppress(OSError, h.http.client.HTTPException):
                for name, count in per_second.items():
                    client.call("POST", "/v1/events/batch", {"events": [
                        {"eventType": "TOLD", "targetTimestampUTC": "now", "deliveryPayload": {}, "endpointId": f"ext:{name}"}] * count})
    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


class OnCall:
    """The person on call: reads the alerts, the page that they name, and the dashboards."""

    def __init__(self, watcher):
        self.watcher = watcher

    def sees_nothing(self, names):
        """The control. A busy machine may raise an alert at first."""
        since = time.monotonic()

        def look():
            nonlocal since
            if set(names) & set(self.watcher.alerts()):
                since = time.monotonic()
            return time.monotonic() - since > QUIET
        h.wait_until(look, f"{', '.join(names)} to be silent for {QUIET} s")

    def is_warned(self, name):
        """The section of the runbook that the alert names."""
        begun = time.monotonic()
        annotations = h.wait_until(lambda: self.watcher.alerts().get(name), f"{name} to fire")
        print(f"{name}: fired after {time.monotonic() - begun:.1f} s", flush=True)
        page, anchor = annotations["runbook_url"].split("#")
        return " ".join(sections(os.path.join(ROOT, page))[anchor].split())

    def stays_warned(self, name):
        """It does not pass by itself."""
        until = time.monotonic() + QUIET
        h.wait_until(lambda: time.monotonic() > until or name not in self.watcher.alerts(), "the time to pass")
        assert time.monotonic() > until, f"{name} resolved by itself"

    def instances_of(self, name):
        found = self.watcher.query(f'ALERTS{{alertname="{name}", alertstate="firing"}}')
        return {sample["metric"].get("instance") for sample in found}

    def highest(self, title, label):
        """Of the panel with that title: (label, value) of the largest sample."""
        queries = [target["expr"] for _, board in dashboards() for panel in board["panels"] if panel["title"] == title
                   for target in panel["targets"]]
        assert queries, f"no dashboard has the panel {title}"
        query = queries[0].replace("$job", "sundial").replace("$__rate_interval", "10s")
        samples = [(float(sample["value"][1]), sample["metric"].get(label)) for sample in self.watcher.query(query)]
        value, name = max((each for each in samples if each[0] == each[0]), default=(0.0, None))
        return name, value

    def names(self, title, endpoint, at_least):
        """The value of that endpoint, if it is the largest of the panel; or None."""
        name, value = self.highest(title, "endpoint")
        return value if name == endpoint and value >= at_least else None

    def sees_it_end(self, name):
        begun = time.monotonic()
        h.wait_until(lambda: name not in self.watcher.alerts(), f"{name} to resolve")
        print(f"{name}: resolved after {time.monotonic() - begun:.1f} s", flush=True)


@contextlib.contextmanager
def on_call(directory, servers, shorter=("", "")):
    """`shorter`: text of the rules, and text of a rule with a threshold that a test can wait for."""
    with open(RULES, encoding="utf-8") as file:
        rules = alerts.quick(file.read().replace(*shorter))
    targets = "', '".join(f"127.0.0.1:{server.port}" for server in servers)
    with alerts.prometheus(directory, targets, rules) as watcher:
        yield OnCall(watcher)


def psql(url, statement):
    done = subprocess.run(["psql", "-X", "-A", "-t", "-F", "|", url, "-c", statement], capture_output=True, text=True,
                          timeout=h.HANG_GUARD, check=True)
    return [line.split("|") for line in done.stdout.splitlines()]


def titles_in(section):
    """Panels of the dashboards that it names, in italics."""
    return re.findall(r"(?<!\*)\*([A-Z][^*]+)\*(?!\*)", section)


def slow_receiver():
    """One receiver begins to take seconds for each request. It gets only its share of the workers, so that its events wait."""
    slowness = Slowness()
    receivers = {"crm": h.Receiver(), "shop": h.Receiver(), "mail": h.Receiver(hold=slowness)}
    with h.folder() as directory, h.running("serve", "--db", "s.db", *h.LOCAL_RECEIVERS, folder=directory) as server:
        client = server.client()
        for name, receiver in receivers.items():
            alerts.endpoint(client, name, receiver.url)
        with on_call(directory, [server]) as person, load(server, {"crm": 8, "shop": 8, "mail": 4}):
            try:
                person.sees_nothing(["SundialEventsLate"])
                slowness.seconds = 6
                section = person.is_warned("SundialEventsLate")
                panels = titles_in(section)
                assert "Duration of attempts, p95" in panels and "Attempts in flight" in panels, section
                for title, at_least in (("Duration of attempts, p95", 4), ("Attempts in flight", 8)):
                    value = h.wait_until(lambda at=title, least=at_least: person.names(at, "mail", least), f"{title} to name the receiver")
                    print(f"{title}: mail {value:.1f}", flush=True)
                person.stays_warned("SundialEventsLate")
                assert "Give it `maxInFlight`" in section, section
                client.ok("PATCH", "/v1/endpoints/ext:mail", {"maxInFlight": 2})
                person.sees_it_end("SundialEventsLate")
                assert slowness.seconds, "the receiver is as slow as before"
            finally:
                slowness.seconds = 0


def dead_instance():
    """One of two instances is killed in the middle of its deliveries."""
    receivers = {"crm": h.Receiver(delay=2), "shop": h.Receiver(delay=2)}  # longer than the pause of the load: some are always in flight
    with h.folder() as directory, h.postgres() as url, contextlib.ExitStack() as servers:
        settings = ("serve", "--db", url, *h.LOCAL_RECEIVERS)
        first = servers.enter_context(h.running(*settings, folder=directory))
        port = h.free_port()
        second = servers.enter_context(h.running(*settings, folder=directory, port=port))
        client = first.client()
        for name, receiver in receivers.items():
            alerts.endpoint(client, name, receiver.url)
        with on_call(directory, [first, second]) as person, load(first, {"crm": 10, "shop": 10}):
            person.sees_nothing(["SundialDown", "SundialLeasesExpire", "SundialNoInstance"])
            known = {each["id"] for each in client.all("/v1/instances")}
            h.wait_until(lambda: sum(float(sample["value"][1]) for sample in person.watcher.query(
                f'sum(sundial_delivery_in_flight{{instance="127.0.0.1:{port}"}})')) > 0, "deliveries of the second instance")
            second.kill()
            section = person.is_warned("SundialDown")
            assert person.instances_of("SundialDown") == {f"127.0.0.1:{port}"}, person.instances_of("SundialDown")
            assert "sundial live --server" in section and "`instance.dead`" in section, section
            try:
                h.Client(port).get("/livez")
                raise AssertionError("a killed instance answers")
            except OSError:
                pass
            section = person.is_warned("SundialLeasesExpire")
            assert "sundial instance list" in section and "`instance.dead`" in section, section
            dead = h.wait_until(lambda: first.logged("instance.dead"), "instance.dead in the log of the other instance")
            assert dead[0]["instance"] in known, (dead, known)
            assert "SundialNoInstance" not in person.watcher.alerts(), "the other instance delivers"
            servers.enter_context(h.running(*settings, folder=directory, port=port))
            person.sees_it_end("SundialDown")
            person.sees_it_end("SundialLeasesExpire")


def long_snapshot():
    """A session of a report keeps its snapshot open."""
    receiver = h.Receiver()
    with h.folder() as directory, h.postgres() as url, h.running("serve", "--db", url, *h.LOCAL_RECEIVERS, folder=directory) as server:
        alerts.endpoint(server.client(), "crm", receiver.url)
        with on_call(directory, [server], ("> 300", "> 5")) as person, load(server, {"crm": 10}):
            person.sees_nothing(["SundialTransactionOpen"])
            with subprocess.Popen(["psql", "-X", "-q", url], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  env={**os.environ, "PGAPPNAME": "report"}) as report:
                try:
                    report.stdin.write(b"BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM sundial.events;\n")
                    report.stdin.flush()
                    section = person.is_warned("SundialTransactionOpen")
                    assert titles_in(section) == ["Oldest transaction"], section
                    assert person.highest("Oldest transaction", "job")[1] > 5
                    steps = re.findall(r"`(SELECT [^`]+)`", section)
                    oldest = psql(url, steps[0])[0]
                    assert oldest[2] == "report" and oldest[4] == "idle in transaction", oldest
                    person.stays_warned("SundialTransactionOpen")
                    psql(url, steps[1].replace("PID", oldest[0]))
                    person.sees_it_end("SundialTransactionOpen")
                finally:
                    report.kill()


if __name__ == "__main__":
    if not shutil.which("prometheus"):
        print("prometheus is missing")
        sys.exit(SKIPPED)
    h.main({f.__name__: f for f in (slow_receiver, long_snapshot, dead_instance)})
