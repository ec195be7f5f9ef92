"""The audit streams: each action of a caller on an event, operation, endpoint or instance names the caller, in HTTP and in SQL."""
import json
import subprocess

import harness as h

EVENT = {"eventType": "INVOICE", "deliveryPayload": {"pin": "4711"}}


def entries(client, aggregate, identifier):
    stream = client.ok("GET", f"/v1/streams/{aggregate}/{identifier}?limit=100")
    return [(one["eventType"], one["metadata"].get("actor"), one["data"]) for one in stream["data"]]


def ended(client, identifier, status):
    path = f"/v1/events/{identifier}"
    return h.wait_until(lambda: (now := client.ok("GET", path))["status"] == status and now, f"{identifier} to be {status}")


class Keyed:
    """A client with a key."""

    def __init__(self, client, key):
        self.client, self.headers = client, {"Authorization": f"Bearer {key}"}

    def ok(self, method, path, body=None):
        return self.client.ok(method, path, body, self.headers)

    def call(self, method, path, body=None):
        return self.client.call(method, path, body, self.headers)


def keyed(server):
    """An administrator and an operator with keys of their own, and the operator's name in entries."""
    plain = server.client()
    admin = Keyed(plain, plain.ok("POST", "/v1/api-keys", {"name": "ops", "role": "ADMIN"})["key"])
    made = admin.ok("POST", "/v1/api-keys", {"name": "night shift", "role": "WRITE"})
    return admin, Keyed(server.client(), made["key"]), "key:" + made["key"].split("_")[2]


def one_by_one(admin, operator, actor, endpoint):
    moved = admin.ok("POST", "/v1/events", {**EVENT, "targetTimestampUTC": "now+2h"})
    path = f"/v1/events/{moved['id']}"
    operator.ok("PATCH", path, {"targetTimestampUTC": "2049-01-02T03:04:05Z", "deliveryPayload": {"pin": "0815"}})
    operator.ok("DELETE", path)
    operator.ok("DELETE", path)  # again: nothing more happens
    (changed, cancelled) = entries(admin, "EventAudit", moved["id"])
    assert changed[:2] == ("EventChanged", actor), changed
    assert changed[2]["after"]["targetTimestampUTC"].startswith("2049-01-02T03:04:05"), changed
    assert changed[2]["payloadChanged"] and "4711" not in json.dumps(changed) and "0815" not in json.dumps(changed), changed
    assert cancelled == ("EventCancelled", actor, {"status": "PENDING"}), cancelled

    dead = admin.ok("POST", "/v1/events", {**EVENT, "targetTimestampUTC": "now", "endpointId": endpoint})
    path = f"/v1/events/{dead['id']}"
    ended(admin, dead["id"], "FAILED")
    dismissed = operator.ok("PATCH", path, {"dismissed": True, "note": "refunded"})
    assert (dismissed["dismissedBy"], dismissed["dismissalNote"]) == (actor, "refunded"), dismissed
    listed = admin.ok("GET", f"/v1/events?dismissed=true&endpointId={endpoint}")["data"]
    assert [one["dismissedBy"] for one in listed] == [actor], listed
    assert operator.ok("PATCH", path, {"dismissed": False})["dismissedBy"] is None
    again = operator.ok("POST", path + "/retry")
    assert admin.ok("GET", path)["dismissedBy"] == actor
    assert [one[:2] for one in entries(admin, "EventAudit", dead["id"])] == [
        ("EventDismissed", actor), ("EventRestored", actor), ("EventRetried", actor)]
    assert entries(admin, "EventAudit", dead["id"])[2][2] == {"retryId": again["id"], "newKey": False}
    ended(admin, again["id"], "FAILED")
    refused = operator.call("POST", f"/v1/streams/EventAudit/{dead['id']}", {"events": [{"eventType": "Forged", "data": {}}]})
    assert refused.status == 400 and "reserved" in refused.body.decode(), refused.body


def in_bulk(admin, operator, actor, endpoint):
    started = operator.ok("POST", "/v1/bulk", {"resource": "events", "action": "dismiss", "note": "shop closed",
                                               "filter": {"endpointId": endpoint}})
    h.wait_until(lambda: admin.ok("GET", f"/v1/operations/{started['id']}")["status"] == "COMPLETED", "the dismissals")
    (begun,) = entries(admin, "OperationAudit", started["id"])
    assert begun[:2] == ("BulkStarted", actor) and begun[2]["action"] == "dismiss", begun
    assert begun[2]["endpoint"] == endpoint and begun[2]["total"] == 1 and "shop" not in json.dumps(begun), begun
    (event,) = admin.ok("GET", f"/v1/events?dismissed=true&status=FAILED&endpointId={endpoint}&sort=-createdAt&limit=1")["data"]
    assert (event["dismissedBy"], event["dismissalNote"]) == (actor, "shop closed"), event

    # A hundred seconds of work: it is stopped before its end, however long the request to stop it takes.
    admin.ok("POST", "/v1/events/batch", {"events": [{**EVENT, "targetTimestampUTC": "now+1d"} for _ in range(100)]})
    slow = operator.ok("POST", "/v1/bulk", {"resource": "events", "action": "cancel", "perSecond": 1, "filter": {"status": "PENDING"}})
    operator.ok("DELETE", f"/v1/operations/{slow['id']}")
    assert [one[:2] for one in entries(admin, "OperationAudit", slow["id"])] == [
        ("BulkStarted", actor), ("OperationStopped", actor)]


def of_schedules(admin, operator, actor):
    schedule = admin.ok("POST", "/v1/schedules", {"eventType": "NIGHTLY", "trigger": {"cron": "0 3 * * *"}, "timezone": "Europe/Berlin"})
    made = operator.ok("POST", f"/v1/schedules/{schedule['id']}/trigger")
    assert entries(admin, "EventAudit", made["id"]) == [("EventTriggered", actor, {"scheduleId": schedule["id"]})]
    filled = operator.ok("POST", f"/v1/schedules/{schedule['id']}/backfill", {"from": "now-3d", "to": "now"})
    (begun,) = entries(admin, "OperationAudit", filled["id"])
    assert begun == ("BackfillStarted", actor, {"scheduleId": schedule["id"], "from": "now-3d", "to": "now"}), begun


def of_endpoints_and_instances(admin, operator, actor, receiver):
    endpoint = admin.ok("POST", "/v1/endpoints", {"name": "tested", "type": "WEBHOOK", "url": receiver.url})["id"]
    path = f"/v1/endpoints/{endpoint}"
    operator.ok("POST", path + "/test")
    operator.ok("PATCH", path, {"circuit": {"state": "CLOSED"}})  # it is closed: nothing happens
    operator.ok("PATCH", path + "?retryWaiting=true", {})
    assert entries(admin, "EndpointAudit", endpoint) == [("EndpointTested", actor, {}), ("WaitingRetried", actor, {})]
    refused = operator.call("POST", f"/v1/streams/EndpointAudit/{endpoint}", {"events": [{"eventType": "Forged", "data": {}}]})
    assert refused.status == 400 and "reserved" in refused.body.decode(), refused.body
    (instance,) = h.wait_until(lambda: admin.ok("GET", "/v1/instances")["data"], "the report of the instance")
    name = "key:" + admin.headers["Authorization"].split("_")[2]
    admin.ok("POST", f"/v1/instances/{instance['id']}/drain")
    return name, instance["id"]


def actions(kind):
    """Single actions, bulk operations, triggers, backfills, tests and drains, by a key with a name."""
    with h.folder() as directory, h.database(kind, directory) as db, \
            h.running("serve", "--db", db, *h.LOCAL_RECEIVERS, "--delivery.circuit.min_calls=1000", folder=directory) as server:
        admin, operator, actor = keyed(server)
        receiver = h.Receiver(refuse="/hook")
        endpoint = admin.ok("POST", "/v1/endpoints", {"name": "refuses", "type": "WEBHOOK", "url": receiver.url})["id"]
        one_by_one(admin, operator, actor, endpoint)
        in_bulk(admin, operator, actor, endpoint)
        of_schedules(admin, operator, actor)
        name, instance = of_endpoints_and_instances(admin, operator, actor, receiver)
        assert server.process.wait(timeout=h.HANG_GUARD) == 0
        with h.running("serve", "--db", db, *h.LOCAL_RECEIVERS, folder=directory) as again:
            admin.client = again.client()
            (drained,) = entries(admin, "InstanceAudit", "all")
            assert drained[:2] == ("DrainRequested", name) and drained[2]["instanceId"] == instance, drained
            assert again.stop() == 0


def psql(url, statement):
    done = subprocess.run(["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", url, "-c", statement],
                          capture_output=True, text=True, timeout=h.HANG_GUARD)
    return done.returncode, done.stdout.strip() + done.stderr.strip()


def sql():
    """Calls of SQL functions name the role of the database."""
    with h.folder() as directory, h.database("postgres", directory) as db, \
            h.running("serve", "--db", db, *h.LOCAL_RECEIVERS, folder=directory) as server:
        client, receiver = server.client(), h.Receiver(refuse="/hook")
        actor = "sql:" + psql(db, "SELECT session_user")[1]
        planned = client.ok("POST", "/v1/events", {**EVENT, "targetTimestampUTC": "now+2h"})
        assert psql(db, f"SELECT sundial.cancel_event('{planned['id']}')") == (0, "t")
        assert psql(db, f"SELECT sundial.cancel_event('{planned['id']}')") == (0, "f")
        assert entries(client, "EventAudit", planned["id"]) == [("EventCancelled", actor, {"status": "PENDING"})]
        endpoint = client.ok("POST", "/v1/endpoints", {"name": "refuses", "type": "WEBHOOK", "url": receiver.url})["id"]
        dead = client.ok("POST", "/v1/events", {**EVENT, "targetTimestampUTC": "now", "endpointId": endpoint})
        ended(client, dead["id"], "FAILED")
        client.ok("PATCH", f"/v1/events/{dead['id']}", {"dismissed": True})
        client.ok("PATCH", f"/v1/events/{dead['id']}", {"dismissed": False})
        code, again = psql(db, f"SELECT sundial.retry_event('{dead['id']}')")
        assert code == 0, again
        assert client.ok("GET", f"/v1/events/{dead['id']}")["dismissedBy"] == actor
        assert entries(client, "EventAudit", dead["id"]) == [
            ("EventDismissed", "loopback", {}), ("EventRestored", "loopback", {}),
            ("EventRetried", actor, {"retryId": again, "newKey": False})]
        for aggregate in ("EventAudit", "OperationAudit", "EndpointAudit", "InstanceAudit", "Calendar"):
            code, refused = psql(db, f"SELECT * FROM sundial.append('{aggregate}', '1', -1, '[{{\"eventType\":\"Forged\",\"data\":{{}}}}]')")
            assert code != 0, refused
        assert server.stop() == 0


if __name__ == "__main__":
    h.main({"actions": actions, "sql": sql})
