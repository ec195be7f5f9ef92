#include "adapters/system/service_manager.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <filesystem>

#include "application/ports/failures.hpp"
#include "support/temporary_folder.hpp"

namespace sundial::system {
namespace {

using namespace std::chrono_literals;

/// The manager's side: a datagram socket at `name`, a path or '@' and a name without a file.
class ManagerSocket {
public:
    explicit ManagerSocket(std::string name) : name_(std::move(name)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        name_.copy(address.sun_path, sizeof address.sun_path - 1);
        if (name_.front() == '@') address.sun_path[0] = '\0';
        const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name_.size());
        descriptor_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        EXPECT_EQ(::bind(descriptor_, reinterpret_cast<const sockaddr*>(&address), size), 0);
    }
    ~ManagerSocket() {
        ::close(descriptor_);
        if (name_.front() != '@') std::filesystem::remove(name_);
    }
    ManagerSocket(const ManagerSocket&) = delete;
    ManagerSocket& operator=(const ManagerSocket&) = delete;

    [[nodiscard]] const std::string& name() const { return name_; }
    /// The next datagram that has arrived; empty if none has.
    [[nodiscard]] std::string received() const {
        std::array<char, 1024> bytes{};
        const ssize_t size = ::recv(descriptor_, bytes.data(), bytes.size(), MSG_DONTWAIT);
        return size < 0 ? "" : std::string(bytes.data(), static_cast<std::size_t>(size));
    }

private:
    std::string name_;
    int descriptor_ = -1;
};

std::string own_pid() { return std::to_string(::getpid()); }

class ListeningSocket {
public:
    explicit ListeningSocket(bool listens = true) {
        descriptor_ = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        EXPECT_EQ(::bind(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address),
                  0);
        if (listens) EXPECT_EQ(::listen(descriptor_, 8), 0);
        socklen_t size = sizeof address;
        EXPECT_EQ(::getsockname(descriptor_, reinterpret_cast<sockaddr*>(&address), &size), 0);
        port_ = ntohs(address.sin_port);
    }
    ~ListeningSocket() { ::close(descriptor_); }
    ListeningSocket(const ListeningSocket&) = delete;
    ListeningSocket& operator=(const ListeningSocket&) = delete;

    [[nodiscard]] int descriptor() const { return descriptor_; }
    [[nodiscard]] std::uint16_t port() const { return port_; }

private:
    int descriptor_ = -1;
    std::uint16_t port_ = 0;
};

TEST(ServiceManagers, GetOneDatagramForEachNotification) {
    const TemporaryFolder folder;
    const ManagerSocket manager(folder.file("notify"));
    const ServiceManager service({.notify_socket = manager.name()});
    EXPECT_TRUE(service.notify("READY=1\nSTATUS=ready"));
    EXPECT_TRUE(service.notify("WATCHDOG=1"));
    EXPECT_EQ(manager.received(), "READY=1\nSTATUS=ready");
    EXPECT_EQ(manager.received(), "WATCHDOG=1");
    EXPECT_EQ(manager.received(), "");
}

TEST(ServiceManagers, MayListenAtANameWithoutAFile) {
    const ManagerSocket manager("@sundial-notify-" + own_pid());
    EXPECT_TRUE(ServiceManager({.notify_socket = manager.name()}).notify("STOPPING=1"));
    EXPECT_EQ(manager.received(), "STOPPING=1");
}

TEST(ServiceManagers, ThatAreGoneOrUnusableAreReported) {
    const TemporaryFolder folder;
    const std::string gone = folder.file("gone");
    EXPECT_FALSE(ServiceManager({.notify_socket = gone}).notify("READY=1"));
    EXPECT_FALSE(ServiceManager({.notify_socket = std::string(200, 'x')}).notify("READY=1"));
    EXPECT_TRUE(ServiceManager(ServiceEnvironment{}).notify("READY=1")) << "there is none";
}

TEST(ServiceManagers, WatchOnlyTheProcessTheyName) {
    const auto watchdog = [](const std::string& usec, const std::string& pid) {
        return ServiceManager({.watchdog_usec = usec, .watchdog_pid = pid}).watchdog();
    };
    EXPECT_EQ(watchdog("30000000", own_pid()), 30s);
    EXPECT_EQ(watchdog("30000000", ""), 30s);
    EXPECT_EQ(watchdog("30000000", "1"), std::nullopt);
    for (const char* const none : {"", "0", "-1", "30s"}) {
        EXPECT_EQ(watchdog(none, ""), std::nullopt) << none;
    }
}

TEST(InheritedSockets, HaveAnAddressAndAName) {
    const ListeningSocket socket;
    const auto sockets = inherited_sockets(
        {.listen_pid = own_pid(), .listen_fds = "1", .listen_names = "health:more"},
        socket.descriptor());
    ASSERT_EQ(sockets.size(), 1);
    EXPECT_EQ(sockets[0].name, "health");
    EXPECT_EQ(sockets[0].host, "127.0.0.1");
    EXPECT_EQ(sockets[0].port, socket.port());
    EXPECT_EQ(::fcntl(sockets[0].descriptor, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
}

TEST(InheritedSockets, BelongToTheProcessTheyWereGivenTo) {
    const ListeningSocket socket;
    EXPECT_TRUE(
        inherited_sockets({.listen_pid = "1", .listen_fds = "1"}, socket.descriptor()).empty());
    EXPECT_TRUE(inherited_sockets(ServiceEnvironment{}, socket.descriptor()).empty());
}

TEST(InheritedSockets, MustListenForTcp) {
    const ServiceEnvironment one{.listen_pid = own_pid(), .listen_fds = "1"};
    const ListeningSocket bound_only(false);
    EXPECT_THROW((void)inherited_sockets(one, bound_only.descriptor()), CannotStart);
    const int file = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    EXPECT_THROW((void)inherited_sockets(one, file), CannotStart);
    ::close(file);
}

}  // namespace
}  // namespace sundial::system
