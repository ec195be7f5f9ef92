#!/usr/bin/env python3
"""tools/check_layers finds each sin, names its line, and leaves honest code alone.

usage: check_layers_test.py CHECK_LAYERS
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

# Without site-packages: loading those takes longer than the check.
CHECK = (sys.executable, "-S", pathlib.Path(sys.argv.pop(1)).resolve())

HONEST = {
    "src/base/result.hpp": '#pragma once\n#include <variant>\n\n#include "base/check.hpp"\n',
    "src/domain/event.cpp": '#include "domain/event.hpp"\n#include <chrono>\n#include "base/result.hpp"\n',
    "src/application/delivery/worker.cpp": (
        '#include "application/ports/clock.hpp"\n'
        "// not std::chrono::system_clock::now() here\n"
        'auto a = "getenv(x)"; auto b = R"(random_device)"; auto c = clock.now(); int d = 1\'000; /* rand() */\n'
        "Instant ManualClock::now() const; auto e = event.time(0); auto f = runtime(nullptr); auto g = '\"'; auto h = lifetime(0);\n"
    ),
    "src/adapters/postgres/rows.cpp": (
        '#include "adapters/postgres/rows.hpp"\n#include <libpq-fe.h>\n#include "postgres_migrations.hpp"\n'
        "auto started = std::chrono::steady_clock::now();\n"
    ),
    "src/adapters/postgres/rows.hpp": '#include <libpq-fe.h>\n#include "application/ports/failures.hpp"\n',
    "src/adapters/postgres/connection.hpp": '#include "adapters/postgres/rows.hpp"\n',
    "src/adapters/postgres/store.hpp": "#include <memory>\n",
    "src/adapters/postgres/CMakeLists.txt": "sundial_crash_points(copy.cpp parts/migrate.cpp)\n",
    "src/adapters/postgres/parts/migrate.cpp": 'CRASH_POINT("migrate: before commit");\n',
    "src/adapters/system/clock.cpp": "auto now = std::chrono::system_clock::now(); auto home = std::getenv(name);\n",
    "src/server/main.cpp": (
        '#include <unistd.h>\n#include <spdlog/spdlog.h>\n'
        '#include "adapters/http/server.hpp"\n#include "adapters/postgres/store.hpp"\n#include "cli/options.hpp"\n'
    ),
    "src/server/bench/drain.cpp": '#include <sys/resource.h>\n#include "server/engine.hpp"\n#include "cli/next/request.hpp"\n',
    "src/server/command_line/bench.cpp": '#include "server/bench/bench.hpp"\n',
    "src/cli/client.cpp": '#include <curl/curl.h>\n#include "adapters/client/exchange.hpp"\n#include "cli/client.hpp"\n#include "server/serve.hpp"\n',
    "include/sundial/sundial.hpp": '#include <string>\n#include "sundial/event.hpp"\n',
}

# path, its last line, what the sentence says
SINS = [
    ("src/domain/event.cpp", "#include <boost/json.hpp>", "domain includes <boost/json.hpp>"),
    ("src/domain/event.cpp", "#include <unistd.h>", "domain includes <unistd.h>"),
    ("src/domain/event.cpp", '#include "application/delivery/worker.hpp"', 'domain may not include "application/delivery/worker.hpp"'),
    ("src/domain/event.cpp", '#include "adapters/memory/store.hpp"', "domain may not include"),
    ("src/domain/event.cpp", '  #  include "server/options.hpp"', "domain may not include"),
    ("src/domain/event.cpp", '#include "event.hpp"', '"event.hpp" has no folder'),
    ("src/application/delivery/worker.cpp", "#include <cctz/time_zone.h>", "application includes <cctz/time_zone.h>"),
    ("src/application/delivery/worker.cpp", '#include "adapters/zones/zones.hpp"', "application may not include"),
    ("src/application/delivery/worker.cpp", '#include "cli/options.hpp"', "application may not include"),
    ("src/base/result.hpp", '#include "domain/error.hpp"', "base may not include"),
    ("src/base/result.hpp", "#include <fmt/format.h>", "base includes <fmt/format.h>"),
    ("src/adapters/postgres/rows.cpp", '#include "adapters/sqlite/rows.hpp"', "adapters never include each other"),
    ("src/adapters/postgres/rows.cpp", '#include "adapters/postgresql/x.hpp"', "adapters never include each other"),
    ("src/adapters/postgres/rows.cpp", '#include "server/settings.hpp"', "adapters may not include"),
    ("src/adapters/postgres/store.hpp", "#include <libpq-fe.h>", "src/server/main.cpp gets <libpq-fe.h>"),
    ("src/cli/options.hpp", "#include <CLI/CLI.hpp>", "src/server/main.cpp gets <CLI/CLI.hpp>"),
    ("src/base/check.hpp", "#include <unistd.h>", "base includes <unistd.h>"),
    ("src/cli/client.cpp", '#include "adapters/http/json.hpp"', "cli may not include"),
    ("src/application/delivery/worker.cpp", '#include "server/bench/site.hpp"', "application may not include"),
    ("include/sundial/sundial.hpp", '#include "domain/event.hpp"', "include may not include"),
    ("src/application/delivery/worker.cpp", "auto now = std::chrono::system_clock::now();", "system_clock::now is used"),
    ("src/application/delivery/worker.cpp", "auto now = std::chrono::steady_clock::now();", "steady_clock::now is used"),
    ("src/adapters/sqlite/store.cpp", "auto now = clock::now();", "clock::now is used"),
    ("src/adapters/http/server.cpp", "auto now = std::time(nullptr);", "std::time is used"),
    ("src/server/main.cpp", "clock_gettime(CLOCK_REALTIME, &t);", "clock_gettime is used"),
    ("src/server/main.cpp", 'auto home = std::getenv("HOME");', "getenv is used"),
    ("src/adapters/webhook/sign.cpp", "RAND_bytes(buffer, 12);", "RAND_bytes is used"),
    ("src/domain/retry.cpp", "std::random_device seed;", "random_device is used"),
    ("src/adapters/postgres/rows.cpp", 'CRASH_POINT("rows: after one");', "needs rows.cpp in sundial_crash_points() of src/adapters/postgres/"),
    ("src/domain/event.cpp", 'CRASH_POINT("an event");', "needs event.cpp in sundial_crash_points() of src/"),
    ("src/util/helper.cpp", "int x;", "no layer"),
    ("src/loose.cpp", "int x;", "belongs to no layer"),
]


class CheckLayers(unittest.TestCase):
    def check(self, files):
        with tempfile.TemporaryDirectory() as folder:
            for path, text in files.items():
                file = pathlib.Path(folder, path)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
            return subprocess.run([*CHECK, folder], capture_output=True, text=True, check=False)

    def test_honest_code_passes(self):
        done = self.check(HONEST)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_a_library_does_not_leak_through_two_headers(self):
        done = self.check({**HONEST, "src/cli/x.cpp": "\n", "src/server/x.cpp": '#include "adapters/postgres/connection.hpp"\n'})
        self.assertEqual(done.returncode, 1)
        self.assertEqual(
            done.stdout,
            "src/adapters/postgres/rows.hpp:1: src/server/x.cpp gets <libpq-fe.h> through this header; "
            "libraries stay inside adapters/postgres.\n",
        )

    def test_each_sin_is_one_sentence_with_file_and_line(self):
        for path, sin, sentence in SINS:
            with self.subTest(path=path, sin=sin):
                before = HONEST.get(path, "")
                done = self.check({**HONEST, path: before + sin + "\n"})
                self.assertEqual(done.returncode, 1)
                line = 1 if "no layer" in sentence else before.count("\n") + 1
                self.assertTrue(done.stdout.startswith(f"{path}:{line}: "), done.stdout)
                self.assertIn(sentence, done.stdout)
                self.assertEqual(done.stdout.count("\n"), 1)


unittest.main()
