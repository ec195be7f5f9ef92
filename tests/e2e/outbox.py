"""Outboxes of applications: rows of a table in another SQLite file or PostgreSQL database, written by any program, that
the server follows and schedules exactly once each. `home` is Sundial's own database, `kind` the application's."""
import contextlib
import json
import os
import sqlite3
import subprocess
import threading

import harness as h
from sql import psycopg

TABLES = {
    "sqlite": """CREATE TABLE sundial_outbox (
                   id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL CHECK (kind IN ('event', 'schedule', 'user')),
                   request TEXT NOT NULL, created_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP)""",
    "postgres": """CREATE TABLE sundial_outbox (
                     id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                     kind text NOT NULL CHECK (kind IN ('event', 'schedule', 'user')),
                     request json NOT NULL, created_at timestamptz NOT NULL DEFAULT now())""",
}
EVENT = {"eventType": "ORDER_PLACED", "targetTimestampUTC": "2031-01-05T14:00:00Z", "deliveryPayload": {"order": 1}}


class Shop:
    """The application's database."""

    def __init__(self, kind, place):
        self.kind, self.place = kind, place

    @property
    def setting(self):
        return f"--storage.intake=shop={'sqlite:' + self.place if self.kind == 'sqlite' else self.place}"

    def connect(self):
        if self.kind == "postgres":
            return psycopg.connect(self.place)
        connection = sqlite3.connect(self.place, timeout=h.HANG_GUARD)
        connection.execute("PRAGMA journal_mode = WAL")
        return connection

    def run(self, statement, *parameters):
        """In a transaction of its own."""
        with contextlib.closing(self.connect()) as connection, connection:
            return connection.execute(self.native(statement), parameters).rowcount

    def native(self, statement):
        return statement.replace("?", "%s") if self.kind == "postgres" else statement

    def put(self, request, kind="event", connection=None):
        statement, text = "INSERT INTO sundial_outbox (kind, request) VALUES (?, ?)", json.dumps(request)
        if connection is None:
            return self.run(statement, kind, text)
        return connection.execute(self.native(statement), (kind, text)).rowcount


@contextlib.contextmanager
def shop_of(kind, directory):
    with contextlib.ExitStack() as stack:
        shop = Shop(kind, stack.enter_context(h.postgres()) if kind == "postgres" else os.path.join(directory, "shop.db"))
        shop.run(TABLES[kind])
        yield shop


@contextlib.contextmanager
def place(home, kind):
    with h.folder() as directory, h.database(home, directory) as url, shop_of(kind, directory) as shop:
        yield directory, url, shop


def intake(client):
    rows = client.ok("GET", "/v1/intakes")["data"]
    assert [row["name"] for row in rows] in ([], ["shop"]), rows
    return rows[0] if rows else {"taken": 0, "refused": 0, "status": "NEW", "failure": None}


def taken(client, rows):
    h.wait_until(lambda: intake(client)["taken"] >= rows, f"{rows} rows to be taken")
    assert intake(client)["taken"] == rows, intake(client)


def keys(client):
    return sorted(event["idempotencyKey"] for event in client.all("/v1/events?limit=500"))


def cli(server, *arguments):
    done = subprocess.run([h.PROGRAM, "intake", *arguments, "--server", f"http://127.0.0.1:{server.port}"],
                          capture_output=True, text=True, timeout=h.HANG_GUARD)
    assert done.returncode == 0, done.stderr
    return done.stdout


def rows(home, kind):
    """Commit: scheduled once. Rollback: never. A bad row is reported and the next one goes through. Users and schedules,
    too. The application deletes the rows that were taken."""
    with place(home, kind) as (directory, url, shop):
        with h.running("serve", "--db", url, shop.setting, folder=directory) as server:
            client = server.client()
            shop.put(EVENT)
            connection = shop.connect()
            shop.put(dict(EVENT, idempotencyKey="never"), connection=connection)
            connection.rollback()
            connection.close()
            shop.put(dict(EVENT, idempotencyKey="order-7", deliveryPayload={"a": 1.50}))
            taken(client, 2)
            first = client.ok("GET", "/v1/events?q=outbox-shop-1")["data"][0]
            assert first["eventType"] == "ORDER_PLACED" and first["deliveryPayload"] == {"order": 1}, first

            shop.put({"eventType": "X", "targetTimestampLocal": "2031-01-05T14:00:00", "targetTimezone": "Mars/Base", "nonsense": 1})
            shop.put({"eventType": "X", "targetTimestampUTC": "soon"})
            shop.put({"firstName": "Ada", "lastName": "Li", "dateOfBirth": "1992-02-29", "timezone": "Europe/Paris",
                      "externalId": "crm-7"}, kind="user")
            shop.put(dict(EVENT, userId="ext:crm-7", idempotencyKey="for-ada"))
            shop.put({"externalId": "nightly", "eventType": "REPORT", "trigger": {"cron": "0 2 * * *"}, "timezone": "UTC"}, kind="schedule")
            shop.put({"externalId": "nightly", "eventType": "REPORT", "trigger": {"cron": "0 3 * * *"}, "timezone": "UTC"}, kind="schedule")
            taken(client, 8)
            refused = client.ok("GET", "/v1/intakes/refused?intake=shop")["data"]
            http = [client.call("POST", "/v1/events", body).json() for body in
                    ({"eventType": "X", "targetTimestampLocal": "2031-01-05T14:00:00", "targetTimezone": "Mars/Base", "nonsense": 1},
                     {"eventType": "X", "targetTimestampUTC": "soon"})]
            assert [(row["code"], row["errors"]) for row in refused] == [(one["code"], one["errors"]) for one in http], (refused, http)
            assert client.ok("GET", "/v1/schedules/ext:nightly")["trigger"] == {"cron": "0 3 * * *"}
            assert client.ok("GET", "/v1/events?q=for-ada")["data"][0]["userId"] == client.ok("GET", "/v1/users/ext:crm-7")["id"]
            assert intake(client)["refused"] == 2 and intake(client)["status"] == "FOLLOWED", intake(client)
            assert "shop,FOLLOWED,8,2," in cli(server, "list", "--csv"), cli(server, "list", "--csv")
            assert "VALIDATION_FAILED" in cli(server, "refused", "shop")

            # The ids of taken rows, as ranges: the application deletes these rows.
            for line in cli(server, "taken", "shop", "--all", "--csv").splitlines()[1:]:
                shop.run("DELETE FROM sundial_outbox WHERE id BETWEEN ? AND ?", *map(int, line.split(",")))
            with contextlib.closing(shop.connect()) as connection:
                assert connection.execute("SELECT count(*) FROM sundial_outbox").fetchone()[0] == 0
            shop.put(dict(EVENT, idempotencyKey="after"))
            taken(client, 9)
            assert keys(client).count("after") == 1 and "never" not in keys(client)
            assert server.stop() == 0
        with h.running("serve", "--db", url, shop.setting, folder=directory) as server:
            shop.put(dict(EVENT, idempotencyKey="after-restart"))
            taken(server.client(), 10)
            if home == "postgres":
                with psycopg.connect(url) as connection:
                    view = connection.execute("SELECT status, taken FROM sundial.v_intake WHERE kind = 'OUTBOX'").fetchall()
                assert view == [("FOLLOWED", 10)], view
            assert server.stop() == 0


def out_of_order(home):
    """Transactions of the application commit in another order than they drew their ids."""
    with place(home, "postgres") as (directory, url, shop):
        with h.running("serve", "--db", url, shop.setting, folder=directory) as server:
            client = server.client()
            early, late = shop.connect(), shop.connect()
            shop.put(dict(EVENT, idempotencyKey="early"), connection=early)
            shop.put(dict(EVENT, idempotencyKey="late"), connection=late)
            late.commit()
            taken(client, 1)
            assert keys(client) == ["late"]
            early.commit()
            taken(client, 2)
            assert keys(client) == ["early", "late"]
            early.close()
            late.close()
            assert server.stop() == 0


def killed(home, kind):
    """The server dies between reading a row and recording it, before its commit, and after: each row is scheduled once."""
    with place(home, kind) as (directory, url, shop):
        for round_, point in enumerate(("outbox: before taking:1", "outbox: before commit:1", "outbox: after commit:1")):
            for order in range(10):
                shop.put(dict(EVENT, idempotencyKey=f"order-{round_}-{order}"))
                shop.put({"firstName": "Ada", "lastName": "Li", "dateOfBirth": "1992-02-29", "timezone": "Europe/Paris"}, kind="user")
            dying = h.Server("serve", "--db", url, shop.setting, folder=directory, environment={"CRASH_POINT": point})
            dying.process.wait(timeout=h.HANG_GUARD)
            assert dying.process.returncode != 0, dying.log_text()
        with h.running("serve", "--db", url, shop.setting, folder=directory) as server:
            client = server.client()
            taken(client, 60)
            assert len(keys(client)) == 60 and len(set(keys(client))) == 60  # 30 orders and 30 birthdays
            assert len(client.all("/v1/users?limit=500")) == 30
            assert intake(client)["refused"] == 0, intake(client)
            assert server.stop() == 0


def lost(home, kind):
    """The source is away when the server starts, and later again: the server works on, says so, and reads it when it is
    back."""
    with place(home, kind) as (directory, url, shop):
        away = lambda: shop.run("ALTER TABLE sundial_outbox RENAME TO away")
        back = lambda: shop.run("ALTER TABLE away RENAME TO sundial_outbox")
        if kind == "sqlite":
            away, back = (lambda: os.rename(shop.place, shop.place + ".away")), (lambda: os.rename(shop.place + ".away", shop.place))
        shop.put(dict(EVENT, idempotencyKey="before"))
        away()
        with h.running("serve", "--db", url, shop.setting, folder=directory) as server:
            client = server.client()
            h.wait_until(lambda: intake(client)["status"] == "LOST", "the loss to be reported")
            assert ("there is no file" if kind == "sqlite" else "no table sundial_outbox") in intake(client)["failure"], intake(client)
            checks = client.get("/healthz").json()["checks"]
            assert checks["intakes"]["status"] == "warn" and "shop" in checks["intakes"]["detail"], checks
            assert client.get("/readyz").status == 200
            h.wait_until(lambda: any("an outbox cannot be read" in line["msg"] for line in server.log()), "the log")
            client.ok("POST", "/v1/events", dict(EVENT, idempotencyKey="meanwhile"))
            back()
            taken(client, 1)
            h.wait_until(lambda: intake(client)["status"] == "FOLLOWED", "the return to be reported")
            assert intake(client)["failure"] is None
            assert keys(client) == ["before", "meanwhile"]
            assert server.stop() == 0


def writers(home, kind):
    """32 writers at once, some roll back, and two servers where the database allows it: one event for each
    committed row."""
    with place(home, kind) as (directory, url, shop):
        with contextlib.ExitStack() as stack:
            servers = [stack.enter_context(h.running("serve", "--db", url, shop.setting, folder=directory))
                       for _ in range(2 if home == "postgres" else 1)]
            committed, lock = [], threading.Lock()

            def write(writer):
                connection = shop.connect()
                for i in range(25):
                    key = f"w-{writer}-{i}"
                    shop.put(dict(EVENT, idempotencyKey=key), connection=connection)
                    if (writer + i) % 5 == 0:
                        connection.rollback()
                        continue
                    connection.commit()
                    with lock:
                        committed.append(key)
                connection.close()
            threads = [threading.Thread(target=write, args=(writer,)) for writer in range(32)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            client = servers[0].client()
            taken(client, len(committed))
            assert keys(client) == sorted(committed), "an event for each committed row, and no other"
            assert all(server.stop() == 0 for server in servers)


def taken_over():
    """Of two servers, the one that follows the outbox is killed: the other goes on."""
    with place("postgres", "sqlite") as (directory, url, shop):
        start = lambda: h.running("serve", "--db", url, shop.setting, folder=directory)
        with start() as one, start() as other:
            shop.put(EVENT)
            taken(one.client(), 1)
            one.kill()  # perhaps the one that follows
            shop.put(EVENT)
            taken(other.client(), 2)
            assert keys(other.client()) == ["outbox-shop-1", "outbox-shop-2"]
            assert other.stop() == 0


def refused_settings():
    with h.folder() as directory:
        own = os.path.join(directory, "sundial.db")
        for setting, why in ((f"shop=sqlite:{own}", "Sundial's own database file"), ("shop", "takes sources such as"),
                             ("Shop=sqlite:x", "takes sources such as"), ("a=sqlite:x,a=sqlite:y", "a name of its own"),
                             ("a=postgresql://u:p@w@h/d", "is not a PostgreSQL address")):
            server = h.Server("serve", "--db", own, f"--storage.intake={setting}", folder=directory)
            assert server.process.wait(timeout=h.HANG_GUARD) == 1, setting
            assert why in server.log_text(), (setting, server.log_text())
            assert "p@w" not in server.log_text()


if __name__ == "__main__":
    h.main({"rows": rows, "out_of_order": out_of_order, "killed": killed, "lost": lost, "writers": writers,
            "taken_over": taken_over, "refused_settings": refused_settings})
