#include "adapters/http/connection.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <charconv>
#include <cstdint>
#include <exception>
#include <functional>
#include <string_view>
#include <utility>

#include "adapters/http/gzip.hpp"
#include "adapters/http/message.hpp"
#include "adapters/http/problem.hpp"
#include "adapters/http/stream_pace.hpp"

namespace sundial::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

/// How a job waits for a thread.
struct Queueing {
    std::string client{};
    std::optional<std::chrono::milliseconds> at_most{};
};

/// Runs `job` on the pool and resumes on this coroutine's executor; empty if the client's queue is
/// full, or `job` has not begun in time.
asio::awaitable<std::optional<Response>> on_pool(BlockingPool& pool, std::function<Response()> job,
                                                 Queueing queueing) {
    using Answered = void(std::optional<Response>);
    const asio::any_io_executor executor = co_await asio::this_coro::executor;
    auto start = [&pool, executor, queueing](auto handler, std::function<Response()> requested) {
        auto resume = std::make_shared<decltype(handler)>(std::move(handler));
        const auto come_back = [executor, resume](std::optional<Response> response) {
            asio::post(executor, [resume, back = std::move(response)]() mutable {
                auto resumed = std::move(*resume);
                resumed(std::move(back));
            });
        };
        // Set when the job begins or its wait times out, whichever happens first.
        const auto decided = std::make_shared<std::atomic<bool>>(false);
        auto work = [come_back, decided, requested = std::move(requested)] {
            if (!decided->exchange(true)) come_back(requested());
        };
        if (!pool.try_run(std::move(work), queueing.client)) return come_back(std::nullopt);
        if (!queueing.at_most) return;
        const auto alarm = std::make_shared<asio::steady_timer>(executor, *queueing.at_most);
        alarm->async_wait([alarm, come_back, decided](boost::system::error_code) {
            if (!decided->exchange(true)) come_back(std::nullopt);
        });
    };
    co_return co_await asio::async_initiate<const asio::use_awaitable_t<>&, Answered>(
        std::move(start), asio::use_awaitable, std::move(job));
}

std::chrono::steady_clock::time_point after(std::chrono::milliseconds time) {
    return std::chrono::steady_clock::now() + time;
}

Mono steady_now() {
    return std::chrono::duration_cast<Mono>(std::chrono::steady_clock::now().time_since_epoch());
}
TimedSocket::Time time_of(Mono mono) { return TimedSocket::Time{mono}; }

/// In [0, 1), different for each request, so that streams that fail together do not retry together.
double spread_of(const std::string& correlation_id) {
    constexpr std::size_t parts = 1000;
    return static_cast<double>(std::hash<std::string>{}(correlation_id) % parts) / parts;
}

/// No signal ends this wait, so it lasts until its deadline.
TimedSocket::Listen deaf() {
    return [](auto&&) { return std::shared_ptr<void>(); };
}

/// One chunk of a body of unknown length (RFC 9112 7.1).
std::string chunk(const std::string& piece) {
    std::array<char, 16> length{};
    const auto end = std::to_chars(length.begin(), length.end(), piece.size(), 16).ptr;
    return std::string(length.begin(), end) + "\r\n" + piece + "\r\n";
}

/// Up to this length an answer fits in the system's buffer, and those of all connections together
/// need little memory, so that they do not count in the budget.
constexpr std::size_t small_answer = 16UL * 1024;

/// Whether the answer asks the client to send fewer requests.
bool asks_for_patience(const Response& response) {
    return (response.status == 429 || response.status == 503) &&
           response.headers.find("Retry-After").has_value();
}

bool has_effect(std::string_view method) { return method != "GET" && method != "HEAD"; }

std::string_view detail_of(Shortage of) {
    switch (of) {
        case Shortage::heavy_seats:
            return "Too many expensive requests are running (http.heavy_seats); send the request "
                   "again later, or ask for less";
        case Shortage::unsent_bytes:
            return "Too many bytes of answers are waiting for their clients; read your pending "
                   "answers, then send the request again";
        case Shortage::handlers:
        case Shortage::slow_reader:
            break;
    }
    return "Too many requests are waiting; send the request again later";
}

std::string_view method_label(std::string_view method) {
    constexpr std::array<std::string_view, 7> known{"GET",   "HEAD",   "POST",   "PUT",
                                                    "PATCH", "DELETE", "OPTIONS"};
    const auto found = std::ranges::find(known, method);
    return found == known.end() ? std::string_view("OTHER") : *found;
}

}  // namespace

Connection::Connection(TimedSocket socket, std::string address, ConnectionTable::Slot slot,
                       const Shared& shared)
    : socket_(std::move(socket)),
      address_(std::move(address)),
      slot_(std::move(slot)),
      shared_(shared),
      reader_(socket_, shared.settings, [this] { slot_.arriving(); }) {}

asio::awaitable<void> Connection::serve() {
    const auto alive = shared_from_this();
    const bool secured = co_await socket_.handshake(after(shared_.settings.head_time));
    if (!secured) co_return;
    while (!shared_.stopping) {
        Incoming incoming = co_await reader_.read();
        if (incoming.gone || !slot_.answering()) co_return;
        const bool more = co_await answer(std::move(incoming));
        slot_.waiting(has_shown_key_);
        if (!more) {
            co_await socket_.finish(after(shared_.settings.linger_time));
            co_return;
        }
    }
}

void Connection::close_if_idle() {
    asio::post(socket_.executor(), [self = shared_from_this()] {
        if (self->reader_.idle()) self->socket_.close();
    });
}

void Connection::close() {
    asio::post(socket_.executor(), [self = shared_from_this()] { self->socket_.close(); });
}

/// False if the connection must be closed.
asio::awaitable<bool> Connection::answer(Incoming incoming) {
    const InFlight::Entry under_way(shared_.in_flight);
    identify(incoming.request);
    const RequestTrace trace = trace_of(incoming.request);
    incoming.request.trace = trace.span ? trace.span : trace.caller;
    takes_gzip_ = accepts_gzip(incoming.request.headers.find("Accept-Encoding").value_or(""));
    const std::string method = incoming.request.method;
    const std::string id = incoming.request.correlation_id;
    const std::string path = incoming.request.path;
    const std::string network = network_of(incoming.request.remote_address);
    Response response;
    if (incoming.refused) {
        response = to_response(*incoming.refused, incoming.request);
    } else if (has_effect(method) && shared_.budget.spent(network)) {
        response = refuse(Shortage::unsent_bytes, path, id);
    } else {
        auto answered = co_await respond(std::move(incoming.request));
        if (!answered) co_return false;
        response = *std::move(answered);
    }
    if (response.undelivered && socket_.peer_gone()) {
        undo(std::move(response));
        co_return false;
    }
    note_key(response);
    const bool body_follows = method != "HEAD" && response.status != 204 && response.status != 304;
    const auto share = share_for(response, network, has_effect(method), path, id);
    report(incoming, method, id, response, trace);

    const bool without_end = response.stream && !incoming.http_1_1;  // HTTP/1.0 has no chunks
    const bool keep_alive =
        incoming.keep_alive && !incoming.refused && !shared_.stopping && !without_end;
    const AnswerContext context{.correlation_id = id,
                                .now = shared_.world.now(),
                                .http_1_1 = incoming.http_1_1,
                                .keep_alive = keep_alive};
    const std::string head = response_head(response, context);
    const std::string_view body = body_follows ? std::string_view(response.body) : "";
    const bool refused = asks_for_patience(response);
    const bool patient = co_await pause_if_refused_again(refused);
    if (!patient) {
        undo(std::move(response));
        co_return false;
    }
    // The client may open another connection as soon as it has read the last byte. A longer answer
    // takes several writes, and losing the slot meanwhile would cut it off.
    if (body.size() <= small_answer && !response.stream) slot_.waiting(has_shown_key_);
    const bool written = co_await send(head, body);
    if (!written) {
        undo(std::move(response));
        co_return false;
    }
    if (response.stream && method != "HEAD") {
        const bool whole =
            co_await write_pieces(response.stream, incoming.http_1_1, network, path, id);
        co_return (whole && keep_alive);
    }
    co_return keep_alive;
}

asio::awaitable<std::optional<Response>> Connection::respond(Request request) {
    const auto& never_blocks = shared_.world.never_blocks;
    if (never_blocks && never_blocks(request)) co_return shared_.answer(std::move(request));
    const std::string path = request.path;
    const std::string id = request.correlation_id;
    const std::string queue_of_requests;
    std::function<Response()> first = [this, requested = std::move(request)]() mutable {
        return shared_.answer(std::move(requested));
    };
    Response response = co_await run(std::move(first), path, id, queue_of_requests);
    if (!response.later) co_return std::move(response);
    // Caller and subject stay the same through repeated answers to one request.
    Response asked = response;
    asked.later.reset();
    std::optional<TimedSocket::Time> deadline;
    while (const auto later = response.later) {
        if (!deadline) deadline = after(later->at_most);
        auto until = *deadline;
        if (later->check_after.count() > 0) until = std::min(until, after(later->check_after));
        const bool still_there = co_await socket_.rest(until, later->listen);
        if (!still_there) co_return std::nullopt;
        const bool last = shared_.stopping || std::chrono::steady_clock::now() >= *deadline;
        std::function<Response()> again = [later, last] { return later->answer(last); };
        response = co_await run(std::move(again), path, id, queue_of_requests);
        response.route = asked.route;
        response.actor = asked.actor;
        response.subject = asked.subject;
        for (const Parameter& field : asked.headers.all()) {
            response.headers.add(field.name, field.value);
        }
    }
    co_return response;
}

asio::awaitable<bool> Connection::write_pieces(std::shared_ptr<const Stream> stream, bool in_chunks,
                                               std::string network, std::string path,
                                               std::string id) {
    const auto end = after(stream->at_most);
    const auto framed = [in_chunks](const std::string& piece) {
        return in_chunks ? chunk(piece) : piece;
    };
    StreamPace pace(spread_of(id), steady_now());
    // A change wakes every stream at once. They must not fill the queue of the requests.
    const std::string streams_of_client = "streams of " + network;
    while (!shared_.stopping && std::chrono::steady_clock::now() < end) {
        std::string bytes;
        std::optional<AnswerBudget::Share> share;
        if (pace.may_ask(steady_now())) {
            std::function<Response()> next = stream->next;
            Response piece = co_await run(std::move(next), path, id, streams_of_client);
            // A refusal with Retry-After has read nothing, so asking again loses nothing. A piece
            // that the budget refuses has been read; then the client must reconnect.
            if (asks_for_patience(piece)) {
                pace.fail(steady_now());
            } else {
                pace.succeed();
                if (auto taken = share_for(piece, network, false, path, id)) {
                    share.emplace(std::move(*taken));
                }
                if (piece.status != 200) break;  // the client reconnects
                bytes = std::move(piece.body);
            }
        }
        if (bytes.empty()) {
            const auto until = std::min(end, time_of(pace.until(steady_now())));
            TimedSocket::Listen listen = pace.failing() ? deaf() : stream->listen;
            const bool still_there = co_await socket_.rest(until, std::move(listen));
            if (!still_there) co_return false;
            if (pace.idle(steady_now())) bytes = stream->idle;
        }
        if (bytes.empty()) continue;
        const std::string frame = framed(bytes);
        const bool sent = co_await send(frame, "");
        if (!sent) co_return false;
        pace.sent(steady_now());
    }
    const std::string_view last = in_chunks ? "0\r\n\r\n" : "";
    const bool ended = co_await send(last, "");
    co_return ended;
}

asio::awaitable<Response> Connection::run(std::function<Response()> job, std::string path,
                                          std::string id, std::string queue) {
    Queueing queueing{.client = std::move(queue)};
    std::optional<Response> first =
        co_await on_pool(shared_.pool, compressing(std::move(job)), queueing);
    if (!first) co_return refuse(Shortage::handlers, path, id);
    if (!first->heavy) co_return std::move(*first);
    Response response = co_await run_heavy(first->heavy, path, id);
    response.route = first->route;
    response.actor = first->actor;
    response.subject = first->subject;
    for (const Parameter& field : first->headers.all()) {
        response.headers.add(field.name, field.value);
    }
    co_return response;
}

asio::awaitable<Response> Connection::run_heavy(std::shared_ptr<const HeavyWork> work,
                                                std::string path, std::string id) {
    Queueing queueing{.client = work->client, .at_most = shared_.settings.heavy_wait};
    std::optional<Response> response =
        co_await on_pool(shared_.heavy_pool, compressing(work->run), queueing);
    if (!response) co_return refuse(Shortage::heavy_seats, path, id);
    co_return std::move(*response);
}

/// On the pool's thread, since compressing takes longer than sending.
std::function<Response()> Connection::compressing(std::function<Response()> job) const {
    return [job = std::move(job), gzip = takes_gzip_] {
        Response response = job();
        compress(response, gzip);
        return response;
    };
}

Response Connection::refuse(Shortage of, const std::string& path, const std::string& id) const {
    shared_.observer.note_shortage(of);
    return to_response({.code = Code::overloaded, .detail = std::string(detail_of(of))}, path, id);
}

std::optional<AnswerBudget::Share> Connection::share_for(Response& response,
                                                         const std::string& network, bool must_send,
                                                         const std::string& path,
                                                         const std::string& id) {
    const std::size_t bytes = response.body.size();
    if (bytes <= small_answer) return std::nullopt;
    if (must_send) return shared_.budget.take(network, bytes);
    auto share = shared_.budget.reserve(network, bytes);
    if (share) return share;
    Response refusal = refuse(Shortage::unsent_bytes, path, id);
    refusal.route = response.route;
    refusal.actor = response.actor;
    refusal.subject = response.subject;
    response = std::move(refusal);
    return std::nullopt;
}

asio::awaitable<bool> Connection::pause_if_refused_again(bool refused) {
    const bool again = std::exchange(refused_, refused) && refused;
    if (!again || shared_.stopping) co_return true;
    slot_.waiting(has_shown_key_);  // another client that needs the slot may have it
    const auto until = after(shared_.settings.refusal_pause);
    const bool still_there = co_await socket_.rest(until, deaf());
    co_return still_there;
}

asio::awaitable<bool> Connection::send(std::string_view head, std::string_view body) {
    const bool sent = co_await socket_.write(head, body, shared_.settings.answer_time);
    if (!sent && socket_.timed_out()) shared_.observer.note_shortage(Shortage::slow_reader);
    co_return sent;
}

void Connection::undo(Response response) {
    if (!response.undelivered) return;
    // If the pool is full or the undo fails, the effect ends by itself, for example with its lease.
    (void)shared_.pool.try_run([&log = shared_.log, undo = std::move(response.undelivered)] {
        try {
            undo();
        } catch (const std::exception& error) {
            log.write(
                {.level = base::LogLevel::error,
                 .event_name = "",
                 .message =
                     std::string(
                         "a response could not be delivered, and undoing its effect failed: ") +
                     error.what(),
                 .correlation_id = "",
                 .fields = {}});
        }
    });
}

/// Routes without a key check leave `has_shown_key_` as it is.
void Connection::note_key(const Response& response) {
    if (response.status == 401) {
        has_shown_key_ = false;
    } else if (response.actor.starts_with("key:")) {
        has_shown_key_ = true;
    }
}

void Connection::identify(Request& request) const {
    const std::string_view requested = request.headers.find("X-Request-Id").value_or("");
    request.correlation_id =
        sane_request_id(requested) ? requested : "req-" + to_string(shared_.world.new_uuid());
    request.remote_address = shared_.proxies.client_of(address_, request.headers);
}

/// Spans are for requests to the API: probes and scrapes would hide them.
RequestTrace Connection::trace_of(const Request& request) const {
    RequestTrace trace{.caller = trace_context_of(request.headers)};
    const auto& begin_span = shared_.world.begin_span;
    if (begin_span && request.path.starts_with("/v1/")) trace.span = begin_span(trace.caller);
    return trace;
}

void Connection::report(const Incoming& incoming, const std::string& method, const std::string& id,
                        const Response& response, const RequestTrace& trace) const {
    const auto duration = std::chrono::steady_clock::now() - incoming.head_read;
    const std::string route = response.route.empty() ? "none" : response.route;
    const std::string_view label = method_label(method);
    shared_.observer.answered({.method = label,
                               .route = route,
                               .status = response.status,
                               .duration = duration,
                               .trace = trace});
    const double ms = std::chrono::duration<double, std::milli>(duration).count();
    base::LogLine line{
        .level = response.status >= 500 ? base::LogLevel::warn : base::LogLevel::info,
        .event_name = "http.request",
        .message = "request answered",
        .correlation_id = id,
        .fields = {{"method", std::string(label)},
                   {"route", route},
                   {"status", std::int64_t{response.status}},
                   {"durationMs", ms}}};
    if (!response.actor.empty()) line.fields.emplace_back("actor", response.actor);
    if (!response.subject.empty()) line.fields.emplace_back("subjectId", response.subject);
    shared_.log.write(std::move(line));
}

asio::awaitable<void> reject(tcp::socket socket, std::string answer,
                             std::chrono::milliseconds at_most) {
    TimedSocket timed(std::move(socket));
    const bool written = co_await timed.write(answer, "", at_most);
    if (written) co_await timed.finish(after(at_most));
}

}  // namespace sundial::http
