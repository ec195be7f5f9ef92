#!/usr/bin/env python3
"""Whether a server's memory stays flat: events are created over HTTP and sent to a receiver for as long as asked, and each
minute has a line. Ends with 1 if an event was not sent once, or if the last minute's memory is more than a tenth above that
of the first sixth's end, by when all that is made once has been made.

usage: bench/soak.py [--minutes N] [--rate N] [--storage postgres|sqlite]
"""
import argparse
import collections
import contextlib
import sys
import time

import bed
import serving


def created(client, endpoint, first, count):
    """Keys of so many events, due in a second."""
    events = [{"eventType": "SOAK", "endpointId": endpoint, "targetTimestampUTC": "now+1s", "deliveryPayload": {"n": first + n}}
              for n in range(count)]
    answer = client.ok("POST", "/v1/events/batch", {"events": events})
    return [event["idempotencyKey"] for event in answer["data"]]


def soak(place, storage, minutes, rate):
    """Yields (minute, created, delivered, MB)."""
    with contextlib.ExitStack() as stack:
        where = stack.enter_context(place.database() if storage == "postgres" else place.file())
        receiver = bed.h.Receiver()
        server = stack.enter_context(bed.h.running("serve", "--db", where, *bed.h.LOCAL_RECEIVERS, folder=place.folder))
        client = server.client()
        endpoint = client.ok("POST", "/v1/endpoints", {"name": "soak", "type": "WEBHOOK", "url": receiver.url})["id"]
        keys = []
        begin = time.monotonic()
        for second in range(minutes * 60):
            keys += created(client, endpoint, len(keys), rate)
            time.sleep(max(0.0, begin + second + 1 - time.monotonic()))
            if second % 60 == 59:
                yield second // 60 + 1, len(keys), receiver.count(), serving.resident_megabytes(server.process.pid)
        bed.h.wait_until(lambda: receiver.count() >= len(keys), "every event's delivery")
        times = collections.Counter(receiver.ids())
        if any(times[one] != 1 for one in keys):
            raise bed.NotMeasured(f"{sum(times[one] != 1 for one in keys)} events were not delivered once")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=int, default=30)
    parser.add_argument("--rate", type=int, default=200, help="events a second")
    parser.add_argument("--storage", choices=["postgres", "sqlite"], default="postgres")
    asked = parser.parse_args()
    print("| minute | created | delivered | MB |\n|---|---|---|---|")
    with bed.bed() as place:
        memory = []
        for minute, made, delivered, megabytes in soak(place, asked.storage, asked.minutes, asked.rate):
            memory.append(megabytes)
            print(f"| {minute} | {made:,} | {delivered:,} | {megabytes:.1f} |", flush=True)
    settled = memory[max(0, len(memory) // 6 - 1)]
    print(f"\nmemory: {settled:.1f} MB once all was made, {memory[-1]:.1f} MB at the end")
    if memory[-1] > 1.1 * settled:
        sys.exit("it grows")


if __name__ == "__main__":
    main()
