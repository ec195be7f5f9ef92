"""Databases as earlier versions left them: the migrations up to a number, applied as the program applies them, and rows in the SQL
of that schema."""
import datetime
import glob
import os
import sqlite3
import subprocess
import uuid

MIGRATIONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/adapters")
PREPARE_SQLITE = """
    CREATE TEMP TABLE given (name TEXT, value ANY);
    INSERT INTO given VALUES ('clock', 'system'), ('now', 0), ('birthday_time', '09:00');
    CREATE TABLE schema_migrations (version INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL,
                                    applied_at INTEGER NOT NULL) STRICT"""
PREPARE_POSTGRES = """
    CREATE SCHEMA sundial;
    CREATE TABLE sundial.schema_migrations (version integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL,
                                            applied_at timestamptz NOT NULL DEFAULT statement_timestamp())"""


def checksum(text):
    """FNV-1a, as the SQLite adapter counts."""
    value = 0xcbf29ce484222325
    for byte in text:
        value = ((value ^ byte) * 0x100000001b3) & (2**64 - 1)
    return f"{value:016x}"


def migrations(kind, last):
    """(version, name, text) of those up to `last`."""
    for path in sorted(glob.glob(os.path.join(MIGRATIONS, kind, "migrations", "*.sql"))):
        version, name = os.path.basename(path).removesuffix(".sql").split("_", 1)
        if int(version) <= last:
            with open(path, "rb") as file:
                yield int(version), name, file.read()


def newest(kind):
    return max(version for version, _, _ in migrations(kind, 9999))


class Schema:
    """A database at version `version`. insert() leaves out the columns that its table did not have yet."""

    def columns(self, table):
        return self.known.get(table, set())

    def has(self, table):
        return bool(self.columns(table))

    def insert(self, table, **values):
        """Values are SQL expressions. Does nothing for a table that does not exist yet."""
        kept = {name: text for name, text in values.items() if name in self.columns(table)}
        if kept:
            self.run(f"INSERT INTO {self.prefix}{table} ({', '.join(kept)}) VALUES ({', '.join(kept.values())})")

    def text(self, value):
        return "'" + value.replace("'", "''") + "'"


class Sqlite(Schema):
    prefix, true, false, never = "", "1", "0", "9223372036854775807"

    def __init__(self, file, version):
        self.kind, self.version, self.url = "sqlite", version, file
        self.connection = sqlite3.connect(file, isolation_level=None)
        self.connection.execute("PRAGMA journal_mode = WAL")
        self.connection.execute("PRAGMA synchronous = OFF")  # of this connection, to fill it sooner
        self.connection.executescript(PREPARE_SQLITE)
        for number, name, text in migrations("sqlite", version):
            self.connection.executescript(text.decode())
            self.connection.execute("INSERT INTO schema_migrations VALUES (?, ?, ?, 0)", (number, name, checksum(text)))
        self.known = {table: self.columns_of(table) for table in self.tables()}

    def run(self, sql):
        self.connection.executescript(sql)

    def rows(self, sql):
        return [tuple(map(str, row)) for row in self.connection.execute(sql)]

    def tables(self):
        return [name for name, in self.rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")]

    def columns_of(self, table):
        return {name for name, in self.rows(f"SELECT name FROM pragma_table_info('{table}')")}

    def uuid(self, value):
        return f"x'{uuid.UUID(value).hex}'"

    def at(self, when):
        return str(int(when.timestamp() * 1e6))

    def wall(self, when):
        return self.at(when.replace(tzinfo=datetime.timezone.utc))

    def close(self):
        self.connection.close()


class Postgres(Schema):
    prefix, true, false, never = "sundial.", "true", "false", "'infinity'"

    def __init__(self, url, version):
        self.kind, self.version, self.url, self.pending = "postgres", version, url, []
        script = [PREPARE_POSTGRES]
        for number, name, text in migrations("postgres", version):
            sql = text.decode()
            script.append(f"SET sundial.shards = 16; SET sundial.birthday_time = '09:00'; {sql};"
                          " INSERT INTO sundial.schema_migrations (version, name, checksum)"
                          f" VALUES ({number}, '{name}', encode(sha256(convert_to({self.text(sql)}, 'UTF8')), 'hex'))")
        self.psql(";\n".join(script))
        self.known = {}
        for table, column in self.rows("SELECT table_name, column_name FROM information_schema.columns"
                                       " WHERE table_schema = 'sundial'"):
            self.known.setdefault(table, set()).add(column)

    def psql(self, sql):
        return subprocess.run(["psql", self.url, "-XqtA", "-F", "\t", "-v", "ON_ERROR_STOP=1"], input=sql, check=True, text=True,
                              stdout=subprocess.PIPE).stdout

    def run(self, sql):
        """Before the next rows(), or close(): one process for many statements."""
        self.pending.append(sql)

    def rows(self, sql):
        return [tuple(line.split("\t")) for line in self.psql(";\n".join([*self.flush(), sql])).splitlines()]

    def flush(self):
        pending, self.pending = self.pending, []
        return pending

    def tables(self):
        return [name for name, in self.rows("SELECT tablename FROM pg_tables WHERE schemaname = 'sundial'")]

    def uuid(self, value):
        return f"'{value}'"

    def at(self, when):
        return f"'{when.isoformat()}'"

    wall = at

    def close(self):
        self.psql(";\n".join(self.flush()))


def make(kind, place, version):
    """`place`: a file, or the URL of an empty database."""
    return (Sqlite if kind == "sqlite" else Postgres)(place, version)
