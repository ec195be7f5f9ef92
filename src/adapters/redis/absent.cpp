#include "adapters/redis/open.hpp"
#include "application/ports/failures.hpp"

namespace sundial::redis {

void check_url(const std::string& /*url*/, std::string_view setting) {
    const std::string name{setting};
    throw CannotStart{name +
                      " names a Redis server, and this program was built without hiredis: install "
                      "libhiredis-dev and build again, or leave " +
                      name + " empty to keep locks in the database"};
}

std::unique_ptr<LockStore> open_locks(const std::string& url, Store& /*store*/,
                                      std::string_view setting) {
    check_url(url, setting);
    return nullptr;  // not reached
}

}  // namespace sundial::redis
