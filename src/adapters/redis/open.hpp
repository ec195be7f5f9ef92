#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "application/ports/lock_store.hpp"
#include "application/ports/store.hpp"

namespace sundial::redis {

/// Locks at `redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]`, with tokens that guard writes to
/// `store`. Does not connect yet. Throws CannotStart if the URL is malformed or this program was
/// built without hiredis; `setting` says where its user gave the URL.
[[nodiscard]] std::unique_ptr<LockStore> open_locks(const std::string& url, Store& store,
                                                    std::string_view setting = "locks.url");

/// Throws what `open_locks` would throw of `url`.
void check_url(const std::string& url, std::string_view setting = "locks.url");

}  // namespace sundial::redis
