#include "adapters/redis/open.hpp"
#include "application/ports/failures.hpp"

namespace sundial::redis {

void check_url(const std::string& /*url*/) {
    throw CannotStart{
        "locks.url names a Redis server, and this program was built without hiredis: install "
        "libhiredis-dev and build again, or leave locks.url empty to keep locks in the database"};
}

std::unique_ptr<LockStore> open_locks(const std::string& url, Store& /*store*/) {
    check_url(url);
    return nullptr;  // not reached
}

}  // namespace sundial::redis
