#include "adapters/redis/open.hpp"
#include "embedded/storage.hpp"

namespace sundial::embedding {
namespace {

std::unique_ptr<LockStore> locks_at_server(const Options& options, Store& store) {
    return redis::open_locks(options.lock_server, store, "Options::lock_server");
}

}  // namespace
}  // namespace sundial::embedding

// The linker looks for this name (src/CMakeLists.txt).
extern "C" [[gnu::visibility("default")]] const sundial::embedding::OpenLocks sundial_locks_redis =
    &sundial::embedding::locks_at_server;
