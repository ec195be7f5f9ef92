#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/event.hpp"
#include "domain/ids.hpp"
#include "domain/outcome.hpp"

namespace sundial::simulation {

/// True time since the beginning; no process can read it.
using Time = std::chrono::microseconds;

/// Kinds of steps. The first group is done by clients, the second by the database for an instance,
/// the third is observed by the receiver, the last is done by an instance.
enum class Op : std::uint8_t {
    create,
    cancel,
    edit,
    retry,
    erase,
    manage,  // users, schedules, endpoints
    claim,
    extend,
    settle,
    release,
    request,
    answer,  // by the receiver
    close,   // of a request without a response: timed out, abandoned, or the sender died
    stop,    // as requested, within its time to drain
    beat,    // the database renewed the heartbeat of an instance
    gone,    // its process has ended, however that happened
};
[[nodiscard]] std::string_view to_string(Op op);

/// Done; refused (not found, lease lost, …); or unknown to the caller.
enum class How : std::uint8_t { ok, refused, unknown };
[[nodiscard]] std::string_view to_string(How how);

/// One line of the history. Steps of the database record effects, even if the caller never learned
/// of them.
struct Step {
    Instant at{};  // the database's clock
    Time mono{0};
    std::uint32_t source = 0;  // number of the process; 0: a client
    Op op = Op::manage;
    How how = How::ok;
    std::optional<EventId> id{};
    std::optional<UserId> user{};  // erase, claim: the user of the events
    std::string key{};
    std::uint64_t version = 0;
    std::uint32_t attempt = 0;
    int status = 0;    // HTTP status
    Instant target{};  // create, claim, request: due instant
    /// Claim, extend: end of the lease; settle, release: the next attempt; ¶ request: the present,
    /// as its sender believes.
    Instant until{};
    std::string what{};  // settle: result; request: body; otherwise a text for people
    bool sound = true;   // create, claim: the target shows the requested local time
    std::optional<Time> retry_after{};  // from a response
    Instant created_at{};               // of the claimed event
    bool is_retry = false;              // the claimed event: of another one
    bool from_line = false;             // claim: the event waited for its endpoint in a line
};

/// A deliberate fault and its end.
struct Fault {
    std::string kind;
    std::uint32_t source;  // 0: all
    Time begin, end;
};

/// The final state of an event in the repository.
struct FinalEvent {
    Event event;
    std::vector<AttemptRecord> attempts;
    bool may_go = true;  // its endpoint (or its schedule's) and its schedule are enabled
};
/// An endless rule, for one user or for none, and whether it continues.
struct FinalChain {
    std::string schedule;
    std::optional<UserId> user;
    bool alive;
};

/// The input of the checker.
struct History {
    std::vector<Step> steps;
    std::vector<Fault> faults;
    std::vector<FinalEvent> events;
    std::vector<FinalChain> chains;
    Instant ended_at{};
    bool roomy = true;  // enough slots that no event waits for one
};

/// For people: one line per step.
[[nodiscard]] std::string describe(const Step& step);
/// All lines about one event, or the last `limit` lines.
[[nodiscard]] std::string trace(const History& history, std::optional<EventId> about,
                                std::size_t limit);
/// Equal histories have equal hashes.
[[nodiscard]] std::uint64_t hash_of(const History& history);

}  // namespace sundial::simulation
