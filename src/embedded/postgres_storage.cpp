#include <memory>

#include "adapters/postgres/open.hpp"
#include "embedded/opened.hpp"

namespace sundial::embedding {
namespace {

std::unique_ptr<Storage> open_server(const Options& options, base::Log& log) {
    postgres::Settings settings;
    settings.url = options.storage;
    settings.test_clock = options.test_clock;
    return std::make_unique<Opened<postgres::PostgresDatabase>>(
        postgres::PostgresDatabase::open(settings, log));
}

}  // namespace
}  // namespace sundial::embedding

// The linker looks for this name (src/CMakeLists.txt).
extern "C"
    [[gnu::visibility("default")]] const sundial::embedding::OpenDatabase sundial_storage_postgres =
        &sundial::embedding::open_server;
