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
#include "cli/output.hpp"

/// The commands for events and dead letters.
namespace sundial::cli {

/// Selects events: ids, or filters with the API's names.
struct EventChoice {
    std::vector<std::string> ids{};
    std::vector<std::pair<std::string, std::string>> filters{};
};

/// The first `limit` of them, by due time; dead letters newest failure first.
[[nodiscard]] int list_events(const HttpClient& client, const EventChoice& choice,
                              std::size_t limit, const Output& output);
[[nodiscard]] int list_dead_letters(const HttpClient& client, const EventChoice& choice,
                                    std::size_t limit, const Output& output);
/// Grouped: `by` is reason or endpointId.
[[nodiscard]] int list_failures(const HttpClient& client, const std::string& by,
                                const Output& output);
/// Every dead letter, one JSON object per line.
[[nodiscard]] int export_dead_letters(const HttpClient& client, const EventChoice& choice,
                                      const Output& output);
[[nodiscard]] int show_event(const HttpClient& client, const std::string& id, const Output& output);
[[nodiscard]] int explain_event(const HttpClient& client, const std::string& id,
                                const Output& output);
/// `new_key`: also for a COMPLETED event; its receiver treats it as another event.
[[nodiscard]] int retry_event(const HttpClient& client, const std::string& id, bool new_key,
                              const Output& output);
[[nodiscard]] int cancel_event(const HttpClient& client, const std::string& id,
                               const Output& output);

/// One action on many events.
struct BulkOrder {
    std::string action;  // retry, cancel, dismiss
    EventChoice choice;
    std::uint32_t per_second = 0;  // 0: the server's default
    bool dry_run = false;          // only shows the affected events
    bool yes = false;              // does not ask for confirmation
    bool wait = true;              // until the operation ends
};
/// Asks, starts the operation, and waits for its end. Exit codes as of `wait_for_operation`; 2 if
/// there is no terminal to ask, 1 if the user declines.
[[nodiscard]] int run_bulk(const HttpClient& client, const BulkOrder& order, const Person& person,
                           const WaitOptions& wait_options, const Output& output);

}  // namespace sundial::cli
