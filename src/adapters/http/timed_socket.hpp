#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

namespace boost::asio::ssl {
class context;  // NOLINT(readability-identifier-naming): Asio's name
}

namespace sundial::http {

/// A socket, with or without TLS, on which every wait has a deadline. Unlike Beast's stream it
/// stays usable after a timeout, so that the client can still get a response. Used on the socket's
/// strand only.
class TimedSocket {
public:
    using Time = std::chrono::steady_clock::time_point;
    enum class Got { bytes, end, timeout };
    struct Read {
        Got got;
        std::size_t count;
    };
    using Listen = std::function<std::shared_ptr<void>(std::function<void()> wake)>;

    /// Without a context, the connection uses no TLS.
    explicit TimedSocket(boost::asio::ip::tcp::socket socket,
                         std::shared_ptr<boost::asio::ssl::context> tls = nullptr);

    /// Does the TLS handshake, if there is a context; call it before any other operation. False if
    /// the handshake fails or exceeds its deadline.
    boost::asio::awaitable<bool> handshake(Time deadline);

    boost::asio::awaitable<Read> read_some(boost::asio::mutable_buffer space, Time deadline);
    /// Sends `head` and `body`. False if the client disconnects, or does not take the next 64 KiB
    /// (or the rest) within `at_most`.
    boost::asio::awaitable<bool> write(std::string_view head, std::string_view body,
                                       std::chrono::milliseconds at_most);
    /// Whether the latest operation ended because its time was up.
    [[nodiscard]] bool timed_out() const;
    /// Waits until `deadline`, or until the function passed to `listen` is called, from any thread.
    /// False if the client closes its side meanwhile: it will not read the response.
    boost::asio::awaitable<bool> rest(Time deadline, Listen listen);
    /// Whether the client has closed its side by now.
    [[nodiscard]] bool peer_gone();
    /// Ends our side and reads from the client until `deadline`: closing a socket with unread bytes
    /// resets the connection, and the client might lose the response.
    boost::asio::awaitable<void> finish(Time deadline);

    void close();
    [[nodiscard]] boost::asio::any_io_executor executor();

private:
    struct State;
    class Watch;

    std::shared_ptr<State> state_;  // shared with a timer that is about to fire
};

}  // namespace sundial::http
