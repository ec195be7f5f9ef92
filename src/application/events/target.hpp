#pragma once

#include <optional>
#include <string>
#include <vector>

#include "application/ports/time_zones.hpp"
#include "application/requests/results.hpp"
#include "domain/error.hpp"
#include "domain/event.hpp"

namespace sundial {

/// The requested time: an instant, or a local time with its zone. The fields are texts, so that all
/// defects are reported together.
struct TargetFields {
    std::optional<std::string> utc{};    // targetTimestampUTC: RFC 3339, or now, now+7d
    std::optional<std::string> local{};  // targetTimestampLocal, optionally with offset and [Zone]
    std::optional<std::string> zone{};   // targetTimezone of a local time; empty: the user's zone
    std::optional<GapPolicy> gap{};
    std::optional<OverlapPolicy> overlap{};
};

/// The intent, and its instant in UTC.
struct Target {
    Intent intent;
    Instant due;
    friend bool operator==(const Target&, const Target&) = default;
};

/// Whether the instant is given relative to now.
[[nodiscard]] bool is_relative(const TargetFields& fields);

/// Reads the target of a request.
class TargetReader {
public:
    TargetReader(const TzData& zones, Instant now) : zones_(zones), now_(now) {}
    /// Before the time is known: for fields that are not relative. Ask `within_horizon` later.
    explicit TargetReader(const TzData& zones) : zones_(zones) {}

    /// `user_zone`: for a local time without a zone. Errors: ValidationFailed, at
    /// /targetTimestampUTC, /targetTimestampLocal, /targetTimezone, /gap or /overlap; also for a
    /// time that policy `skip` drops, because an event must have a time.
    [[nodiscard]] EventResult<Target> read(const TargetFields& fields,
                                           const std::optional<std::string>& user_zone) const;
    /// Applies an edit to `before`: another time in the same zone, the same time in another zone or
    /// by another policy, or a new target. Errors: as above.
    [[nodiscard]] EventResult<Target> edit(const Target& before, const TargetFields& fields,
                                           const std::optional<std::string>& user_zone) const;
    /// The instant of a stored local time. Errors: as above.
    [[nodiscard]] EventResult<Target> at(const Intent& intent) const {
        return resolve_wall(intent, std::nullopt, "/targetTimezone");
    }
    /// `target`, unless it is beyond the maximum distance into the future, if the time is known.
    [[nodiscard]] EventResult<Target> within_horizon(Target target) const;

private:
    [[nodiscard]] EventResult<Target> read_instant(const TargetFields& fields) const;
    [[nodiscard]] EventResult<Target> read_local(const TargetFields& fields,
                                                 const std::optional<std::string>& user_zone) const;
    [[nodiscard]] EventResult<Target> resolve_wall(Intent intent,
                                                   std::optional<std::chrono::seconds> offset,
                                                   const char* zone_pointer) const;

    const TzData& zones_;
    std::optional<Instant> now_{};
};

}  // namespace sundial
