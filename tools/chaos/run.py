"""One run: start the system, load it, break it, let it come to rest, and store the history."""
import os
import random
import shutil
import tempfile
import time

import client
import history
import harness as h
from postgres import Postgres
from processes import Instance
from proxy import Proxy

LEASE, TICK = 15, 1
DELAYS = [1, 1, 2, 2, 3, 3, 5, 5] + [5] * 30  # seconds: a receiver that recovers late is still reached within the run


class World:
    """The parts of a run that a profile can break."""

    def __init__(self, profile, options):
        self.profile, self.options, self.directory = profile, options, options.out
        self.rng = random.Random(f"{profile.name}-{options.seed}")
        # Databases and sockets need a short path that the server's user can reach.
        self.folder = tempfile.mkdtemp(prefix="sundial-chaos-")
        os.chmod(self.folder, 0o755)
        self.closing = []
        self.database = None
        self.sink = profile.make_sink(history.Recorder(self.path("sink.jsonl"), "sink"))
        self.users_log = history.Recorder(self.path("client.jsonl"), "client")
        self.nemeses = history.Nemeses(self.path("nemesis.jsonl"))
        self.instances = []

    def path(self, name):
        return os.path.join(self.directory, name)

    def start_postgres(self, options=()):
        self.database = Postgres(self.folder, options=options)
        self.closing.append(self.database.stop)
        return self.database.create()

    def proxy_to(self, port):
        proxy = Proxy(port)
        self.closing.append(proxy.close)
        return proxy

    def arguments(self, number):
        profile = self.profile
        return ("--db", profile.database_of(self, number), *h.LOCAL_RECEIVERS, f"--scheduler.lease=PT{LEASE}S",
                f"--delivery.timeout=PT{profile.timeout}S", *profile.settings)

    def start_instances(self, count):
        for number in range(count):
            instance = Instance(number, self.arguments(number), self.directory, place=self.profile.place_of(self, number),
                                environment=self.profile.environment_of(self, number))
            self.closing.append(instance.end)
            self.instances.append(instance)
            self.profile.first_start(self, instance)

    def make_endpoint(self):
        made = self.instances[0].connection().ok("POST", "/v1/endpoints", {
            "name": "sink", "externalId": "sink", "timeout": f"PT{self.profile.timeout}S",
            "retryPolicy": {"delays": [f"PT{delay}S" for delay in DELAYS]}, **self.sink.settings(self.profile.sink_url(self))})
        self.sink.learn(made)

    def wait_for_traffic(self, seconds=5):
        """Waits for the best moment for a fault: while requests are in progress, if there are any soon."""
        end = time.monotonic() + seconds
        while self.sink.in_flight == 0 and time.monotonic() < end:
            time.sleep(0.005)

    def live(self):
        """Whether work remains, according to an instance that responds."""
        for instance in self.instances:
            if instance.usable():
                try:
                    page = instance.connection().ok(
                        "GET", f"/v1/events?status=PENDING,PROCESSING&eventType={client.EVENT_TYPE}&limit=1")
                    return bool(page["data"])
                except (OSError, h.http.client.HTTPException, AssertionError):
                    continue
        return True

    def close(self):
        for close in reversed(self.closing):
            close()
        self.sink.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def run(profile, options):
    """Leaves run.json, history.jsonl, nemesis.jsonl and final.jsonl in the folder."""
    profile.require(options)
    os.makedirs(options.out, exist_ok=True)
    if os.listdir(options.out):
        raise SystemExit(f"chaos: {options.out} is not empty: give another folder with --out")
    world = World(profile, options)
    try:
        profile.prepare(world)
        world.start_instances(profile.instances or options.instances)
        world.make_endpoint()
        profile.begin(world)
        began = time.monotonic_ns()
        wanted = client.wishes(options.events, profile.mix, options.seed)
        users = world.users = client.Users(world.instances, world.users_log, wanted, options.duration, profile.user,
                                           profile.quiet_within)
        users.start()
        break_things(world, users, options)
        users.join()
        quiet = come_to_rest(world)
        ended = time.monotonic_ns()
        survivor = next(instance for instance in world.instances if instance.usable())
        rows = client.final_state(survivor.connection(), world.path("final.jsonl"))
        history.write_one(world.path("run.json"), {
            "profile": profile.name, "seed": options.seed, "events": options.events, "duration": options.duration,
            "storage": profile.storage, "instances": len(world.instances), "lease": LEASE, "tick": TICK,
            "timeout": profile.timeout, "path": world.sink.path, "delays": DELAYS, "began": began, "ended": ended, "quiet": quiet,
            "taken": time.time_ns(), "faults": profile.faults,
            "breaks": profile.breaks})
        print(f"chaos: {users.acked} of {len(wanted)} events acknowledged, {len(rows)} stored, {world.sink.count()} requests")
    finally:
        world.close()
        for recorder in (world.sink.recorder, world.users_log, world.nemeses):
            recorder.close()
    history.merge(options.out)


def break_things(world, users, options):
    """A fault, then at least as long without one: half of the time the system must work as usual."""
    profile, end = world.profile, time.monotonic() + options.duration
    time.sleep(profile.peace_before)
    while time.monotonic() < end and not users.errors and not profile.finished():
        began = time.monotonic()
        profile.strike(world)
        time.sleep(max(profile.calm, 1.3 * profile.broken_for(time.monotonic() - began)))
    profile.heal(world)
    if profile.finished():
        users.enough.set()


def come_to_rest(world):
    """Whether every due event is finished before the deadline."""
    end = time.monotonic() + world.profile.quiet_within
    while time.monotonic() < end:
        if not world.live():
            return True
        time.sleep(0.2)
    return False
