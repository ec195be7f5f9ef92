#include "sundial/session_lock.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <utility>

#include "adapters/postgres/session_lock.hpp"
#include "domain/names.hpp"
#include "embedded/answers.hpp"
#include "embedded/call_checks.hpp"

namespace sundial::embedding {
namespace {

constexpr std::size_t longest_name = 128;  // as of any lock
/// The server counts lock_timeout in milliseconds; 32 bits hold 24 days.
constexpr std::chrono::milliseconds longest_wait = std::chrono::hours{24 * 24};

/// A connection that only waits logs nothing.
class NoLog final : public base::Log {
public:
    void write(base::LogLine /*line*/) override {}
};

}  // namespace

struct SessionLock::Parts {
    std::unique_ptr<NoLog> log;
    std::unique_ptr<postgres::SessionLock> lock;
    OwnProcess process{};
};

Result<SessionLock> SessionLock::acquire(const std::string& url, const std::string& name,
                                         std::chrono::milliseconds wait) {
    auto parts = std::make_unique<Parts>(Parts{.log = std::make_unique<NoLog>(), .lock = {}});
    const auto done = answered<Done>([&]() -> sundial::Result<Done> {
        if (auto error = refuse_text("/name", name, longest_name)) {
            return ValidationFailed{{*std::move(error)}};
        }
        if (wait.count() < 0 || wait > longest_wait) {
            return invalid("/wait", "out_of_range", "must be 0 to 24 days");
        }
        parts->lock = postgres::SessionLock::acquire(url, name, wait, *parts->log);
        return Done{};
    });
    if (!done) return done.error();
    if (!parts->lock) return Error{"LOCK_HELD", "another session has the lock '" + name + "'"};
    return SessionLock{std::move(parts)};
}

SessionLock::SessionLock(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
SessionLock::SessionLock(SessionLock&&) noexcept = default;
SessionLock& SessionLock::operator=(SessionLock&& other) noexcept {
    if (this == &other) return *this;
    destroy_unless_forked(std::exchange(parts_, std::move(other.parts_)));
    return *this;
}
SessionLock::~SessionLock() { destroy_unless_forked(std::move(parts_)); }

std::stop_token SessionLock::lost() const {
    return parts_->process.forked() ? lost_by_fork() : parts_->lock->lost();
}

}  // namespace sundial::embedding
