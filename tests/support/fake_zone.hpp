#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/time/zone.hpp"

namespace sundial {

/// A handmade zone: an initial offset and later changes. Its lookup compares a wall time with every
/// period of constant offset, which is slow and simple.
class FakeZone final : public Zone {
public:
    struct Change {
        std::chrono::sys_seconds at;
        std::chrono::seconds offset;  // from that change on
    };

    FakeZone(std::string name, std::chrono::seconds offset, std::vector<Change> changes = {})
        : name_(std::move(name)), offset_(offset), changes_(std::move(changes)) {}

    [[nodiscard]] std::string_view name() const override { return name_; }

    [[nodiscard]] LocalLookup lookup(std::chrono::local_seconds wall) const override {
        std::vector<std::size_t> meant;  // periods in which the clock shows `wall`
        for (std::size_t i = 0; i <= changes_.size(); ++i) {
            const auto instant = by_offset_of(i, wall);
            if ((i == 0 || changes_[i - 1].at <= instant) &&
                (i == changes_.size() || instant < changes_[i].at)) {
                meant.push_back(i);
            }
        }
        if (meant.size() == 1) {
            const auto instant = by_offset_of(meant[0], wall);
            return {LocalLookup::Kind::unique, instant, instant, instant};
        }
        if (meant.size() == 2) {
            return {LocalLookup::Kind::overlap, by_offset_of(meant[0], wall),
                    by_offset_of(meant[1], wall), changes_[meant[0]].at};
        }
        std::size_t change = 0;  // the change that skips `wall`
        while (by_offset_of(change + 1, wall) >= changes_[change].at) ++change;
        return {LocalLookup::Kind::gap, by_offset_of(change + 1, wall), by_offset_of(change, wall),
                changes_[change].at};
    }

    [[nodiscard]] std::chrono::seconds offset_at(Instant instant) const override {
        auto offset = offset_;
        for (const Change& change : changes_) {
            if (change.at <= instant) offset = change.offset;
        }
        return offset;
    }

    [[nodiscard]] std::optional<ZoneChange> next_change(Instant after) const override {
        for (std::size_t i = 0; i < changes_.size(); ++i) {
            if (after < changes_[i].at) return change(i);
        }
        return std::nullopt;
    }

    [[nodiscard]] std::optional<ZoneChange> last_change(Instant until) const override {
        for (std::size_t i = changes_.size(); i > 0; --i) {
            if (changes_[i - 1].at <= until) return change(i - 1);
        }
        return std::nullopt;
    }

private:
    [[nodiscard]] ZoneChange change(std::size_t i) const {
        return {changes_[i].at, i == 0 ? offset_ : changes_[i - 1].offset, changes_[i].offset};
    }

    /// The instant at which a clock in period `i` shows `wall`.
    [[nodiscard]] std::chrono::sys_seconds by_offset_of(std::size_t i,
                                                        std::chrono::local_seconds wall) const {
        const auto offset = i == 0 ? offset_ : changes_[i - 1].offset;
        return std::chrono::sys_seconds{wall.time_since_epoch() - offset};
    }

    std::string name_;
    std::chrono::seconds offset_;
    std::vector<Change> changes_;  // ascending
};

/// A zone without changes.
[[nodiscard]] inline FakeZone utc_zone() { return FakeZone("UTC", std::chrono::seconds{0}); }

/// New York in 2026 and 2027: forward at 02:00 on 8 and 14 March, back at 02:00 on 1 and 7
/// November.
[[nodiscard]] inline FakeZone new_york() {
    using namespace std::chrono;
    return FakeZone("America/New_York", hours{-5},
                    {{sys_days{March / 8 / 2026} + hours{7}, hours{-4}},
                     {sys_days{November / 1 / 2026} + hours{6}, hours{-5}},
                     {sys_days{March / 14 / 2027} + hours{7}, hours{-4}},
                     {sys_days{November / 7 / 2027} + hours{6}, hours{-5}}});
}

/// Samoa in 2011, when it crossed the date line and skipped 30 December.
[[nodiscard]] inline FakeZone apia() {
    using namespace std::chrono;
    return FakeZone("Pacific/Apia", hours{-10},
                    {{sys_days{December / 30 / 2011} + hours{10}, hours{14}}});
}

}  // namespace sundial
