#include <cctz/civil_time.h>
#include <cctz/time_zone.h>
#include <cctz/zone_info_source.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "adapters/zones/cctz_time_zones.hpp"

namespace sundial::zones {
namespace {

class CctzZone final : public Zone {
public:
    CctzZone(std::string name, cctz::time_zone zone) : name_(std::move(name)), zone_(zone) {
        cctz::time_zone::civil_transition last;
        if (!zone_.prev_transition(Seconds::max(), &last)) return;
        last_listed_ = change_of(last).at;
        // A table of single changes never reaches this year; a rule expanded for 400 years does.
        repeats_ = last_listed_ > std::chrono::sys_days{std::chrono::January / 1 / 2300};
    }

    [[nodiscard]] std::string_view name() const override { return name_; }

    [[nodiscard]] LocalLookup lookup(std::chrono::local_seconds wall) const override {
        const auto found =
            zone_.lookup(cctz::civil_second(1970, 1, 1) + wall.time_since_epoch().count());
        switch (found.kind) {
            case cctz::time_zone::civil_lookup::SKIPPED:
                return {LocalLookup::Kind::gap, found.post, found.pre, found.trans};
            case cctz::time_zone::civil_lookup::REPEATED:
                return {LocalLookup::Kind::overlap, found.pre, found.post, found.trans};
            case cctz::time_zone::civil_lookup::UNIQUE:
                break;
        }
        return {LocalLookup::Kind::unique, found.pre, found.pre, found.pre};
    }

    [[nodiscard]] std::chrono::seconds offset_at(Instant instant) const override {
        return std::chrono::seconds{
            zone_.lookup(std::chrono::floor<std::chrono::seconds>(instant)).offset};
    }

    [[nodiscard]] std::optional<ZoneChange> next_change(Instant after) const override {
        auto from = std::chrono::floor<std::chrono::seconds>(after);
        const auto moved_back = into_listed_range(from);
        cctz::time_zone::civil_transition found;
        while (zone_.next_transition(from, &found)) {
            const ZoneChange change = change_of(found);
            if (change.before != change.after) return moved_forward(change, moved_back);
            from = change.at;
        }
        if (!repeats_) return std::nullopt;
        const auto next = next_change(from - cycle);  // after the last listed change
        return next ? std::optional(moved_forward(*next, cycle + moved_back)) : std::nullopt;
    }

    [[nodiscard]] std::optional<ZoneChange> last_change(Instant until) const override {
        auto from = std::chrono::floor<std::chrono::seconds>(until) + std::chrono::seconds{1};
        const auto moved_back = into_listed_range(from);
        cctz::time_zone::civil_transition found;
        while (zone_.prev_transition(from, &found)) {
            const ZoneChange change = change_of(found);
            if (change.before != change.after) return moved_forward(change, moved_back);
            from = change.at;
        }
        return std::nullopt;
    }

private:
    using Seconds = std::chrono::sys_seconds;

    /// The period of the calendar: whole weeks, so that weekday rules repeat with it.
    static constexpr std::chrono::seconds cycle = std::chrono::days{146'097};

    [[nodiscard]] ZoneChange change_of(const cctz::time_zone::civil_transition& found) const {
        const Seconds at = zone_.lookup(found.to).trans;
        const cctz::civil_second utc =
            cctz::civil_second(1970, 1, 1) + at.time_since_epoch().count();
        return {at, std::chrono::seconds{found.from - utc}, std::chrono::seconds{found.to - utc}};
    }

    /// cctz lists the changes of an endless rule for one cycle. Moves a later instant back by whole
    /// cycles; returns the distance.
    [[nodiscard]] std::chrono::seconds into_listed_range(Seconds& instant) const {
        if (!repeats_ || instant <= last_listed_) return {};
        const auto cycles = (instant - last_listed_ + cycle - std::chrono::seconds{1}) / cycle;
        instant -= cycles * cycle;
        return cycles * cycle;
    }

    static ZoneChange moved_forward(ZoneChange change, std::chrono::seconds by) {
        change.at += by;
        return change;
    }

    std::string name_;
    cctz::time_zone zone_;
    Seconds last_listed_{};
    bool repeats_ = false;  // by an endless rule
};

/// Bytes in memory, in the form in which cctz reads a file.
class BytesSource final : public cctz::ZoneInfoSource {
public:
    explicit BytesSource(std::string_view bytes) : rest_(bytes) {}

    std::size_t Read(void* to, std::size_t size) override {
        const std::size_t count = std::min(size, rest_.size());
        std::memcpy(to, rest_.data(), count);
        rest_.remove_prefix(count);
        return count;
    }
    int Skip(std::size_t count) override {
        if (count > rest_.size()) return -1;
        rest_.remove_prefix(count);
        return 0;
    }

private:
    std::string_view rest_;
};

/// The content that a load on this thread reads instead of a file. cctz calls its source on the
/// calling thread.
thread_local const std::string* loading = nullptr;

std::unique_ptr<cctz::ZoneInfoSource> open_source(
    const std::string& name,
    const std::function<std::unique_ptr<cctz::ZoneInfoSource>(const std::string&)>& open_file) {
    if (loading != nullptr) return std::make_unique<BytesSource>(*loading);
    return open_file(name);  // not ours: other code in this process uses cctz
}

/// cctz caches zones by name forever, but the content of a name changes with the release. So each
/// content gets a name of its own.
std::optional<cctz::time_zone> load(const std::string& tzif) {
    static std::mutex mutex;
    static std::map<std::string, std::optional<cctz::time_zone>> loaded;
    const std::lock_guard lock(mutex);
    const auto [entry, fresh] = loaded.try_emplace(tzif);
    if (fresh) {
        loading = &entry->first;
        cctz::time_zone zone;
        if (cctz::load_time_zone("sundial-" + std::to_string(loaded.size()), &zone))
            entry->second = zone;
        loading = nullptr;
    }
    return entry->second;
}

}  // namespace

std::shared_ptr<const Zone> parse_zone(std::string name, const std::string& tzif) {
    const auto zone = load(tzif);
    if (!zone) return nullptr;
    return std::make_shared<CctzZone>(std::move(name), *zone);
}

}  // namespace sundial::zones

namespace cctz_extension {
// cctz, a library of its own, looks for this name.
[[gnu::visibility("default")]] ZoneInfoSourceFactory zone_info_source_factory =
    sundial::zones::open_source;
}  // namespace cctz_extension
