#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "cli/commands.hpp"

/// Streams and the feed, one request each except `follow_feed`. Exit code 4: the stream is at
/// another version.
namespace sundial::cli {

struct StreamName {
    std::string type;
    std::string id;
};

/// One per line: type, id, version.
[[nodiscard]] int list_streams(const HttpClient& client, const std::string& type,
                               const std::string& prefix, const Output& output);
/// Its events, oldest first, one per line.
[[nodiscard]] int read_stream(const HttpClient& client, const StreamName& stream,
                              std::uint64_t from, const Output& output);

struct EventToAppend {
    std::string type;
    std::string data = "{}";  // JSON
    std::string expected{};   // a version, NO_STREAM, STREAM_EXISTS or ANY; empty: ANY
};
[[nodiscard]] int append_event(const HttpClient& client, const StreamName& stream,
                               const EventToAppend& event, const Output& output);

struct FeedToFollow {
    std::uint64_t after = 0;
    std::string type{};  // of streams; empty: all
    bool wait = true;    // follow the feed forever; else print the present events only
};
/// The events of the feed, in its order; with --json one document per line. Calls `goes_on` before
/// each request.
[[nodiscard]] int follow_feed(const HttpClient& client, const FeedToFollow& requested,
                              const std::function<bool()>& goes_on, const Output& output);

}  // namespace sundial::cli
