"""The faults of each profile, and how each fault proves that it happened."""
import datetime
import glob
import os
import signal
import time

import citus
import harness as h
import history
from client import EVENT_TYPE, User
from machine import Disk, SmallDisk, mount_apart, need_programs, need_root
from network import Network
from postgres import Postgres
from sink import Sink

USUAL = {"plain": 60, "later": 12, "flaky": 10, "local": 6, "cancel": 6, "permanent": 3, "redirect": 3}


class Profile:
    name = ""
    storage = "postgres"
    instances = None  # as requested
    mix = USUAL
    user = User
    timeout = 5  # seconds, of a delivery
    settings = ()
    faults = ()  # kinds that must have happened
    breaks = ()  # a control must violate one of these invariants
    peace_before, calm = 1.0, 1.0
    quiet_within = 240  # seconds after the last fault until everything due is finished
    sink_address = sink_host = "127.0.0.1"

    def require(self, options):
        """Fails, naming the profile, if the machine lacks something that it needs."""

    def prepare(self, world):
        world.start_postgres()

    def database_of(self, world, number):
        return world.database.url()

    def place_of(self, world, number):
        return None

    def make_sink(self, recorder):
        return Sink(recorder, self.sink_address)

    def sink_url(self, world):
        return world.sink.url(self.sink_host)

    def environment_of(self, world, number):
        return {}

    def first_start(self, world, instance):
        instance.start()

    def finished(self):
        """Whether no faults remain."""
        return False

    def broken_for(self, seconds):
        """Duration of the fault, given that strike() took `seconds`."""
        return seconds

    def heal(self, world):
        """Runs after the last fault, before the system comes to rest."""

    def begin(self, world):
        """Right before the load."""

    def strike(self, world):
        raise NotImplementedError


class Kill9(Profile):
    """kill -9 of one instance, sometimes of all; each restarts after a moment."""
    name = "kill9"
    faults = ("kill",)

    def strike(self, world):
        everybody = world.rng.random() < 0.15
        victims = list(world.instances) if everybody else [world.rng.choice(world.instances)]
        world.wait_for_traffic()
        with world.nemeses.fault("kill", [victim.id for victim in victims]) as fault:
            for victim in victims:
                victim.kill()
                fault["proof"] += victim.server.process.returncode == -signal.SIGKILL
            time.sleep(world.rng.uniform(0, 2))
            for victim in victims:
                victim.start(wait=False)
            for victim in victims:
                victim.ready()


class Pause(Profile):
    """SIGSTOP for longer than the heartbeat or the lease: an instance that slept must not act on its old claims."""
    name = "pause"
    faults = ("pause",)

    def strike(self, world):
        victim = world.rng.choice(world.instances)
        with world.nemeses.fault("pause", [victim.id]) as fault:
            victim.signal(signal.SIGSTOP)
            time.sleep(world.rng.choice((5, 15)) + world.rng.uniform(1, 4))
            victim.signal(signal.SIGCONT)
            fault["proof"] = 1


class DbKill(Profile):
    """kill -9 of PostgreSQL's postmaster and all its processes, then a start with crash recovery."""
    name = "dbkill"
    faults = ("dbkill",)

    def strike(self, world):
        with world.nemeses.fault("dbkill", ["db"]) as fault:
            fault["proof"] = world.database.kill()
            time.sleep(world.rng.uniform(0, 1.5))
            world.database.start()


class SinkTrouble(Profile):
    """The receiver: cuts responses, hangs up, responds too late, sends something that is not HTTP, refuses."""
    name = "sink"
    mix = {"plain": 45, "wild": 20, "flaky": 10, "lossy": 8, "permanent": 5, "redirect": 5, "cancel": 5, "local": 2}
    timeout = 2
    faults = ("cut", "reset", "garbage", "hung up")

    def strike(self, world):
        time.sleep(0.2)  # the script of the sink is the fault


class Sqs(Kill9):
    """A queue of SQS as the receiver: instances are killed, requests throttled or refused as a whole, keys expire, the endpoint
    has a wrong region for a while, the clock of the service jumps, and single messages are refused or their responses cut."""
    name = "sqs"
    # A burst shares requests.
    mix = {"plain": 48, "burst": 30, "later": 4, "flaky": 5, "lossy": 3, "wild": 2, "local": 3, "cancel": 3, "permanent": 2}
    refusals = {"throttled": "RequestThrottled", "whole": "Odd", "expired": "ExpiredTokenException",
                "region": "InvalidSignatureException", "skewed": "InvalidSignatureException"}
    faults = ("kill", *refusals, "cut", "reset")
    sink_host = ""

    def __init__(self):
        self.left = ["kill", *self.refusals]  # each at least once

    def require(self, options):
        import fake_sqs  # which may start the program again, with the interpreter that has botocore
        self.service = fake_sqs

    def make_sink(self, recorder):
        from sqs_sink import SqsSink
        return SqsSink(recorder)

    def sink_url(self, world):
        return world.sink.url()

    def prepare(self, world):
        super().prepare(world)
        self.credentials = self.service.FakeCredentials(("ASIA0", "token-0"))

    def environment_of(self, world, number):
        clean = {name: "" for name in os.environ if name.startswith("AWS_")}
        return {**clean, "HOME": world.folder, "AWS_CONTAINER_CREDENTIALS_FULL_URI": f"{self.credentials.origin}/keys"}

    def strike(self, world):
        kind = self.left.pop(0) if self.left else world.rng.choice(("kill", *self.refusals))
        if kind == "kill":
            return super().strike(world)
        queue, code = world.sink, self.refusals[kind]
        # No instance is excused by it: none loses an event, and none sends one again, because of such a refusal.
        with world.nemeses.fault(kind, []) as fault:
            before = queue.kinds.get(code, 0)
            client = world.instances[0].connection()
            if kind == "expired":
                self.credentials.given = [queue.renew_keys()]
            elif kind == "skewed":
                queue.jump(world.rng.choice((-2, 2)) * 3600)
            elif kind == "region":
                client.ok("PATCH", "/v1/endpoints/ext:sink", {"region": "us-east-1"})
            else:
                queue.fault = kind
            end = time.monotonic() + 5
            while queue.kinds.get(code, 0) == before and time.monotonic() < end:
                time.sleep(0.02)
            time.sleep(world.rng.uniform(0, 1))
            if kind == "skewed":
                queue.jump(0)
            elif kind == "region":
                client.ok("PATCH", "/v1/endpoints/ext:sink", {"region": queue.region})
            queue.fault = None
            fault["proof"] = queue.kinds.get(code, 0) - before


class CommitCut(Profile):
    """A share of the COMMITs loses its response, or the COMMIT itself, and with it the connection."""
    name = "commitcut"
    faults = ("commitcut",)
    calm = 3.0

    def prepare(self, world):
        super().prepare(world)
        self.proxy = world.proxy_to(world.database.port)

    def database_of(self, world, number):
        return world.database.url(port=self.proxy.port)

    def strike(self, world):
        before = self.proxy.cuts
        with world.nemeses.fault("commitcut", ["db"]) as fault:
            self.proxy.cut_share = 0.2
            time.sleep(world.rng.uniform(1, 2))
            self.proxy.cut_share = 0.0
            fault["proof"] = self.proxy.cuts - before


class Failover(Profile):
    """The primary dies, its synchronous standby takes over; the dead one becomes the next standby."""
    name = "failover"
    faults = ("failover",)

    def prepare(self, world):
        super().prepare(world)
        self.primary = world.database
        self.ports = [self.primary.port, h.free_port()]
        self.add_standby(world, "standby-1", self.ports[1])

    def add_standby(self, world, name, port):
        self.standby = Postgres(world.folder, name, port)
        world.closing.append(self.standby.stop)
        self.standby.copy_of(self.primary)
        self.primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.primary.sql("SELECT pg_reload_conf()")
        h.wait_until(lambda: self.primary.sql("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == "1",
                     "the standby to be synchronous")

    def database_of(self, world, number):
        hosts = ",".join(f"127.0.0.1:{port}" for port in self.ports)
        return f"postgresql://sundial@{hosts}/sundial?sslmode=disable&gssencmode=disable"

    def strike(self, world):
        dead = self.primary
        with world.nemeses.fault("failover", ["db"]) as fault:
            fault["proof"] = dead.kill()
            # From the copied data: it would wait for a standby that does not exist.
            self.standby.settings_line("synchronous_standby_names = ''")
            self.standby.promote()
            self.primary = world.database = self.standby
        self.add_standby(world, f"standby-{len(world.closing)}", dead.port)


class PowerCut(Profile):
    """SQLite on a file system of its own. The process is killed and the file system shut down, so that unflushed data
    is lost; then it is mounted again and the process restarts."""
    name = "powercut"
    storage = "sqlite"
    instances = 1
    faults = ("powercut",)

    def require(self, options):
        need_root(self.name)
        need_programs(self.name, "losetup", "mkfs.ext4", "mount", "umount")
        mount_apart()

    def prepare(self, world):
        self.disk = Disk(world)

    def database_of(self, world, number):
        return f"{self.disk.folder}/sundial.db"

    def strike(self, world):
        [instance] = world.instances
        with world.nemeses.fault("powercut", ["db", instance.id]) as fault:
            instance.kill()
            fault["proof"] = self.disk.cut_power()
            instance.start()


class PowerCutUnsafe(PowerCut):
    """The control: with storage.synchronous=normal a power cut must lose acknowledged data. The checker has to find it;
    a run without a loss would show that `powercut` cuts nothing."""
    name = "powercut-unsafe"
    settings = ("--storage.synchronous=normal",)
    breaks = ("I1",)

    def begin(self, world):
        self.disk.flush()  # only acknowledged data shall be at risk, not the schema


class Partition(Profile):
    """An instance loses the database, the receiver, or both; or a fifth of all packets, with nftables in a network
    namespace of its own."""
    name = "partition"
    faults = ("partition", "loss")
    sink_address = "0.0.0.0"

    def require(self, options):
        need_root(self.name)
        need_programs(self.name, "ip", "nft")

    def prepare(self, world):
        super().prepare(world)
        self.network = Network(world)
        self.sink_host = self.network.sink

    def place_of(self, world, number):
        return self.network.place(number)

    def database_of(self, world, number):
        return world.database.url(host=self.network.database)

    def strike(self, world):
        victim = world.rng.choice(world.instances)
        kind = world.rng.choice(self.faults)
        with world.nemeses.fault(kind, [victim.id]) as fault:
            if kind == "loss":
                victim.place.lose("meta l4proto tcp numgen random mod 100 < 20", [self.network.database, self.network.sink])
                time.sleep(world.rng.uniform(3, 6))
            else:
                victim.place.lose("", world.rng.choice((
                    [self.network.database], [self.network.sink], [self.network.database, self.network.sink])))
                time.sleep(world.rng.choice((2, 7, 18)))  # beyond the heartbeat, and beyond the lease
            fault["proof"] = victim.place.heal()


class WrongClock(Profile):
    """The clocks of instances jump by an hour, with libfaketime; the clocks of the database and the machine do not."""
    name = "clock"
    faults = ("clock",)
    library = "/usr/lib/*/faketime/libfaketimeMT.so.1"

    def require(self, options):
        if not glob.glob(self.library):
            raise SystemExit(f"chaos: the profile {self.name} needs {self.library}: apt-get install libfaketime")

    def offset_file(self, world, number):
        return world.path(f"clock-{number}")

    def environment_of(self, world, number):
        self.set_clock(world, number, 0)
        # The monotonic clock is unchanged: waits would hang otherwise.
        return {"LD_PRELOAD": glob.glob(self.library)[0], "FAKETIME_TIMESTAMP_FILE": self.offset_file(world, number),
                "FAKETIME_DONT_FAKE_MONOTONIC": "1", "FAKETIME_CACHE_DURATION": "1"}

    def set_clock(self, world, number, hours):
        new = self.offset_file(world, number) + ".new"
        with open(new, "w", encoding="utf-8") as file:
            file.write(f"{hours:+d}h\n" if hours else "+0\n")
        os.replace(new, self.offset_file(world, number))

    def strike(self, world):
        victims = world.rng.sample(world.instances, world.rng.choice((1, len(world.instances))))
        with world.nemeses.fault("clock", [victim.id for victim in victims]) as fault:
            for victim in victims:
                self.set_clock(world, victim.number, world.rng.choice((-1, 1)))
            began = time.monotonic_ns()
            time.sleep(world.rng.uniform(3, 6))
            fault["proof"] = sum(wrong_lines(victim.claims, began) for victim in victims)
            for victim in victims:
                self.set_clock(world, victim.number, 0)
            time.sleep(1.5)  # until all instances have read it


def wrong_lines(claims, since):
    """Lines of a claim log whose wall clock differs by more than half an hour from the machine's."""
    now = time.time_ns() - time.monotonic_ns()
    return sum(line["mono"] > since and abs(line["t"] - line["mono"] - now) > 1800 * 10**9 for line in history.lines_of(claims))


class FullDisk(Profile):
    """SQLite on a small file system that is full for a while: writes are refused, no process dies, no data is lost."""
    name = "disk"
    storage = "sqlite"
    instances = 1
    faults = ("disk",)
    calm = 3.0

    def require(self, options):
        need_root(self.name)
        need_programs(self.name, "mount", "umount")

    def prepare(self, world):
        self.disk = SmallDisk(world)

    def database_of(self, world, number):
        return f"{self.disk.folder}/sundial.db"

    def strike(self, world):
        refused = world.users.refused
        with world.nemeses.fault("disk", ["db"]) as fault:
            self.disk.fill()
            time.sleep(world.rng.uniform(2, 4))
            self.disk.free()
            fault["proof"] = world.users.refused - refused


class Kill9Alone(Kill9):
    """kill -9 of the single process on SQLite."""
    name = "kill9-sqlite"
    storage = "sqlite"
    instances = 1

    def prepare(self, world):
        pass

    def database_of(self, world, number):
        return f"{world.folder}/sundial.db"


class Mixed(Profile):
    """Kills, frozen instances, a killed database, lost commits and a receiver that cuts responses, one after another.
    """
    name = "mixed"
    mix = {"plain": 50, "later": 10, "flaky": 10, "lossy": 8, "wild": 6, "local": 4, "cancel": 6, "permanent": 3, "redirect": 3}
    timeout = 2
    parts = (Kill9, Kill9, CommitCut, DbKill, Pause)

    def __init__(self):
        self.all = [part() for part in self.parts]
        self.cutting = next(part for part in self.all if isinstance(part, CommitCut))

    def prepare(self, world):
        self.cutting.prepare(world)

    def database_of(self, world, number):
        return self.cutting.database_of(world, number)

    def strike(self, world):
        world.rng.choice(self.all).strike(world)


class CrashPoints(Profile):
    """The process dies at each place that the source marks with CRASH_POINT, one after another. A place that is never
    reached fails the run."""
    name = "crashpoints"
    instances = 2
    first_points = ("migrate: before commit", "migrate: after commit")
    # The points of a schedule come first: a schedule ends with the time of the run.
    points = ("plan: before commit", "plan: after commit", "create: before commit", "create: after commit",
              "claim: before commit", "claim: after commit", "claim: before send", "send: mid request",
              "answer: before commit", "settle: before commit", "settle: after commit", "release: before commit",
              "release: after commit", "cancel: before commit", "cancel: after commit", "extend: before commit",
              "extend: after commit")
    faults = tuple(f"crash at {point}" for point in (*first_points, *points))
    mix = {"plain": 40, "hold": 15, "cancel": 20, "parked": 10, "flaky": 10, "later": 5}
    reached_within = 180  # seconds, on the busiest machine

    def __init__(self):
        self.left = list(self.points)

    def first_start(self, world, instance):
        for point in self.first_points if instance.number == 0 else ():
            instance.start(wait=False, environment={"CRASH_POINT": f"{point}:2"})
            self.dies_at(world, instance, point, lambda: None)
        # The first of these points needs events.
        instance.start(environment=self.armed(world) if instance.number == 0 else None)

    def armed(self, world):
        """The environment that makes the process die at the next point, if one is left."""
        if not self.left:
            return None
        # Late enough for other work to be in progress, early enough for rare points.
        often = self.left[0].startswith(("create", "claim", "send", "answer", "settle"))
        return {"CRASH_POINT": f"{self.left[0]}:{world.rng.randint(2, 5) if often else 1}"}

    def dies_at(self, world, instance, point, start_again):
        def dead():
            return instance.server.process.poll() is not None
        h.wait_until(dead, f"the crash point '{point}' to be reached", self.reached_within)
        with world.nemeses.fault(f"crash at {point}", [instance.id] if instance.id else ["db"]) as fault:
            told = f"crash point: {point}" in instance.server.log_text()
            fault["proof"] = int(told and instance.server.process.returncode == -signal.SIGKILL)
            start_again()

    def begin(self, world):
        client = world.instances[0].connection()
        client.ok("POST", "/v1/endpoints", {"name": "closed", "type": "WEBHOOK", "externalId": "closed",
                                            "url": world.sink.url(), "timeout": f"PT{self.timeout}S", "enabled": False,
                                            "secret": world.sink.shared_secret})
        end = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=world.options.duration)
        client.ok("POST", "/v1/schedules", {
            "externalId": "often", "eventType": EVENT_TYPE, "trigger": {"every": "PT2S"}, "endpointId": "ext:sink",
            "payload": {"text": "again"}, "perUser": False, "timezone": "UTC", "endsAt": end.strftime("%Y-%m-%dT%H:%M:%SZ")})

    def strike(self, world):
        victim, point = world.instances[0], self.left.pop(0)
        self.dies_at(world, victim, point, lambda: victim.start(environment=self.armed(world)))

    def broken_for(self, seconds):
        return 0.0

    def finished(self):
        return not self.left

    def heal(self, world):
        began = time.monotonic_ns()
        world.instances[0].connection().ok("PATCH", "/v1/endpoints/ext:closed", {"enabled": True})
        world.users_log.write("ok", "unpark", took=time.monotonic_ns() - began)


class CrashPointsAlone(CrashPoints):
    """The same on SQLite."""
    name = "crashpoints-sqlite"
    storage = "sqlite"
    instances = 1

    def prepare(self, world):
        pass

    def database_of(self, world, number):
        return f"{world.folder}/sundial.db"


class Citus(Profile):
    """Events distributed over two workers by PostgreSQL's extension citus (tools/chaos/citus.py)."""

    def require(self, options):
        citus.use_tools()

    def prepare(self, world):
        self.cluster = citus.Cluster(world.folder)
        world.closing.append(self.cluster.stop)
        self.cluster.create().distribute()
        world.database = self.cluster.coordinator


class CitusKill9(Citus, Kill9):
    """kill -9 of instances, which share a cluster of Citus."""
    name = "citus-kill9"


class CitusServerKill(Citus):
    """kill -9 of a server of the cluster, all its processes at once, then a start with crash recovery."""
    def victims(self, world):
        raise NotImplementedError

    def strike(self, world):
        victims = self.victims(world)
        world.wait_for_traffic()
        with world.nemeses.fault(self.faults[0], ["db"]) as fault:
            fault["proof"] = sum(victim.kill() for victim in victims)
            time.sleep(world.rng.uniform(0, 1.5))
            for victim in victims:
                victim.start()


class CitusWorker(CitusServerKill):
    """One of the two workers is killed, now and then both."""
    name = "citus-worker"
    faults = ("worker",)

    def victims(self, world):
        both = world.rng.random() < 0.15
        return self.cluster.workers if both else [world.rng.choice(self.cluster.workers)]


class CitusCoordinator(CitusServerKill):
    """The coordinator is killed, also between PREPARE and COMMIT: it ends its transactions on the workers later."""
    name = "citus-coordinator"
    faults = ("coordinator",)

    def victims(self, world):
        return [self.cluster.coordinator]


class CitusRebalance(Citus):
    """Parts of the events move to the other worker one by one, and Citus moves as many back, while all goes on. That excuses
    nothing."""
    name = "citus-rebalance"
    faults = ("rebalance",)
    moved = 2  # parts, in one direction

    def strike(self, world):
        coordinator = self.cluster.coordinator
        with world.nemeses.fault("rebalance", []) as fault:
            before = dict(self.cluster.parts())
            source, target = world.rng.sample([worker.port for worker in self.cluster.workers], 2)
            for part in world.rng.sample([part for part, port in before.items() if port == source], self.moved):
                coordinator.sql(f"SELECT citus_move_shard_placement({part}, '127.0.0.1', {source}, '127.0.0.1', {target})")
            moved = dict(self.cluster.parts())
            coordinator.sql("SELECT citus_rebalance_start('by_shard_count')")
            coordinator.sql("SELECT citus_rebalance_wait()")
            after = dict(self.cluster.parts())
            fault["proof"] = sum(one[part] != other[part] for one, other in ((before, moved), (moved, after)) for part in before)


PROFILES = {profile.name: profile for profile in (
    Kill9, Kill9Alone, Pause, DbKill, SinkTrouble, CommitCut, Failover, PowerCut, PowerCutUnsafe, Partition, WrongClock,
    FullDisk, Mixed, Sqs, CrashPoints, CrashPointsAlone, CitusKill9, CitusWorker, CitusCoordinator,
    CitusRebalance)}
