#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>

#include "cli/commands.hpp"
#include "cli/http_client.hpp"

namespace sundial::cli {

/// Events as lines of JSON, each in the format of `POST /v1/events`, at most 64 KiB.
struct EventFile {
    std::istream& lines;
    std::string name;                 // for messages
    std::string key;                  // prefix of the requests' Idempotency-Keys; unique per import
    std::ostream* refused = nullptr;  // gets each refused line, unchanged
    std::size_t requests = 4;         // concurrent requests
};

/// Stores the events, a thousand per request. Each request has an Idempotency-Key, so a request
/// without a response is repeated without harm. If the same file is imported again, events with a
/// key of their own are found as already stored. The defect of a line goes to `err` with its
/// number. Returns 0 if all are stored, 7 if some lines were refused, and the API's code if it
/// refused everything. Throws Unreachable if the server has not responded for half a minute, and
/// reports how many are stored.
[[nodiscard]] int import_events(const HttpClient& client, const EventFile& file,
                                const WaitOptions& wait_options, const Output& output);

}  // namespace sundial::cli
