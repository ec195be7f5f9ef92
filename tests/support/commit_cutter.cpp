#include "support/commit_cutter.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string_view>

#include "support/loopback.hpp"

namespace sundial {
namespace {

/// Part of a Parse message: the statement without a name, without parameters.
constexpr std::string_view commit{"\0COMMIT\0", 8};

bool pass_on(int to, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

/// The received bytes; empty at the end of the connection.
std::string_view receive(int from, std::array<char, 65536>& buffer) {
    const ssize_t got = ::recv(from, buffer.data(), buffer.size(), 0);
    return {buffer.data(), got > 0 ? static_cast<std::size_t>(got) : 0U};
}

/// Changes the session number of a BackendKeyData message in `bytes`, if there is one.
void change_session(std::string_view bytes, std::array<char, 65536>& buffer) {
    constexpr std::string_view key_data{"K\0\0\0\x0c", 5};
    const auto at = bytes.find(key_data);
    if (at != std::string_view::npos) ++buffer.at(at + key_data.size() + 3);
}

void close_both_ways(int socket) { ::shutdown(socket, SHUT_RDWR); }

}  // namespace

CommitCutter::CommitCutter(const std::string& url) {
    const std::string host = "host=";
    const auto folder = url.substr(url.find(host) + host.size());
    server_socket_ = folder + "/.s.PGSQL.5432";
    const auto [listener, port] = listen_on_loopback(64);
    listener_ = listener;
    url_ = url.substr(0, url.find(host)) + "host=127.0.0.1&port=" + std::to_string(port) +
           "&sslmode=disable&gssencmode=disable";
    accepting_ = std::thread([this] { accept_all(); });
}

CommitCutter::~CommitCutter() {
    close_both_ways(listener_);
    accepting_.join();
    {
        const std::lock_guard lock(mutex_);
        for (const int socket : sockets_) close_both_ways(socket);
    }
    for (std::thread& thread : serving_) thread.join();
    for (const int socket : sockets_) ::close(socket);
    ::close(listener_);
}

void CommitCutter::accept_all() {
    while (true) {
        const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (client < 0) return;
        if (!open_) {
            ::close(client);
            continue;
        }
        serving_.emplace_back([this, client] { serve(client); });
    }
}

int CommitCutter::connect_to_server() const {
    const int server = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, server_socket_.c_str(), sizeof address.sun_path - 1);
    (void)::connect(server, reinterpret_cast<sockaddr*>(&address), sizeof address);
    return server;
}

void CommitCutter::serve(int client) {
    const int server = connect_to_server();
    {
        const std::lock_guard lock(mutex_);
        sockets_.push_back(client);
        sockets_.push_back(server);
    }
    std::array<char, 65536> buffer{};
    std::array<pollfd, 2> ends{{{.fd = client, .events = POLLIN, .revents = 0},
                                {.fd = server, .events = POLLIN, .revents = 0}}};
    bool drop_reply = false;
    while (::poll(ends.data(), ends.size(), -1) > 0) {
        if (ends[0].revents != 0) {
            const auto bytes = receive(client, buffer);
            if (bytes.empty()) break;
            const bool commits = bytes.find(commit) != std::string_view::npos;
            const Cut cut = commits ? cut_.exchange(Cut::nothing) : Cut::nothing;
            if (cut != Cut::nothing) ++cuts_;
            if (cut == Cut::commit || !pass_on(server, bytes)) break;
            drop_reply = drop_reply || cut == Cut::reply;
            if (cut == Cut::client) {
                close_both_ways(client);
                (void)receive(server, buffer);  // so that the server does not notice first
                break;
            }
        }
        if (ends[1].revents != 0) {
            const auto bytes = receive(server, buffer);
            if (poses_) change_session(bytes, buffer);
            if (bytes.empty() || drop_reply || !pass_on(client, bytes)) break;
        }
    }
    close_both_ways(client);
    close_both_ways(server);
}

}  // namespace sundial
