#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "domain/api_key.hpp"
#include "domain/error.hpp"

namespace sundial::http {

class JsonBody;

/// Name and value of a query or path parameter, percent-decoded, well-formed UTF-8.
struct Parameter {
    std::string name;
    std::string value;
};

/// Header fields in the order of the wire. Names compare without regard to ASCII case.
class Headers {
public:
    void add(std::string name, std::string value);
    /// Replaces every field of that name.
    void set(std::string name, std::string value);
    /// The first field of that name.
    [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const;
    [[nodiscard]] const std::vector<Parameter>& all() const { return fields_; }

private:
    std::vector<Parameter> fields_;
};

/// One request, whole: handlers block, so they get no streams.
struct Request {
    std::string method;  // as sent: upper case for every known one
    std::string target;  // as sent, origin form: "/v1/users/ext%3A7?q=x"
    std::string path;    // decoded, for people: "/v1/users/ext:7"
    std::vector<Parameter> query;
    Headers headers;
    std::string body;  // the exact bytes received
    std::string remote_address;
    std::string correlation_id;  // "req-<uuid>", or the client's X-Request-Id where that is sane

    // Filled in by the router and its guard.
    std::string route;  // the pattern that matched: "/v1/users/{id}"
    std::vector<Parameter> path_parameters;
    std::shared_ptr<const JsonBody> json;  // the body, read strictly and valid against the document
    /// Of a batch: what is wrong with items of it, by their places; pointers lead into the item.
    std::map<std::size_t, std::vector<FieldError>> refused_items;
    std::string actor;       // who asks, for the record: "key:7f3a9k2m1q"; see Caller
    Role role = Role::read;  // what the asker may do

    /// The first query parameter of that name.
    [[nodiscard]] std::optional<std::string_view> query_value(std::string_view name) const;
    /// A parameter of the matched pattern; it is a bug to ask for one that the pattern lacks.
    [[nodiscard]] const std::string& path_value(std::string_view name) const;
};

struct Later;
struct Stream;

struct Response {
    int status = 200;
    std::string content_type{};  // empty: no body
    Headers headers{};
    std::string body{};
    bool retryable = false;  // a refusal, and perhaps not the last word
    bool secret = false;     // the body shows one, this once
    bool nothing = false;  // came of it: who asks again under the same Idempotency-Key may get more
    std::string route{};   // which pattern answered, for metrics; never sent, as are the next two
    std::string actor{};   // who asked, for the log
    std::string subject{};  // the id of what was asked about, for the log
    /// Instead of all that: there is nothing to say yet.
    std::shared_ptr<const Later> later{};
    /// After all that, in place of `body`: what comes as it comes.
    std::shared_ptr<const Stream> stream{};
    /// Undoes what only this answer tells of; for a client that is gone before it is sent. Runs on
    /// the pool; what it throws is logged.
    std::function<void()> undelivered{};
};

/// A long poll: what a handler waits for without a thread. The connection waits, until it is woken,
/// or time is up, or the client is gone; then nobody asks any more.
struct Later {
    std::chrono::milliseconds at_most;  // of the request's first one; those that follow end with it
    /// Starts to listen. `wake` may be called on any thread, at any time, and more than once; kept
    /// beyond the server's end it does nothing. What it returns is let go of once nobody waits.
    std::function<std::shared_ptr<void>(std::function<void()> wake)> listen;
    /// Runs on the pool, as a handler does; must not throw. If `last`, there is no more waiting.
    std::function<Response(bool last)> answer;
    /// Woken by nobody it asks again after so long; zero: never.
    std::chrono::milliseconds look_after{0};
};

/// A body that has no end yet, and holds no thread while nothing comes. The connection asks for a
/// piece, sends it, and asks again, or waits where a piece was empty; until time is up, the server
/// stops, or the client is gone.
struct Stream {
    std::chrono::milliseconds at_most;  // then it ends, and the client may ask again
    std::string idle;                   // sent every 15 s while nothing comes
    std::function<std::shared_ptr<void>(std::function<void()> wake)> listen;  // as of `Later`
    /// Runs on the pool; must not throw. Its body is the next piece; another status than 200 ends
    /// all.
    std::function<Response()> next;
};

[[nodiscard]] Response json(int status, std::string body);
[[nodiscard]] Response text(int status, std::string content_type, std::string body);
[[nodiscard]] Response no_content();

/// A request id that may be taken over from a client: visible ASCII, 1 to 128 characters.
[[nodiscard]] bool sane_request_id(std::string_view id);

/// Splits `target` and decodes path and query into `request`; a host in it replaces `Host`. False
/// if an escape is broken, or what it stands for is not well-formed UTF-8 without control
/// characters.
[[nodiscard]] bool read_target(std::string_view target, Request& request);

/// Percent-decodes; nothing if an escape is broken or the result is not clean text.
[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space);

using base::same_ignoring_case;  // of names of fields

}  // namespace sundial::http
