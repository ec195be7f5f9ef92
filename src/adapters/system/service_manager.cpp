#include "adapters/system/service_manager.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "adapters/system/process.hpp"
#include "application/ports/failures.hpp"

namespace sundial::system {
namespace {

std::string variable(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

std::optional<std::int64_t> number_in(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

/// The variables may have been inherited from a parent that they were meant for.
bool is_for_this_process(std::string_view pid) { return number_in(pid) == process_id(); }

bool listens(int descriptor) {
    int answer = 0;
    socklen_t size = sizeof answer;
    return ::getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &answer, &size) == 0 && answer == 1;
}

/// Fills in host and port; false if it does not listen for TCP.
bool read_address(InheritedSocket& socket) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    if (::getsockname(socket.descriptor, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
        return false;
    }
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (address.ss_family == AF_INET) {
        sockaddr_in v4{};
        std::memcpy(&v4, &address, sizeof v4);
        ::inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
        socket.port = ntohs(v4.sin_port);
    } else if (address.ss_family == AF_INET6) {
        sockaddr_in6 v6{};
        std::memcpy(&v6, &address, sizeof v6);
        ::inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
        socket.port = ntohs(v6.sin6_port);
    } else {
        return false;
    }
    socket.host = text.data();
    return true;
}

}  // namespace

ServiceEnvironment ServiceEnvironment::of_this_process() {
    return {.notify_socket = variable("NOTIFY_SOCKET"),
            .watchdog_usec = variable("WATCHDOG_USEC"),
            .watchdog_pid = variable("WATCHDOG_PID"),
            .listen_pid = variable("LISTEN_PID"),
            .listen_fds = variable("LISTEN_FDS"),
            .listen_names = variable("LISTEN_FDNAMES")};
}

ServiceManager::ServiceManager(const ServiceEnvironment& environment)
    : socket_(environment.notify_socket) {
    const auto limit = number_in(environment.watchdog_usec);
    const bool meant =
        environment.watchdog_pid.empty() || is_for_this_process(environment.watchdog_pid);
    if (limit && *limit > 0 && meant) watchdog_ = std::chrono::microseconds{*limit};
}

bool ServiceManager::notify(std::string_view assignments) const noexcept {
    if (socket_.empty()) return true;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (socket_.size() >= sizeof address.sun_path) return false;
    std::ranges::copy(socket_, address.sun_path);
    if (socket_.front() == '@') address.sun_path[0] = '\0';  // a name without a file
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
    const int sender = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (sender < 0) return false;
    const ssize_t sent = ::sendto(sender, assignments.data(), assignments.size(), MSG_NOSIGNAL,
                                  reinterpret_cast<const sockaddr*>(&address), size);
    ::close(sender);
    return sent == static_cast<ssize_t>(assignments.size());
}

std::vector<InheritedSocket> inherited_sockets(const ServiceEnvironment& environment, int first) {
    if (!is_for_this_process(environment.listen_pid)) return {};
    std::vector<InheritedSocket> sockets;
    std::string_view names = environment.listen_names;
    const auto count = std::min<std::int64_t>(number_in(environment.listen_fds).value_or(0), 64);
    for (int index = 0; index < count; ++index) {
        const auto colon = names.find(':');
        InheritedSocket socket{.descriptor = first + index,
                               .name = std::string(names.substr(0, colon)),
                               .host = {},
                               .port = 0};
        names = colon == std::string_view::npos ? std::string_view{} : names.substr(colon + 1);
        if (!listens(socket.descriptor) || !read_address(socket)) {
            throw CannotStart("LISTEN_FDS: socket " + std::to_string(index + 1) +
                              " is not a listening TCP socket. Use ListenStream= with an address "
                              "and a port, and Accept=no");
        }
        ::fcntl(socket.descriptor, F_SETFD, FD_CLOEXEC);
        sockets.push_back(std::move(socket));
    }
    return sockets;
}

}  // namespace sundial::system
