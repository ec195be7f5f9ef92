#include "adapters/http/server.hpp"

#include <algorithm>
#include <atomic>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <future>
#include <mutex>
#include <thread>
#include <tuple>
#include <utility>

#include "adapters/http/client_limits.hpp"
#include "adapters/http/connection.hpp"
#include "adapters/http/problem.hpp"
#include "adapters/http/trusted_proxies.hpp"
#include "application/ports/failures.hpp"
#include "base/check.hpp"

namespace sundial::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using namespace std::chrono_literals;

constexpr auto without_throwing = asio::as_tuple(asio::use_awaitable);
constexpr auto pause_after_failed_accept = 100ms;  // until a file descriptor is free
constexpr std::size_t max_rejected_at_once = 64;
constexpr int system_buffer = 256 * 1024;  // fills a line of 20 MB/s at a round trip of 10 ms

}  // namespace

struct HttpServer::Impl {
    Impl(ServerSettings settings_, ServerWorld world_, Answer answer_, RequestObserver& observer_,
         base::Log& log_)
        : settings(std::move(settings_)),
          world(std::move(world_)),
          answer(std::move(answer_)),
          observer(observer_),
          log(log_),
          proxies(settings.trusted_proxies),
          table(settings.connections),
          budget(settings.unsent_bytes),
          strand(asio::make_strand(io)),
          acceptor(strand),
          pool(std::in_place, settings.handler_threads, settings.handler_queue,
               settings.handler_nice),
          heavy_pool(std::in_place, settings.heavy_seats, settings.heavy_queue,
                     settings.heavy_nice),
          shared{settings,    world,     answer,   observer, log,   *pool,
                 *heavy_pool, in_flight, stopping, proxies,  budget} {}

    ~Impl() { stop(); }
    void stop() {
        stopping = true;
        io.stop();
        for (std::thread& thread : threads) thread.join();
        threads.clear();
        heavy_pool.reset();
        pool.reset();  // jobs that their threads post from now on are dropped with `io`
    }

    void bind();
    void renew_certificate();
    [[nodiscard]] std::shared_ptr<asio::ssl::context> certificate() const;
    asio::awaitable<void> accept_all();
    void take(tcp::socket socket);
    void reject_politely(tcp::socket socket);
    void close_listener();

    /// An exception in a coroutine means a bug or lack of memory. Only that coroutine ends.
    auto log_failure() {
        return [this](const std::exception_ptr& failure) {
            if (!failure) return;
            try {
                std::rethrow_exception(failure);
            } catch (const std::exception& error) {
                log.write(
                    {.level = base::LogLevel::error,
                     .event_name = "",
                     .message = std::string("a connection ended with an error: ") + error.what(),
                     .correlation_id = "",
                     .fields = {}});
            }
        };
    }

    const ServerSettings settings;
    const ServerWorld world;
    const Answer answer;
    RequestObserver& observer;
    base::Log& log;
    std::atomic<bool> stopping = false;
    std::atomic<std::size_t> rejected = 0;
    InFlight in_flight;  // these outlive `io`, whose coroutines hold entries, slots and shares
    const TrustedProxies proxies;
    ConnectionTable table;
    AnswerBudget budget;
    asio::io_context io;
    asio::strand<asio::io_context::executor_type> strand;  // for the listener
    tcp::acceptor acceptor;
    std::optional<BlockingPool> pool;
    std::optional<BlockingPool> heavy_pool;  // for heavy requests
    const Shared shared;
    std::vector<std::thread> threads;
    mutable std::mutex certificate_mutex;
    std::shared_ptr<asio::ssl::context> certificate_in_use;  // empty: without TLS
};

void HttpServer::Impl::renew_certificate() {
    if (!settings.tls) return;
    auto fresh = tls_context(*settings.tls);
    const std::lock_guard lock(certificate_mutex);
    certificate_in_use = std::move(fresh);
}

std::shared_ptr<asio::ssl::context> HttpServer::Impl::certificate() const {
    const std::lock_guard lock(certificate_mutex);
    return certificate_in_use;
}

void HttpServer::Impl::bind() {
    const std::string where = settings.address + ":" + std::to_string(settings.port);
    try {
        if (settings.descriptor) {
            const bool v6 = settings.address.find(':') != std::string::npos;
            acceptor.assign(v6 ? tcp::v6() : tcp::v4(), *settings.descriptor);
            return;
        }
        tcp::resolver resolver(io);
        const tcp::endpoint endpoint =
            *resolver.resolve(settings.address, std::to_string(settings.port)).begin();
        acceptor.open(endpoint.protocol());
        acceptor.set_option(tcp::acceptor::reuse_address(true));
        acceptor.bind(endpoint);
        acceptor.listen();
    } catch (const boost::system::system_error& error) {
        throw CannotStart("cannot listen on " + where + ": " + error.code().message() +
                          "; stop the process that uses that address, or set " + settings.setting +
                          " to another one");
    }
}

asio::awaitable<void> HttpServer::Impl::accept_all() {
    asio::steady_timer pause(strand);
    while (!stopping) {
        const asio::any_io_executor own_strand = asio::make_strand(io);
        auto [failure, socket] = co_await acceptor.async_accept(own_strand, without_throwing);
        if (stopping) co_return;
        if (!failure) {
            take(std::move(socket));
            continue;
        }
        log.write({.level = base::LogLevel::warn,
                   .event_name = "",
                   .message = "a connection could not be accepted: " + failure.message(),
                   .correlation_id = "",
                   .fields = {}});
        if (failure == asio::error::no_descriptors) {
            if (const auto evicted = table.evict()) evicted->close();
        }
        pause.expires_after(pause_after_failed_accept);
        co_await pause.async_wait(without_throwing);
    }
}

void HttpServer::Impl::take(tcp::socket socket) {
    boost::system::error_code failure;
    const tcp::endpoint peer = socket.remote_endpoint(failure);
    if (failure) return;  // the client has already disconnected
    socket.set_option(tcp::no_delay(true), failure);
    // Otherwise the system buffers megabytes for each client that does not read.
    socket.set_option(tcp::socket::send_buffer_size(system_buffer), failure);
    std::string address = peer.address().to_string();
    // A proxy connects for many clients, so only the total bound applies to it.
    const auto bound =
        proxies.trusts(address) ? settings.connections : settings.connections_per_network;
    auto admission = table.admit(network_of(address), bound);
    if (admission.evicted) admission.evicted->close();
    if (!admission.slot) return reject_politely(std::move(socket));
    const auto executor = socket.get_executor();
    auto connection =
        std::make_shared<Connection>(TimedSocket(std::move(socket), certificate()),
                                     std::move(address), std::move(*admission.slot), shared);
    connection->enter(table);
    asio::co_spawn(executor, connection->serve(), log_failure());
}

void HttpServer::Impl::reject_politely(tcp::socket socket) {
    // A refused client is not worth a TLS handshake.
    if (settings.tls || rejected >= max_rejected_at_once) return;
    const std::string id = "req-" + to_string(world.new_uuid());
    const Problem problem{.code = Code::overloaded,
                          .detail = "Too many connections; close some, or try again later"};
    const Response response = to_response(problem, "", id);
    std::string bytes =
        response_head(response, {.correlation_id = id, .now = world.now(), .keep_alive = false});
    bytes += response.body;
    observer.answered(
        {.method = "OTHER", .route = "none", .status = response.status, .duration = 0s});
    ++rejected;
    const auto executor = socket.get_executor();
    asio::co_spawn(executor, reject(std::move(socket), std::move(bytes), settings.linger_time),
                   [this, logged = log_failure()](const std::exception_ptr& failure) {
                       --rejected;
                       logged(failure);
                   });
}

void HttpServer::Impl::close_listener() {
    std::promise<void> closed;
    asio::post(strand, [&] {
        boost::system::error_code ignored;
        acceptor.close(ignored);
        closed.set_value();
    });
    closed.get_future().wait();
}

HttpServer::HttpServer(ServerSettings settings, ServerWorld world, Answer answer,
                       RequestObserver& observer, base::Log& log)
    : impl_(std::make_unique<Impl>(std::move(settings), std::move(world), std::move(answer),
                                   observer, log)) {
    impl_->renew_certificate();
}

HttpServer::~HttpServer() = default;

std::uint16_t HttpServer::listen() {
    base::check(impl_->threads.empty());
    impl_->bind();
    const std::uint16_t port = impl_->acceptor.local_endpoint().port();
    asio::co_spawn(impl_->strand, impl_->accept_all(), impl_->log_failure());
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    const std::size_t threads = std::clamp<std::size_t>(impl_->settings.io_threads, 1, cores);
    for (std::size_t i = 0; i < threads; ++i) {
        impl_->threads.emplace_back([io = &impl_->io] { io->run(); });
    }
    return port;
}

void HttpServer::renew_certificate() { impl_->renew_certificate(); }

void HttpServer::stop_accepting() {
    if (impl_->stopping.exchange(true) || impl_->threads.empty()) return;
    impl_->close_listener();
    for (const auto& connection : impl_->table.all()) connection->close_if_idle();
}

bool HttpServer::drain(std::chrono::milliseconds at_most) {
    stop_accepting();
    const auto end = std::chrono::steady_clock::now() + at_most;
    const bool all_answered = impl_->in_flight.wait_for_none(at_most);
    for (const auto& connection : impl_->table.all()) connection->close();
    // Responses that were not delivered may still have to be undone.
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(
        std::max(end - std::chrono::steady_clock::now(), std::chrono::nanoseconds{0}));
    return all_answered && impl_->heavy_pool->wait_for_none(left) &&
           impl_->pool->wait_for_none(left);
}

void HttpServer::stop() { impl_->stop(); }

std::size_t HttpServer::in_flight() const { return impl_->in_flight.count(); }

std::size_t HttpServer::connections() const { return impl_->table.size(); }

}  // namespace sundial::http
