"""Health is reported before, during and after a failure; no log contains secrets; no core is dumped."""
import json
import resource

import harness as h

SECRETS = ["Zuleika", "Dobson", "1990-05-17", "geheim", "payload-4711", "crm-4711", "whsec_", "Bearer", "Authorization"]


def told_at_each_stage(directory):
    """Before there is a database, while it is served, and while the process stops."""
    with h.running("serve", "--db", "x.db", folder=directory) as server:
        client = server.client()
        assert client.get("/livez").status == client.get("/readyz").status == 200
        health = client.ok("GET", "/healthz")
        assert health["status"] in ("pass", "warn"), health
        assert {"database", "claimLoop", "disk", "clock"} <= health["checks"].keys(), health
        assert all(check["status"] in ("pass", "warn") for check in health["checks"].values()), health
        server.process.terminate()
        # It answers for a second more, so that balancers see it: too short to look for a line in the log first.
        answer = h.wait_until(lambda: (now := client.get("/healthz")).status != 200 and now, "the begin of the end")
        assert answer.status == 503, answer.body
        problem = answer.json()
        assert problem["code"] == "NOT_READY" and problem["checks"]["draining"]["status"] == "fail", problem
        assert server.process.wait(timeout=h.HANG_GUARD) == 0


def waiting_for_its_database(directory):
    """Listens at once, and says what it waits for."""
    port = h.free_port()
    server = h.Server("serve", "--db", "postgresql://sundial:geheim@127.0.0.1:1/nothing", folder=directory, port=port)
    try:
        h.wait_until(lambda: [line for line in server.log() if "does not answer" in line["msg"]], "a try in the log")
        client = h.Client(port)
        assert client.get("/livez").status == 200
        for path in ("/readyz", "/healthz", "/v1/users"):
            answer = client.get(path)
            assert answer.status == 503 and answer.json()["code"] == "NOT_READY", f"{path}: {answer.body}"
        assert client.get("/healthz").json()["checks"]["database"]["status"] == "fail"
        assert "geheim" not in server.log_text(), "the log has a password"
        assert server.stop() == 0
    finally:
        if server.process.poll() is None:
            server.kill()


def kept_from_logs(directory):
    """An ordinary day with people, payloads, secrets and mistakes: none of it is in the log."""
    receiver = h.Receiver()
    with h.running("serve", "--db", "logs.db", *h.LOCAL_RECEIVERS, folder=directory) as server:
        client = server.client()
        person = {"firstName": "Zuleika", "lastName": "Dobson", "dateOfBirth": "1990-05-17", "timezone": "Europe/London", "externalId": "crm-4711"}
        user = client.ok("POST", "/v1/users", person)
        secret = client.ok("POST", "/v1/endpoints", {"name": "r", "type": "WEBHOOK", "url": receiver.url, "externalId": "r"})["secret"]
        event = client.ok("POST", "/v1/events", {"eventType": "X", "targetTimestampUTC": "now", "endpointId": "ext:r", "userId": user["id"],
                                                 "deliveryPayload": {"text": "payload-4711"}})
        h.wait_until(lambda: client.ok("GET", f"/v1/events/{event['id']}")["status"] == "COMPLETED", "the delivery")
        client.call("GET", "/v1/users/ext:crm-4711")
        client.call("GET", "/v1/users?q=Zuleika")
        client.call("POST", "/v1/users", person)  # a duplicate
        client.call("POST", "/v1/users", {**person, "timezone": "Zuleika/Dobson"})
        client.call("POST", "/v1/users", '{"firstName":"Zuleika",')
        client.call("GET", "/v1/users", headers={"Authorization": "Bearer sundial_sk_7f3a9k2m1q_geheim"})
        client.call("PATCH", f"/v1/users/{user['id']}", {"timezone": "America/New_York"})
        client.call("DELETE", f"/v1/users/{user['id']}")
        signatures = [headers["webhook-signature"] for _, headers, _ in receiver.received]
        assert signatures, "nothing was signed"
        h.wait_until(lambda: len(server.logged("http.request")) >= 12, "the lines of the requests")
        text = server.log_text()
        for kept in SECRETS + [secret, *signatures, *[one.split(",")[1] for one in signatures]]:
            assert kept not in text, f"a log line has {kept}"
        for line in text[:text.rindex("\n")].splitlines():
            json.loads(line)
        assert server.stop() == 0


def no_core_is_dumped(directory):
    """Even where the one who starts it would have liked one."""
    def cores_welcome():
        _, most = resource.getrlimit(resource.RLIMIT_CORE)
        resource.setrlimit(resource.RLIMIT_CORE, (most, most))
    with h.running("serve", "--db", "core.db", folder=directory, preexec=cores_welcome) as server:
        with open(f"/proc/{server.process.pid}/limits") as limits:
            line = next(line for line in limits if line.startswith("Max core file size"))
        assert line.split()[4:6] == ["0", "0"], line
        assert server.stop() == 0


def main():
    with h.folder() as directory:
        told_at_each_stage(directory)
        waiting_for_its_database(directory)
        kept_from_logs(directory)
        no_core_is_dumped(directory)
    print("health told at each stage, nothing in the logs that must not be there")


if __name__ == "__main__":
    main()
