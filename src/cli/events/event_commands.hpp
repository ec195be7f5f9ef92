#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.hpp"
#include "cli/http_client.hpp"

/// What the command line does with events and dead letters.
namespace sundial::cli {

/// Which events: ids, or filters by the names that the API has for them.
struct EventChoice {
    std::vector<std::string> ids{};
    std::vector<std::pair<std::string, std::string>> filters{};
};

/// The first `limit` of them, by due time; dead letters by when they FAILED, the newest first.
[[nodiscard]] int list_events(const HttpClient& client, const EventChoice& choice,
                              std::size_t limit, const Output& output);
[[nodiscard]] int list_dead_letters(const HttpClient& client, const EventChoice& choice,
                                    std::size_t limit, const Output& output);
/// In groups: `by` is reason or endpointId.
[[nodiscard]] int list_failures(const HttpClient& client, const std::string& by,
                                const Output& output);
/// Every dead letter, one JSON object a line.
[[nodiscard]] int export_dead_letters(const HttpClient& client, const EventChoice& choice,
                                      const Output& output);
[[nodiscard]] int show_event(const HttpClient& client, const std::string& id, const Output& output);
[[nodiscard]] int explain_event(const HttpClient& client, const std::string& id,
                                const Output& output);
/// `new_key`: for one that COMPLETED too; its receiver takes it for another event.
[[nodiscard]] int retry_event(const HttpClient& client, const std::string& id, bool new_key,
                              const Output& output);
[[nodiscard]] int cancel_event(const HttpClient& client, const std::string& id,
                               const Output& output);

/// One action on many events.
struct BulkOrder {
    std::string action;  // retry, cancel, dismiss
    EventChoice choice;
    std::uint32_t per_second = 0;  // 0: as the server has it
    bool dry_run = false;          // shows what it would do it to
    bool yes = false;              // asks nobody
    bool wait = true;              // until it is over
};
/// Whom to ask, if anybody is there.
struct Person {
    std::istream& in;
    bool there = false;
};
/// Asks, starts it, and waits for its end: exit codes as of `wait_for_operation`; 2 where nobody is
/// there to ask, 1 where he says no.
[[nodiscard]] int run_bulk(const HttpClient& client, const BulkOrder& order, const Person& person,
                           const Patience& patience, const Output& output);

}  // namespace sundial::cli
