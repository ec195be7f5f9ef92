#include "server/bench/receiver.hpp"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <map>
#include <thread>
#include <utility>

#include "adapters/system/clocks.hpp"
#include "application/ports/failures.hpp"

namespace sundial::bench {
namespace {

constexpr std::string_view answer = "HTTP/1.1 204 No Content\r\n\r\n";

/// The value of a header. The benchmark's own client spells each name in only one way.
std::string_view header(std::string_view head, std::string_view name) {
    const auto at = head.find(name);
    if (at == std::string_view::npos) return {};
    const auto begin = at + name.size();
    return head.substr(begin, head.find('\r', begin) - begin);
}

/// The requests of one connection.
class Conversation {
public:
    void read(std::string_view bytes, Instant at, const Receiver::Received& received) {
        if (unread_.empty()) first_bytes_ = at;
        unread_.append(bytes);
        while (take_request(received)) first_bytes_ = at;
    }
    /// The responses to send now.
    [[nodiscard]] std::string take_answers() { return std::exchange(answers_, {}); }

private:
    bool take_request(const Receiver::Received& received) {
        const auto end = unread_.find("\r\n\r\n");
        if (end == std::string::npos) return false;
        const std::string_view head = std::string_view(unread_).substr(0, end + 2);
        const std::string_view length = header(head, "\r\nContent-Length: ");
        std::size_t body = 0;
        std::from_chars(length.data(), length.data() + length.size(), body);
        if (unread_.size() < end + 4 + body) return false;
        received(header(head, "\r\nwebhook-id: "), first_bytes_);
        answers_ += answer;
        unread_.erase(0, end + 4 + body);
        return true;
    }

    std::string unread_;
    std::string answers_;
    Instant first_bytes_{};
};

[[noreturn]] void fail(const char* what) {
    throw CannotStart(std::string("the receiver of the benchmark: ") + what);
}

void watch(int poll, int descriptor) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = descriptor;
    if (::epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event) != 0) fail("epoll_ctl");
}

}  // namespace

class Receiver::Loop {
public:
    explicit Loop(Received received) : received_(std::move(received)) {
        listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof(address);
        auto* const plain = reinterpret_cast<sockaddr*>(&address);
        constexpr int waiting = 1024;
        if (listener_ < 0 || ::bind(listener_, plain, size) != 0 ||
            ::listen(listener_, waiting) != 0 || ::getsockname(listener_, plain, &size) != 0) {
            fail("no free port");
        }
        port_ = ntohs(address.sin_port);
        poll_ = ::epoll_create1(EPOLL_CLOEXEC);
        stop_ = ::eventfd(0, EFD_CLOEXEC);
        if (poll_ < 0 || stop_ < 0) fail("epoll");
        watch(poll_, listener_);
        watch(poll_, stop_);
        thread_ = std::thread([this] { run(); });
    }
    ~Loop() {
        ::eventfd_write(stop_, 1);
        thread_.join();
        for (const auto& [descriptor, conversation] : conversations_) ::close(descriptor);
        for (const int descriptor : {listener_, poll_, stop_}) ::close(descriptor);
    }
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;

    [[nodiscard]] std::uint16_t port() const { return port_; }

private:
    void run() {
        std::array<epoll_event, 128> events{};
        for (;;) {
            const int count =
                ::epoll_wait(poll_, events.data(), static_cast<int>(events.size()), -1);
            for (int i = 0; i < count; ++i) {
                const int descriptor = events[static_cast<std::size_t>(i)].data.fd;
                if (descriptor == stop_) return;
                if (descriptor == listener_) {
                    accept();
                } else if (!talk(descriptor)) {
                    conversations_.erase(descriptor);
                    ::close(descriptor);
                }
            }
        }
    }

    void accept() {
        const int descriptor = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (descriptor < 0) return;
        const int on = 1;
        ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
        conversations_.try_emplace(descriptor);
        watch(poll_, descriptor);
    }

    /// False once the client has disconnected.
    bool talk(int descriptor) {
        const auto size = ::recv(descriptor, buffer_.data(), buffer_.size(), 0);
        if (size <= 0) return false;
        Conversation& conversation = conversations_[descriptor];
        conversation.read({buffer_.data(), static_cast<std::size_t>(size)}, system::real_time(),
                          received_);
        const std::string answers = conversation.take_answers();
        return ::send(descriptor, answers.data(), answers.size(), MSG_NOSIGNAL) ==
               static_cast<ssize_t>(answers.size());
    }

    Received received_;
    int listener_ = -1, poll_ = -1, stop_ = -1;
    std::uint16_t port_ = 0;
    std::map<int, Conversation> conversations_;
    std::array<char, 64UL * 1024> buffer_{};
    std::thread thread_;
};

Receiver::Receiver(Received received) : loop_(std::make_unique<Loop>(std::move(received))) {}
Receiver::~Receiver() = default;

std::string Receiver::url() const {
    return "http://127.0.0.1:" + std::to_string(loop_->port()) + "/hook";
}

}  // namespace sundial::bench
