"""Runs benchmarks and compares them with stored results: see docs/benchmarks.md.

usage: run.py small|peers|table [--pairs N] [--only P1,P5] [--scale S] [--keep]
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import compare
import machine
from bed import ROOT, bed, program

RESULTS = os.path.join(ROOT, "bench", "results")
# A few minutes in all. The numbers of events are part of the names: with others they are other figures.
SMALL = [
    ("drain 20k, PostgreSQL", "postgres", ["drain", "--events", 20_000]),
    ("drain 20k, SQLite", "sqlite", ["drain", "--events", 20_000]),
    ("claim 20k, PostgreSQL", "postgres", ["claim", "--events", 20_000]),
    ("create 10k one by one, PostgreSQL", "postgres", ["create", "--events", 10_000]),
    ("create 10k one by one, SQLite", "sqlite", ["create", "--events", 10_000]),
    ("create 10k over HTTP, PostgreSQL", "postgres", ["create", "--events", 10_000, "--http"]),
    ("create 50k by the thousand, PostgreSQL", "postgres", ["create", "--events", 50_000, "--batch", 1000, "--in-flight", 4]),
    ("append 20k by the hundred, PostgreSQL", "postgres", ["append", "--events", 20_000]),
    ("append 20k by the hundred, SQLite", "sqlite", ["append", "--events", 20_000]),
    ("peak 10k, PostgreSQL", "postgres", ["peak", "--events", 10_000]),
    ("lateness at 100/s for 10 s, PostgreSQL", "postgres", ["lateness", "--rate", 100, "--seconds", 10]),
    ("lateness at 100/s for 10 s, SQLite", "sqlite", ["lateness", "--rate", 100, "--seconds", 10]),
    ("time", "sqlite", ["time"]),
]


def tell(text):
    print(text, file=sys.stderr, flush=True)


def last_result(kind):
    """Of those that are kept, the newest."""
    kept = sorted(name for name in os.listdir(RESULTS) if name.startswith(f"{kind}-") and name.endswith(".json"))
    if not kept:
        return None
    with open(os.path.join(RESULTS, kept[-1]), encoding="utf-8") as file:
        return json.load(file)


def small(where, arguments):
    figures = []
    for name, storage, work in SMALL:
        if work[0] != "time" and arguments.scale != 1:
            work = [max(100, round(each * arguments.scale)) if before == "--events" else each
                    for before, each in zip([""] + work, work)]
        if arguments.only and not any(name.startswith(one) for one in arguments.only):
            continue
        runs = [where.sundial(storage, *work) for _ in range(3)]
        middle = sorted(runs, key=compare.rate)[1]
        figures.append({"name": name, **{key: middle[key] for key in ("eventsPerSecond", "p50Ms", "p99Ms", "maxMs", "cpuSeconds",
                                                                       "walBytesPerEvent") if key in middle},
                        "range": [round(compare.rate(run), 1) for run in (min(runs, key=compare.rate), max(runs, key=compare.rate))]})
        tell(f"{name}: {middle['eventsPerSecond']:,.0f}/s")
    before = {figure["name"]: figure for figure in (last_result("small") or {"figures": []})["figures"]}
    print(f"{'':<42} {'now /s':>12} {'before /s':>12} {'ratio':>6}   p99 ms now, before")
    for figure in figures:
        then = before.get(figure["name"])
        old = f"{then['eventsPerSecond']:>12,.0f} {figure['eventsPerSecond'] / then['eventsPerSecond']:>6.2f}" if then else f"{'-':>12} {'-':>6}"
        late = "   ".join(f"{one['p99Ms']:.3g}" for one in (figure, then) if one and "p99Ms" in one)
        print(f"{figure['name']:<42} {figure['eventsPerSecond']:>12,.0f} {old}   {late}")
    return {"figures": figures}


def time_rules():
    """P12, from Google Benchmark: the slowest next of cron and yearly, the median of RRULE, the slowest legal rule."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run([program("bench_time_rules"), f"--benchmark_out={out.name}", "--benchmark_out_format=json"],
                       check=True, stdout=subprocess.DEVNULL)
        times = {each["name"]: each["cpu_time"] for each in json.load(open(out.name, encoding="utf-8"))["benchmarks"]}

    def of(*starts):
        return sorted(micros for name, micros in times.items() if name.startswith(starts))
    rrule = of("made/rrule/")
    return {"nextMicros": of("next/cron/", "next/yearly/")[-1], "rruleMicros": rrule[len(rrule) // 2],
            "slowestMs": of("slow/")[-1] / 1000}


def table(where, arguments):
    """All rows, or those that have another program to be compared with."""
    chosen = [row for row in compare.rows(arguments.scale, time_rules)
              if (row.with_others or arguments.set == "table") and (not arguments.only or row.row in arguments.only)]
    figures, failures = compare.measure(where, chosen, arguments.pairs, tell)
    for figure in figures:
        print(compare.line(figure))
    for failure in failures:
        print(f"{failure['row']:<4} {failure['what']:<70} NOT MEASURED: {failure['why'].splitlines()[0]}")
    return {"pairs": arguments.pairs, "scale": arguments.scale, "figures": figures, "failures": failures}


def main():
    parser = argparse.ArgumentParser(prog="./sundial-dev bench")
    parser.add_argument("set", choices=["small", "peers", "table"])
    parser.add_argument("--pairs", type=int, default=5, help="how often each two are run in turns (5)")
    parser.add_argument("--only", type=lambda text: text.split(","), help="these rows: P1,P9")
    parser.add_argument("--scale", type=float, default=1, help="numbers of events times this, to try it out (1)")
    parser.add_argument("--keep", action="store_true", help="keep the result in bench/results")
    arguments = parser.parse_args()
    with bed() as where:
        described = machine.describe(where.sql("SHOW server_version"))
        if described["load"] > 0.5:
            tell(f"this machine is busy (load {described['load']}): figures taken now are worth little")
        found = small(where, arguments) if arguments.set == "small" else table(where, arguments)
    result = {"set": arguments.set, "machine": described, **found}
    folder = RESULTS if arguments.keep else os.path.join(ROOT, "build", "bench")
    os.makedirs(folder, exist_ok=True)
    name = os.path.join(folder, f"{arguments.set}-{described['date']}-{described['commit'].rstrip('+')}.json")
    with open(name, "w", encoding="utf-8") as file:
        json.dump(result, file, indent=1, ensure_ascii=False)
        file.write("\n")
    tell(f"written: {os.path.relpath(name, ROOT)}")
    if found.get("failures"):
        sys.exit(1)


if __name__ == "__main__":
    main()
