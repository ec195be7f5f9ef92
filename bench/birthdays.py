"""A19: many users, of whom a part has its birthday on one day.

    python3 bench/birthdays.py [sqlite|postgres] [--users 1000000] [--birthdays 150000] [--single-minutes 4] [--load-minutes 12]

Creates users by POST /v1/users for --single-minutes, each in a transaction of its own that plans the next birthday, and the
others by batches of 500; fewer if --load-minutes are over before. The birthday schedule is set to a time of day shortly afterwards, and the run waits for it on the real
clock. Prints the rate of creation, the times of claims beside all those rows, and the lateness of that day's events. One
machine runs the server, the clients and the receiver.

- before the birthdays: claims of 10,000 single events that become due one after the other, 500 a second
- at the birthdays: claims and lateness of that day's events. Each is sent to a receiver of webhooks that answers 200 at
  once, and each plans the event of the next year
"""
import argparse
import asyncio
import concurrent.futures
import contextlib
import datetime
import http.client
import itertools
import json
import os
import re
import selectors
import socket
import sqlite3
import subprocess
import sys
import threading
import time

from bed import h

CONNECTIONS = 48
BATCH = 500
BATCHES_AT_ONCE = 4
SINGLE_EVENTS = 10_000
SINGLE_EVENTS_A_SECOND = 500
ZONES = ["Europe/Berlin", "America/New_York", "Asia/Tokyo", "Australia/Sydney", "America/Sao_Paulo", "Africa/Cairo",
         "Asia/Kolkata", "Pacific/Auckland"]
FINISHED = {"sqlite": "SELECT count(*) FROM event_history WHERE event_type = 'BIRTHDAY' AND status = 'COMPLETED'",
            "postgres": "SELECT count(*) FROM sundial.event_history WHERE event_type = 'BIRTHDAY' AND status = 'COMPLETED'"}
LATENESS = {
    "sqlite": "SELECT lateness / 1e3 FROM v_events WHERE event_type = 'BIRTHDAY' AND status = 'COMPLETED' ORDER BY lateness",
    "postgres": "SELECT extract(epoch FROM lateness) * 1e3 FROM sundial.v_events"
                " WHERE event_type = 'BIRTHDAY' AND status = 'COMPLETED' ORDER BY lateness"}


class Receiver(asyncio.Protocol):
    """Answers each request with 200."""

    def __init__(self):
        self.read = b""

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.read += data
        while (end := self.read.find(b"\r\n\r\n")) >= 0:
            length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", self.read[:end + 2])
            end += 4 + (int(length[1]) if length else 0)
            if len(self.read) < end:
                return
            self.read = self.read[end:]
            self.transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")


async def receive():
    server = await asyncio.get_running_loop().create_server(Receiver, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)  # until the parent closes it


@contextlib.contextmanager
def receiver():
    process = subprocess.Popen([sys.executable, os.path.abspath(__file__), "--receive"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE)
    try:
        yield int(process.stdout.readline())
    finally:
        process.stdin.close()
        process.wait()


def post_all(port, path, bodies):
    """Sends each body on one of the connections, the next one when the answer is there. Returns number and seconds."""
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
    bodies = iter(bodies)
    waiting = selectors.DefaultSelector()
    sent = 0

    def send(connection):
        nonlocal sent
        body = next(bodies, None)
        if body is None:
            waiting.unregister(connection)
            connection.close()
        else:
            sent += 1
            connection.sendall(f"{head}{len(body)}\r\n\r\n{body}".encode())

    begin = time.perf_counter()
    for _ in range(CONNECTIONS):
        connection = socket.create_connection(("127.0.0.1", port))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        waiting.register(connection, selectors.EVENT_READ)
        send(connection)
    while waiting.get_map():
        for key, _ in waiting.select():
            answer = key.fileobj.recv(65536)  # one small answer: the server writes it at once
            assert answer.startswith(b"HTTP/1.1 201"), answer
            send(key.fileobj)
    return sent, time.perf_counter() - begin


def post_batches(port, bodies):
    """Like post_all, many in one transaction each."""
    begin, lock = time.perf_counter(), threading.Lock()

    def run():
        sent, connection = 0, http.client.HTTPConnection("127.0.0.1", port, timeout=h.HANG_GUARD)
        while True:
            with lock:
                batch = list(itertools.islice(bodies, BATCH))
            if not batch:
                return sent
            connection.request("POST", "/v1/users/batch", f'{{"users":[{",".join(batch)}]}}', {"Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read()
            assert answer.status == 201, text
            sent += len(batch)
    with concurrent.futures.ThreadPoolExecutor(BATCHES_AT_ONCE) as pool:
        running = [pool.submit(run) for _ in range(BATCHES_AT_ONCE)]
        return sum(one.result() for one in running), time.perf_counter() - begin


def users(count, birthdays, day):
    """As JSON. The birthdays on `day` are spread evenly over all users; their zone is UTC."""
    other_days = [day + datetime.timedelta(days=n) for n in range(7, 350)]
    for i in range(count):
        of_today = (i + 1) * birthdays // count > i * birthdays // count
        date = day if of_today else other_days[i % len(other_days)]
        no_leap_day = min(date.day, 28) if date.month == 2 else date.day
        yield json.dumps({"firstName": f"First{i}", "lastName": f"Last{i}",
                          "dateOfBirth": f"{1950 + i % 50}-{date.month:02}-{no_leap_day:02}",
                          "timezone": "UTC" if of_today else ZONES[i % len(ZONES)]})


def claims(client):
    """The histogram of claim times: seconds -> claims up to that."""
    scrape = client.get("/metrics").body.decode()
    found = re.findall(r'^sundial_claim_duration_seconds_bucket\{.*?le="([^"]+)".*?\} (\d+)', scrape, re.M)
    totals = {}
    for bound, count in found:
        totals[float(bound)] = totals.get(float(bound), 0) + int(count)
    return totals


def claim_quantiles(before, after):
    """The buckets in which the median and the 95th percentile of the claims between lie, in milliseconds."""
    new = {bound: count - before.get(bound, 0) for bound, count in sorted(after.items())}
    total = max(new.values())
    return total, *(next(bound for bound, count in new.items() if count >= total * part) * 1e3 for part in (0.5, 0.95))


def quantile(values, part):
    return values[min(len(values) - 1, int(len(values) * part))]


def until(end, bodies):
    """Those that are asked for before `end`; leaves the others."""
    while time.time() < end and (body := next(bodies, None)) is not None:
        yield body


def rows_of(kind, url, sql):
    """The values of the only column."""
    if kind == "sqlite":
        with contextlib.closing(sqlite3.connect(f"file:{url}?mode=ro", uri=True)) as database:
            return [float(row[0]) for row in database.execute(sql)]
    done = subprocess.run(["psql", url, "-XqAtc", sql], capture_output=True, text=True, check=True)
    return [float(line) for line in done.stdout.split()]


def single_events(endpoint, due):
    for i in range(SINGLE_EVENTS):
        at = datetime.datetime.fromtimestamp(due + i / SINGLE_EVENTS_A_SECOND, datetime.timezone.utc)
        yield json.dumps({"eventType": "SINGLE", "endpointId": endpoint, "deliveryPayload": {},
                          "targetTimestampUTC": at.isoformat(timespec="milliseconds").replace("+00:00", "Z")})


def measure(kind, url, server, endpoint, count, birthdays, instant):
    """Measures claims beside `count` users, and the birthdays at `instant`."""
    client = server.client()
    before = claims(client)
    due = time.time() + 5
    post_all(server.port, "/v1/events", single_events(endpoint, due))
    time.sleep(max(0, due + SINGLE_EVENTS / SINGLE_EVENTS_A_SECOND + 5 - time.time()))
    total, median, p95 = claim_quantiles(before, claims(client))
    print(f"{kind}: {total} claims beside {count:,} rows: median at most {median:g} ms, p95 at most {p95:g} ms", flush=True)

    ahead = instant.timestamp() - time.time()
    assert ahead > 0, f"the birthdays began {-ahead:.0f} s before the measurement"
    before = claims(client)
    time.sleep(ahead)
    while rows_of(kind, url, FINISHED[kind])[0] < birthdays:
        assert time.time() < instant.timestamp() + 900, "the birthdays take more than 15 minutes"
        time.sleep(5)  # each look reads the whole history
    total, median, p95 = claim_quantiles(before, claims(client))
    late = rows_of(kind, url, LATENESS[kind])
    print(f"{kind}: {birthdays:,} birthdays at {instant:%H:%M} were all sent in {late[-1] / 1e3:.0f} s, "
          f"{birthdays / late[-1] * 1e3:,.0f} a second; {total} claims: median at most {median:g} ms, p95 at most {p95:g} ms")
    print(f"{kind}: lateness: first {late[0]:.0f} ms, median {quantile(late, 0.5):,.0f} ms, "
          f"p95 {quantile(late, 0.95):,.0f} ms, last {late[-1]:,.0f} ms", flush=True)


def report(kind, count, birthdays, single_minutes, load_minutes):
    instant = datetime.datetime.now(datetime.timezone.utc).replace(second=0, microsecond=0)
    instant += datetime.timedelta(minutes=load_minutes + 2)
    with h.folder() as directory, h.database(kind, directory) as url, receiver() as receiver_port, \
            h.running("serve", "--db", url, f"--scheduler.birthday_time={instant:%H:%M}", *h.LOCAL_RECEIVERS,
                      folder=directory) as server:
        client = server.client()
        endpoint = client.ok("POST", "/v1/endpoints", {"name": "receiver", "type": "WEBHOOK",
                                                       "url": f"http://127.0.0.1:{receiver_port}/"})["id"]
        client.ok("PATCH", "/v1/schedules/ext:birthday", {"endpointId": endpoint})
        wanted = users(count, birthdays, instant.date())
        created, seconds = post_all(server.port, "/v1/users", until(time.time() + 60 * single_minutes, wanted))
        print(f"{kind}: {created:,} users created one by one in {seconds:.0f} s, {created / seconds:,.0f} a second", flush=True)
        more, seconds = post_batches(server.port, until(instant.timestamp() - 75, wanted))
        print(f"{kind}: {more:,} more in batches in {seconds:.0f} s, {more / max(seconds, 0.001):,.0f} a second", flush=True)
        created += more
        measure(kind, url, server, endpoint, created, created * birthdays // count, instant)


def main():
    if sys.argv[1:2] == ["--receive"]:
        return asyncio.run(receive())
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("database", nargs="?", default="sqlite", choices=["sqlite", "postgres"])
    parser.add_argument("--users", type=int, default=1_000_000)
    parser.add_argument("--birthdays", type=int, default=150_000)
    parser.add_argument("--single-minutes", type=float, default=4)
    parser.add_argument("--load-minutes", type=int, default=12)
    arguments = parser.parse_args()
    return report(arguments.database, arguments.users, arguments.birthdays, arguments.single_minutes, arguments.load_minutes)


if __name__ == "__main__":
    main()
