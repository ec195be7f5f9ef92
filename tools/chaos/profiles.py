"""What is broken, how, and how each fault shows that it happened."""
import signal
import time

import harness as h

USUAL = {"plain": 60, "later": 12, "flaky": 10, "local": 6, "cancel": 6, "permanent": 3, "redirect": 3}


class Profile:
    name = ""
    storage = "postgres"
    instances = None  # as asked for
    mix = USUAL
    timeout = 5  # seconds, of a delivery
    settings = ()
    faults = ()  # kinds that must have happened
    peace_before, calm = 1.0, 1.0
    sink_address = sink_host = "127.0.0.1"

    def require(self, options):
        """Fails, by name, where the machine lacks what the profile needs."""

    def prepare(self, world):
        world.start_postgres()

    def database_of(self, world, number):
        return world.database.url()

    def place_of(self, world, number):
        return None

    def environment_of(self, world, number):
        return {}

    def strike(self, world):
        raise NotImplementedError


class Kill9(Profile):
    """kill -9 of an instance, now and then of all; each is started again after a moment."""
    name = "kill9"
    faults = ("kill",)

    def strike(self, world):
        everybody = world.rng.random() < 0.15
        victims = list(world.instances) if everybody else [world.rng.choice(world.instances)]
        # At the best moment: while requests are under way.
        h.wait_until(lambda: world.sink.in_flight > 0 or time.sleep(0.01), "something in flight", 10) if world.rng.random() < 0.5 else None
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
    """SIGSTOP beyond the lease: whoever slept must not act on what it held."""
    name = "pause"
    faults = ("pause",)

    def strike(self, world):
        victim = world.rng.choice(world.instances)
        with world.nemeses.fault("pause", [victim.id]) as fault:
            victim.signal(signal.SIGSTOP)
            time.sleep(15 + world.rng.uniform(1, 4))
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
    """The receiver: cuts answers, hangs up, answers too late, speaks something else, refuses."""
    name = "sink"
    mix = {"plain": 45, "wild": 20, "flaky": 10, "lossy": 8, "permanent": 5, "redirect": 5, "cancel": 5, "local": 2}
    timeout = 2
    faults = ("cut", "reset", "garbage", "hung up")

    def strike(self, world):
        time.sleep(0.2)  # the script of the sink is the fault


PROFILES = {profile.name: profile for profile in (Kill9, Pause, DbKill, SinkTrouble)}
