#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "cli/commands.hpp"

/// Streams and the feed of all, one request each but for `follow_feed`. Exit code 4: the stream is
/// at another version.
namespace sundial::cli {

struct StreamName {
    std::string type;
    std::string id;
};

/// A line each: type, id, version.
[[nodiscard]] int list_streams(const HttpClient& client, const std::string& type,
                               const std::string& prefix, const Output& output);
/// Its events, oldest first, a line each.
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
    bool wait = true;    // for more, for ever; else what is there
};
/// What is in the feed, in its order; with --json a document per line. `goes_on` is asked before
/// each request.
[[nodiscard]] int follow_feed(const HttpClient& client, const FeedToFollow& wanted,
                              const std::function<bool()>& goes_on, const Output& output);

}  // namespace sundial::cli
