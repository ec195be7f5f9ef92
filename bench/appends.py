#!/usr/bin/env python3
"""Measures the cost of a gapless order of the feed to writers: the product's tables, one event for each commit and one
stream for each writer. Compares no lock, the product's shared lock on one key and on sixteen, a counter row and a table
lock. The variants alternate; the result is the median of the pairs. Prints a table.

usage: bench/appends.py [--pairs N] [--events N] [--writers 1,8,64]
"""
import argparse
import statistics

import bed

WAYS = {"append": "nothing held", "append-1-key": "shared lock, 1 key", "append-16-keys": "shared lock, 16 keys",
        "append-counter": "counter row", "append-table-lock": "table lock"}


def measured(place, writers, asked):
    """Rates of each way, turn by turn."""
    rates = {way: [] for way in WAYS}
    for _ in range(asked.pairs):
        for way, found in rates.items():
            found.append(place.raw("postgres", way, asked.events, 1, writers)["eventsPerSecond"])
    return rates


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--events", type=int, default=16_000)
    parser.add_argument("--writers", default="1,8,64")
    asked = parser.parse_args()
    print("| writers | order of positions | appends per second | of those with nothing held |\n|---|---|---|---|")
    with bed.bed() as place:
        for writers in map(int, asked.writers.split(",")):
            rates = measured(place, writers, asked)
            for way, found in rates.items():
                ratio = statistics.median(ours / floor for ours, floor in zip(found, rates["append"]))
                print(f"| {writers} | {WAYS[way]} | {statistics.median(found):,.0f} | {ratio:.2f} |", flush=True)


if __name__ == "__main__":
    main()
