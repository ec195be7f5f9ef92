#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "adapters/http/blocking_pool.hpp"
#include "adapters/http/connection_table.hpp"
#include "adapters/http/in_flight.hpp"
#include "adapters/http/request_reader.hpp"
#include "adapters/http/server.hpp"
#include "adapters/http/timed_socket.hpp"
#include "adapters/http/trusted_proxies.hpp"

namespace sundial::http {

/// What all connections of a server share.
struct Shared {
    const ServerSettings& settings;
    const ServerWorld& world;
    const HttpServer::Answer& answer;
    RequestObserver& observer;
    base::Log& log;
    BlockingPool& pool;
    InFlight& in_flight;
    const std::atomic<bool>& stopping;
    const TrustedProxies& proxies;
};

/// One client, from accept to close. Lives on the strand of its socket.
class Connection : public std::enable_shared_from_this<Connection> {
public:
    Connection(TimedSocket socket, std::string address, ConnectionTable::Seat seat,
               const Shared& shared);

    /// Lets it be found; before serve().
    void enter(ConnectionTable& table) { table.name(seat_, weak_from_this()); }

    /// Answers requests until one side is done.
    boost::asio::awaitable<void> serve();

    /// From any thread: ends it if it waits for a request, or in any case.
    void close_if_idle();
    void close();

private:
    boost::asio::awaitable<bool> answer(Incoming incoming);
    /// Nothing: the client is gone before there was anything to say.
    boost::asio::awaitable<std::optional<Response>> respond(Request request);
    /// On the pool; without a place there, that there is none.
    boost::asio::awaitable<Response> run(std::function<Response()> job, std::string path,
                                         std::string id);
    /// What follows the head of a stream, until it ends. Whether the connection can go on.
    boost::asio::awaitable<bool> write_pieces(std::shared_ptr<const Stream> stream, bool in_chunks,
                                              std::string path, std::string id);
    void undo(Response response);
    void note_key(const Response& response);
    void identify(Request& request) const;
    void report(const Incoming& incoming, const std::string& method, const std::string& id,
                const Response& response) const;

    TimedSocket socket_;
    std::string address_;
    ConnectionTable::Seat seat_;
    const Shared& shared_;
    RequestReader reader_;
    bool has_shown_key_ = false;  // its last request that needed a key showed a valid one
};

/// Tells a client that there is no room, and why, without a Connection.
boost::asio::awaitable<void> turn_away(boost::asio::ip::tcp::socket socket, std::string answer,
                                       std::chrono::milliseconds at_most);

}  // namespace sundial::http
