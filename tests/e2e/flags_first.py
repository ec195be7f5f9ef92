"""A flag wins over the environment: every command, every flag that has a variable too."""
import http.server
import os
import subprocess
import threading

from commands import all_commands, flags_of, manual
import harness as h
import import_files

# The arguments that a command needs besides its flags, where its table cannot tell.
ARGUMENTS = {
    ("clock", "advance"): ["--by", "PT1M"],
    ("event", "add"): ["--type", "T", "--at", "now", "--payload", "{}"],
    ("event", "set"): ["x", "--priority", "LOW"],
    ("event", "retry"): ["--all", "-y"],
    ("event", "cancel"): ["--all", "-y"],
    ("event", "reschedule-many"): ["--all", "--by", "PT1H", "-y"],
    ("schedule", "pause-many"): ["--tag", "x", "-y"],
    ("schedule", "resume-many"): ["--tag", "x", "-y"],
    ("schedule", "tag-many"): ["--tag", "x", "--add-tag", "y", "-y"],
    ("schedule", "delete-many"): ["--tag", "x", "-y"],
    ("dlq", "retry"): ["--all", "-y"],
    ("dlq", "dismiss"): ["--all", "-y"],
    ("endpoint", "add"): ["--name", "x", "--type", "INBOX"],
    ("endpoint", "set"): ["x", "--enable"],
    ("user", "add"): ["--first-name", "A", "--last-name", "B", "--date-of-birth", "1990-01-01", "--timezone", "UTC"],
    ("user", "set"): ["x", "--last-name", "C"],
    ("schedule", "set"): ["x", "--every", "PT1H"],
    ("intake", "refused"): ["x"],
    ("intake", "taken"): ["x"],
    ("zone", "show"): ["UTC"],
    ("zone", "convert"): ["2027-01-05T08:00:00Z"],
    ("zone", "diff"): ["/usr/share/zoneinfo"],
    ("lock", "run"): ["x", "true"],
    ("db", "reshard"): ["--shards", "64", "-y"],
    ("next",): ["@daily", "--zone", "UTC"],
}


def arguments_of(command):
    """The arguments that a command needs: its positional arguments, its required flags, and --yes."""
    if command in ARGUMENTS:
        return ARGUMENTS[command]
    if (files := import_files.arguments_of(command)) is not None:
        return files
    arguments = []
    for flag in manual()[command]["flags"]:
        value = flag["choices"][0] if flag["choices"] else "-" if flag["value"] == "FILE" else \
            "{}" if flag["value"].startswith("JSON") else "1" if flag["value"] == "N" else "x"
        if flag["positional"] and (flag["required"] or flag["value"] == "FILE"):
            arguments.append(value)
        elif flag["required"] and command != ("db", "grant"):
            arguments += [flag["names"][0], value]
        elif "--yes" in flag["names"]:
            arguments.append("--yes")
    return arguments


# Two values of each setting that differ; of those that are not here a number, a duration or truth can be made up.
VALUES = {
    "http.listen": ("127.0.0.1:1111", "127.0.0.1:2222"),
    "http.health_listen": ("127.0.0.1:3333", "127.0.0.1:4444"),
    "http.allowed_hosts": ("environment.example", "flag.example"),
    "http.cors_origins": ("https://environment.example", "https://flag.example"),
    "http.trusted_proxies": ("10.0.0.0/8", "192.168.0.0/16"),
    "scheduler.roles": ("api,worker", "api,scheduler"),
    "storage.url": ("sqlite:env.db", "sqlite:flag.db"),
    "storage.listen_url": ("postgresql://env/a", "postgresql://flag/b"),
    "storage.intake": ("a=sqlite:env.db", "a=sqlite:flag.db"),
    "storage.shards": ("2", "4"),
    "storage.synchronous": ("full", "normal"),
    "scheduler.birthday_time": ("08:00", "10:00"),
    "scheduler.tick": ("PT2S", "PT3S"),
    "scheduler.lease": ("PT40S", "PT50S"),
    "delivery.allow": ("10.0.0.0/8", "192.168.0.0/16"),
    "delivery.deny": ("1.0.0.0/8", "2.0.0.0/8"),
    "delivery.ports": ("443", "8443"),
    "delivery.circuit.failure_ratio": ("0.25", "0.75"),
    "delivery.circuit.window": ("PT1M30S", "PT2M"),
    "retention.idempotency": ("PT30H", "PT36H"),
    "retention.completed": ("P10D", "P20D"),
    "retention.failed": ("P10D", "P20D"),
    "retention.attempts": ("P10D", "P20D"),
    "retention.keys": ("P500D", "P600D"),
    "security.encryption_key": (h.ENCRYPTION_KEY, h.ENCRYPTION_KEY + "," + h.ENCRYPTION_KEY),
    "tz.source": ("auto", "dir"),
    "tz.dir": ("/usr/share/zoneinfo", "/usr/share/zoneinfo/posix"),
    "tz.on_change": ("reschedule", "report"),
    "traces.endpoint": ("http://environment:4318", "http://flag:4318"),
    "traces.headers": ("a=environment", "a=flag"),
    "traces.sample": ("0.25", "0.75"),
    "traces.service": ("environment", "flag"),
    "ping.url": ("https://environment.example", "https://flag.example"),
    "ping.every": ("PT2M", "PT3M"),
    "log.level": ("warn", "error"),
    "log.format": ("json", "text"),
}


class Listener:
    """A server that answers 404 to everything and remembers the keys that it was shown."""

    def __init__(self):
        keys = self.keys = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self):
                keys.append(self.headers.get("Authorization", "none").removeprefix("Bearer "))
                self.send_response_only(404)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def take(self):
        taken, self.keys[:] = list(self.keys), []
        return taken


def run(command, *flags, directory, environment):
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SUNDIAL") and name != "DATABASE_URL"}
    return subprocess.run([h.PROGRAM, *command, *arguments_of(command), *flags], env=clean | environment, cwd=directory,
                          input='{"eventType":"T"}\n', capture_output=True, text=True, timeout=h.HANG_GUARD, check=False)


def server_and_key(directory):
    """--server and --api-key of every command that asks a server; and the variables where there is no flag."""
    import_files.write(directory)
    named, other = Listener(), Listener()
    environment = {"SUNDIAL_SERVER": other.url, "SUNDIAL_API_KEY": "of-the-environment"}
    commands = [command for command in all_commands() if "--server" in flags_of(command)]
    assert len(commands) > 20, commands
    nouns = set()
    for command in commands:
        assert "--api-key" in flags_of(command), command
        done = run(command, "--server", named.url, "--api-key", "of-the-flag", directory=directory, environment=environment)
        assert not other.take(), (command, "asked the server of the environment", done)
        assert set(named.take()) == {"of-the-flag"}, (command, done)
        done = run(command, directory=directory, environment=environment)
        assert set(other.take()) == {"of-the-environment"} and not named.take(), (command, done)
        if command[0] not in nouns:  # one flag leaves the other's variable alone: the commands of a noun share their options
            nouns.add(command[0])
            done = run(command, "--server=" + named.url, directory=directory, environment=environment)
            assert not other.take() and set(named.take()) == {"of-the-environment"}, (command, done)
    return len(commands)


def two_values(key, now):
    if key in VALUES:
        return VALUES[key]
    if now in ("true", "false"):
        return ("false", "true")
    if now.isdigit():
        return (str(int(now) + 1), str(int(now) + 2))
    if now.startswith("PT") and now.endswith("S"):
        return (f"PT{int(now[2:-1]) - 1}S", f"PT{int(now[2:-1]) - 2}S")
    if now in ('""', "production", "sundial/1"):
        return ("of_the_environment", "of_the_flag")
    return ("PT1M", "PT2M")


def settings(directory):
    """All settings at once, by `config show`, which says where it has each from."""
    keys = {}
    for line in run(("config", "show"), directory=directory, environment={}).stdout.splitlines():
        key, _, rest = line.partition(" = ")
        keys[key] = rest.partition("  (")[0]
    environment = {"DATABASE_URL": "sqlite:usual.db", "PORT": "1", "LOG_LEVEL": "debug"}
    assert {"--" + key for key in keys} <= flags_of(("config", "show")), "each setting is a flag"
    values = {key: two_values(key, now) for key, now in keys.items()}
    for key, (of_environment, _) in values.items():
        environment["SUNDIAL_" + key.upper().replace(".", "_")] = of_environment
    flags = [f"--{key}={of_flag}" for key, (_, of_flag) in values.items()]
    done = run(("config", "show"), *flags, directory=directory, environment=environment)
    lines = done.stdout.splitlines()
    for key, (_, of_flag) in values.items():
        shown = [line for line in lines if line.startswith(key + " = ")]
        assert done.returncode == 0 and len(shown) == 1, (key, done)
        assert shown[0].endswith(f"  (--{key})"), (key, shown)
        assert "***" in shown[0] or f" = {of_flag}  (" in shown[0], (key, of_flag, shown)
    return len(keys)


def required_flags(command):
    """The flags without which a command does not look at settings: `key` would call a server."""
    if command == ("db", "grant"):
        return ["--to", "reader"]
    return ["--db", "x.db"] if command[0] == "key" else []


def every_command_with_settings(directory):
    """Each command that has settings as flags reads them, and blames the flag for a wrong value."""
    commands = [command for command in all_commands() if "--log.level" in flags_of(command)]
    assert len(commands) > 12, commands
    for command in commands:
        done = run(command, *required_flags(command), "--log.level=loud", directory=directory, environment={"SUNDIAL_LOG_LEVEL": "warn"})
        assert done.returncode == 1 and "--log.level: " in done.stderr, (command, done)
    return len(commands)


def database(directory):
    """--db of every command that opens one itself."""
    commands = [command for command in all_commands() if "--db" in flags_of(command) and command[0] != "bench"]
    for command in commands:
        if command in (("serve",), ("dev",)):
            continue
        environment = {"SUNDIAL_STORAGE_URL": "sqlite:environment.db", "DATABASE_URL": "sqlite:usual.db"}
        needed = ["--to", "reader"] if command == ("db", "grant") else \
            ["saved"] if command in (("db", "backup"), ("db", "restore")) else ["copied.db", "-y"] if command == ("db", "copy") else []
        done = run(command, *needed, "--db", "flag.db", directory=directory, environment=environment)
        assert not os.path.exists(os.path.join(directory, "environment.db")), (command, done)
        assert not os.path.exists(os.path.join(directory, "usual.db")), (command, done)
        if command not in (("db", "status"), ("db", "grant"), ("db", "backup"), ("db", "restore"), ("db", "check"), ("db", "copy"),
                           ("db", "distribute"), ("db", "reshard"), ("doctor",),
                           ("config", "show")):
            assert os.path.exists(os.path.join(directory, "flag.db")), (command, done)
        for name in os.listdir(directory):
            os.remove(os.path.join(directory, name))
    for command in ("serve", "dev"):
        environment = {"SUNDIAL_STORAGE_URL": "sqlite:environment.db", "SUNDIAL_HTTP_LISTEN": "127.0.0.1:1"}
        with h.running(command, "--db", "flag.db", folder=directory, environment=environment) as server:
            assert server.port != 1 and server.client().get("/livez").status == 200
            server.stop()
        assert os.path.exists(os.path.join(directory, "flag.db"))
        assert not os.path.exists(os.path.join(directory, "environment.db"))
    return len(commands)


def config(directory):
    """--config of every command, and --listen of dev."""
    for name, level in (("flag.toml", "loud"), ("environment.toml", "noisy")):
        with open(os.path.join(directory, name), "w") as file:
            file.write(f"[log]\nlevel = '{level}'\n")
    commands = [command for command in all_commands() if "--config" in flags_of(command)]
    for command in commands:
        done = run(command, *required_flags(command), "--config", "flag.toml", directory=directory, environment={"SUNDIAL_CONFIG": "environment.toml"})
        assert done.returncode == 1 and "flag.toml: log.level" in done.stderr, (command, done)
    done = run(("dev",), "--listen", "nonsense", directory=directory, environment={"SUNDIAL_HTTP_LISTEN": "127.0.0.1:1"})
    assert done.returncode == 1 and "nonsense" in done.stderr, done
    return len(commands)


def main():
    for test in (server_and_key, settings, every_command_with_settings, database, config):
        with h.folder() as directory:
            print(f"{test.__name__}: {test(directory)}")


if __name__ == "__main__":
    main()
