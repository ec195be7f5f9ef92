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

void TzWatch::look() {
    {
        const std::lock_guard lock(mutex_);
        told_ = true;
    }
    told_condition_.notify_all();
}

void TzWatch::run(const std::stop_token& stop) {
    std::chrono::milliseconds wait = options_.pace.between_looks;  // the start included a check
    for (;;) {
        bool told = false;
        {
            std::unique_lock lock(mutex_);
            told_condition_.wait_for(lock, stop, wait, [this] { return told_; });
            told = std::exchange(told_, false);
        }
        if (stop.stop_requested()) return;
        wait = turn(told, stop);
    }
}

std::chrono::milliseconds TzWatch::turn(bool told, const std::stop_token& stop) {
    try {
        const Look look = told || options_.watch ? replace_if_new(told) : Look::nothing_new;
        if (look == Look::unsettled) return options_.pace.until_settled;
        follow(stop);
        return look == Look::replaced ? options_.pace.after_replacement
                                      : options_.pace.between_looks;
    } catch (const std::exception& error) {
        base::LogLine line;
        line.level = base::LogLevel::error;
        line.message = "the tz database in force stays " + zones_.current()->release() +
                       "; will look again: " + error.what();
        log_.write(std::move(line));
        return options_.pace.after_failure;
    }
}

TzWatch::Look TzWatch::replace_if_new(bool told) {
    const auto in_force = zones_.current();
    const auto found = zones_.at_source();
    if (found == in_force) return Look::nothing_new;
    if (!told && found != std::exchange(candidate_, found)) return Look::unsettled;
    zones_.replace(found);
    replaced_.insert(in_force->release());
    options_.replaced(found->release());
    return Look::replaced;
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
