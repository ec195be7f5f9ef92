#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <stdexcept>

namespace sundial {

/// A socket with a free port of 127.0.0.1. The caller closes it.
struct LoopbackListener {
    int socket;
    std::uint16_t port;
};

/// Refuses connections, and no other program can listen there. Throws std::runtime_error.
inline LoopbackListener bind_to_loopback() {
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
        throw std::runtime_error("no port on the loopback interface");
    }
    return {.socket = listener, .port = ntohs(address.sin_port)};
}

/// `backlog`: connections that wait to be accepted. Throws std::runtime_error.
inline LoopbackListener listen_on_loopback(int backlog) {
    const LoopbackListener bound = bind_to_loopback();
    if (::listen(bound.socket, backlog) != 0) {
        throw std::runtime_error("cannot listen on the loopback interface");
    }
    return bound;
}

}  // namespace sundial
