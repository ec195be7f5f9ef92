#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "application/audit/caller.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/requests/results.hpp"
#include "domain/ids.hpp"

namespace sundial {

/// Reports this instance to people about every five seconds, and drains it if someone asked for
/// that. Call it from one thread.
class ReportInstance {
public:
    /// The facts that do not change while the instance runs.
    struct Self {
        InstanceId id;
        Instant started_at;  // by the database's clock, before it claimed anything
        std::string version;
        std::vector<std::string> roles;
        std::uint32_t slots = 0;
    };
    struct Facts {
        std::uint32_t held = 0;
        bool draining = false;
        std::optional<Instant> last_claim_at{};
        std::chrono::microseconds clock_skew{0};
    };
    struct Ports {
        Store& store;
        const MonotonicClock& monotonic;
        /// Given the database's time.
        std::function<Facts(Instant now)> facts;
        /// Begins to drain this instance, which then ends. Called once.
        std::function<void()> drain;
    };
    ReportInstance(Self self, Ports ports) : self_(std::move(self)), ports_(std::move(ports)) {}

    /// Reports, if it is time to. Throws Unavailable.
    void run();
    /// The next run() reports at once. From any thread.
    void hurry() { hurried_ = true; }
    /// Removes the report: the instance ends.
    void retire();

private:
    const Self self_;
    const Ports ports_;
    std::optional<Mono> reported_;
    bool drained_ = false;
    std::atomic<bool> hurried_{false};
};

/// Asks an instance to drain. It does so at its next report, within `report_every`.
class DrainInstance {
public:
    DrainInstance(Store& store, Ids& ids) : store_(store), ids_(ids) {}
    /// Errors: NotFound.
    [[nodiscard]] LookupResult<InstanceReport> run(std::string_view id, const Caller& caller);

private:
    Store& store_;
    Ids& ids_;
};

}  // namespace sundial
