#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>

#include "cli/commands.hpp"
#include "cli/http_client.hpp"

namespace sundial::cli {

/// Events as lines of JSON, each as `POST /v1/events` takes it, at most 64 KiB.
struct EventFile {
    std::istream& lines;
    std::string name;                 // for messages
    std::string key;                  // what the requests' Idempotency-Keys begin with: of its own
    std::ostream* refused = nullptr;  // gets each line that is refused, as it came
    std::size_t requests = 4;         // at once
};

/// Stores them by the thousand. Each request has an Idempotency-Key, so one without an answer is
/// sent again without harm; who imports a file for the second time finds the events that have a key
/// of their own there already. What is wrong with a line goes to `err` with its number. 0 if all
/// are there, 7 if some lines were refused, and as the API's refusal says if it was of all. Throws
/// Unreachable once the server has not answered for half a minute, and tells what is stored.
[[nodiscard]] int import_events(const HttpClient& client, const EventFile& file,
                                const Patience& patience, const Output& output);

}  // namespace sundial::cli
