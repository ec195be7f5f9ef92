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
#include "adapters/http/client_limits.hpp"
#include "adapters/http/request_reader.hpp"
#include "adapters/http/server.hpp"
#include "adapters/http/timed_socket.hpp"
#include "adapters/http/trusted_proxies.hpp"

namespace sundial::http {

/// State that all connections of a server share.
struct Shared {
    const ServerSettings& settings;
    const ServerWorld& world;
    const HttpServer::Answer& answer;
    RequestObserver& observer;
    base::Log& log;
    BlockingPool& pool;
    BlockingPool& heavy_pool;  // for heavy requests
    InFlight& in_flight;
    const std::atomic<bool>& stopping;
    const TrustedProxies& proxies;
    AnswerBudget& budget;
};

/// One client, from accept to close. Lives on the strand of its socket.
class Connection : public std::enable_shared_from_this<Connection> {
public:
    Connection(TimedSocket socket, std::string address, ConnectionTable::Slot slot,
               const Shared& shared);

    /// Makes the connection visible to the table; call before serve().
    void enter(ConnectionTable& table) { table.name(slot_, weak_from_this()); }

    /// Answers requests until either side closes.
    boost::asio::awaitable<void> serve();

    /// Both may be called from any thread. close_if_idle() closes the connection only if it waits
    /// for a request.
    void close_if_idle();
    void close();

private:
    boost::asio::awaitable<bool> answer(Incoming incoming);
    /// Empty if the client disconnects before a response exists.
    boost::asio::awaitable<std::optional<Response>> respond(Request request);
    /// Runs `job` on the pool, and the heavy work that it leaves on a seat. If there is no room,
    /// returns a problem that says so. `queue` names the queue in which it waits for a thread;
    /// requests share one.
    boost::asio::awaitable<Response> run(std::function<Response()> job, std::string path,
                                         std::string id, std::string queue);
    [[nodiscard]] std::function<Response()> compressing(std::function<Response()> job) const;
    boost::asio::awaitable<Response> run_heavy(std::shared_ptr<const HeavyWork> work,
                                               std::string path, std::string id);
    [[nodiscard]] Response refuse(Shortage of, const std::string& path,
                                  const std::string& id) const;
    /// Counts the bytes of `response`, or replaces it by a refusal if the client may not have them.
    std::optional<AnswerBudget::Share> share_for(Response& response, const std::string& network,
                                                 bool must_send, const std::string& path,
                                                 const std::string& id);
    /// Keeps a client that ignores Retry-After waiting, so that refusing it costs little: 64
    /// connections that asked again at once took the time of an I/O thread and delayed the
    /// scheduler (bench/isolation.py). False if the client disconnects meanwhile.
    boost::asio::awaitable<bool> pause_if_refused_again(bool refused);
    /// Sends the bytes. Disconnects a client that reads too slowly.
    boost::asio::awaitable<bool> send(std::string_view head, std::string_view body);
    /// Writes the body of a stream until it ends. Returns whether the connection can be reused.
    boost::asio::awaitable<bool> write_pieces(std::shared_ptr<const Stream> stream, bool in_chunks,
                                              std::string network, std::string path,
                                              std::string id);
    void undo(Response response);
    void note_key(const Response& response);
    void identify(Request& request) const;
    void report(const Incoming& incoming, const std::string& method, const std::string& id,
                const Response& response, const RequestTrace& trace) const;
    [[nodiscard]] RequestTrace trace_of(const Request& request) const;

    TimedSocket socket_;
    std::string address_;
    ConnectionTable::Slot slot_;
    const Shared& shared_;
    RequestReader reader_;
    bool takes_gzip_ = false;     // of the request under way
    bool refused_ = false;        // its last answer had a Retry-After
    bool has_shown_key_ = false;  // its last request that needed a key showed a valid one
};

/// Sends a client the answer that the server has no room, without creating a Connection.
boost::asio::awaitable<void> reject(boost::asio::ip::tcp::socket socket, std::string answer,
                                    std::chrono::milliseconds at_most);

}  // namespace sundial::http
