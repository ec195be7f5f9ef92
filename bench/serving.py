"""Measures a running server: memory and start (P10), answers over HTTP (P13)."""
import time

from bed import h, program, run


def fill(bed, storage, where, pending, finished=0):
    """A database with so many events. Returns what goes behind --db."""
    arguments = ["create", "--events", str(pending), "--runs", "1", "--batch", "1000", "--in-flight", "2", "--json", "--keep"]
    if finished:
        arguments += ["--finished-rows", str(finished)]
    _, said = run([program("sundial"), "bench", *arguments, "--db", bed.url if storage == "postgres" else where])
    return next(line.removeprefix("kept: ") for line in said.splitlines() if line.startswith("kept: "))


def resident_megabytes(process):
    with open(f"/proc/{process}/status", encoding="utf-8") as status:
        kilobytes = next(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))
    return kilobytes / 1024


def served(bed, url):
    return h.running("serve", "--db", url, folder=bed.folder)


def start_and_memory(bed, storage, pending):
    """(seconds until ready, MB) of a server over so many pending events."""
    with bed.file() as file:
        url = fill(bed, storage, file, pending)
        begin = time.monotonic()
        with served(bed, url) as server:
            ready = time.monotonic() - begin
            time.sleep(5)  # the server peeks at due events five times
            return ready, resident_megabytes(server.process.pid)


def memory_and_start(bed, storage, pending):
    """P10: what so many pending events add to the memory of an instance, and how soon it is ready over them."""
    _, empty = start_and_memory(bed, storage, 1)
    ready, full = start_and_memory(bed, storage, pending)
    return {"grownMb": round(full - empty, 1), "readySeconds": round(ready, 2)}


def p99_ms(calls):
    took = []
    for call in calls:
        begin = time.perf_counter()
        call()
        took.append((time.perf_counter() - begin) * 1e3)
    return sorted(took)[min(len(took) - 1, len(took) * 99 // 100)]


def answers(bed, storage, rows, calls=1000):
    """P13: p99 of GET of one event, and of a page of the list, by one client."""
    with bed.file() as file:
        url = fill(bed, storage, file, rows, rows)
        with served(bed, url) as server:
            client = server.client()
            lists = ["/v1/events?limit=50", "/v1/events?limit=50&status=PENDING", "/v1/events?limit=50&status=COMPLETED",
                     "/v1/events?limit=50&sort=-createdAt"]
            ids = [event["id"] for path in lists for event in client.ok("GET", path)["data"]]
            assert ids, "there are events to ask for"
            one = [lambda i=i: client.ok("GET", f"/v1/events/{ids[i % len(ids)]}") for i in range(calls)]
            pages = [lambda i=i: client.ok("GET", lists[i % len(lists)]) for i in range(max(1, calls // 2))]
            return {"getP99Ms": round(p99_ms(one), 2), "listP99Ms": round(p99_ms(pages), 2)}
