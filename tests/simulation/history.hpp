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

/// True time since the beginning, which no process sees.
using Time = std::chrono::microseconds;

/// What happened. The first group is done by clients, the second by the database for an instance,
/// the third seen by the receiver, the last done by an instance.
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
    answer,  // the receiver's
    close,   // of a request without an answer: timed out, abandoned or its sender died
    stop,    // it was told to, and is done before its time to drain is over
};
[[nodiscard]] std::string_view to_string(Op op);

/// Done; refused (not found, lease lost, …); or nobody who asked knows.
enum class How : std::uint8_t { ok, refused, unknown };
[[nodiscard]] std::string_view to_string(How how);

/// One line of the history. Those of the database tell what took effect, whether or not whoever
/// asked ever learned it.
struct Step {
    Instant at{};  // the database's clock
    Time mono{0};
    std::uint32_t source = 0;  // number of the process; 0: a client
    Op op = Op::manage;
    How how = How::ok;
    std::optional<EventId> id{};
    std::optional<UserId> user{};  // erase, claim: whose events
    std::string key{};
    std::uint64_t version = 0;
    std::uint32_t attempt = 0;
    int status = 0;      // HTTP
    Instant target{};    // when it is due: of create, claim and request
    Instant until{};     // claim, extend: end of the lease; settle, release: the next try;
                         // request: now, as its sender believes
    std::string what{};  // settle: result; request: body; else for people
    bool sound = true;   // create, claim: the target shows the local time that was asked for
    std::optional<Time> retry_after{};  // of an answer
    Instant created_at{};               // of what is claimed
};

/// Something that was broken on purpose, and until when.
struct Fault {
    std::string kind;
    std::uint32_t source;  // 0: all
    Time begin, end;
};

/// An event as the repository shows it in the end.
struct FinalEvent {
    Event event;
    std::vector<AttemptRecord> attempts;
    bool may_go = true;  // its endpoint is enabled, and so is its schedule
};
/// A rule that should go on for ever, for one user or for nobody, and whether it does.
struct FinalChain {
    std::string schedule;
    std::optional<UserId> user;
    bool alive;
};

/// All that the checker looks at.
struct History {
    std::vector<Step> steps;
    std::vector<Fault> faults;
    std::vector<FinalEvent> events;
    std::vector<FinalChain> chains;
    Instant ended_at{};
    bool roomy = true;  // slots enough that no event waits for one
};

/// For people: one line each.
[[nodiscard]] std::string describe(const Step& step);
/// Everything that concerns one event, or the last `most` lines.
[[nodiscard]] std::string trace(const History& history, std::optional<EventId> about,
                                std::size_t most);
/// The same history has the same hash.
[[nodiscard]] std::uint64_t hash_of(const History& history);

}  // namespace sundial::simulation
