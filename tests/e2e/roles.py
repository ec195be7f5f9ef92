"""scheduler.roles: processes that each do a part of the work on one PostgreSQL, and the settings that are refused."""
import collections
import json
import os
import random
import re
import subprocess

import crashes
import harness as h

BACKFILL = {"from": "2026-01-01T00:00:00Z", "to": "2026-01-03T00:00:00Z"}
MINUTES = 2 * 24 * 60  # more than the API does before it answers


def start(url, roles, folder, *arguments):
    """Its port is the one of http.listen with the role api, or else the one of http.health_listen."""
    health = () if "api" in roles else ("--http.health_listen=127.0.0.1:0",)
    return h.Server("serve", "--db", url, *h.LOCAL_RECEIVERS, f"--scheduler.roles={roles}", "--scheduler.lease=PT20S",
                    *health, *arguments, folder=folder)


def command(*arguments, folder):
    """Exit code, output and errors of `sundial`."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("SUNDIAL")}
    done = subprocess.run([h.PROGRAM, *arguments], cwd=folder, env=clean, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=h.HANG_GUARD)
    return done.returncode, done.stdout, done.stderr


def doctor_on_roles(url, folder):
    found = json.loads(command("doctor", "--json", "--db", url, "--http.listen=127.0.0.1:0", folder=folder)[1])
    return next(row for row in found if row["check"] == "roles")


def counted(port):
    """{role: number of processes} as /metrics has it."""
    text = h.Client(port).get("/metrics").body.decode()
    lines = [line for line in text.splitlines() if line.startswith("sundial_instances{")]
    return {line.split('"')[1]: int(line.rsplit(" ", 1)[1]) for line in lines}


def stop_all(servers):
    for server in servers:
        if server.process.poll() is None:
            server.kill()


def refused():
    """Before a database is created or reached, with a message that says what to do."""
    postgres, health = "--db=postgresql://sundial@127.0.0.1:1/none", "--http.health_listen=127.0.0.1:0"
    cases = [
        (["--scheduler.roles=", postgres], "one or more of api, scheduler, worker and ui"),
        (["--scheduler.roles=api,cook", postgres], "one or more of api, scheduler, worker and ui, such as api,ui, not 'api,cook'"),
        (["--scheduler.roles=ui,worker", postgres, health], "ui without api"),
        (["--scheduler.roles=worker", postgres], "set http.health_listen"),
        (["--scheduler.roles=api,ui", "--db=x.db"], "lacks scheduler, worker, and no other process can open the SQLite file"),
    ]
    with h.folder() as directory:
        for arguments, message in cases:
            code, _, errors = command("serve", "--http.listen=127.0.0.1:0", *arguments, folder=directory)
            assert code == 1 and message in errors, (arguments, code, errors)
        code, _, errors = command("dev", "--scheduler.roles=api,scheduler,worker", "--db=x.db", "--http.listen=127.0.0.1:0",
                                  folder=directory)
        assert code == 1 and "'sundial dev' does everything" in errors, errors
        assert os.listdir(directory) == [], os.listdir(directory)
        # SQLite without the console is one process with all of the work.
        with h.running("serve", "--db", "x.db", "--scheduler.roles=api,scheduler,worker", folder=directory) as server:
            client = server.client()
            assert client.get("/ui/").status == 404 and client.get("/v1/info").status == 200
            assert "roles" not in client.ok("GET", "/healthz")["checks"]
            assert server.stop() == 0
    print("refused: unknown, empty, SQLite with a part, ui without api, no api without a health port, dev with a part")


def api_alone(client, url, directory):
    """It stores and answers. The work of other roles waits, and health, metrics and commands report that."""
    health = client.ok("GET", "/healthz")
    assert health["status"] == "warn" and "claimLoop" not in health["checks"], health
    assert "scheduler, worker" in health["checks"]["roles"]["detail"], health
    assert client.get("/readyz").status == 200
    assert counted(client.port) == {"api": 1, "scheduler": 0, "worker": 0, "ui": 1}, counted(client.port)
    found = doctor_on_roles(url, directory)
    assert found["state"] == "fail" and "none with the role scheduler, worker" in found["found"], found
    refusal = client.call("POST", "/v1/tick", {})
    assert refusal.status == 503 and "lacks worker" in refusal.json()["detail"], refusal.body


def together():
    """An API, a worker and a scheduler, started one after another: each step begins with the process that has its role."""
    receiver = h.Receiver()
    with h.folder() as directory, h.postgres() as url:
        servers = []
        try:
            servers.append(start(url, "api,ui", directory).ready())
            client = servers[0].client()
            h.wait_until(lambda: client.ok("GET", "/v1/instances")["data"], "the report of the API")
            api_alone(client, url, directory)
            crashes.endpoint(client, receiver.url)
            event = client.ok("POST", "/v1/events", {"eventType": "REMINDER", "targetTimestampUTC": "now", "endpointId": "ext:r",
                                                     "idempotencyKey": "one", "deliveryPayload": {}})
            client.ok("POST", "/v1/schedules", {"externalId": "minutes", "eventType": "MINUTE", "timezone": "UTC",
                                                "trigger": {"cron": "* * * * *"}})
            operation = client.ok("POST", "/v1/schedules/ext:minutes/backfill", BACKFILL)
            assert operation["status"] == "RUNNING" and operation["done"] < MINUTES, operation

            servers.append(start(url, "worker", directory).ready())
            status = lambda: client.ok("GET", f"/v1/events/{event['id']}")["status"]
            h.wait_until(lambda: status() == "COMPLETED", "the delivery by the worker")
            [attempt] = client.all(f"/v1/attempts?eventId={event['id']}")
            half = client.ok("GET", f"/v1/operations/{operation['id']}")
            assert (half["status"], half["done"]) == ("RUNNING", operation["done"]), "who else works on operations?"

            servers.append(start(url, "scheduler", directory).ready())
            h.wait_until(lambda: client.ok("GET", f"/v1/operations/{operation['id']}")["status"] == "COMPLETED",
                         "the operation by the scheduler")

            # Each process is seen from its first report on, which a thread makes beside the start.
            reports = lambda: {tuple(row["roles"]): row for row in client.ok("GET", "/v1/instances")["data"]}
            rows = h.wait_until(lambda: len(found := reports()) == 3 and found, "the reports of all three")
            assert set(rows) == {("api", "ui"), ("worker",), ("scheduler",)}, rows
            assert attempt["instanceId"] == rows[("worker",)]["id"], (attempt, rows)
            assert rows[("api", "ui")]["slots"] == 0 < rows[("worker",)]["slots"], rows
            _, listed, _ = command("instance", "list", "--server", f"http://127.0.0.1:{servers[0].port}", folder=directory)
            assert "api,ui" in listed and "worker" in listed and "scheduler" in listed, listed
            assert "last seen" in listed and re.search(r"\b[0-9]+ s ago\b", listed), listed
            _, csv, _ = command("instance", "list", "--csv", "--server", f"http://127.0.0.1:{servers[0].port}", folder=directory)
            assert csv.startswith("id,status,roles,version,startedAt,silentMs,"), csv
            h.wait_until(lambda: client.ok("GET", "/healthz")["checks"]["roles"]["status"] == "pass", "every role to be there")
            assert doctor_on_roles(url, directory)["state"] == "ok"
            for server, roles in zip(servers, ("api,ui", "worker", "scheduler")):
                [ready] = server.logged("server.ready")
                assert ready["roles"] == roles and ready["instance"] == rows[tuple(roles.split(","))]["id"], ready
                assert counted(server.port) == {"api": 1, "scheduler": 1, "worker": 1, "ui": 1}, roles
                other = h.Client(server.port)
                serves = roles == "api,ui"
                assert [other.get(path).status for path in ("/livez", "/readyz", "/healthz")] == [200, 200, 200], roles
                for path in ("/v1/events", "/ui/", "/openapi.json"):
                    assert (other.get(path).status == 200) == serves, (roles, path)
                checks = other.ok("GET", "/healthz")["checks"]
                assert ("claimLoop" in checks) == (roles == "worker"), (roles, checks)

            # A worker that is drained through the API ends, and takes its role with it.
            client.ok("POST", f"/v1/instances/{rows[('worker',)]['id']}/drain")
            assert servers[1].process.wait(timeout=h.HANG_GUARD) == 0
            h.wait_until(lambda: counted(servers[0].port)["worker"] == 0, "the count without it")
            assert "worker" in client.ok("GET", "/healthz")["checks"]["roles"]["detail"]
            assert servers[0].stop() == 0 and servers[2].stop() == 0
        finally:
            stop_all(servers)
    print("api, worker and scheduler on one PostgreSQL: each does its part, and a missing role is shown")


def killed(events, kills, seed):
    """Two processes for each role; a random one is killed every so often, and started again."""
    events, rng = int(events), random.Random(int(seed))
    receiver = h.Receiver(delay=0.05)
    with h.folder() as directory, h.postgres() as url:
        parts = ["api,ui", "api", "worker", "worker", "scheduler", "scheduler"]
        servers = [start(url, parts[0], directory).ready()]
        try:
            servers += [start(url, part, directory).ready() for part in parts[1:]]
            client = lambda: servers[0].client()
            crashes.endpoint(client(), receiver.url)
            client().ok("POST", "/v1/schedules", {"externalId": "minutes", "eventType": "MINUTE", "timezone": "UTC",
                                                  "trigger": {"cron": "* * * * *"}})
            operation = client().ok("POST", "/v1/schedules/ext:minutes/backfill", BACKFILL)
            keys = [f"e-{i}" for i in range(events)]
            callers = servers[:2]  # replaced in place below, so creators always find those that live
            creators = crashes.start_creators(callers, keys)
            dead = collections.Counter()
            # Every role is killed, whatever the seed.
            victims = [0, 2, 4] + [rng.randrange(len(parts)) for _ in range(int(kills) - 3)]
            for number, victim in enumerate(victims):
                goal = events * (number + 1) // (len(victims) + 1)
                h.wait_until(lambda: receiver.count() >= goal, "progress", 300)
                servers[victim].kill()
                dead[parts[victim]] += 1
                servers[victim] = start(url, parts[victim], directory).ready()
                callers[:] = servers[:2]
            for creator in creators:
                creator.join()
            h.wait_until(lambda: set(keys) <= set(receiver.ids()), "every event to arrive", 300)
            left = lambda: client().ok("GET", "/v1/events?status=PENDING,PROCESSING&eventType=LOAD&limit=1")["data"]
            h.wait_until(lambda: not left(), "every event to be settled", 300)
            made = collections.Counter(event["status"] for event in client().all("/v1/events?eventType=LOAD&limit=500"))
            assert made == {"COMPLETED": events}, made
            over = lambda: client().ok("GET", f"/v1/operations/{operation['id']}")
            h.wait_until(lambda: over()["status"] == "COMPLETED", "the operation to be over", 300)
            assert over()["done"] == MINUTES, over()
            tries = collections.defaultdict(list)
            for _, headers, _ in receiver.received:
                tries[headers["webhook-id"]].append(int(headers["Sundial-Attempt"]))
            assert all(len(set(numbers)) == len(numbers) for numbers in tries.values()), "an attempt was sent twice"
            print(f"{events} events and an operation, kills {dict(dead)}: everything delivered and COMPLETED once")
            assert all(server.stop() == 0 for server in servers)
        finally:
            stop_all(servers)


if __name__ == "__main__":
    h.main({"refused": refused, "together": together, "killed": killed})
