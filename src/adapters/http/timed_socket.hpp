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

/// A socket, secured or not, on which no wait is without a deadline. Unlike Beast's stream it
/// survives one, so that the client can still be told. Used on the socket's strand only.
class TimedSocket {
public:
    using Time = std::chrono::steady_clock::time_point;
    enum class Got { bytes, end, timeout };
    struct Read {
        Got got;
        std::size_t count;
    };
    using Listen = std::function<std::shared_ptr<void>(std::function<void()> wake)>;

    /// Without a context what is said is said in clear.
    explicit TimedSocket(boost::asio::ip::tcp::socket socket,
                         std::shared_ptr<boost::asio::ssl::context> tls = nullptr);

    /// Agrees on keys, if it is to be secured: comes before all else. False if nothing came of it
    /// in time.
    boost::asio::awaitable<bool> handshake(Time deadline);

    boost::asio::awaitable<Read> read_some(boost::asio::mutable_buffer space, Time deadline);
    /// False if not all of `head` and `body` was taken in time.
    boost::asio::awaitable<bool> write(std::string_view head, std::string_view body, Time deadline);
    /// Waits until `deadline`, or until what `listen` is given is called, from any thread. False if
    /// the client has closed its side meanwhile: it will not read what we have to say.
    boost::asio::awaitable<bool> rest(Time deadline, Listen listen);
    /// Whether it has done so by now.
    [[nodiscard]] bool peer_gone();
    /// Says that we are done and hears the client out until `deadline`: closing on unread bytes
    /// resets the connection, and the client might lose the answer.
    boost::asio::awaitable<void> finish(Time deadline);

    void close();
    [[nodiscard]] boost::asio::any_io_executor executor();

private:
    struct State;
    class Watch;

    std::shared_ptr<State> state_;  // shared with a timer that is about to fire
};

}  // namespace sundial::http
