#include "support/raw_http_client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <stdexcept>

#include "base/text.hpp"

namespace sundial {
std::optional<std::string> RawReply::field(std::string_view name) const {
    const std::string start = "\r\n" + base::lowered(name) + ": ";
    const std::size_t found = base::lowered(head).find(start);
    if (found == std::string::npos) return std::nullopt;
    const std::size_t begin = found + start.size();
    return head.substr(begin, head.find("\r\n", begin) - begin);
}

RawHttpClient::RawHttpClient(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const timeval timeout{.tv_sec = 120, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        ::close(socket_);
        throw std::runtime_error("cannot connect to port " + std::to_string(port));
    }
}

RawHttpClient::~RawHttpClient() { ::close(socket_); }

bool RawHttpClient::send(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

void RawHttpClient::finish_sending() { ::shutdown(socket_, SHUT_WR); }

std::optional<RawReply> RawHttpClient::read(bool head_only) {
    std::size_t end = 0;
    while ((end = received_.find("\r\n\r\n")) == std::string::npos) {
        if (!receive()) return std::nullopt;
    }
    RawReply reply;
    reply.head = received_.substr(0, end + 2);
    received_.erase(0, end + 4);
    reply.status = std::atoi(reply.head.substr(reply.head.find(' ') + 1, 3).c_str());
    if (head_only) return reply;
    const auto length =
        static_cast<std::size_t>(std::atol(reply.field("Content-Length").value_or("0").c_str()));
    while (received_.size() < length) {
        if (!receive()) throw std::runtime_error("the body ended too early");
    }
    reply.body = received_.substr(0, length);
    received_.erase(0, length);
    return reply;
}

bool RawHttpClient::closes() { return received_.empty() && !receive(); }

bool RawHttpClient::receive() {
    std::array<char, 16384> bytes{};
    const ssize_t count = ::recv(socket_, bytes.data(), bytes.size(), 0);
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        throw std::runtime_error("no answer within two minutes");
    }
    if (count <= 0) return false;
    received_.append(bytes.data(), static_cast<std::size_t>(count));
    return true;
}

}  // namespace sundial
