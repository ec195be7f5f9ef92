#include "server/tz_watch.hpp"

#include <exception>
#include <utility>

namespace sundial::server {
TzWatch::TzWatch(zones::CctzTimeZones& zones, FollowTzdata& follow, base::Log& log, Options options)
    : zones_(zones),
      follow_(follow),
      log_(log),
      options_(std::move(options)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

TzWatch::~TzWatch() = default;

void TzWatch::check_now() {
    {
        const std::lock_guard lock(mutex_);
        requested_ = true;
    }
    requested_condition_.notify_all();
}

void TzWatch::run(const std::stop_token& stop) {
    std::chrono::milliseconds wait = options_.pace.between_checks;  // the start included a check
    for (;;) {
        bool requested = false;
        {
            std::unique_lock lock(mutex_);
            requested_condition_.wait_for(lock, stop, wait, [this] { return requested_; });
            requested = std::exchange(requested_, false);
        }
        if (stop.stop_requested()) return;
        wait = turn(requested, stop);
    }
}

std::chrono::milliseconds TzWatch::turn(bool requested, const std::stop_token& stop) {
    try {
        const CheckResult check_now =
            requested || options_.watch ? replace_if_new(requested) : CheckResult::nothing_new;
        if (check_now == CheckResult::unsettled) return options_.pace.until_settled;
        follow(stop);
        return check_now == CheckResult::replaced ? options_.pace.after_replacement
                                                  : options_.pace.between_checks;
    } catch (const std::exception& error) {
        base::LogLine line;
        line.level = base::LogLevel::error;
        line.message = "the tz database in effect stays " + zones_.current()->release() +
                       "; it is checked again: " + error.what();
        log_.write(std::move(line));
        return options_.pace.after_failure;
    }
}

TzWatch::CheckResult TzWatch::replace_if_new(bool requested) {
    const auto in_effect = zones_.current();
    const auto found = zones_.at_source();
    if (found == in_effect) return CheckResult::nothing_new;
    if (!requested && found != std::exchange(candidate_, found)) return CheckResult::unsettled;
    zones_.replace(found);
    replaced_.insert(in_effect->release());
    options_.replaced(found->release());
    return CheckResult::replaced;
}

void TzWatch::follow(const std::stop_token& stop) {
    const std::string release = zones_.current()->release();
    FollowedTzdata followed;
    if (options_.reschedule) {
        // An operator who installs another database wants it, even if it is older.
        const auto takeover = replaced_.empty() ? Takeover::of_older : Takeover::of_any;
        followed = follow_.run(takeover, stop);
        if (!followed.complete) return;
    } else {
        follow_.remember();
    }
    followed.before.merge(std::exchange(replaced_, {}));
    if (!followed.before.empty())
        log_.write(tzdb_changed_line(followed.before, release, followed.moved));
    if (followed.newer != std::exchange(newer_, followed.newer) && !followed.newer.empty())
        log_.write(tzdb_behind_line(followed.newer, release));
}

}  // namespace sundial::server
