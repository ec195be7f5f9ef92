#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sundial::system {

/// The variables by which a service manager, such as systemd, addresses a process
/// (sd_notify(3), sd_watchdog_enabled(3), sd_listen_fds(3)). Empty: not set.
struct ServiceEnvironment {
    std::string notify_socket{};  // NOTIFY_SOCKET
    std::string watchdog_usec{};  // WATCHDOG_USEC
    std::string watchdog_pid{};   // WATCHDOG_PID
    std::string listen_pid{};     // LISTEN_PID
    std::string listen_fds{};     // LISTEN_FDS
    std::string listen_names{};   // LISTEN_FDNAMES

    [[nodiscard]] static ServiceEnvironment of_this_process();
};

/// Reports to the service manager. Without one, does nothing.
class ServiceManager {
public:
    explicit ServiceManager(const ServiceEnvironment& environment);

    /// Sends assignments, one a line, such as "READY=1\nSTATUS=ready". Never waits. False if the
    /// manager did not get them.
    bool notify(std::string_view assignments) const noexcept;
    /// The manager restarts a process that sends no "WATCHDOG=1" for this long; empty: it does not.
    [[nodiscard]] std::optional<std::chrono::microseconds> watchdog() const { return watchdog_; }

private:
    std::string socket_;
    std::optional<std::chrono::microseconds> watchdog_;
};

/// A listening socket that the service manager opened, and keeps open while this process restarts.
struct InheritedSocket {
    int descriptor;
    std::string name;  // of the socket, or of its unit
    std::string host;  // numeric, without brackets
    std::uint16_t port;
};

/// The manager's sockets, which have the numbers from `first` on. A process that they start gets
/// none of them. Throws CannotStart if one is not a listening TCP socket.
[[nodiscard]] std::vector<InheritedSocket> inherited_sockets(const ServiceEnvironment& environment,
                                                             int first = 3);

}  // namespace sundial::system
