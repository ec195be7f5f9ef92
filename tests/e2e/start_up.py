"""A configuration that must not start says why and how to fix it; a start that may wait stays alive and says so."""
import os
import re
import sqlite3
import subprocess

import harness as h


def refused(*arguments, directory, environment=None):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("SUNDIAL")}
    clean.update(environment or {})
    done = subprocess.run([h.PROGRAM, *arguments], cwd=directory, env=clean, capture_output=True, text=True,
                          timeout=h.HANG_GUARD)
    assert done.returncode != 0, done
    return done.stderr


def main():
    with h.folder() as directory:
        serve = ("serve", "--http.listen=127.0.0.1:0")
        text = refused(*serve, "--db", directory, directory=directory)
        assert directory in text, text
        with open(os.path.join(directory, "letter.txt"), "w") as letter:
            letter.write("Dear Sundial, I am no database at all. " * 100)
        text = refused(*serve, "--db", "letter.txt", directory=directory)
        assert "letter.txt" in text and "database" in text, text
        text = refused(*serve, "--storage.url=mysql://x", directory=directory)
        assert "sqlite:FILE" in text, text
        text = refused(*serve, "--db", "x.db", "--config", "absent.toml", directory=directory)
        assert "absent.toml" in text, text
        text = refused(*serve, directory=directory, environment={"SUNDIAL_STORAGE_ULR": "x"})
        assert "SUNDIAL_STORAGE_URL" in text, text
        text = refused("serve", "--http.listen=0.0.0.0:0", "--db", "x.db", directory=directory)
        assert "127.0.0.1" in text, text
        text = refused("server", directory=directory)
        assert "did you mean 'serve'?" in text, text
        text = refused("event", "cancle", "0199", directory=directory)
        assert "did you mean 'cancel'?" in text, text
        text = refused("--db", "x.db", "evnt", "list", directory=directory)
        assert "did you mean 'event'?" in text, text
        text = refused("serve", "--http.listn=127.0.0.1:0", directory=directory)
        assert "did you mean '--http.listen'?" in text, text
        assert not os.path.exists(os.path.join(directory, "x.db")), "a refused start left a database behind"

        with h.running("serve", "--db", "held.db", folder=directory) as server:
            text = refused(*serve, "--db", "held.db", directory=directory)
            assert "held.db" in text and "process" in text, text
            port = server.port
            text = refused("serve", "--db", "other.db", f"--http.listen=127.0.0.1:{port}", directory=directory)
            assert str(port) in text, text
            assert server.stop() == 0

        with sqlite3.connect(os.path.join(directory, "held.db")) as newer:
            newer.execute("UPDATE schema_migrations SET version = 9999 WHERE version = (SELECT max(version) FROM schema_migrations)")
        newer.close()
        text = refused(*serve, "--db", "held.db", directory=directory)
        assert "newer" in text, text

        with h.running("dev", "--test-clock", "--users=300", "--db", "clock.db", folder=directory) as server:
            people = server.client().ok("GET", "/v1/users?limit=500")["data"]
            assert len(people) == 300, f"ready with {len(people)} of 300 demo people"
            assert server.stop() == 0
        text = refused(*serve, "--db", "clock.db", directory=directory)
        assert "test clock" in text, text

        server = h.Server("serve", "--db", "postgresql://nobody@127.0.0.1:1/nothing", folder=directory)
        try:
            tries = lambda: [line for line in server.log() if "does not answer" in line["msg"]]
            h.wait_until(lambda: len(tries()) >= 2, "two tries in the log")
            assert server.process.poll() is None
            assert server.stop() == 0
        finally:
            if server.process.poll() is None:
                server.kill()

        version = subprocess.run([h.PROGRAM, "version"], capture_output=True, text=True, check=True).stdout
        assert re.match(r"sundial \d+\.\d+\.\d+", version), version
        done = subprocess.run([h.PROGRAM, "clock", "show", "--server", "http://127.0.0.1:1"], capture_output=True, text=True)
        assert done.returncode == 6 and "127.0.0.1:1" in done.stderr, done
    print("every refused start said why")


if __name__ == "__main__":
    main()
