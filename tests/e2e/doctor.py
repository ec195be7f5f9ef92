"""`sundial doctor`: what it finds, and that each finding has a remedy."""
import json
import os
import re
import socket
import subprocess
import sys

import harness as h


def run(*arguments, directory):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("SUNDIAL")}
    done = subprocess.run([h.PROGRAM, "doctor", "--json", *arguments], cwd=directory, env=clean, capture_output=True, text=True,
                          timeout=h.HANG_GUARD)
    return done.returncode, {row["check"]: row for row in json.loads(done.stdout)}


def psql(url, statement):
    subprocess.run(["psql", "-Xq", url, "-c", statement], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True, timeout=h.HANG_GUARD)


def hidden_sessions(url, directory):
    """An ordinary role cannot see the transactions of others: doctor and the metric say so, until it gets the right."""
    psql(url, "CREATE ROLE ordinary LOGIN")
    psql(url, "CREATE DATABASE ordinary OWNER ordinary")
    other = re.sub(r"/\w+\?user=", "/ordinary?user=", url, count=1)
    own = re.sub(r"user=\w+", "user=ordinary", other, count=1)

    def found():
        return run("--db", own, "--http.listen=127.0.0.1:0", directory=directory)[1]["transactions"]
    with h.running("serve", "--db", own, *h.LOCAL_RECEIVERS, folder=directory) as server:
        def hidden():
            text = server.client().get("/metrics").body.decode()
            return int(re.search(r"^sundial_db_hidden_sessions (\d+)$", text, re.MULTILINE)[1])
        assert found()["state"] == "ok" and hidden() == 0, "nothing is hidden"
        with subprocess.Popen(["psql", "-Xq", other], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as session:
            try:
                session.stdin.write(b"BEGIN; SELECT 1;\n")
                session.stdin.flush()
                session.stdout.readline()
                assert found()["state"] == "warn" and "pg_read_all_stats" in found()["remedy"], found()
                assert hidden() == 1, hidden()
                psql(url, "GRANT pg_read_all_stats TO ordinary")
                assert found()["state"] == "ok" and hidden() == 0, found()
            finally:
                session.kill()


def unnamed(directory):
    """Without a database that anything names, doctor must not look as if it had checked the server's."""
    code, found = run("--http.listen=127.0.0.1:0", directory=directory)
    assert code == 0 and found["database"]["state"] == "warn" and "--config" in found["database"]["remedy"], found
    _, found = run("--http.listen=127.0.0.1:0", "--db", "sundial.db", directory=directory)
    assert found["database"]["state"] == "ok", found


def main(kind):
    with h.folder() as directory, h.database(kind, directory, empty=True) as database:
        code, found = run("--db", database, "--http.listen=127.0.0.1:0", directory=directory)
        assert found["settings"]["state"] == "ok" and found["tz"]["state"] in ("ok", "warn"), found
        subprocess.run([h.PROGRAM, "db", "migrate", "--db", database], check=True, stdout=subprocess.DEVNULL)
        code, found = run("--db", database, "--http.listen=127.0.0.1:0", directory=directory)
        assert code == 0 and found["database"]["state"] == "ok", found
        if kind == "postgres":
            assert found["clock"]["state"] == "ok" and found["transactions"]["state"] == "ok", found
        else:
            assert "disk" in found and found["permissions"]["state"] == "ok", found
            os.chmod(database, 0o644)
            _, found = run("--db", database, "--http.listen=127.0.0.1:0", directory=directory)
            assert found["permissions"]["state"] == "warn" and "chmod" in found["permissions"]["remedy"], found
        code, found = run("--db", database, "--http.listen=127.0.0.1:0", "--security.encryption_key=short", directory=directory)
        assert code == 1 and found["settings"]["state"] == "fail" and found["settings"]["remedy"], found
        with socket.create_server(("127.0.0.1", 0)) as taken:
            _, found = run("--db", database, f"--http.listen=127.0.0.1:{taken.getsockname()[1]}", directory=directory)
            assert found["http.listen"]["state"] == "warn" and found["http.listen"]["remedy"], found
        if kind == "postgres":
            hidden_sessions(database, directory)
        else:
            with h.folder() as empty:
                unnamed(empty)
        absent = "postgresql://127.0.0.1:1/none" if kind == "postgres" else os.path.join(directory, "letter.txt")
        with open(os.path.join(directory, "letter.txt"), "w", encoding="ascii") as letter:
            letter.write("Dear Sundial, I am no database at all. " * 100)
        code, found = run("--db", absent, "--http.listen=127.0.0.1:0", directory=directory)
        assert code == 1 and found["database"]["state"] == "fail" and found["database"]["remedy"], found
        assert not set("\t\r\n") & set(found["database"]["found"]), "libpq's messages have several lines"


if __name__ == "__main__":
    main(sys.argv[1])
    print("ok doctor", sys.argv[1])
