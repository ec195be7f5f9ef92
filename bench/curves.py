#!/usr/bin/env python3
"""The curves of docs/lateness.md: lateness on PostgreSQL over load, beside a snapshot that stays open, and over history, with a
control beside each measurement that shows the machine's part.

    bench/curves.py [--only load|snapshot|history] [--seconds N] [--minutes N] [--rows N] [--keep]

Writes a JSON result, a picture of each curve and the page with its tables: to build/bench, or with --keep to bench/results and
docs. --redraw FILE writes pictures and page again from a stored result.
"""
import argparse
import json
import math
import os
import re
import statistics
import subprocess
import sys
import textwrap
import time

import machine
from bed import ROOT, NotMeasured, bed, program
from chart import Axis, Line, chart, milliseconds

PARTS = ("load", "snapshot", "history")
CONTROL_RATE = 100
REPEATED_RATE = 100  # a load that no machine notices: what varies from run to run at this rate is mostly not Sundial
LATE = 10  # milliseconds; an event that is later than this needs a reason
HELD = 100  # milliseconds; a rate is held if the median lateness at its end is at most this
QUANTILES = (("p50Ms", 500), ("p99Ms", 990), ("p999Ms", 999), ("maxMs", 1000))


def tell(text):
    print(text, file=sys.stderr, flush=True)


def spread(values):
    """The same statistics as `sundial bench`, of milliseconds."""
    values = sorted(values)
    return {name: values[min(len(values) - 1, len(values) * per_mille // 1000)] for name, per_mille in QUANTILES}


class Control:
    """A program that does almost nothing at random instants, while the block runs. Afterwards: how late it was."""

    def __init__(self, place):
        self.place = place
        self.samples = {"timer": [], "commit": []}  # (Unix milliseconds of the instant, milliseconds late), in their order

    def __enter__(self):
        self.database = self.place.database()
        url = self.database.__enter__()
        self.process = subprocess.Popen([program("bench_raw_control"), url, str(CONTROL_RATE)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "ready\n":
            self.__exit__()
            raise NotMeasured("bench_raw_control did not start")
        return self

    def __exit__(self, *failure):
        printed, _ = self.process.communicate()
        self.database.__exit__(None, None, None)
        if self.process.returncode != 0 and not any(failure):
            raise NotMeasured(f"bench_raw_control ended with {self.process.returncode}")
        for line in printed.splitlines():
            kind, due, late = line.split()
            self.samples[kind].append((int(due) / 1000, int(late) / 1000))

    def between(self, begin, end):
        """{"timer": …, "commit": …} of the instants in these Unix milliseconds."""
        found = {}
        for kind, samples in self.samples.items():
            late = [value for due, value in samples if begin <= due < end]
            if not late:
                raise NotMeasured("the control has no instant in a window: choose longer ones")
            found[kind] = spread(late)
        return found


def alone(place, seconds):
    """The control while nothing else runs."""
    with Control(place) as control:
        time.sleep(seconds)
    return control.between(0, float("inf"))


def lateness(place, rate, seconds, window=None, *more):
    """One run of `sundial bench lateness`, the control beside it, and both in each window."""
    window = min(window or seconds, seconds)
    with Control(place) as control:
        run = place.sundial("postgres", "lateness", "--rate", f"{rate:g}", "--seconds", f"{seconds:g}", "--window", f"{window:g}", *more)
    begin = run["windows"][0]["fromUnixMs"]
    windows = [{"fromSeconds": round((one["fromUnixMs"] - begin) / 1000, 3), "sundial": {name: one[name] for name, _ in QUANTILES},
                **control.between(one["fromUnixMs"], one["fromUnixMs"] + window * 1000)}
               for one in run["windows"] if "p50Ms" in one]
    found = {"rate": rate, "seconds": seconds, "sundial": {name: run[name] for name, _ in QUANTILES},
             **control.between(begin, begin + seconds * 1000),
             "eventsPerSecond": round(run["eventsPerSecond"], 1),
             "processMicrosPerEvent": round(run["processCpuSeconds"] * 1e6 / run["events"], 1),
             "databaseMicrosPerEvent": round((run["databaseCpuSeconds"] or 0) * 1e6 / run["events"], 1)}
    tell(f"  {rate:,.0f}/s: p50 {run['p50Ms']:.2f}, p99 {run['p99Ms']:.2f}, p99.9 {run['p999Ms']:.2f} ms; "
         f"bare commit p99 {found['commit']['p99Ms']:.2f} ms")
    return found, windows


class Measurements:
    def __init__(self, place, asked):
        self.place, self.asked = place, asked

    def drain(self):
        events = round(min(100_000, max(1000, 5000 * self.asked.seconds)))
        return round(self.place.sundial("postgres", "drain", "--events", events)["eventsPerSecond"], 1)

    def run_at(self, rate, seconds):
        return self.place.sundial("postgres", "lateness", "--rate", f"{rate:g}", "--seconds", f"{seconds:g}")

    def measure_capacity(self, drain):
        """Events a second that are created and delivered without falling behind. Neither the creation nor HTTP is part of a drain,
        so its rate overloads. The throughput then is an upper bound, and the search goes down from there."""
        rate = self.run_at(drain, min(5, self.asked.seconds))["eventsPerSecond"]
        for _ in range(12):
            late = self.run_at(rate, self.asked.seconds)["lastTenth"]["p50Ms"]
            tell(f"capacity: at {rate:,.0f} events/s the median of the last tenth is {late:,.1f} ms")
            if late <= HELD:
                return round(rate)
            rate *= 0.9
        raise NotMeasured(f"no rate was held, down to {rate:,.0f} events/s")

    def load(self):
        seconds = self.asked.seconds
        capacity = self.asked.capacity or self.measure_capacity(self.drain())
        points, repeats, late_seconds = [], [], []
        repeat_before = {round(number * self.asked.points / self.asked.repeats) for number in range(self.asked.repeats)}

        def repeat():
            found, windows = lateness(self.place, REPEATED_RATE, seconds, 1)
            repeats.append(found)
            for one in windows:
                if one["sundial"]["maxMs"] > LATE:
                    late_seconds.append({"run": len(repeats), "sundialMaxMs": one["sundial"]["maxMs"],
                                         "controlMaxMs": max(one[kind]["maxMs"] for kind in ("timer", "commit"))})
        for number in range(self.asked.points):
            if number in repeat_before:
                repeat()
            share = (number + 1) / self.asked.points
            quiet = alone(self.place, max(1, seconds / 4))
            found, _ = lateness(self.place, max(1, round(capacity * share)), seconds)
            points.append({"share": round(share, 4), **found, "alone": quiet})
        return {"capacityPerSecond": capacity, "points": points,
                "repeats": repeats, "repeatedSeconds": len(repeats) * int(max(1, seconds)), "lateSeconds": late_seconds}

    def snapshot(self):
        held = self.asked.minutes * 60
        window = held / 30 if held >= 150 else held / 5
        before = window * math.ceil(max(held / 10, min(60, held / 2)) / window)
        tell(f"  {(before + held) / 60:.1f} minutes, the snapshot after {before / 60:.1f}")
        _, windows = lateness(self.place, self.asked.rate, before + held, window, "--snapshot-after", f"{before:g}")
        return {"rate": self.asked.rate, "snapshotAfterSeconds": before, "heldSeconds": held, "windowSeconds": window, "windows": windows}

    def history(self):
        rows = self.asked.rows
        points = []
        for finished in (0, rows // 100, rows // 10, rows):
            tell(f"history of {finished:,} events")
            found, _ = lateness(self.place, self.asked.rate, self.asked.seconds, None, "--finished-rows", finished)
            points.append({"rows": finished, **found})
        return {"points": points}


# --- pictures and tables ------------------------------------------------------------------------------------

def note_of(part, more):
    on = part["machine"]
    return (f"{on['date']}, commit {on['commit']}, {on['cores']} cores, PostgreSQL {on['postgresql']}, fsync {on['fsyncMicroseconds']} µs; {more}")


def sundial_lines(points):
    return [Line(kind, f"Sundial, {text}", [(x, one["sundial"][name]) for x, one in points])
            for kind, name, text in (("p50", "p50Ms", "p50"), ("p99", "p99Ms", "p99"), ("p999", "p999Ms", "p99.9"))]


def beside_line(points):
    return Line("beside", "bare commit beside it, p99", [(x, one["commit"]["p99Ms"]) for x, one in points])


def spread_words(one):
    return [milliseconds(one[name]) for name in ("p50Ms", "p99Ms", "p999Ms")]


def table(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "--:|" * len(head), *("| " + " | ".join(row) + " |" for row in rows)])


def prose(text):
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)


def range_of(values):
    return f"{milliseconds(min(values))} to {milliseconds(max(values))} ms"


def draw_load(part):
    points = [(100 * one["share"], one) for one in part["points"]]
    alone_line = Line("alone", "bare commit alone, p99", [(x, one["alone"]["commit"]["p99Ms"]) for x, one in points])
    picture = chart("Lateness over load", note_of(part, f"{part['points'][0]['seconds']:g} s for each point"),
                    Axis(f"load, in percent of {part['capacityPerSecond']:,.0f} events/s", 0, 100, [(x, f"{x:g} %") for x, _ in points]),
                    sundial_lines(points) + [beside_line(points), alone_line])
    rows = [[f"{x:g} %", f"{one['rate']:,.0f}", *spread_words(one["sundial"]), *spread_words(one["commit"]),
             milliseconds(one["alone"]["commit"]["p99Ms"]), f"{one['processMicrosPerEvent']:.0f} + {one['databaseMicrosPerEvent']:.0f} µs"]
            for x, one in points]
    text = prose(f"Capacity was {part['capacityPerSecond']:,.0f} events/s. Lateness is in milliseconds. The CPU time of an event is that of the process, with "
                 "creation and receiver, and that of PostgreSQL, with the control.")
    return picture, text + "\n\n" + table(
        ["load", "events/s", "p50", "p99", "p99.9", "bare commit beside it, p50", "p99", "p99.9", "bare commit alone, p99", "CPU of an event"], rows)


def repeated(part):
    """The section about one low load, again and again."""
    runs = part["repeats"]
    rows = [[str(number), *spread_words(one["sundial"]), *spread_words(one["commit"]), milliseconds(one["timer"]["p99Ms"]),
             *(milliseconds(one["sundial"][name] - one["commit"][name]) for name in ("p50Ms", "p99Ms"))]
            for number, one in enumerate(runs, 1)]

    def of(kind, name):
        return [one[kind][name] for one in runs]
    late = part["lateSeconds"]
    shared = [one for one in late if one["controlMaxMs"] >= one["sundialMaxMs"] / 2]
    text = (f"In {len(runs)} runs of {runs[0]['seconds']:g} s, p50 of Sundial was {range_of(of('sundial', 'p50Ms'))} and p99 "
            f"{range_of(of('sundial', 'p99Ms'))}. Of the bare commit beside it p50 was {range_of(of('commit', 'p50Ms'))} and p99 "
            f"{range_of(of('commit', 'p99Ms'))}. The median of the differences was "
            f"{milliseconds(statistics.median(a - b for a, b in zip(of('sundial', 'p50Ms'), of('commit', 'p50Ms'))))} ms at p50 and "
            f"{milliseconds(statistics.median(a - b for a, b in zip(of('sundial', 'p99Ms'), of('commit', 'p99Ms'))))} ms at p99. ")
    if late:
        text += (f"In {len(late)} of the {part['repeatedSeconds']} seconds an event was more than {LATE} ms late. In {len(shared)} of these a "
                 "commit or a bare timer was at least half as late, which is the machine's part. "
                 f"That leaves {len(late) - len(shared)} for Sundial itself, or for stalls that the control missed.")
    else:
        text += f"In none of the {part['repeatedSeconds']} seconds was an event more than {LATE} ms late."
    return prose(text) + "\n\n" + table(
        ["run", "p50", "p99", "p99.9", "bare commit, p50", "p99", "p99.9", "timer, p99", "difference at p50", "at p99"], rows)


def draw_snapshot(part):
    # A window is drawn at its middle. The last one may be shorter.
    middle = part["windowSeconds"] / 2
    points = [((one["fromSeconds"] + middle) / 60, one) for one in part["windows"]]
    opened, end = part["snapshotAfterSeconds"] / 60, (part["snapshotAfterSeconds"] + part["heldSeconds"]) / 60
    step = next(step for step in (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60) if end / step <= 10 or step == 60)
    ticks = [(number * step, f"{number * step:g}") for number in range(int(end / step) + 1)]
    picture = chart("Lateness while a snapshot stays open",
                    note_of(part, f"{part['rate']:,.0f} events/s, windows of {part['windowSeconds']:g} s"),
                    Axis("minutes", 0, end, ticks), sundial_lines(points) + [beside_line(points)], (opened, "the snapshot is opened"))
    before = [one for one in part["windows"] if one["fromSeconds"] + part["windowSeconds"] <= part["snapshotAfterSeconds"] + 1e-3]
    held = [one for one in part["windows"] if one["fromSeconds"] >= part["snapshotAfterSeconds"] - 1e-3]
    third = max(1, len(held) // 3)
    stretches = [("before the snapshot", before), ("its first third", held[:third]), ("its last third", held[-third:])]
    rows = [[name, *(milliseconds(statistics.median(one[kind][quantile] for one in ones))
                     for kind, quantile in (("sundial", "p50Ms"), ("sundial", "p99Ms"), ("sundial", "p999Ms"), ("commit", "p99Ms")))]
            for name, ones in stretches if ones]
    text = prose(f"{part['rate']:,.0f} events/s. The snapshot was held for {part['heldSeconds'] / 60:g} minutes. Each figure is the median of "
                 f"its windows of {part['windowSeconds']:g} s, in milliseconds.")
    return picture, text + "\n\n" + table(["windows", "p50", "p99", "p99.9", "bare commit beside it, p99"], rows)


def draw_history(part):
    points = list(enumerate(part["points"]))
    picture = chart("Lateness over history", note_of(part, f"{part['points'][0]['rate']:,.0f} events/s, {part['points'][0]['seconds']:g} s for each point"),
                    Axis("finished events in the history", -0.2, len(points) - 0.8, [(x, f"{one['rows']:,}") for x, one in points]),
                    sundial_lines(points) + [beside_line(points)])
    rows = [[f"{one['rows']:,}", *spread_words(one["sundial"]), *spread_words(one["commit"])] for _, one in points]
    return picture, prose(f"{part['points'][0]['rate']:,.0f} events/s. All times are in milliseconds.") + "\n\n" + table(
        ["finished events", "p50", "p99", "p99.9", "bare commit beside it, p50", "p99", "p99.9"], rows)


DRAW = {"load": draw_load, "snapshot": draw_snapshot, "history": draw_history}
ALT = {"load": "p50, p99 and p99.9 of lateness over load, and a bare commit", "snapshot": "Lateness over minutes, before and during a snapshot",
       "history": "Lateness over the number of finished events"}


def filled(page, name, text):
    """The page, with `text` between the two comments of this name."""
    pattern = re.compile(rf"(<!-- bench/curves\.py writes this: {name} -->\n).*?(<!-- end: {name} -->)", re.DOTALL)
    page, times = pattern.subn(lambda found: f"{found[1]}\n{text}\n\n{found[2]}", page)
    if times != 1:
        raise SystemExit(f"docs/lateness.md lacks the comments of {name}")
    return page


def publish(result, page, folder):
    """Pictures and page of all parts that the result has. `page` is the file with the text around them."""
    os.makedirs(os.path.join(folder, "pictures"), exist_ok=True)
    with open(page, encoding="utf-8") as file:
        text = file.read()
    for name in PARTS:
        part = result["parts"].get(name)
        if not part:
            continue
        picture, words = DRAW[name](part)
        with open(os.path.join(folder, "pictures", f"lateness-{name}.svg"), "w", encoding="utf-8") as file:
            file.write(picture)
        on = part["machine"]
        taken = prose(f"Taken on {on['date']} at commit {on['commit']} on {on['cores']} cores ({on['processor']}), PostgreSQL {on['postgresql']}, "
                      f"a write and its fsync {on['fsyncMicroseconds']} µs, load {on['load']} before.")
        text = filled(text, name, f"![{ALT[name]}](pictures/lateness-{name}.svg)\n\n{taken}\n\n{words}")
        if name == "load" and part["repeats"]:
            text = filled(text, "repeats", repeated(part))
    with open(os.path.join(folder, "lateness.md"), "w", encoding="utf-8") as file:
        file.write(text)


def rounded(value):
    if isinstance(value, float):
        return round(value, 3)
    if isinstance(value, dict):
        return {name: rounded(one) for name, one in value.items()}
    return [rounded(one) for one in value] if isinstance(value, list) else value


def store(result, folder):
    os.makedirs(folder, exist_ok=True)
    first = next(iter(result["parts"].values()))["machine"]
    name = os.path.join(folder, f"curves-{first['date']}-{first['commit'].rstrip('+')}.json")
    if os.path.exists(name):  # another part of the same day and commit
        with open(name, encoding="utf-8") as file:
            result = {**result, "parts": {**json.load(file)["parts"], **result["parts"]}}
    with open(name, "w", encoding="utf-8") as file:
        json.dump(result, file, indent=1, ensure_ascii=False)
        file.write("\n")
    tell(f"written: {os.path.relpath(name)}")
    return result


def positive(kind):
    def parse(text):
        value = kind(text)
        if value <= 0:
            raise argparse.ArgumentTypeError("must be positive")
        return value
    return parse


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=PARTS, help="one of the curves (all)")
    parser.add_argument("--seconds", type=positive(float), default=10, help="of each point of load and history (10)")
    parser.add_argument("--points", type=positive(int), default=10, help="of the load (10): shares of the capacity")
    parser.add_argument("--repeats", type=positive(int), default=5, help=f"runs at {REPEATED_RATE}/s, between the points (5)")
    parser.add_argument("--minutes", type=positive(float), default=5, help="that the snapshot is held (5)")
    parser.add_argument("--rows", type=positive(int), default=300_000, help="of the longest history (300000)")
    parser.add_argument("--rate", type=positive(float), default=1000, help="events a second of snapshot and history (1000)")
    parser.add_argument("--capacity", type=positive(float), help="events a second that are 100 %% (measured)")
    parser.add_argument("--keep", action="store_true", help="write to bench/results and docs")
    parser.add_argument("--folder", default=os.path.join(ROOT, "build", "bench"), help="where to write without --keep (build/bench)")
    parser.add_argument("--redraw", metavar="FILE", help="do not measure; draw this result")
    asked = parser.parse_args()
    asked.repeats = min(asked.repeats, asked.points)
    results = os.path.join(ROOT, "bench", "results") if asked.keep else asked.folder
    pages = os.path.join(ROOT, "docs") if asked.keep else asked.folder
    page = os.path.join(ROOT, "docs", "lateness.md")
    if asked.redraw:
        with open(asked.redraw, encoding="utf-8") as file:
            publish(json.load(file), page, pages)
        return
    began = time.monotonic()
    with bed() as place:
        measurements = Measurements(place, asked)
        described = machine.describe(place.sql("SHOW server_version"))
        if described["load"] > 0.5:
            tell(f"this machine is busy (load {described['load']}): figures taken now are worth little")
        for name in [asked.only] if asked.only else PARTS:
            tell(f"{name}: {(time.monotonic() - began) / 60:.1f} minutes after the start")
            part = rounded({"machine": described, **getattr(measurements, name)()})
            # After each part: an hour's work is not lost with the last part.
            publish(store({"set": "curves", "parts": {name: part}}, results), page, pages)
    tell(f"done after {(time.monotonic() - began) / 60:.1f} minutes")


if __name__ == "__main__":
    main()
