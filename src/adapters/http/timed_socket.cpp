#include "adapters/http/timed_socket.hpp"

#include <sys/socket.h>

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <optional>
#include <tuple>
#include <utility>

namespace sundial::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr auto as_result = asio::as_tuple(asio::use_awaitable);

/// The other side has closed, or reset: nothing is there to be read, and nothing will be.
bool is_at_end(tcp::socket& socket) {
    char next = 0;
    constexpr int at_once = MSG_PEEK | MSG_DONTWAIT;
    // NOLINTNEXTLINE(clang-analyzer-unix.BlockInCriticalSection): nothing is locked, nor waits
    const auto peeked = ::recv(socket.native_handle(), &next, sizeof(next), at_once);
    return peeked == 0 || (peeked < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

}  // namespace

struct TimedSocket::State {
    State(tcp::socket connected, std::shared_ptr<asio::ssl::context> with)
        : socket(std::move(connected)), context(std::move(with)), timer(socket.get_executor()) {
        if (context) secured.emplace(socket, *context);
    }

    tcp::socket socket;
    std::shared_ptr<asio::ssl::context> context;  // as long as its stream: it may be replaced
    std::optional<asio::ssl::stream<tcp::socket&>> secured;
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

TimedSocket::TimedSocket(tcp::socket socket, std::shared_ptr<asio::ssl::context> tls)
    : state_(std::make_shared<State>(std::move(socket), std::move(tls))) {}

asio::awaitable<bool> TimedSocket::handshake(Time deadline) {
    if (!state_->secured) co_return true;
    const Watch watch(state_, deadline);
    const auto [failure] =
        co_await state_->secured->async_handshake(asio::ssl::stream_base::server, as_result);
    co_return !failure;
}

asio::awaitable<TimedSocket::Read> TimedSocket::read_some(asio::mutable_buffer space,
                                                          Time deadline) {
    const Watch watch(state_, deadline);
    boost::system::error_code failure;
    std::size_t count = 0;
    if (state_->secured) {
        std::tie(failure, count) = co_await state_->secured->async_read_some(space, as_result);
    } else {
        std::tie(failure, count) = co_await state_->socket.async_read_some(space, as_result);
    }
    Read read{.got = Got::bytes, .count = count};
    if (failure) read.got = state_->timed_out ? Got::timeout : Got::end;
    co_return read;
}

asio::awaitable<bool> TimedSocket::write(std::string_view head, std::string_view body,
                                         Time deadline) {
    const Watch watch(state_, deadline);
    const std::array<asio::const_buffer, 2> bytes{asio::buffer(head), asio::buffer(body)};
    boost::system::error_code failure;
    if (state_->secured) {
        std::tie(failure, std::ignore) =
            co_await asio::async_write(*state_->secured, bytes, as_result);
    } else {
        std::tie(failure, std::ignore) =
            co_await asio::async_write(state_->socket, bytes, as_result);
    }
    co_return !failure;
}

asio::awaitable<bool> TimedSocket::rest(Time deadline, Listen listen) {
    // Shared with whoever wakes, who may do so when nobody rests any more.
    struct Rest {
        explicit Rest(const asio::any_io_executor& strand) : alarm(strand) {}
        asio::steady_timer alarm;
        bool gone = false;
    };
    const auto resting = std::make_shared<Rest>(executor());
    resting->alarm.expires_at(deadline);
    state_->socket.async_wait(tcp::socket::wait_read, [resting, weak = std::weak_ptr(state_)](
                                                          boost::system::error_code failure) {
        const auto state = weak.lock();
        const bool closed = !state || !state->socket.is_open();
        if (failure == asio::error::operation_aborted && !closed) return;  // the rest is over
        // Bytes of a next request are for later; then only a failed write tells that the client is
        // gone.
        resting->gone = closed || failure || is_at_end(state->socket);
        if (resting->gone) resting->alarm.cancel();
    });
    // Holds nothing of the server's, which it may outlive.
    std::function<void()> wake = [weak = std::weak_ptr(resting)] {
        const auto woken = weak.lock();
        if (!woken) return;
        asio::post(woken->alarm.get_executor(), [weak] {
            if (const auto still_there = weak.lock()) still_there->alarm.cancel();
        });
    };
    // Nothing else runs on this strand until the alarm is set, so no wake is lost.
    const auto listening = listen(std::move(wake));
    co_await resting->alarm.async_wait(as_result);
    boost::system::error_code ignored;
    state_->socket.cancel(ignored);
    co_return (!resting->gone && state_->socket.is_open());
}

bool TimedSocket::peer_gone() { return !state_->socket.is_open() || is_at_end(state_->socket); }

asio::awaitable<void> TimedSocket::finish(Time deadline) {
    if (state_->secured) {
        const Watch watch(state_, deadline);
        co_await state_->secured->async_shutdown(as_result);
        state_->secured.reset();  // what still comes is only thrown away
    }
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
