#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/ids.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// How often an instance reports.
inline constexpr std::chrono::seconds report_every{5};
/// An instance that has not reported for this long has probably ended without removing its report.
inline constexpr std::chrono::seconds silent_instance_after{20};
/// Its last report is kept for this long.
inline constexpr std::chrono::hours report_kept_for{1};

/// The latest report of an instance about itself, for people.
struct InstanceReport {
    InstanceId id;
    std::string version;
    std::vector<std::string> roles;
    Instant started_at, reported_at;  // by the database's clock; no claim came before the start
    /// This machine's clock minus the database's.
    std::chrono::microseconds clock_skew{0};
    std::uint32_t held = 0;   // claims that it holds
    std::uint32_t slots = 0;  // attempts that it may have under way at once
    bool draining = false;    // it claims nothing more and is about to end
    std::optional<Instant> drain_requested_at{};
    /// When it last claimed events to deliver, by the database's clock. Empty: not since its start.
    std::optional<Instant> last_claim_at{};
    friend bool operator==(const InstanceReport&, const InstanceReport&) = default;
};

/// The instances of a database, for people. Claims depend on heartbeats alone
/// (ports/event_queue.hpp: renew).
class InstanceRepository {
public:
    virtual ~InstanceRepository() = default;
    /// Stores or replaces a report; `started_at` and `drain_requested_at` stay as they were.
    /// Returns when a drain of the instance was requested.
    virtual std::optional<Instant> report(const InstanceReport& report) = 0;
    /// In order of their start, at most 1,000.
    virtual std::vector<InstanceReport> list() = 0;
    virtual std::optional<InstanceReport> find(InstanceId id) = 0;
    /// Keeps the instant of an earlier request. False if there is no such instance.
    virtual bool request_drain(InstanceId id, Instant at) = 0;
    virtual void remove(InstanceId id) = 0;
    /// Removes the reports made before then.
    virtual void forget(Instant before) = 0;
};

}  // namespace sundial
