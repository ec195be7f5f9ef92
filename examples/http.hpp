// Shared by the examples with HTTP: a small server on this machine, and requests to it.
#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support.hpp"

/// The value of a header, whose name is in lower case in `message`; empty if there is none.
inline std::string header(const std::string& message, const std::string& name) {
    const auto at = message.find("\r\n" + name + ": ");
    if (at == std::string::npos) return {};
    const auto begin = at + name.size() + 4;
    return message.substr(begin, message.find("\r\n", begin) - begin);
}

inline std::string body_of(const std::string& message) {
    const auto end = message.find("\r\n\r\n");
    return end == std::string::npos ? std::string{} : message.substr(end + 4);
}

/// A whole message, with the names of its headers in lower case.
inline std::string read_message(int socket) {
    std::string message;
    char bytes[4096];
    for (;;) {
        const auto end = message.find("\r\n\r\n");
        if (end != std::string::npos) {
            std::string head = message.substr(0, end + 4);
            bool in_value = true;  // the first line has no name
            for (char& c : head) {
                if (c == '\n') in_value = false;
                if (c == ':') in_value = true;
                if (!in_value && c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
            }
            const auto length =
                static_cast<std::size_t>(std::atol(header(head, "content-length").c_str()));
            if (message.size() >= end + 4 + length) return head + message.substr(end + 4);
        }
        const auto read = recv(socket, bytes, sizeof bytes, 0);
        if (read <= 0) return message;
        message.append(bytes, static_cast<std::size_t>(read));
    }
}

/// A response: "201 Created", headers that each end with "\r\n", and a body.
inline std::string response(const std::string& status, const std::string& headers = {},
                            const std::string& body = {}) {
    return "HTTP/1.1 " + status + "\r\n" + headers +
           "Content-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" +
           body;
}

/// Answers each request with `answer(request)`, in a thread of its own.
class HttpServer {
public:
    using Answer = std::function<std::string(const std::string& request)>;

    explicit HttpServer(Answer answer)
        : answer_{std::move(answer)}, socket_{socket(AF_INET, SOCK_STREAM, 0)} {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* const any = reinterpret_cast<sockaddr*>(&address);
        require(bind(socket_, any, size) == 0 && listen(socket_, 64) == 0 &&
                    getsockname(socket_, any, &size) == 0,
                "the server listens");
        port_ = ntohs(address.sin_port);
        serving_ = std::jthread{[this] { serve(); }};
    }
    ~HttpServer() {
        shutdown(socket_, SHUT_RDWR);
        serving_.join();
        close(socket_);
    }
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;
    [[nodiscard]] std::uint16_t port() const { return port_; }

private:
    void serve() {
        std::vector<std::jthread> requests;
        for (;;) {
            const int client = accept(socket_, nullptr, nullptr);
            if (client < 0) return;
            requests.emplace_back([this, client] {
                const std::string answer = answer_(read_message(client));
                send(client, answer.data(), answer.size(), MSG_NOSIGNAL);
                close(client);
            });
        }
    }

    const Answer answer_;
    const int socket_;
    std::uint16_t port_ = 0;
    std::jthread serving_;
};

/// Sends a request to a server on this machine. The response; empty if there was none.
inline std::string send_request(std::uint16_t port, const std::string& request) {
    const int connection = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    std::string answer;
    if (connect(connection, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
        send(connection, request.data(), request.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(request.size())) {
        answer = read_message(connection);
    }
    close(connection);
    return answer;
}
