// A hundred readers request the same report while it is not cached. One of them computes it, and
// the others wait for the result. Later readers get the cached report. Near its end one reader
// computes it again while the others still get the old one.
#include <atomic>
#include <optional>
#include <sundial/cache.hpp>
#include <sundial/engine.hpp>

#include "support.hpp"

using namespace std::chrono_literals;

int main() {
    const TemporaryFolder folder;
    Sqlite shop{folder.file("shop.db")};
    shop.run("CREATE TABLE orders (tenant TEXT, cents INTEGER)");
    shop.run("INSERT INTO orders VALUES ('acme', 1250), ('acme', 750), ('other', 1)");

    std::atomic<int> queries = 0;
    const auto compute = [&](const std::string& tenant,
                             const std::stop_token&) -> sundial::Result<std::optional<long long>> {
        ++queries;
        Sqlite own{folder.file("shop.db")};
        const auto row = own.run("SELECT sum(cents) FROM orders WHERE tenant = ?", {tenant}).row;
        return std::optional{row[0]};
    };
    sundial::Cache<std::string, long long> sales{
        // keys contain the tenant
        {.ttl = 60s, .stale_while_revalidate = 30s, .stale_if_error = 10min, .negative_ttl = 5s},
        compute};

    std::atomic<int> right = 0;
    in_parallel(100, [&](int) {
        const auto cents = sales.get("acme");
        if (cents && *cents && **cents == 2000) ++right;
    });

    std::cout << right << " readers, " << queries << " query\n";
    require(right == 100, "every caller has the report");
    require(queries == 1, "the value was computed once");
}
