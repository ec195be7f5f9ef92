"""The first start: `sundial dev` on PostgreSQL has all that the guide's webhook needs, on a terminal it speaks to people;
what cannot work ends `serve` with a sentence, and neither makes nor migrates a database."""
import os
import pty
import select
import signal
import socket
import stat
import subprocess
import urllib.parse

import harness as h


def environment():
    return {name: value for name, value in os.environ.items() if not name.startswith("SUNDIAL") and name != "DATABASE_URL"}


def refused(*arguments, directory, code=1):
    """The message when it does not start."""
    done = subprocess.run([h.PROGRAM, *arguments], cwd=directory, env=environment(), capture_output=True, text=True,
                          timeout=h.HANG_GUARD, check=False)
    assert done.returncode == code, done
    return done.stderr


def sql(url, statement):
    return subprocess.run(["psql", url, "-XAtc", statement], check=True, capture_output=True, text=True).stdout.strip()


def has_schema(url):
    return sql(url, "SELECT count(*) FROM pg_namespace WHERE nspname = 'sundial'") == "1"


def development():
    """The webhook of docs/guide/getting-started.md, on PostgreSQL, before and after a restart."""
    receiver = h.Receiver()
    with h.folder() as directory, h.postgres() as url:
        key = os.path.join(directory, "sundial-dev.key")
        with h.running("dev", "--db", url, folder=directory) as server:
            made = server.client().ok("POST", "/v1/endpoints", {"externalId": "crm", "name": "CRM", "type": "WEBHOOK",
                                                                "url": receiver.url, "headers": {"X-Key": "0123456789"}})
            assert made["secret"].startswith("whsec_"), made
            server.client().ok("POST", "/v1/endpoints/ext:crm/test")
            server.stop()
        assert stat.S_IMODE(os.stat(key).st_mode) == 0o600
        with open(key) as file:
            before = file.read()
        with h.running("dev", "--db", url, folder=directory) as server:
            tested = server.client().ok("POST", "/v1/endpoints/ext:crm/test")
            assert tested["outcome"] == "SUCCEEDED", tested
            server.stop()
        assert receiver.count() == 2
        assert all(headers["webhook-signature"].startswith("v1,") for _, headers, _ in receiver.received)
        with open(key) as file:
            assert file.read() == before
        with h.running("serve", "--db", url, folder=directory) as server:
            answer = server.client().call("POST", "/v1/endpoints", {"name": "x", "type": "WEBHOOK", "url": "https://crm.example"})
            assert answer.status == 400 and "security.encryption_key" in answer.body.decode(), "serve makes no key unasked"
            server.stop()


def terminal():
    """On a terminal no line is JSON; in a pipe the log is."""
    with h.folder() as directory:
        command = [h.PROGRAM, "dev", "--db", "x.db", "--listen", "127.0.0.1:0", "--users", "12"]
        ours, its = pty.openpty()
        process = subprocess.Popen(command, cwd=directory, env=environment(), stdin=its, stdout=its, stderr=its)
        os.close(its)
        text = b""
        try:
            def read():
                nonlocal text
                while select.select([ours], [], [], 0)[0]:
                    try:
                        piece = os.read(ours, 65536)
                    except OSError:  # the other end is closed
                        return True
                    text += piece
                return b"a greeting for each" in text or process.poll() is not None
            h.wait_until(read, "its greeting")
            process.send_signal(signal.SIGINT)
            h.wait_until(lambda: (read(), process.poll() is not None)[1], "its end")
        finally:
            if process.poll() is None:
                process.kill()
            os.close(ours)
        lines = text.decode().split("\r\n")
        assert process.returncode == 0, text
        assert any("allow_private" in line for line in lines), "a warning is told"
        assert not any(line.lstrip().startswith("{") or '"msg"' in line for line in lines), text.decode()

        with h.running("dev", "--db", "x.db", folder=directory) as server:
            assert server.log()[0]["level"], "in a pipe it is JSON"
            server.stop()


def port_in_use():
    """Neither makes a database nor migrates one."""
    with h.folder() as directory, h.postgres() as url, socket.create_server(("127.0.0.1", 0)) as taken:
        listen = f"--http.listen=127.0.0.1:{taken.getsockname()[1]}"
        for command in ("serve", "dev"):
            for database in ("x.db", url):
                text = refused(command, "--db", database, listen, directory=directory)
                assert "cannot listen on" in text and "http.listen" in text, text
                assert os.listdir(directory) == [], os.listdir(directory)
                assert not has_schema(url)


def wrong_database():
    """A role, a password or a database that is not there; and `db`, `key`, `tick` say the same."""
    with h.folder() as directory, h.postgres() as url:
        def with_query(path, **query):
            parts = urllib.parse.urlsplit(url)
            own = dict(urllib.parse.parse_qsl(parts.query)) | query
            return f"postgresql://{parts.netloc}{path or parts.path}?{urllib.parse.urlencode(own)}"

        no_database = with_query("/no_such_database")
        no_role = with_query("", user="no_such_role")
        sql(url, "CREATE ROLE stranger LOGIN; DO $$ BEGIN EXECUTE format('REVOKE CONNECT ON DATABASE %I FROM public',"
                 " current_database()); END $$")
        no_right = with_query("", user="stranger")
        sql(url, "DO $$ BEGIN EXECUTE format($copy$COPY (VALUES ('local all guarded scram-sha-256'), ('local all all trust'))"
                 " TO %L$copy$, current_setting('hba_file')); END $$; CREATE ROLE guarded LOGIN PASSWORD 'its password';"
                 " SELECT pg_reload_conf()")
        h.wait_until(lambda: subprocess.run(["psql", "-w", with_query("", user="guarded"), "-Xc", ""], check=False,
                                            capture_output=True).returncode != 0, "the new rules")
        wrong_password, no_password = (with_query("", user="guarded", **query) for query in ({"password": "not it"}, {}))
        for database, parts in ((no_database, ("no_such_database", "CREATE DATABASE")),
                                (no_role, ("no_such_role", "role", "storage.url")),
                                (no_right, ("GRANT CONNECT",)),
                                (wrong_password, ("guarded", "correct role and password")),
                                (no_password, ("correct role and password",))):
            for command in (("serve", "--http.listen=127.0.0.1:0"), ("db", "migrate"), ("db", "status"), ("key", "list"), ("tick",)):
                text = refused(*command, "--db", database, directory=directory)
                assert all(part in text for part in parts) and "not it" not in text, (command, text)
        assert not has_schema(url) and os.listdir(directory) == []

        # A server that is away is waited for, as before.
        away = h.Server("serve", "--db", "postgresql://nobody@127.0.0.1:1/nothing", folder=directory)
        try:
            h.wait_until(lambda: sum("does not answer" in line["msg"] for line in away.log()) >= 2, "two tries")
            assert away.process.poll() is None
        finally:
            away.kill()


def wrong_settings():
    """Said before a database is made."""
    with h.folder() as directory:
        for setting, part in (("--security.encryption_key=short", "32 bytes"),
                              ("--security.api_keys_file=absent", "cannot read 'absent'"),
                              ("--delivery.allow=everything", "delivery.allow"),
                              ("--delivery.deny=10.0.0.0/99", "delivery.deny"),
                              ("--delivery.ca_file=absent", "delivery.ca_file"),
                              ("--locks.url=http://x", "locks.url"),
                              ("--http.trusted_proxies=all", "http.trusted_proxies"),
                              ("--tz.dir=absent", "tz")):
            text = refused("serve", "--db", "x.db", "--http.listen=127.0.0.1:0", setting, directory=directory)
            assert part in text, (setting, text)
            assert os.listdir(directory) == [], (setting, os.listdir(directory))


if __name__ == "__main__":
    h.main({"development": development, "terminal": terminal, "port_in_use": port_in_use, "wrong_database": wrong_database,
            "wrong_settings": wrong_settings})
