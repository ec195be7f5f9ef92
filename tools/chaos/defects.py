"""Defects, one run each, that the checker must find. The product itself is unchanged. Each defect lies between it and
the database (changed SQL, missing commits), between it and the receiver (a middlebox), in the database, or between it
and its users.
"""
import signal
import time

import client
import middlebox
from middlebox import Middlebox
from profiles import Profile
from proxy import Proxy


class Defect(Profile):
    """Three instances, half a minute at most, and one defect."""
    mix = {"plain": 50, "burst": 20, "flaky": 15, "permanent": 5, "redirect": 5, "cancel": 5}
    seam = ""
    breaks = ()  # any of these
    events, duration = 150, 6
    quiet_within = 40  # with a defect, the system may never come to rest
    # The places between the product and its surroundings where a defect can be.
    rewrite = None  # SQL to SQL
    alter = staticmethod(middlebox.untouched)
    user = client.User
    forgets_commits = 0.0

    def __init__(self):
        self.struck = False

    def prepare(self, world):
        super().prepare(world)
        self.proxy = Proxy(world.database.port, type(self).rewrite)
        self.proxy.forget_share = self.forgets_commits
        world.closing.append(self.proxy.close)
        self.box = Middlebox(world.sink.port, self.alter)
        world.closing.append(self.box.close)

    def database_of(self, world, number):
        return world.database.url(port=self.proxy.port)

    def sink_url(self, world):
        return f"http://127.0.0.1:{self.box.port}/hook"

    def strike(self, world):
        if not self.struck:
            self.struck = True
            self.once(world)

    def broken_for(self, seconds):
        return 0.0  # the checked invariants do not need a quiet period

    def once(self, world):
        """Triggers the defect, if time alone does not."""


class Nothing(Defect):
    name, seam, breaks = "none", "proxy and middlebox that change nothing", ()


class NoVersionCheck(Defect):
    name, seam, breaks = "no version check", "SQL of settle", ("I4", "I6")
    rewrite = staticmethod(lambda sql: sql.replace("AND event.version = given.held", ""))
    mix = {"hold": 60, "plain": 40}

    def once(self, world):
        pause(world, 17.5)  # others have taken over by then, and have not finished yet


class ClaimWithoutLock(Defect):
    name, seam, breaks = "claim without lock", "SQL of claim_ready", ("I6", "I7", "I9")
    rewrite = staticmethod(lambda sql: sql.replace("FOR UPDATE SKIP LOCKED) AS due)", ") AS due, pg_sleep(0.05))"))
    mix = {"burst": 100}


class ApplicationClock(Defect):
    name, seam, breaks = "application clock decides due times", "SQL of one instance: a clock ahead by 20 s", ("I10",)

    def prepare(self, world):
        super().prepare(world)
        ahead = "(sundial.clock() + interval '20 seconds')"
        self.ahead = Proxy(world.database.port, lambda sql: sql.replace("sundial.clock()", ahead))
        world.closing.append(self.ahead.close)

    def database_of(self, world, number):
        return world.database.url(port=(self.ahead if number == 0 else self.proxy).port)


class NoVersionBump(Defect):
    name, seam, breaks = "take-over without version bump", "SQL of take_over", ("I6",)
    rewrite = staticmethod(lambda sql: sql.replace("version = event.version + 1", "version = event.version")
                           if "retry_count = event.retry_count + 1,\n           first_attempt_at" in sql else sql)
    mix = {"later": 50, "hold": 50}

    def once(self, world):
        kill(world)


class NumberUsedTwice(Defect):
    name, seam, breaks = "take-over with the same attempt number", "SQL of take_over", ("I8",)
    rewrite = staticmethod(lambda sql: sql.replace("attempt = event.attempt + 1", "attempt = event.attempt")
                           if "retry_count = event.retry_count + 1,\n           first_attempt_at" in sql else sql)
    mix = {"later": 50, "hold": 50}

    def once(self, world):
        kill(world)


class SettledBeforeSent(Defect):
    name, seam, breaks = "settle before send", "middlebox", ("I5",)
    alter = staticmethod(middlebox.settled_before_sent)


class NewIdOnRetry(Defect):
    name, seam, breaks = "new id on retry", "middlebox", ("I8",)
    alter = staticmethod(middlebox.new_id_on_retry)


class HiddenResend(Defect):
    name, seam, breaks = "hidden resend", "middlebox", ("I8",)
    alter = staticmethod(middlebox.hidden_resend)


class RetryAfterIgnored(Defect):
    name, seam, breaks = "Retry-After ignored", "middlebox", ("I13",)
    alter = staticmethod(middlebox.retry_after_ignored)
    mix = {"flaky": 30, "plain": 70}


class RedirectFollowed(Defect):
    name, seam, breaks = "redirect followed", "middlebox", ("I13",)
    alter = staticmethod(middlebox.redirect_followed)


class RefusalIgnored(Defect):
    name, seam, breaks = "permanent refusal retried", "middlebox", ("I13",)
    alter = staticmethod(middlebox.refusal_ignored)
    mix = {"plain": 80, "permanent": 20}


class OtherBytes(Defect):
    name, seam, breaks = "body changed after it was signed", "middlebox", ("I14",)
    alter = staticmethod(middlebox.other_bytes)


class CancelIgnored(Defect):
    name, seam, breaks = "cancel ignored", "clients get 200, but the instance is not asked", ("I13",)
    user = client.ToldCancelled
    mix = {"plain": 50, "cancel": 50}


class UnknownTakenAsSuccess(Defect):
    name, seam, breaks = "unknown outcome taken as success", "users are told 201 where no answer came, and commits are lost", ("I1",)
    user = client.ToldSuccess
    mix = {"plain": 100}
    events, duration, calm = 900, 12, 0.2  # a kill must come between a request and its commit

    def strike(self, world):
        kill_for_a_moment(world)


class AckBeforeCommit(Defect):
    name, seam, breaks = "ack before commit", "COMMITs that are told done and rolled back", ("I1",)
    forgets_commits = 0.05
    mix = {"plain": 100}


class LostWhenFull(Defect):
    name, seam, breaks = "loss on full queue", "a trigger that drops claimed rows when there are too many", ("I1",)
    mix = {"burst": 100}

    def begin(self, world):
        world.database.sql("""
            CREATE FUNCTION sundial.full_queue() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF NEW.claimed_by IS NOT NULL AND (SELECT count(*) FROM sundial.events WHERE claimed_by IS NOT NULL) > 3 THEN
                    DELETE FROM sundial.events WHERE shard = NEW.shard AND id = NEW.id;
                END IF;
                RETURN NULL;
            END $$;
            CREATE TRIGGER full_queue AFTER UPDATE ON sundial.events FOR EACH ROW EXECUTE FUNCTION sundial.full_queue()""")


class NotSynchronous(Defect):
    name, seam, breaks = "synchronous_commit=off", "the database role's setting, and a killed database", ("I1",)

    def prepare(self, world):
        super().prepare(world)
        world.database.sql("ALTER ROLE sundial SET synchronous_commit = off")
        world.database.settings_line("wal_writer_delay = 10000")

    def strike(self, world):
        """Acts while some kilobytes of commits are not on disk, because PostgreSQL's own writer flushes them sooner or
        later."""
        end = time.monotonic() + 5
        while self.unwritten(world) < 4000 and time.monotonic() < end:
            pass
        with world.nemeses.fault("dbkill", ["db"]) as fault:
            fault["proof"] = world.database.kill()
            world.database.start()
        time.sleep(3)

    @staticmethod
    def unwritten(world):
        return int(world.database.sql("SELECT pg_current_wal_insert_lsn() - pg_current_wal_flush_lsn()"))


def pause(world, seconds):
    victim = world.instances[0]
    with world.nemeses.fault("pause", [victim.id]) as fault:
        victim.signal(signal.SIGSTOP)
        time.sleep(seconds)
        victim.signal(signal.SIGCONT)
        fault["proof"] = 1


def kill(world):
    """Kills an instance with requests in flight; it stays dead until others have taken over."""
    time.sleep(2)
    victim = world.instances[0]
    with world.nemeses.fault("kill", [victim.id]) as fault:
        victim.kill()
        fault["proof"] = 1
    time.sleep(18)
    victim.start()


def kill_for_a_moment(world):
    victim = world.rng.choice(world.instances)
    with world.nemeses.fault("kill", [victim.id]) as fault:
        victim.kill()
        victim.start()
        fault["proof"] = 1


DEFECTS = (Nothing, AckBeforeCommit, NoVersionCheck, ClaimWithoutLock, ApplicationClock, NoVersionBump, NumberUsedTwice,
           SettledBeforeSent, NewIdOnRetry, HiddenResend, RetryAfterIgnored, RedirectFollowed, RefusalIgnored, OtherBytes,
           CancelIgnored, LostWhenFull, NotSynchronous, UnknownTakenAsSuccess)
