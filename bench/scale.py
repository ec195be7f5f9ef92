#!/usr/bin/env python3
"""Predicts what many instances on many database nodes do: measures here what statements cost, simulates the real worker
loops with those costs (tests/simulation/scale), and says how far the same simulation is from what one machine really does.

usage: bench/scale.py [--runs N] [--events N] [--nodes 1,4,16,64] [--instances 1,4,16,64] [--picture FILE]

Prints tables for people; `--picture` writes the prediction as SVG.
"""
import argparse
import html
import json
import math
import os
import re
import statistics
import subprocess
import sys
import time

import bed
import machine
import serving

SMALL, LARGE = 20, 500  # rows of a claim, between which the cost of a call and of a row are told apart
SAME_HOUSE = 500  # microseconds there and back between machines of one data centre
LOOKS = re.compile(r'^sundial_db_transaction_duration_seconds_(sum|count)\{operation="look"\} (\S+)$', re.M)


def median_of(runs, one):
    return statistics.median(one() for _ in range(runs))


def per_event(place, batch, runs):
    """Microseconds of the database's CPU for a claim and a settlement of one event."""
    def once():
        done = place.sundial("postgres", "claim", "--events", 50_000, "--batch", batch, "--instances", 1)
        return done["databaseCpuSeconds"] * 1e6 / done["events"]
    return median_of(runs, once)


def of_a_look(place):
    """Microseconds of a look over sixteen shards, from its question to its answer."""
    with place.database() as url, serving.served(place, url) as server:
        time.sleep(10)  # a look each second
        found = dict(LOOKS.findall(server.client().get("/metrics").body.decode()))
    return float(found["sum"]) * 1e6 / float(found["count"])


def costs_of(place, runs):
    """Arguments of the simulation."""
    small, large = per_event(place, SMALL, runs), per_event(place, LARGE, runs)
    call = (small - large) / (1 / SMALL - 1 / LARGE)
    row = large - call / LARGE
    own = median_of(runs, lambda: (done := place.sundial("postgres", "drain", "--events", 100_000))["processCpuSeconds"]
                    * 1e6 / done["events"])
    look = of_a_look(place)
    # A claim and a settlement are measured together. Each writes a row in the table and its indexes.
    return {"CLAIM_CALL": call / 2, "CLAIM_ROW": row / 2, "SETTLE_CALL": call / 2, "SETTLE_ROW": row / 2,
            "LOOK_CALL": look / 2, "LOOK_ROW": look / 32, "EVENT": own,
            "COMMIT": machine.fsync_microseconds()}


def simulated(costs, **wishes):
    program = os.path.join(bed.ROOT, "build", "dev", "bin", "simulation_scale")
    words = [f"{name}={value:g}" for name, value in {**costs, **wishes}.items()]
    return json.loads(subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout)


def compared(place, costs, runs, events):
    """Rows of: instances, measured and simulated events a second, on this machine for all."""
    for instances in (1, 2, 4):
        done = [place.sundial("postgres", "drain", "--events", events, "--instances", instances)["eventsPerSecond"]
                for _ in range(runs)]
        model = simulated(costs, INSTANCES=instances, NODE_CORES=os.cpu_count(), ONE_MACHINE=1, NETWORK=60, EVENTS=events)
        yield instances, statistics.median(done), min(done), max(done), model["eventsPerSecond"]


def predicted(costs, nodes, instances, events):
    """Of one size: all due at once, and the lateness at half of that rate."""
    size = {"INSTANCES": instances, "NODES": nodes, "SHARDS": max(16, 4 * nodes), "NETWORK": SAME_HOUSE, "NODE_CORES": 2,
            "EVENTS": events * max(instances, nodes)}
    drain = simulated(costs, **size)
    steady = simulated(costs, **size, SPREAD=2 * size["EVENTS"] / drain["eventsPerSecond"])
    return drain, steady


def picture(rates):
    """Lines of events a second over instances, one for each number of nodes; both axes are powers."""
    width, height, left, top, right, bottom = 760, 420, 110, 20, 90, 50
    counts = sorted({instances for _, instances in rates})
    low, high = min(rates.values()), max(rates.values())
    first, last = math.floor(math.log10(low)), math.log10(high) + 0.1

    def x(instances):
        return left + (width - left - right) * math.log(instances / counts[0]) / math.log(counts[-1] / counts[0])

    def y(rate):
        return height - bottom - (height - top - bottom) * (math.log10(rate) - first) / (last - first)
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-labelledby="title" '
           "font-family=\"system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif\" font-size=\"13\">")
    yield "  <title id=\"title\">Simulated events a second, by instances and database nodes</title>"
    yield ("  <style>text { fill: #1d2736 } .grid { stroke: #c9d0dc } .line { fill: none; stroke: #5b6b85; stroke-width: 2 } "
           ".dot { fill: #5b6b85 }\n    @media (prefers-color-scheme: dark) { text { fill: #e6ebf3 } .grid { stroke: #3a4354 } "
           ".line { stroke: #8fa3c4 } .dot { fill: #8fa3c4 } }</style>")
    for power in range(first, math.floor(last) + 1):
        yield f'  <line class="grid" x1="{left}" x2="{width - right}" y1="{y(10**power):.1f}" y2="{y(10**power):.1f}"/>'
        yield f'  <text x="{left - 8}" y="{y(10**power) + 4:.1f}" text-anchor="end">{10**power:,}/s</text>'
    for instances in counts:
        yield f'  <text x="{x(instances):.1f}" y="{height - bottom + 20}" text-anchor="middle">{instances}</text>'
    yield f'  <text x="{(left + width - right) / 2}" y="{height - 10}" text-anchor="middle">instances</text>'
    labels_end = height
    for nodes in sorted({nodes for nodes, _ in rates}, key=lambda nodes: rates[nodes, counts[-1]]):
        points = [(x(instances), y(rates[nodes, instances])) for instances in counts]
        yield f'  <polyline class="line" points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in points)}"/>'
        yield from (f'  <circle class="dot" cx="{a:.1f}" cy="{b:.1f}" r="3"/>' for a, b in points)
        label = html.escape(f"{nodes} node{'s' if nodes > 1 else ''}")
        labels_end = min(points[-1][1] + 4, labels_end - 16)  # the lines may end at one place
        yield f'  <text x="{points[-1][0] + 10:.1f}" y="{labels_end:.1f}">{label}</text>'
    yield "</svg>"


def numbers(text):
    return [int(word) for word in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--events", type=int, default=20_000, help="of each instance or node, whichever are more")
    parser.add_argument("--nodes", type=numbers, default=[1, 4, 16, 64])
    parser.add_argument("--instances", type=numbers, default=[1, 4, 16, 64])
    parser.add_argument("--picture", metavar="FILE")
    asked = parser.parse_args()
    with bed.bed() as place:
        costs = costs_of(place, asked.runs)
        print("measured, in microseconds: " + ", ".join(f"{name} {value:.1f}" for name, value in costs.items()))
        print("\n| instances, all on this machine | measured, events/s | simulated | simulated / measured |\n|---|---|---|---|")
        for instances, rate, low, high, model in compared(place, costs, asked.runs, 100_000):
            print(f"| {instances} | {rate:,.0f} ({low:,.0f}–{high:,.0f}) | {model:,.0f} | {model / rate:.2f} |", flush=True)
    print("\n| nodes | instances | simulated, events/s | nodes busy | lateness at half of it, p50 | p99 |\n|---|---|---|---|---|---|")
    rates = {}
    for nodes in asked.nodes:
        for instances in asked.instances:
            drain, steady = predicted(costs, nodes, instances, asked.events)
            rates[nodes, instances] = drain["eventsPerSecond"]
            print(f"| {nodes} | {instances} | {drain['eventsPerSecond']:,.0f} | {100 * drain['nodesBusy']:.0f} % | "
                  f"{steady['p50Ms']:.1f} ms | {steady['p99Ms']:.1f} ms |", flush=True)
    if asked.picture:
        with open(asked.picture, "w", encoding="utf-8") as file:
            file.write("\n".join(picture(rates)) + "\n")


if __name__ == "__main__":
    sys.exit(main())
