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

#include "base/text.hpp"
#include "domain/api_key.hpp"
#include "domain/error.hpp"
#include "domain/event.hpp"

namespace sundial::http {

class JsonBody;

/// Name and value of a query or path parameter, percent-decoded, well-formed UTF-8.
struct Parameter {
    std::string name;
    std::string value;
};

/// Header fields in wire order. Names compare without regard to ASCII case.
class Headers {
public:
    void add(std::string name, std::string value);
    /// Replaces all fields of that name.
    void set(std::string name, std::string value);
    /// The first field of that name.
    [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const;
    [[nodiscard]] const std::vector<Parameter>& all() const { return fields_; }

private:
    std::vector<Parameter> fields_;
};

/// One complete request: handlers block, so they do not read from streams.
struct Request {
    std::string method;  // as sent: known methods are upper case
    std::string target;  // as sent, origin form: "/v1/users/ext%3A7?q=x"
    std::string path;    // decoded, for people: "/v1/users/ext:7"
    std::vector<Parameter> query;
    Headers headers;
    std::string body;  // the exact bytes received
    std::string remote_address;
    std::string correlation_id;  // "req-<uuid>", or the client's X-Request-Id if it is valid

    // Filled in by the router and its guard.
    std::string route;  // the pattern that matched: "/v1/users/{id}"
    std::vector<Parameter> path_parameters;
    std::shared_ptr<const JsonBody> json;  // the body, parsed, valid against the OpenAPI document
    /// For a batch: the errors of invalid items, by item index; pointers are relative to the item.
    std::map<std::size_t, std::vector<FieldError>> refused_items;
    std::string actor;       // the caller, for recorded events: "key:7f3a9k2m1q"; see Caller
    Role role = Role::read;  // the permissions of the caller
    std::optional<TraceContext> trace{};  // of the work on this request
    bool heavy = false;  // may read or compute much, and has no effect: it needs a seat

    /// The first query parameter of that name.
    [[nodiscard]] std::optional<std::string_view> query_value(std::string_view name) const;
    /// A parameter of the matched pattern. Asking for one that the pattern lacks is a bug.
    [[nodiscard]] const std::string& path_value(std::string_view name) const;
};

struct HeavyWork;
struct Later;
struct Stream;

struct Response {
    int status = 200;
    std::string content_type{};  // empty: no body
    Headers headers{};
    std::string body{};
    bool retryable = false;  // a refusal; a later attempt may succeed
    bool secret = false;     // the body contains a secret that is shown only once
    bool nothing = false;    // no effect: a repetition under the same Idempotency-Key may get more
    std::string route{};     // the pattern that matched, for metrics; like the next two, never sent
    std::string actor{};     // the caller, for the log
    std::string subject{};   // the id of the requested object, for the log
    /// If set, this is not the response yet. Its headers, route, actor and subject are added to it.
    std::shared_ptr<const HeavyWork> heavy{};
    /// If set, replaces all of the above: there is no response yet.
    std::shared_ptr<const Later> later{};
    /// If set, replaces `body`: the body arrives piece by piece.
    std::shared_ptr<const Stream> stream{};
    /// Undoes an effect that only this response reports, if the client disconnects before it is
    /// sent. Runs on the pool; exceptions are logged.
    std::function<void()> undelivered{};
};

/// The rest of a heavy request, for one of the few seats (`ServerSettings::heavy_seats`).
struct HeavyWork {
    std::string client;  // clients take turns
    std::function<Response()> run;
};

/// A long poll: a handler's wait that holds no thread. The connection waits until it is woken, the
/// time is up, or the client disconnects.
struct Later {
    std::chrono::milliseconds at_most;  // from the first Later of the request; later ones share it
    /// Starts to listen. `wake` may be called from any thread, at any time, and more than once;
    /// after the server's end it does nothing. The connection drops the returned object when the
    /// wait ends.
    std::function<std::shared_ptr<void>(std::function<void()> wake)> listen;
    /// Runs on the pool, like a handler; must not throw. If `last`, it must not return another
    /// Later.
    std::function<Response(bool last)> answer;
    /// Interval for calling `answer` without a wake-up; zero: never.
    std::chrono::milliseconds check_after{0};
};

/// A body without a known end that holds no thread while there is nothing to send. The connection
/// requests a piece, sends it, and requests the next; after an empty piece it waits. It ends when
/// the time is up, the server stops, or the client disconnects. While pieces cannot be read, it
/// asks again with growing delays (`StreamPace`).
struct Stream {
    std::chrono::milliseconds at_most;  // the stream then ends; the client may reconnect
    std::string idle;                   // sent every 15 s while there are no pieces
    std::function<std::shared_ptr<void>(std::function<void()> wake)> listen;  // as in `Later`
    /// Runs on the pool; must not throw. The body is the next piece. A refusal with Retry-After is
    /// repeated: no piece was read. Any other status than 200 ends the stream.
    std::function<Response()> next;
};

[[nodiscard]] Response json(int status, std::string body);
[[nodiscard]] Response text(int status, std::string content_type, std::string body);
[[nodiscard]] Response no_content();

/// Whether a client's request id may be used: visible ASCII, 1 to 128 characters.
[[nodiscard]] bool sane_request_id(std::string_view id);

/// Splits `target` and decodes path and query into `request`; a host in it replaces `Host`. False
/// if an escape is broken, or what it stands for is not well-formed UTF-8 without control
/// characters.
[[nodiscard]] bool read_target(std::string_view target, Request& request);

/// The `traceparent` of a request; empty if it has none, several, or an invalid one. Its state is
/// that of all fields `tracestate`, if they are valid.
[[nodiscard]] std::optional<TraceContext> trace_context_of(const Headers& headers);

/// Percent-decodes; empty if an escape is invalid or the result contains control characters or
/// invalid UTF-8.
[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space);

using base::same_ignoring_case;  // for field names

/// The inputs of a response head besides the response.
struct AnswerContext {
    std::string_view correlation_id;
    std::chrono::sys_seconds now;
    bool http_1_1 = true;
    bool keep_alive = true;
};

/// Status line and header fields including the empty line, in wire format.
[[nodiscard]] std::string response_head(const Response& response, const AnswerContext& context);

/// IMF-fixdate: "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110 5.6.7).
[[nodiscard]] std::string http_date(std::chrono::sys_seconds time);

/// The lower-case type of a Content-Type field without its parameters: "application/json". Empty if
/// a charset other than UTF-8 is named, because no other is supported.
[[nodiscard]] std::string media_type_of(std::string_view content_type);

/// Whether one of `types` may be sent to a client with `Accept: accept` (RFC 9110 12.5.1). An empty
/// field accepts all.
[[nodiscard]] bool acceptable(std::string_view accept, const std::vector<std::string>& types);

[[nodiscard]] bool is_json(std::string_view media_type);

}  // namespace sundial::http
