#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "adapters/postgres/open.hpp"

namespace sundial::postgres {

/// Settings of an engine for tests that judge answers, not speed. On a busy machine eight
/// transactions that queued for one row took longer than the second that the engine's default
/// grants.
inline Settings patient(std::string url) {
    constexpr std::chrono::milliseconds hang_guard{60'000};
    return {.url = std::move(url),
            .pool_wait = hang_guard,
            .statement_timeout = hang_guard,
            .lock_timeout = hang_guard,
            .idle_in_transaction_timeout = hang_guard,
            .resolve_for = hang_guard};
}

}  // namespace sundial::postgres
