#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sundial/embedding.hpp"
#include "sundial/recording.hpp"
#include "sundial/result.hpp"
#include "sundial/retry.hpp"

#pragma GCC visibility push(default)

/// The types of `sundial/outcomes.hpp`, which brings them into namespace `sundial`: include that
/// header. They have their own namespace because the library's internals use the same names.
namespace sundial::embedding {

/// The end of an event. A retry of a FAILED event is a new event with an outcome of its own.
struct EventOutcome {
    std::uint64_t number = 0;  // of this outcome in the queue: greater for later ones, with gaps
    /// The id of the event, a UUID.
    std::string event_id{};
    /// The type of the event.
    std::string event_type{};
    std::string status{};         // COMPLETED, FAILED or CANCELLED
    std::uint32_t attempt = 0;    // number of the last attempt; 0: none was made
    std::string error_code{};     // of FAILED: HTTP_STATUS, TIMEOUT, WORKER, …: see errors.md
    std::string reason{};         // of FAILED, begins with the code; of CANCELLED
    std::string idempotency_key;  // the same for a retry under the same key
    std::string user_id{};        // may be empty
    /// The payload of the event.
    std::string payload{};
    Instant due;                                          // `no_instant` if none was found
    std::optional<Instant> first_attempt{};               // its start; empty: none was made
    Instant finished;                                     // by the storage's clock
    std::optional<std::chrono::microseconds> lateness{};  // of the first attempt; never negative
};

/// The options of a subscription to outcomes.
struct OutcomeFollowing {
    std::string name;                        // [A-Za-z0-9_.-]{1,128}
    std::vector<std::string> event_types{};  // at most 100; empty: all
    std::chrono::microseconds lease =
        std::chrono::seconds{30};  // 100 ms to 24 h: after which another one takes over
    std::size_t page = 100;        // 1 to 10,000 outcomes in one step
    /// Repetitions of an outcome whose handler failed, before it is parked.
    RetryRules retry{
        .max_attempts = 5, .base = std::chrono::milliseconds{100}, .cap = std::chrono::seconds{10}};
    bool park = false;  // set aside an outcome that cannot be handled instead of stopping
};

/// Subscriptions to the outcomes of events: `engine.outcomes()`.
///
///     auto outcomes = engine->outcomes();
///     auto failures = outcomes.follow(
///         {.name = "failures", .event_types = {"INVOICE"}},
///         [](const sundial::EventOutcome& outcome) -> sundial::Result<sundial::Done> {
///             if (outcome.status == "FAILED") alert(outcome.event_id, outcome.reason);
///             return sundial::Done{};
///         });
///     if (!failures) return report(failures.error().detail);
///     failures->start();
///
/// Each subscription has a queue in the database. The transaction that finishes an event, in
/// whichever process and through whichever interface, also puts its outcome into the queues of its
/// type, from the return of the first `follow` or `project` with that name on. So no outcome is
/// lost while no program runs, and a subscription continues where the last one stopped. Outcomes
/// come in the order in which their transactions ended; one of a transaction that commits late
/// comes after others with greater numbers. An event that was erased before its turn, with its user
/// or by retention, is left out.
///
/// A queue grows until it is handled: call `forget` for a name that is not used any more. On
/// PostgreSQL the first subscription of a database waits for transactions that have finished events
/// and are still open, and makes later ones wait meanwhile: make it when no long one is open.
///
/// Copies refer to the same engine. Thread-safe. The engine must outlive them and their
/// subscriptions. Every call can return STORAGE_UNAVAILABLE.
class Outcomes {
public:
    /// Passes each outcome to `handle` at least once. An Error or an exception is a failure. Of all
    /// subscriptions with one name, in any number of processes, one is active. Errors:
    /// VALIDATION_FAILED.
    Result<Subscription> follow(OutcomeFollowing following,
                                std::function<Result<Done>(const EventOutcome&)> handle);
    /// Passes each outcome to `project` in the transaction that removes it from the queue.
    /// Everything that it does in the transaction is committed with that, so it takes effect once.
    /// Errors: VALIDATION_FAILED.
    Result<Subscription> project(
        OutcomeFollowing following,
        std::function<Result<Done>(Transaction&, const EventOutcome&)> project);
    /// The number of outcomes that wait in the queue of that name; 0 if there is none. Reads them
    /// all: for monitoring, once a second at most. Errors of these: VALIDATION_FAILED.
    Result<std::uint64_t> lag(const std::string& name);
    /// Deletes the queue and everything set aside. Returns whether there was one. Stop its
    /// subscriptions first: they get no more outcomes.
    Result<bool> forget(const std::string& name);
    /// The outcomes that were set aside, past that number (`ParkedEvent::position`); at most 100.
    Result<std::vector<ParkedEvent>> parked(const std::string& name, std::uint64_t after = 0);
    /// Removes a set-aside outcome from the list. Returns whether it was there.
    Result<bool> unpark(const std::string& name, std::uint64_t number);

private:
    friend class Engine;
    struct Parts;
    explicit Outcomes(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}
    std::shared_ptr<Parts> parts_;
};

}  // namespace sundial::embedding

#pragma GCC visibility pop
