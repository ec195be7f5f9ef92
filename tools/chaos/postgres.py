"""PostgreSQL servers that live in a folder, run as an unprivileged user, use fsync, and can be killed."""
import glob
import os
import pwd
import shutil
import signal
import subprocess

import harness as h
from processes import die_with_us, children_of, gone

START_WITHIN = 60


def tools():
    """Those in the folder POSTGRES_TOOLS, the newest that Debian has installed, or those in PATH."""
    if "POSTGRES_TOOLS" in os.environ:
        return os.environ["POSTGRES_TOOLS"]
    for folder in sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda f: int(f.split("/")[4]), reverse=True):
        if os.path.exists(f"{folder}/initdb"):
            return folder
    found = shutil.which("initdb")
    if not found:
        raise SystemExit("PostgreSQL is not installed: apt-get install postgresql")
    return os.path.dirname(found)


def rights():
    """The user that runs the server: PostgreSQL refuses root."""
    if os.geteuid() != 0:
        return {}
    user = pwd.getpwnam("postgres")
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


class Postgres:
    """One server with its data directory."""

    def __init__(self, folder, name="main", port=None, options=()):
        self.folder = os.path.join(folder, name)
        self.name, self.port, self.options, self.process = name, port or h.free_port(), list(options), None
        os.mkdir(self.folder)
        if os.geteuid() == 0:
            os.chmod(folder, 0o755)
            shutil.chown(self.folder, "postgres", "postgres")
        self.data = os.path.join(self.folder, "data")

    def tool(self, *command, check=True, **options):
        with open(os.path.join(os.path.dirname(self.folder), f"{self.name}.log"), "ab") as log:
            done = subprocess.run([f"{tools()}/{command[0]}", *command[1:]], stdin=subprocess.DEVNULL,
                                  stdout=options.get("stdout", log), stderr=log, cwd="/", **rights())
        if check and done.returncode:
            with open(log.name, encoding="utf-8", errors="replace") as text:
                raise AssertionError(f"{command[0]} ended with {done.returncode}:\n{text.read()[-2000:]}")
        return done

    def create(self):
        self.tool("initdb", "-D", self.data, "-U", "sundial", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
        with open(f"{self.data}/pg_hba.conf", "a", encoding="utf-8") as access:
            access.write("host all all samenet trust\nhost replication all samehost trust\n")
        self.start()
        self.sql("CREATE DATABASE sundial TEMPLATE template0", database="postgres")
        return self

    def copy_of(self, primary):
        """Becomes a standby that the primary waits for."""
        self.tool("pg_basebackup", "-D", self.data, "-R", "-X", "stream", "-c", "fast",
                  "-d", f"host=127.0.0.1 port={primary.port} user=sundial application_name={self.name}")
        self.start()
        return self

    def start(self):
        command = [f"{tools()}/postgres", "-D", self.data, "-k", self.folder, "-p", str(self.port)]
        # With mmap the server's shared memory lies in its data folder. Segments in /dev/shm would stay after a kill.
        settings = ["max_connections=200", "listen_addresses=*", "shared_buffers=64MB", "dynamic_shared_memory_type=mmap",
                    *self.options]
        for setting in settings:
            command += ["-c", setting]
        with open(os.path.join(os.path.dirname(self.folder), f"{self.name}.log"), "ab") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/",
                                            preexec_fn=die_with_us, **rights())
        h.wait_until(self.accepts, f"PostgreSQL '{self.name}' to accept connections", START_WITHIN)

    def accepts(self):
        if self.process.poll() is not None:
            raise AssertionError(f"PostgreSQL '{self.name}' ended with {self.process.returncode}; see {self.name}.log")
        try:  # the file that pg_ctl reads: saves a process per check
            with open(f"{self.data}/postmaster.pid", encoding="utf-8") as file:
                lines = file.read().split("\n")
        except FileNotFoundError:
            return False
        return lines[0] == str(self.process.pid) and len(lines) > 7 and lines[7].strip() in ("ready", "standby")

    def kill(self):
        """Kills the server and all its processes at once, like a machine that dies. Returns the number of processes."""
        processes = [self.process.pid, *children_of(self.process.pid)]
        for process in processes:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass  # it ended with its connection a moment ago
        self.process.wait()
        h.wait_until(lambda: all(gone(process) for process in processes), "PostgreSQL's processes to be gone")
        return len(processes)

    def settings_line(self, line):
        """Takes precedence over earlier settings."""
        with open(f"{self.data}/postgresql.auto.conf", "a", encoding="utf-8") as settings:
            settings.write(line + "\n")
        self.tool("pg_ctl", "-D", self.data, "reload")

    def promote(self):
        self.tool("pg_ctl", "-D", self.data, "-w", "promote")

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)  # immediate: the data is not needed again
            self.process.wait(timeout=h.HANG_GUARD)

    def sql(self, text, database="sundial"):
        answer = self.tool("psql", "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-p", str(self.port),
                           "-U", "sundial", "-d", database, "-c", text, stdout=subprocess.PIPE)
        return answer.stdout.decode().strip()

    def url(self, host="127.0.0.1", port=None):
        return f"postgresql://sundial@{host}:{port or self.port}/sundial?sslmode=disable&gssencmode=disable"
