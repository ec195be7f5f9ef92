// A table of the program's own that follows the recorded events: the stock, computed from arrivals
// and departures. Each row is committed together with the position that the projection has reached,
// so each event counts once, although some are handled again after a failure or a restart.
#include <cstdint>
#include <iostream>
#include <string>
#include <sundial/engine.hpp>
#include <sundial/streams.hpp>

#include "support.hpp"

namespace {

/// Brings the table up to date. `fails_at`: the call that fails after it has written, for once.
bool project_stock(sundial::Engine& engine, const std::string& name, int fails_at = 0) {
    auto streams = engine.streams();
    int calls = 0;
    auto projection =
        streams.project({.name = name},
                        [&](sundial::Transaction& tx,
                            const sundial::RecordedEvent& event) -> sundial::Result<sundial::Done> {
                            const auto written = tx.sql(
                                "INSERT INTO stock (item, n) VALUES ($1, $2) "
                                "ON CONFLICT (item) DO UPDATE SET n = n + excluded.n",
                                event.stream.id, event.type == "Came" ? 1 : -1);
                            if (!written) return written.error();
                            if (++calls == fails_at)
                                return sundial::Error{"STORAGE_UNAVAILABLE", "for a moment"};
                            return sundial::Done{};
                        });
    return bool{projection.catch_up()};
}

std::int64_t in_stock(sundial::Engine& engine, const std::string& item) {
    const auto rows = engine.transact([&](sundial::Transaction& tx) {
        return tx.sql("SELECT n FROM stock WHERE item = $1", item);
    });
    require(bool{rows}, "the table can be read");
    return rows->integer(0, 0).value_or(0);
}

}  // namespace

int main() {
    const TemporaryFolder folder;
    auto engine = sundial::Engine::open({.storage = "sqlite:" + folder.file("shop.db")});
    require(bool{engine}, "the engine opens");
    const auto created = engine->transact([](sundial::Transaction& tx) {
        return tx.sql("CREATE TABLE stock (item TEXT PRIMARY KEY, n INTEGER NOT NULL)");
    });
    require(bool{created}, "the program has a table of its own");
    auto streams = engine->streams();
    const sundial::StreamId teapots{"Item", "teapot"};
    const auto came = streams.append(teapots, sundial::Expected::no_stream(),
                                     {{.type = "Came"}, {.type = "Came"}, {.type = "Came"}});
    require(bool{came}, "three teapots came");

    const std::string name = "stock";
    require(project_stock(*engine, name, 2), "a failed event is handled again");
    require(in_stock(*engine, "teapot") == 3, "an event that was handled twice counts once");

    const auto went = streams.append(teapots, sundial::Expected::exactly(3), {{.type = "Went"}});
    require(bool{went}, "one teapot went");
    // The program was started again: a new subscription of the same name goes on.
    require(project_stock(*engine, name), "the projection goes on");
    require(in_stock(*engine, "teapot") == 2, "after a restart it goes on where it was");
    std::cout << in_stock(*engine, "teapot") << " teapots\n";
}
