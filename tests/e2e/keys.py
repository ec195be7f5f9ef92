"""API keys: the first is made beside the server, every route asks for one, revoking works everywhere, and no log or
record has the secret."""
import json
import os
import re
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
    admin = key_create(url, "--name", "ops", "--role", "ADMIN")
    assert KEY.fullmatch(admin), admin
    for wrong in (["--role", "ROOT", "--name", "x"], ["--name", ""], ["--name", "x", "--expires-at", "2001-01-01T00:00:00Z"]):
        assert sundial("key", "create", "--db", url, *wrong).returncode == 2, wrong
    listed = sundial("key", "list", "--db", url)
    assert KEY.fullmatch(admin)[1] in listed.stdout and admin not in listed.stdout, listed
    assert sundial("key", "revoke", "nobody", "--db", url).returncode == 3
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
    h.wait_until(lambda: asked(clients[-1], made["key"]).status != 200, "the key to be refused everywhere")
    took = time.monotonic() - begin
    assert took < 5, f"{took} s"
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
    print(f"keys on {kind}: {len(handles) + 1} made, roles kept, one revoked everywhere after {took:.1f} s")


if __name__ == "__main__":
    main()
