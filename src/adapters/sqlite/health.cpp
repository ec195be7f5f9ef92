#include "adapters/sqlite/health.hpp"

#include <utility>

namespace sundial::sqlite {

Health::Health(base::Log& log, std::function<void(const std::string&)> on_fatal)
    : log_{log}, on_fatal_{std::move(on_fatal)} {}

void Health::broken(const std::string& why) noexcept {
    if (broken_.exchange(true)) return;
    log_.write({.level = base::LogLevel::error,
                .event_name = {},
                .message = "the database file cannot be used any more: " + why,
                .correlation_id = {},
                .fields = {}});
    if (on_fatal_) on_fatal_(why);
}

void Health::check() const {
    if (broken_) throw Unavailable{"the database file has failed"};
}

}  // namespace sundial::sqlite
