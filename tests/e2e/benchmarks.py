"""`sundial bench` with numbers so small that they measure nothing: each run is valid, ends with the object that is promised,
and leaves nothing behind. The raw programs do to the same tables what they should.

usage: benchmarks.py works_sqlite|works_postgres|curves FOLDER-OF-THE-RAW-PROGRAMS | timed sqlite|postgres
"""
import argparse
import contextlib
import json
import os
import subprocess
import sys
import time
from concurrent import futures
from xml.etree import ElementTree

import harness as h

BENCH = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "bench")
RATES = {"work", "events", "eventsPerSecond", "cpuSeconds", "walBytesPerEvent", "valid"}
LATENCIES = {"p50Ms", "p99Ms", "p999Ms", "maxMs"}
WORKS = [
    (RATES, "drain", "--events", "300", "--future-rows", "100", "--finished-rows", "100", "--runs", "2"),
    (RATES | LATENCIES, "create", "--events", "200", "--in-flight", "4", "--runs", "2"),
    (RATES | LATENCIES, "create", "--events", "500", "--in-flight", "2", "--batch", "100"),
    (RATES | LATENCIES, "create", "--events", "40", "--in-flight", "4", "--http"),
    (RATES | LATENCIES, "create", "--events", "200", "--in-flight", "2", "--batch", "50", "--http"),
    (RATES | LATENCIES, "claim", "--events", "300", "--instances", "3", "--batch", "50"),
    (RATES | LATENCIES, "append", "--events", "300", "--batch", "50"),
    (RATES | LATENCIES, "append", "--events", "40", "--batch", "1", "--in-flight", "4"),
    (RATES | LATENCIES, "time", "--events", "2000"),
]
# They wait for the right moment most of the time.
TIMED_WORKS = [
    (RATES | LATENCIES, "lateness", "--rate", "100", "--seconds", "0.4"),
    (RATES | LATENCIES, "lateness", "--rate", "200", "--seconds", "0.4", "--handler", "--snapshot"),
    (RATES | LATENCIES, "lateness", "--rate", "200", "--seconds", "0.5", "--snapshot-after", "0.2", "--window", "0.2"),
    (RATES | LATENCIES, "peak", "--events", "100"),
    (RATES, "peak", "--events", "100", "--no-database"),
]


def bench(*arguments, folder):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("SUNDIAL")}
    return subprocess.run([h.PROGRAM, "bench", *arguments], capture_output=True, text=True, timeout=h.HANG_GUARD,
                          env={**clean, "TMPDIR": folder}, cwd=folder)


def until_not_too_busy(run):
    """A peak says of itself that the machine was too busy for it, and then does not count."""
    end = time.monotonic() + h.HANG_GUARD
    while "this machine is too busy" in (done := run()).stdout and time.monotonic() < end:
        pass
    return done


def databases(url):
    done = subprocess.run(["psql", url, "-XAtc", "SELECT count(*) FROM pg_database WHERE datname LIKE 'sundial_bench%'"],
                          capture_output=True, text=True, check=True)
    return int(done.stdout)


def check_work(members, arguments, db, folder):
    runs = [] if "--runs" in arguments else ["--runs", "1"]
    done = until_not_too_busy(lambda: bench(*arguments, *runs, "--json", *db, folder=folder))
    assert done.returncode == 0, (arguments, done)
    *each, summary = [json.loads(line) for line in done.stdout.splitlines()]
    assert set(summary) == members, (arguments, summary)
    assert summary["valid"] is True and summary["work"] == arguments[0] and summary["eventsPerSecond"] > 0, summary
    assert len(each) == (2 if "--runs" in arguments else 1), done.stdout
    assert all(run["valid"] and not run["faults"] and run["events"] == summary["events"] for run in each), done.stdout
    if arguments[0] in ("drain", "create", "append", "claim"):
        assert summary["walBytesPerEvent"] > 100, summary
    if "--snapshot" in arguments:
        assert "p99Ms" in each[0]["firstTenth"] and "p99Ms" in each[0]["lastTenth"], each
    if "--window" in arguments:
        starts = [window["fromUnixMs"] for window in each[0]["windows"]]
        assert [start - starts[0] for start in starts] == [0, 200, 400], each
        assert all(window["p50Ms"] <= window["p999Ms"] <= window["maxMs"] <= summary["maxMs"] for window in each[0]["windows"]), each


def check_help_and_refusals(folder):
    told = bench("--help", folder=folder)
    assert told.returncode == 0 and all(work[1] in told.stdout for work in WORKS + TIMED_WORKS), told
    there = os.path.join(folder, "there.db")
    with open(there, "w", encoding="utf-8"):
        pass
    for arguments, code, said in ((("drain", "--db", there), 1, "already exists"),
                                  (("drain", "--db", os.path.join(folder, "no", "x.db")), 1, "no folder"),
                                  (("drain", "--instances", "2", "--events", "10"), 1, "belongs to one process"),
                                  (("drain", "--events", "0"), 2, "--events")):
        done = bench(*arguments, folder=folder)
        assert done.returncode == code and said in done.stderr + done.stdout, (arguments, done)
    os.remove(there)


def check_text(folder):
    done = bench("drain", "--events", "50", "--runs", "1", folder=folder)
    assert done.returncode == 0 and "median of 1" in done.stdout, done


def check_kept(folder):
    kept = os.path.join(folder, "kept.db")
    done = bench("create", "--events", "50", "--batch", "50", "--runs", "1", "--db", kept, "--keep", folder=folder)
    assert done.returncode == 0 and f"kept: sqlite:{kept}" in done.stderr, done
    with h.running("serve", "--db", kept, folder=folder) as server:
        assert len(server.client().ok("GET", "/v1/events?limit=100")["data"]) == 50


def check_raw(program, where, *connections):
    for work in ("create", "drain", "append"):
        with where() as place:
            subprocess.run([h.PROGRAM, "db", "migrate", "--db", place], check=True, stdout=subprocess.DEVNULL, timeout=h.HANG_GUARD)
            done = subprocess.run([program, place, work, "400", "50", *connections], capture_output=True, text=True, timeout=h.HANG_GUARD)
            assert done.returncode == 0, (work, done)
            lines = [json.loads(line) for line in done.stdout.splitlines()]
            assert lines[:-1] == [{"measuring": True}, {"measuring": False}] and lines[-1]["valid"] is True, (work, done)


def works_sqlite(raw):
    with h.folder() as folder:
        check_help_and_refusals(folder)
        for members, *arguments in WORKS:
            check_work(members, arguments, (), folder)
        check_text(folder)
        assert os.listdir(folder) == [], "a temporary database was left behind"
        check_kept(folder)
        names = iter(range(3))
        check_raw(os.path.join(raw, "bench_raw_sqlite"),
                  lambda: contextlib.nullcontext(os.path.join(folder, f"raw{next(names)}.db")))


@contextlib.contextmanager
def fresh_database(url, name):
    subprocess.run(["psql", url, "-Xqc", f"CREATE DATABASE {name} TEMPLATE template0"], check=True)
    yield url.replace("/test1?", f"/{name}?")


def works_postgres(raw):
    """Some of them: what differs is where they store."""
    with h.folder() as folder, h.postgres() as url:
        for members, *arguments in WORKS[:4] + WORKS[5:6]:
            instances = ["--instances", "2"] if arguments[0] == "drain" else []
            check_work(members, arguments + instances, ("--db", url), folder)
        drained = bench("claim", "--db", url, "--events", "100", "--runs", "1", "--json", folder=folder)
        assert json.loads(drained.stdout.splitlines()[0])["databaseCpuSeconds"] is not None, drained
        assert databases(url) == 0, "a database was left behind"
        names = iter(("raw1", "raw2", "raw3"))
        check_raw(os.path.join(raw, "bench_raw_postgres"), lambda: fresh_database(url, next(names)), "2")


def timed(kind):
    """All at once, because the figures do not matter here."""
    with h.folder() as folder, (h.postgres() if kind == "postgres" else contextlib.nullcontext()) as url:
        db = ("--db", url) if url else ()
        with futures.ThreadPoolExecutor() as threads:
            checks = [threads.submit(check_work, members, arguments, db, folder) for members, *arguments in TIMED_WORKS]
            for check in checks:
                check.result()
        # Instances of one user see each other in a folder, which stays.
        left = [name for name in os.listdir(folder) if not name.startswith("sundial-instances")]
        assert not left and (not url or databases(url) == 0), f"something was left behind: {left}"


def check_picture(path):
    picture = ElementTree.parse(path).getroot()
    named = {child.get("id"): child.text for child in picture if child.get("id")}
    assert picture.get("aria-labelledby") == "title desc" and named["title"] and "bare commit" in named["desc"], named
    assert len([line for line in picture if line.tag.endswith("polyline")]) >= 8, "four lines, each with one to its name"


def curve(part, folder, raw):
    """Checks the files that bench/curves.py writes for one part. Returns the part of the result, and the page."""
    script = os.path.join(BENCH, "curves.py")
    tiny = {"load": ("--points", "2", "--repeats", "1", "--capacity", "300"), "snapshot": ("--minutes", "0.05", "--rate", "100"),
            "history": ("--rows", "200", "--rate", "100")}[part]
    environment = {**os.environ, "BENCH_PROGRAMS": raw, "PYTHONDONTWRITEBYTECODE": "1"}
    arguments = ["python3", script, "--folder", folder]
    done = subprocess.run([*arguments, "--only", part, "--seconds", "1", *tiny], env=environment, capture_output=True, text=True,
                          timeout=3 * h.HANG_GUARD)  # many runs, one after another
    assert done.returncode == 0, done
    check_picture(os.path.join(folder, "pictures", f"lateness-{part}.svg"))
    (stored,) = [name for name in os.listdir(folder) if name.startswith("curves-") and name.endswith(".json")]
    with open(os.path.join(folder, stored), encoding="utf-8") as file:
        result = json.load(file)
    assert list(result["parts"]) == [part] and result["parts"][part]["machine"]["cores"] > 0, result
    page = os.path.join(folder, "lateness.md")
    with open(page, encoding="utf-8") as file:
        text = file.read()
    os.remove(page)
    subprocess.run([*arguments, "--redraw", os.path.join(folder, stored)], env=environment, check=True, timeout=h.HANG_GUARD)
    with open(page, encoding="utf-8") as file:
        assert file.read() == text, "the stored result makes another page"
    return result["parts"][part], text


def check_search():
    """The search for the capacity, on a machine that holds 700 events a second."""
    sys.path.insert(0, BENCH)
    import curves as script

    class Place:
        def sundial(self, _storage, _work, _option, rate, *_):
            return {"eventsPerSecond": min(float(rate), 1000), "lastTenth": {"p50Ms": 5 if float(rate) <= 700 else 2000}}
    measurements = script.Measurements(Place(), argparse.Namespace(seconds=1))
    assert 630 < measurements.measure_capacity(5000) <= 700
    assert measurements.measure_capacity(600) == 600


def check_help_of_curves():
    help_text = subprocess.run(["python3", "-B", os.path.join(BENCH, "curves.py"), "--help"], capture_output=True, text=True, check=True,
                               timeout=h.HANG_GUARD).stdout
    assert "--capacity" in help_text and "100 % (measured)" in help_text, help_text


def curves(raw):
    check_help_of_curves()
    check_search()
    with h.folder() as folder, futures.ThreadPoolExecutor() as threads:
        load, snapshot, history = (each.result() for each in [
            threads.submit(curve, part, os.path.join(folder, part), raw) for part in ("load", "snapshot", "history")])
    found, page = load
    assert [point["share"] for point in found["points"]] == [0.5, 1] and len(found["repeats"]) == 1, found
    assert [point["rate"] for point in found["points"]] == [150, 300] and found["capacityPerSecond"] == 300, found
    for one in found["points"] + found["repeats"]:
        assert 0 < one["commit"]["p50Ms"] <= one["commit"]["maxMs"] and 0 <= one["timer"]["p50Ms"] <= one["commit"]["p99Ms"], one
        assert 0 < one["sundial"]["p50Ms"] <= one["sundial"]["p999Ms"] <= one["sundial"]["maxMs"], one
    assert "](pictures/lateness-load.svg)" in page and "\n| 100 % |" in page and "\n| 1 |" in page, page
    found, page = snapshot
    starts = [window["fromSeconds"] for window in found["windows"]]
    assert len(starts) == 8 and starts[3] == found["snapshotAfterSeconds"], found
    assert "\n| before the snapshot |" in page and "](pictures/lateness-snapshot.svg)" in page, page
    found, page = history
    assert [point["rows"] for point in found["points"]] == [0, 2, 20, 200], found
    assert "\n| 200 |" in page and "](pictures/lateness-history.svg)" in page, page


if __name__ == "__main__":
    h.main({"works_sqlite": works_sqlite, "works_postgres": works_postgres, "timed": timed, "curves": curves})
