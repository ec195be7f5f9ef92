"""API keys: the first key has the role ADMIN, and one ADMIN key always remains. Every route needs a key, a revoked key stops
working on every instance, no log or record contains a secret, and Sundial warns before a key expires."""
import datetime
import json
import os
import re
import socket
import subprocess
import sys
import time

import harness as h

KEY = re.compile(r"sundial_sk_([0-9a-z]{10})_[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}")


def sundial(*arguments, environment=None):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("SUNDIAL")}
    clean.update(environment or {})
    return subprocess.run([h.PROGRAM, *arguments], capture_output=True, text=True, timeout=h.HANG_GUARD, env=clean)


def key_create(url, *more):
    done = sundial("key", "create", "--db", url, *more)
    assert done.returncode == 0, done
    return done.stdout.strip()


def bearer(key):
    return {"Authorization": f"Bearer {key}"}


def asked(client, key, method="GET", path="/v1/users", body=None):
    return client.call(method, path, body, bearer(key) if key else {})


def from_elsewhere(url, directory):
    """A server on every address: it starts once there is a key."""
    return h.running("serve", "--db", url, folder=directory, listen="0.0.0.0")


def made_beside_the_server(url, directory):
    refused = sundial("serve", "--db", url, "--http.listen=0.0.0.0:0")
    assert refused.returncode == 1 and "sundial key create" in refused.stderr, refused
    for role, code in (["READ"], "FIRST_KEY_NOT_ADMIN"), (["ADMIN", "--expires-at", "2099-01-01T00:00:00Z"], "LAST_ADMIN_KEY"):
        first = sundial("key", "create", "--db", url, "--name", "first", "--role", *role)
        assert first.returncode == 4 and code in first.stderr, first
    assert sundial("key", "list", "--db", url).stdout == ""
    admin = key_create(url, "--name", "ops", "--role", "ADMIN")
    assert KEY.fullmatch(admin), admin
    for wrong in (["--role", "ROOT", "--name", "x"], ["--name", ""], ["--name", "x", "--expires-at", "2001-01-01T00:00:00Z"]):
        assert sundial("key", "create", "--db", url, *wrong).returncode == 2, wrong
    listed = sundial("key", "list", "--db", url)
    assert KEY.fullmatch(admin)[1] in listed.stdout and admin not in listed.stdout, listed
    assert sundial("key", "revoke", "-y", "nobody", "--db", url).returncode == 3
    return admin


def asked_for_by_every_route(client, admin):
    for path in ("/v1/users", "/v1/nothing", "/metrics", "/v1/api-keys"):
        answer = asked(client, None, path=path)
        assert answer.status == 401 and answer.json()["code"] == "UNAUTHENTICATED", answer.body
        assert answer.headers["WWW-Authenticate"] == "Bearer"
    for path in ("/livez", "/readyz", "/openapi.json"):
        assert asked(client, None, path=path).status == 200, path
    assert asked(client, admin).status == 200
    assert asked(client, admin[:-1] + ("0" if admin[-1] != "0" else "1")).status == 401


def known_by_their_role(client, admin):
    shown = {}
    for role in ("READ", "WRITE"):
        answer = asked(client, admin, "POST", "/v1/api-keys", {"name": role.lower(), "role": role})
        assert answer.status == 201, answer.body
        shown[role] = answer.json()
    user = {"firstName": "Zuleika", "lastName": "Dobson", "dateOfBirth": "1990-05-17", "timezone": "Europe/London"}
    answer = asked(client, shown["READ"]["key"], "POST", "/v1/users", user)
    assert answer.status == 403 and answer.json()["role"] == "WRITE", answer.body
    assert asked(client, shown["WRITE"]["key"], "POST", "/v1/users", user).status == 201
    assert asked(client, shown["WRITE"]["key"], path="/v1/api-keys").status == 403
    listed = asked(client, admin, path="/v1/api-keys").json()["data"]
    assert [one["name"] for one in listed] == ["ops", "read", "write"], listed
    assert all("key" not in one for one in listed), "a key is shown once"
    for body in ({}, {"name": "x", "role": "ROOT"}, {"name": "x", "purpose": "CALENDAR"}, {"name": "x", "expiresAt": "yesterday"}):
        assert asked(client, admin, "POST", "/v1/api-keys", body).status == 400, body
    return shown


def refused_within_five_seconds(clients, admin):
    """Revoked on the first of `clients`, looked at on the last."""
    made = asked(clients[0], admin, "POST", "/v1/api-keys", {"name": "short-lived"}).json()
    assert h.wait_until(lambda: asked(clients[-1], made["key"]).status == 200, "the key to be known everywhere")
    assert asked(clients[0], admin, "DELETE", f"/v1/api-keys/{made['id']}").status == 204
    assert asked(clients[0], made["key"]).status == 401, "it is refused at once where it was revoked"
    begin = time.monotonic()
    h.wait_until(lambda: asked(clients[-1], made["key"]).status != 200, "the key to be refused everywhere", seconds=50)
    took = time.monotonic() - begin
    assert asked(clients[0], admin, "DELETE", f"/v1/api-keys/{made['id']}").status == 404
    return took


def told_in_logs_and_records(server, url, shown, admin):
    handles = {role: KEY.fullmatch(one["key"])[1] for role, one in shown.items()}
    requests = server.logged("http.request")
    assert any(line.get("actor") == "key:" + handles["WRITE"] and line["status"] == 201 for line in requests)
    assert any(line.get("actor") == "key:" + handles["READ"] and line["status"] == 403 for line in requests)
    for secret in [admin] + [one["key"] for one in shown.values()]:
        assert secret[22:] not in server.log_text(), "a log line has a secret"
    for personal in ("Zuleika", "Dobson", "1990-05-17", "Authorization", "Bearer"):
        assert personal not in server.log_text(), f"a log line has {personal}"
    return handles


def shown_to_administrators_only(client, keys):
    """The feed and the streams show names of keys to ADMIN keys only."""
    names = ["Ada's laptop", "read", "write"]
    [made] = [event for event in asked(client, keys["ADMIN"], path="/v1/feed?aggregateType=ApiKey&limit=500").json()["data"]
              if event["data"].get("name") == names[0]]
    paths = ["/v1/feed?limit=500", "/v1/feed?aggregateType=ApiKey&wait=PT1S", "/v1/streams/ApiKey/" + made["aggregateId"]]
    for path in paths:
        shown = asked(client, keys["ADMIN"], path=path).json()["data"]
        assert names[0] in [event["data"].get("name") for event in shown], f"{path}: {shown}"
        for role in ("READ", "WRITE"):
            answer = asked(client, keys[role], path=path)
            events = [event for event in answer.json()["data"] if event["aggregateType"] == "ApiKey"]
            assert events and all("name" not in event["data"] for event in events), f"{role} {path}: {events}"
            assert all(event["data"]["role"] for event in events if event["eventType"] == "ApiKeyCreated")
    with socket.create_connection(("127.0.0.1", client.port), timeout=h.HANG_GUARD) as stream:
        stream.sendall((f"GET /v1/feed?aggregateType=ApiKey HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
                        f"Authorization: Bearer {keys['READ']}\r\n\r\n").encode())
        told = b""
        while made["eventId"].encode() not in told or not told.endswith(b"\n\n\r\n"):
            told += stream.recv(65536)
        assert b'"role"' in told and b"laptop" not in told, told


def managed_through_a_server(directory):
    """Without `--db` the commands ask a server. An ADMIN key exists at all times."""
    with h.running("serve", "--db", "managed.db", folder=directory) as server:
        client = server.client()
        where = ["--server", f"http://127.0.0.1:{server.port}"]
        for role in ("READ", "WRITE"):
            refused = client.call("POST", "/v1/api-keys", {"name": "first", "role": role})
            assert refused.status == 409 and refused.json()["code"] == "FIRST_KEY_NOT_ADMIN", refused.body
        refused = client.call("POST", "/v1/api-keys", {"name": "first", "role": "ADMIN", "expiresAt": "2099-01-01T00:00:00Z"})
        assert refused.status == 409 and refused.json()["code"] == "LAST_ADMIN_KEY", refused.body
        assert client.get("/v1/users").status == 200, "no key was made"
        refused = sundial("key", "create", "--name", "first", *where)
        assert refused.returncode == 4 and "FIRST_KEY_NOT_ADMIN" in refused.stderr, refused
        made = sundial("key", "create", "--name", "ops", "--role", "ADMIN", environment={"SUNDIAL_SERVER": where[1]})
        admin = made.stdout.strip()
        assert made.returncode == 0 and KEY.fullmatch(admin), made
        shown = {"SUNDIAL_API_KEY": admin}
        assert sundial("key", "list", *where).returncode == 5
        one = json.loads(sundial("key", "create", "--name", "crm", "--json", *where, "--expires-at", "2099-01-01T00:00:00Z", environment=shown).stdout)
        assert one["role"] == "READ" and one["expiresAt"] == "2099-01-01T00:00:00.000Z" and KEY.fullmatch(one["key"]), one
        listed = sundial("key", "list", *where, environment=shown)
        rows = [line.split() for line in listed.stdout.splitlines()]
        assert rows[0] == ["key", "role", "name", "expires", "last", "used"] and admin not in listed.stdout, listed
        assert [row[:4] for row in rows[1:]] == [[KEY.fullmatch(admin)[1], "ADMIN", "ops", "never"],
                                                 [KEY.fullmatch(one["key"])[1], "READ", "crm", "2099-01-01T00:00:00.000Z"]], listed
        csv_rows = sundial("key", "list", "--csv", *where, environment=shown).stdout.splitlines()
        assert csv_rows[0] == "prefix,role,name,expiresAt,lastUsedAt" and csv_rows[1].split(",")[1:4] == ["ADMIN", "ops", ""], csv_rows
        assert [key["name"] for key in json.loads(sundial("key", "list", "--json", *where, environment=shown).stdout)["data"]] == ["ops", "crm"]
        last = sundial("key", "revoke", "-y", KEY.fullmatch(admin)[1], *where, environment=shown)
        assert last.returncode == 4 and "LAST_ADMIN_KEY" in last.stderr, last
        assert sundial("key", "revoke", "-y", "nobody", *where, environment=shown).returncode == 3
        assert sundial("key", "create", "--name", "x", "--expires-at", "tomorrow", *where, environment=shown).returncode == 2
        # Another ADMIN key can replace it.
        second = sundial("key", "create", "--name", "ops 2", "--role", "ADMIN", *where, environment=shown).stdout.strip()
        assert sundial("key", "revoke", "-y", KEY.fullmatch(admin)[1], *where, environment=shown).returncode == 0
        assert sundial("key", "list", *where, environment=shown).returncode == 5
        shown = {"SUNDIAL_API_KEY": second}
        for handle in (KEY.fullmatch(one["key"])[1], KEY.fullmatch(second)[1]):
            assert sundial("key", "revoke", "-y", handle, *where, environment=shown).returncode == 0
        assert client.get("/v1/users").status == 200, "the only key was revoked, so the server needs no key again"
        # The list has more than one page.
        admin = sundial("key", "create", "--name", "ops", "--role", "ADMIN", *where).stdout.strip()
        for number in range(501):
            assert asked(client, admin, "POST", "/v1/api-keys", {"name": str(number)}).status == 201
        assert len(sundial("key", "list", *where, "--api-key", admin).stdout.splitlines()) == 1 + 502
        assert len(json.loads(sundial("key", "list", "--json", *where, "--api-key", admin).stdout)["data"]) == 502
        assert server.stop() == 0
    both = ["key", "list", "--db", os.path.join(directory, "managed.db")]
    for flags in (["--server", "http://127.0.0.1:1"], ["--api-key", admin]):
        refused = sundial(*both, *flags)
        assert refused.returncode == 2 and flags[0] in refused.stderr and "--db" in refused.stderr, refused
    for flags in (["--config", "x.toml"], ["--storage.synchronous=full"]):
        refused = sundial("key", "list", *flags)
        assert refused.returncode == 2 and "--db" in refused.stderr, refused
    # Variables in the environment do not count as flags.
    beside = sundial(*both, environment={"SUNDIAL_SERVER": "http://127.0.0.1:1", "SUNDIAL_API_KEY": "x"})
    assert beside.returncode == 0 and len(beside.stdout.splitlines()) == 1 + 502, beside
    assert sundial("key", "list", "--server", "http://127.0.0.1:1").returncode == 6


def announced_before_they_expire(directory):
    """The log, the health and the metrics warn 14 days before a key expires, and not sooner."""
    database = os.path.join(directory, "expiring.db")

    def in_days(days):
        return (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")

    def told(server, admin):
        client = server.client()
        metrics = asked(client, admin, path="/metrics").body.decode()
        values = [float(line.split()[1]) for line in metrics.splitlines() if line.startswith("sundial_api_key_expiry_seconds ")]
        return client.ok("GET", "/healthz")["checks"]["apiKeys"], values

    admin = key_create(database, "--name", "ops", "--role", "ADMIN")
    with h.running("serve", "--db", database, folder=directory) as server:
        assert told(server, admin) == ({"status": "pass"}, [])
        assert server.stop() == 0
    key_create(database, "--name", "later", "--expires-at", in_days(15))
    with h.running("serve", "--db", database, folder=directory) as server:
        check, [left] = told(server, admin)
        assert check == {"status": "pass"} and 14 * 86400 < left <= 15 * 86400, (check, left)
        assert not server.logged("api_key.expiring")
        made = asked(server.client(), admin, "POST", "/v1/api-keys", {"name": "Zuleika", "role": "WRITE", "expiresAt": in_days(13)})
        check, [left] = told(server, admin)
        assert check["status"] == "warn" and check["detail"].startswith("1 API key expires within 14 days"), check
        assert 12 * 86400 < left <= 13 * 86400, left
        assert server.stop() == 0
    with h.running("serve", "--db", database, folder=directory) as server:
        [line] = h.wait_until(lambda: server.logged("api_key.expiring"), "a warning")
        assert (line["apiKeyId"], line["role"], line["level"]) == (made.json()["id"], "WRITE", "warn"), line
        assert "Zuleika" not in server.log_text()
        assert server.client().ok("GET", "/healthz")["status"] == "warn"
        assert server.stop() == 0


def in_the_operators_file(directory, key):
    """A key in a file works on a database that knows none."""
    file = os.path.join(directory, "keys")
    with open(file, "w") as keys:
        keys.write(f"# for the pipeline\n\nci WRITE {key}\n")
    arguments = ("serve", "--db", os.path.join(directory, "other.db"), f"--security.api_keys_file={file}")
    with h.running(*arguments, folder=directory, listen="0.0.0.0") as server:
        assert asked(server.client(), key).status == 200
        assert asked(server.client(), None).status == 401
        assert asked(server.client(), key, path="/v1/api-keys").status == 403
        assert server.stop() == 0
    with open(file, "w") as keys:
        keys.write(f"ci WRITE {key[:-1]}\n")
    refused = sundial(*arguments, "--http.listen=0.0.0.0:0")
    assert refused.returncode == 1 and f"{file}:1" in refused.stderr and key[:-1] not in refused.stderr, refused


def on_the_command_line(server, admin):
    where = ["--server", f"http://127.0.0.1:{server.port}"]
    assert sundial("info", *where).returncode == 5
    assert sundial("info", *where, "--api-key", admin).returncode == 0
    assert sundial("info", *where, environment={"SUNDIAL_API_KEY": admin}).returncode == 0


def main():
    kind = sys.argv[1]
    with h.folder() as directory, h.database(kind, directory) as url:
        admin = made_beside_the_server(url, directory)
        with from_elsewhere(url, directory) as server:
            clients = [server.client()]
            asked_for_by_every_route(clients[0], admin)
            shown = known_by_their_role(clients[0], admin)
            asked(clients[0], admin, "POST", "/v1/api-keys", {"name": "Ada's laptop"})
            shown_to_administrators_only(clients[0], {**{role: one["key"] for role, one in shown.items()}, "ADMIN": admin})
            on_the_command_line(server, admin)
            if kind == "postgres":
                with from_elsewhere(url, directory) as second:
                    took = refused_within_five_seconds([clients[0], second.client()], admin)
                    assert second.stop() == 0
            else:
                took = refused_within_five_seconds(clients, admin)
            handles = told_in_logs_and_records(server, url, shown, admin)
            assert server.stop() == 0
        listed = json.loads(sundial("key", "list", "--db", url, "--json").stdout)["data"]
        used = {one["name"]: one["lastUsedAt"] for one in listed}
        assert used["write"] and used["ops"], f"last uses are noted at the end: {used}"
        in_the_operators_file(directory, shown["WRITE"]["key"])
        if kind == "sqlite":  # these tests do not depend on the database
            managed_through_a_server(directory)
            announced_before_they_expire(directory)
    print(f"keys on {kind}: {len(handles) + 1} made, roles kept, one revoked everywhere after {took:.1f} s")


if __name__ == "__main__":
    main()
