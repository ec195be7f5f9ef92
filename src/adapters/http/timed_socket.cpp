#include "adapters/http/timed_socket.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <optional>
#include <tuple>
#include <utility>

namespace sundial::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr auto as_result = asio::as_tuple(asio::use_awaitable);

/// Polling interval for a disconnect once there are unread bytes, because the socket then no longer
/// reports the end behind them.
constexpr auto between_checks = std::chrono::seconds{1};

/// A client that takes less than this within the time of a write is too slow.
constexpr std::size_t bytes_at_once = 64UL * 1024;

/// The other side has closed or reset the connection. Unread bytes may remain, such as a next
/// request or the TLS close_notify.
bool is_at_end(tcp::socket& socket) {
    pollfd asked{.fd = socket.native_handle(), .events = POLLRDHUP, .revents = 0};
    constexpr int at_once = 0;
    const int ready = ::poll(&asked, 1, at_once);
    return ready > 0 && (asked.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) != 0;
}

}  // namespace

struct TimedSocket::State {
    State(tcp::socket connected, std::shared_ptr<asio::ssl::context> with)
        : socket(std::move(connected)), context(std::move(with)), timer(socket.get_executor()) {
        if (context) secured.emplace(socket, *context);
    }

    tcp::socket socket;
    // Lives as long as its stream, because a renewal may replace it.
    std::shared_ptr<asio::ssl::context> context;
    std::optional<asio::ssl::stream<tcp::socket&>> secured;
    asio::steady_timer timer;
    bool timed_out = false;
};

/// Cancels the socket's operations at the deadline; active from construction to destruction.
class TimedSocket::Watch {
public:
    Watch(const std::shared_ptr<State>& state, Time deadline) : state_(*state) {
        state_.timed_out = false;
        state_.timer.expires_at(deadline);
        state_.timer.async_wait([weak = std::weak_ptr(state)](boost::system::error_code cancelled) {
            const auto watched = weak.lock();
            if (cancelled || !watched) return;
            // A timer may fire just as its watch ends. The next watch has then moved its expiry to
            // the future.
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
                                         std::chrono::milliseconds at_most) {
    do {
        const std::string_view of_head = head.substr(0, bytes_at_once);
        const std::string_view of_body = body.substr(0, bytes_at_once - of_head.size());
        const std::array<asio::const_buffer, 2> bytes{asio::buffer(of_head), asio::buffer(of_body)};
        const Watch watch(state_, std::chrono::steady_clock::now() + at_most);
        boost::system::error_code failure;
        if (state_->secured) {
            std::tie(failure, std::ignore) =
                co_await asio::async_write(*state_->secured, bytes, as_result);
        } else {
            std::tie(failure, std::ignore) =
                co_await asio::async_write(state_->socket, bytes, as_result);
        }
        if (failure) co_return false;
        head.remove_prefix(of_head.size());
        body.remove_prefix(of_body.size());
    } while (!head.empty() || !body.empty());
    co_return true;
}

bool TimedSocket::timed_out() const { return state_->timed_out; }

asio::awaitable<bool> TimedSocket::rest(Time deadline, Listen listen) {
    // Shared with `wake`, which may be called after the wait has ended.
    struct Rest {
        explicit Rest(const asio::any_io_executor& strand) : alarm(strand) {}
        asio::steady_timer alarm;
        bool gone = false;
        bool woken = false;
        bool unread = false;  // there are unread bytes that do not end the connection
    };
    const auto resting = std::make_shared<Rest>(executor());
    state_->socket.async_wait(tcp::socket::wait_read, [resting, weak = std::weak_ptr(state_)](
                                                          boost::system::error_code failure) {
        const auto state = weak.lock();
        const bool closed = !state || !state->socket.is_open();
        if (failure == asio::error::operation_aborted && !closed) return;  // the wait has ended
        resting->gone = closed || failure || is_at_end(state->socket);
        resting->unread = !resting->gone;
        resting->alarm.cancel();
    });
    // Holds nothing that the server owns, because it may outlive the server.
    std::function<void()> wake = [weak = std::weak_ptr(resting)] {
        const auto woken = weak.lock();
        if (!woken) return;
        asio::post(woken->alarm.get_executor(), [weak] {
            const auto still_there = weak.lock();
            if (!still_there) return;
            still_there->woken = true;
            still_there->alarm.cancel();
        });
    };
    const auto listening = listen(std::move(wake));
    // Other handlers of this strand run only while the alarm is awaited, so no wake-up is missed.
    bool over = false;
    while (!over) {
        const Time next_check = std::chrono::steady_clock::now() + between_checks;
        resting->alarm.expires_at(resting->unread ? std::min(deadline, next_check) : deadline);
        co_await resting->alarm.async_wait(as_result);
        if (!state_->socket.is_open()) break;
        if (resting->unread) resting->gone = is_at_end(state_->socket);
        over = resting->gone || resting->woken || std::chrono::steady_clock::now() >= deadline;
    }
    boost::system::error_code ignored;
    state_->socket.cancel(ignored);
    co_return (!resting->gone && state_->socket.is_open());
}

bool TimedSocket::peer_gone() { return !state_->socket.is_open() || is_at_end(state_->socket); }

asio::awaitable<void> TimedSocket::finish(Time deadline) {
    if (state_->secured) {
        const Watch watch(state_, deadline);
        co_await state_->secured->async_shutdown(as_result);
        state_->secured.reset();  // further input is discarded
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
