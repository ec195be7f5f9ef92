#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/message.hpp"
#include "adapters/http/tls.hpp"
#include "base/log.hpp"
#include "base/uuid.hpp"

namespace sundial::http {

/// The trace of a request.
struct RequestTrace {
    std::optional<TraceContext> caller{};  // from its `traceparent`
    std::optional<TraceContext> span{};    // of our work on it; empty: none is recorded
};

/// An answered request. The answer came from a handler or from the server itself.
struct AnsweredRequest {
    std::string_view method;  // "OTHER" for a method that HTTP does not define, to keep the number
                              // of labels small
    std::string_view route;   // the pattern; "none" if none matched
    int status;
    std::chrono::nanoseconds duration;  // from the end of the head until the response is ready
    RequestTrace trace{};
};

/// The resource that ran short when the server refused a request, or cut off a client.
enum class Shortage : std::uint8_t {
    handlers,      // the queue in front of the handlers is full
    heavy_seats,   // a heavy request waited too long for a seat
    unsent_bytes,  // the client has too many unread answers
    slow_reader    // the client did not read fast enough and was disconnected
};

/// Counts requests. Thread-safe; called on I/O threads, so it must not block.
class RequestObserver {
public:
    virtual ~RequestObserver() = default;
    virtual void answered(const AnsweredRequest& request) = 0;
    virtual void note_shortage(Shortage of) = 0;
};

/// Every limit of the server; the defaults are those of the limits table of the reference.
struct ServerSettings {
    std::string address = "127.0.0.1";
    std::uint16_t port = 8080;            // 0: any free one
    std::string setting = "http.listen";  // that sets both, for messages
    /// A listening socket at that address that the process was given; empty: open one. The server
    /// closes it.
    std::optional<int> descriptor{};

    std::size_t io_threads = 1;  // at most one per core
    /// Handlers block on the database. If all of them create single events, a group commit contains
    /// half as many.
    std::size_t handler_threads = 32;
    std::size_t handler_queue = 512;  // requests that wait for a handler; then 503 OVERLOADED
    /// Threads for requests that may read or compute much (Request::heavy). Others wait for one,
    /// each client's in turn, then 503 OVERLOADED.
    std::size_t heavy_seats = 2;
    std::size_t heavy_queue = 64;  // of one client
    std::chrono::milliseconds heavy_wait{2'000};
    /// Lower priorities than the scheduler's threads have; see BlockingPool.
    int handler_nice = 3;
    int heavy_nice = 10;

    std::size_t head_bytes = 16 * 1024;
    std::size_t target_bytes = 4 * 1024;
    std::size_t header_count = 100;
    std::size_t body_bytes = 1024 * 1024;

    std::chrono::milliseconds head_time{10'000};     // from the first byte to the end of the head
    std::chrono::milliseconds request_time{30'000};  // from the first byte to the last of the body
    std::chrono::milliseconds idle_time{60'000};     // between two requests of a connection
    std::chrono::milliseconds answer_time{10'000};   // for each 64 KiB of a response
    std::chrono::milliseconds linger_time{2'000};    // a closing client may still be sending
    std::chrono::milliseconds refusal_pause{250};    // before each further refusal in a row
    std::chrono::milliseconds body_grace{5'000};     // after it, a body must keep up with body_rate
    std::size_t body_rate = 1024;                    // bytes a second

    std::size_t unsent_bytes = 64UL * 1024 * 1024;  // see AnswerBudget

    std::size_t connections = 2'048;
    std::size_t connections_per_network = 128;  // see network_of; but of a trusted proxy

    std::optional<TlsFiles> tls{};               // empty: without TLS
    std::vector<std::string> trusted_proxies{};  // networks and addresses
};

/// The server's inputs from outside, so that tests can control them.
struct ServerWorld {
    std::function<std::chrono::sys_seconds()> now;  // for the Date header
    std::function<base::Uuid()> new_uuid;           // for correlation ids
    /// Requests that are answered without blocking: at once, however busy the pool is. May be
    /// empty.
    std::function<bool(const Request&)> never_blocks{};
    /// Begins a span for a request, below its caller's. Empty: spans are not recorded.
    std::function<std::optional<TraceContext>(const std::optional<TraceContext>& caller)>
        begin_span{};
};

/// An HTTP/1.1 server. It reads requests strictly and within bounds, runs handlers on a bounded
/// pool of blocking threads, and answers every protocol fault with a problem. Thread-safe.
class HttpServer {
public:
    /// Answers a request; must not throw. Runs on the pool.
    using Answer = std::function<Response(Request)>;

    /// Throws CannotStart if the settings contain an invalid network or an unusable certificate.
    HttpServer(ServerSettings settings, ServerWorld world, Answer answer, RequestObserver& observer,
               base::Log& log);
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    /// Starts to serve; returns the port. Throws CannotStart, naming the remedy, if the address
    /// cannot be used. Call it once.
    std::uint16_t listen();

    /// Reads certificate and key again, for new connections; open ones are unaffected. Throws
    /// CannotStart if they cannot be used; the old ones then stay in use.
    void renew_certificate();

    /// Closes the listener and idle connections. Requests in progress are still answered, with
    /// `Connection: close`.
    void stop_accepting();

    /// stop_accepting(), then waits until every request in progress is answered and no handler
    /// runs. False if some are not finished in time: their connections are closed, their handlers
    /// still run.
    [[nodiscard]] bool drain(std::chrono::milliseconds at_most);

    /// Ends all service and waits for running handlers; no handler runs afterwards. The destructor
    /// does the same. Call it earlier if the server outlives objects that handlers use.
    void stop();

    /// Requests between the end of their head and the end of their answer.
    [[nodiscard]] std::size_t in_flight() const;
    [[nodiscard]] std::size_t connections() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace sundial::http
