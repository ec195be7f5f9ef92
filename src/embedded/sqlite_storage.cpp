#include <memory>
#include <string>
#include <string_view>

#include "adapters/sqlite/open.hpp"
#include "adapters/system/clocks.hpp"
#include "embedded/opened.hpp"

namespace sundial::embedding {
namespace {

std::unique_ptr<Storage> open_file(const Options& options, base::Log& log) {
    sqlite::Settings settings;
    settings.file = options.storage.substr(std::string_view{"sqlite:"}.size());
    settings.real_time = system::real_time;
    settings.test_clock = options.test_clock;
    const auto on_fatal = [&log](const std::string& why) {
        log.write({.level = base::LogLevel::error,
                   .event_name = {},
                   .message = "the database file cannot be used any more: " + why,
                   .correlation_id = {},
                   .fields = {}});
    };
    return std::make_unique<Opened<sqlite::SqliteDatabase>>(
        sqlite::SqliteDatabase::open(settings, log, on_fatal));
}

}  // namespace
}  // namespace sundial::embedding

// The linker looks for this name (src/CMakeLists.txt).
extern "C"
    [[gnu::visibility("default")]] const sundial::embedding::OpenDatabase sundial_storage_sqlite =
        &sundial::embedding::open_file;
