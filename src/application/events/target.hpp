#pragma once

#include <optional>
#include <string>
#include <vector>

#include "application/ports/time_zones.hpp"
#include "domain/error.hpp"
#include "domain/event.hpp"

namespace sundial {

/// When, as asked for: an instant, or a local time with its zone. Texts, so that all that is wrong
/// is told at once.
struct TargetFields {
    std::optional<std::string> utc{};    // targetTimestampUTC: RFC 3339, or now, now+7d
    std::optional<std::string> local{};  // targetTimestampLocal, perhaps with offset and [Zone]
    std::optional<std::string> zone{};   // targetTimezone; of a local time, else the user's zone
    std::optional<GapPolicy> gap{};
    std::optional<OverlapPolicy> overlap{};
};

/// What is meant, and what that is in UTC.
struct Target {
    Intent intent;
    Instant due;
    friend bool operator==(const Target&, const Target&) = default;
};

/// Reads what a request says of a moment.
class TargetReader {
public:
    TargetReader(const TzData& zones, Instant now) : zones_(zones), now_(now) {}

    /// `user_zone`: of a local time that names none. Errors: ValidationFailed, at
    /// /targetTimestampUTC, /targetTimestampLocal, /targetTimezone, /gap or /overlap; also for a
    /// time that policy `skip` drops, since an event must have one.
    [[nodiscard]] Result<Target> read(const TargetFields& fields,
                                      const std::optional<std::string>& user_zone) const;
    /// What `before` becomes by an edit: another time in the same zone, the same time in another
    /// zone or by another policy, or something else altogether. Errors: as above.
    [[nodiscard]] Result<Target> edit(const Target& before, const TargetFields& fields,
                                      const std::optional<std::string>& user_zone) const;

private:
    [[nodiscard]] Result<Target> read_instant(const TargetFields& fields) const;
    [[nodiscard]] Result<Target> read_local(const TargetFields& fields,
                                            const std::optional<std::string>& user_zone) const;
    [[nodiscard]] Result<Target> resolve_wall(Intent intent,
                                              std::optional<std::chrono::seconds> offset,
                                              const char* zone_pointer) const;
    /// `target`, unless it lies beyond the horizon.
    [[nodiscard]] Result<Target> within_horizon(Target target, const char* pointer) const;

    const TzData& zones_;
    Instant now_;
};

}  // namespace sundial
