#include "adapters/http/timed_socket.hpp"

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <tuple>
#include <utility>

namespace sundial::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr auto as_result = asio::as_tuple(asio::use_awaitable);

}  // namespace

struct TimedSocket::State {
    explicit State(tcp::socket connected)
        : socket(std::move(connected)), timer(socket.get_executor()) {}

    tcp::socket socket;
    asio::steady_timer timer;
    bool timed_out = false;
};

/// Cancels what the socket does once the deadline is reached; from construction to destruction.
class TimedSocket::Watch {
public:
    Watch(const std::shared_ptr<State>& state, Time deadline) : state_(*state) {
        state_.timed_out = false;
        state_.timer.expires_at(deadline);
        state_.timer.async_wait([weak = std::weak_ptr(state)](boost::system::error_code cancelled) {
            const auto watched = weak.lock();
            if (cancelled || !watched) return;
            // A timer may fire just as its watch ends: then it is set to the future by now.
            if (watched->timer.expiry() > std::chrono::steady_clock::now()) return;
            watched->timed_out = true;
            watched->socket.cancel(cancelled);
        });
    }
    ~Watch() { state_.timer.expires_at(Time::max()); }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

private:
    State& state_;
};

TimedSocket::TimedSocket(tcp::socket socket) : state_(std::make_shared<State>(std::move(socket))) {}

asio::awaitable<TimedSocket::Read> TimedSocket::read_some(asio::mutable_buffer space,
                                                          Time deadline) {
    const Watch watch(state_, deadline);
    const auto [failure, count] = co_await state_->socket.async_read_some(space, as_result);
    Read read{.got = Got::bytes, .count = count};
    if (failure) read.got = state_->timed_out ? Got::timeout : Got::end;
    co_return read;
}

asio::awaitable<bool> TimedSocket::write(std::string_view head, std::string_view body,
                                         Time deadline) {
    const Watch watch(state_, deadline);
    const std::array<asio::const_buffer, 2> bytes{asio::buffer(head), asio::buffer(body)};
    const auto [failure, count] = co_await asio::async_write(state_->socket, bytes, as_result);
    co_return !failure;
}

asio::awaitable<void> TimedSocket::finish(Time deadline) {
    boost::system::error_code ignored;
    state_->socket.shutdown(tcp::socket::shutdown_send, ignored);
    std::array<char, 4096> unread{};
    for (Got got = Got::bytes; got == Got::bytes;) {
        const auto space = asio::buffer(unread);
        const Read read = co_await read_some(space, deadline);
        got = read.got;
    }
}

void TimedSocket::close() {
    boost::system::error_code ignored;
    state_->socket.close(ignored);
}

asio::any_io_executor TimedSocket::executor() { return state_->socket.get_executor(); }

}  // namespace sundial::http
