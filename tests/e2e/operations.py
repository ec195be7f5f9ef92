"""Long jobs: an edit of a schedule works through every user's event, whatever is killed in between."""
import collections
import subprocess
import sys
import threading

import harness as h

LEASE = "--scheduler.lease=PT20S"


def create_users(client_of, count):
    """From eight threads: the server puts what arrives together into one commit."""

    def work(number):
        client = client_of()
        for i in range(number, count, 8):
            client.ok("POST", "/v1/users", {"firstName": "Ada", "lastName": f"Li {i}", "dateOfBirth": "1992-01-06",
                                            "timezone": ("Europe/Paris", "Asia/Tokyo", "America/New_York")[i % 3]})

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def edit(client, **members):
    answer = client.ok("PATCH", "/v1/schedules/ext:birthday", members)
    return client.ok("GET", f"/v1/operations/{answer['operationId']}")


def over(client, operation):
    return h.wait_until(lambda: (now := client.ok("GET", f"/v1/operations/{operation['id']}"))["status"] != "RUNNING" and now,
                        "the operation to be over", 300)


def check_events(client, users, hour):
    events = client.all("/v1/events?limit=500")
    of_user = collections.Counter(event["userId"] for event in events)
    assert len(of_user) == users and set(of_user.values()) == {1}, "a user without an event, or with two"
    hours = collections.Counter(event["targetTimestampLocal"][11:16] for event in events)
    assert hours == {hour: users}, hours


def plan_for_all(client, kill, users):
    """A new schedule: killed as soon as it is answered."""
    made = client.ok("POST", "/v1/schedules", {"externalId": "new-year", "eventType": "NEW_YEAR", "perUser": True,
                                               "trigger": {"yearly": {"on": "01-01", "at": "00:00"}}})
    operation = client.ok("GET", f"/v1/operations/{made['operationId']}")
    kill()
    assert operation["kind"] == "PLAN_SCHEDULE" and operation["status"] == "RUNNING", operation
    assert 0 < operation["done"] < operation["total"] == users, operation


def check_plan(client, users):
    operation = client.ok("GET", "/v1/operations?kind=PLAN_SCHEDULE")["data"][0]
    finished = over(client, operation)
    assert finished["status"] == "COMPLETED" and finished["done"] == users, finished
    of_user = collections.Counter(event["userId"] for event in client.all("/v1/events?scheduleId=ext:new-year&limit=500"))
    assert len(of_user) == users and set(of_user.values()) == {1}, "a user without an event, or with two"


def killed(kind, users):
    """kill -9 in the middle, twice; the second time in the middle of what the first had left."""
    users = int(users)
    with h.folder() as directory, h.database(kind, directory) as db:
        start = lambda: h.Server("serve", "--db", db, *h.LOCAL_RECEIVERS, LEASE, folder=directory).ready()
        server = start()
        create_users(server.client, users)
        operation = edit(server.client(), trigger={"yearly": {"at": "10:00"}})
        server.kill()
        assert operation["status"] == "RUNNING" and 0 < operation["done"] < users, operation
        server = start()
        client = server.client()
        further = h.wait_until(lambda: (now := client.ok("GET", f"/v1/operations/{operation['id']}"))["done"]
                               > operation["done"] and now, "the work to go on", every=0.02)
        server.kill()
        server = start()
        client = server.client()
        finished = over(client, operation)
        assert finished["status"] == "COMPLETED" and finished["failed"] == 0, finished
        assert finished["done"] == finished["total"] == 2 * users, finished  # events, then users
        check_events(client, users, "10:00")
        metrics = client.get("/metrics").body.decode()
        assert 'sundial_operations_running{kind="REPLAN_SCHEDULE"} 0' in metrics
        plan_for_all(client, server.kill, users)
        server = start()
        client = server.client()
        check_plan(client, users)
        print(f"{kind}: {users} events, killed after {operation['done']} and after {further['done']}: every user has "
              f"exactly one, at 10:00")
        assert server.stop() == 0


def shared(users):
    """Three instances on one PostgreSQL; the one that is at it is killed, another goes on after its lease."""
    users = int(users)
    with h.folder() as directory, h.postgres(migrated=True) as url:
        start = lambda: h.Server("serve", "--db", url, *h.LOCAL_RECEIVERS, LEASE, folder=directory).ready()
        servers = [start() for _ in range(3)]
        create_users(servers[0].client, users)
        operation = edit(servers[0].client(), trigger={"yearly": {"at": "11:30"}})
        servers[0].kill()
        finished = over(servers[1].client(), operation)
        assert finished["status"] == "COMPLETED" and finished["done"] == 2 * users, finished
        check_events(servers[2].client(), users, "11:30")
        told = h.wait_until(lambda: [line for server in servers for line in server.log() if line.get("operationId") == operation["id"]
                                     and line["msg"] == "operation ended"], "the line of its end")
        assert len(told) == 1, told
        print(f"{users} events on three instances, one killed: each moved once")
        assert all(server.stop() == 0 for server in servers[1:])


def backfill(kind):
    """A backfill killed as soon as it is answered, and asked for again once it is over: an event for each minute."""
    with h.folder() as directory, h.database(kind, directory) as db:
        start = lambda: h.Server("serve", "--db", db, *h.LOCAL_RECEIVERS, LEASE, folder=directory).ready()
        server = start()
        client = server.client()
        client.ok("POST", "/v1/schedules", {"externalId": "minutes", "eventType": "MINUTE", "timezone": "UTC",
                                            "trigger": {"cron": "* * * * *"}})
        wish = {"from": "2026-01-01T00:00:00Z", "to": "2026-01-03T00:00:00Z"}
        minutes = 2 * 24 * 60
        answer = client.call("POST", "/v1/schedules/ext:minutes/backfill", wish)
        server.kill()
        operation = answer.json()
        assert answer.status == 202 and operation["kind"] == "BACKFILL_SCHEDULE", operation
        assert operation["status"] == "RUNNING" and 0 < operation["done"] < operation["total"] == minutes, operation
        server = start()
        client = server.client()
        for _ in range(2):
            finished = over(client, operation)
            assert (finished["status"], finished["done"]) == ("COMPLETED", minutes), finished
            events = client.all(f"/v1/events?scheduleId=ext:minutes&targetTo={wish['to']}&limit=500")
            assert len(events) == len({event["targetTimestampUTC"] for event in events}) == minutes, len(events)
            operation = client.ok("POST", "/v1/schedules/ext:minutes/backfill", wish)
        print(f"{kind}: {minutes} minutes filled in, killed on the way: each once, also when asked again")
        assert server.stop() == 0


def command_line():
    """list, wait and stop."""

    def run(*arguments):
        done = subprocess.run([h.PROGRAM, "op", *arguments, "--server", f"http://127.0.0.1:{server.port}"],
                              capture_output=True, text=True, timeout=h.HANG_GUARD)
        return done.returncode, done.stdout, done.stderr

    with h.folder() as directory, h.running("dev", "--users=600", "--db", "x.db", folder=directory) as server:
        client = server.client()
        operation = edit(client, trigger={"yearly": {"at": "10:00"}})
        code, out, _ = run("wait", operation["id"])
        assert code == 0 and "COMPLETED" in out, out
        code, out, _ = run("list")
        assert code == 0 and operation["id"] in out, out
        code, out, _ = run("list", "--running", "--json")
        assert code == 0 and '"data":[]' in out, out
        over_by_now = client.ok("GET", f"/v1/operations/{operation['id']}")
        code, out, _ = run("stop", operation["id"])
        assert code == 0 and "COMPLETED" in out, "what is over stays as it is"
        assert client.ok("GET", f"/v1/operations/{operation['id']}") == over_by_now
        code, _, err = run("wait", "01990000-0000-7000-8000-00000000ffff")
        assert code == 3 and "OPERATION_NOT_FOUND" in err, err
        page = client.ok("GET", "/v1/operations?status=COMPLETED&kind=REPLAN_SCHEDULE&scheduleId=ext:birthday"
                         "&sort=-createdAt&limit=1")
        assert page["data"][0]["id"] == operation["id"], page
        refused = client.call("GET", "/v1/operations?scheduleId=ext:none")
        assert refused.status == 400 and refused.json()["errors"][0]["pointer"] == "?scheduleId"
        moved = client.call("DELETE", f"/v1/operations/{operation['id']}", headers={"If-Match": '"1"'})
        assert moved.status == 412, moved.status
        print("op list, wait, stop: as documented")


if __name__ == "__main__":
    which, *rest = sys.argv[1:]
    {"killed": killed, "shared": shared, "backfill": backfill, "command_line": command_line}[which](*rest)
