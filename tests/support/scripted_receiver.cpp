#include "support/scripted_receiver.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>

#include "support/loopback.hpp"

namespace sundial {
namespace {

/// Length of the complete request at the start of `text`; 0 if it is incomplete.
std::size_t whole_request(const std::string& text) {
    const auto end = text.find("\r\n\r\n");
    const auto field = text.find("Content-Length: ");
    if (end == std::string::npos) return 0;
    const bool has_body = field < end;
    const std::size_t size =
        end + 4 + (has_body ? std::strtoul(text.c_str() + field + 16, nullptr, 10) : 0);
    return text.size() >= size ? size : 0;
}

}  // namespace

ScriptedReceiver::ScriptedReceiver(Script script) : script_(std::move(script)) {
    const auto [listener, port] = listen_on_loopback(64);
    listener_ = listener;
    port_ = port;
    thread_ = std::thread([this] { run(); });
}

ScriptedReceiver::~ScriptedReceiver() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    {
        const std::lock_guard lock(mutex_);
        for (const int connection : open_) ::shutdown(connection, SHUT_RDWR);
    }
    for (std::thread& thread : serving_) thread.join();
    for (const int connection : open_) ::close(connection);
    ::close(listener_);
}

std::vector<std::string> ScriptedReceiver::requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
}

void ScriptedReceiver::run() {
    while (true) {
        const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (connection < 0) return;
        ++connections_;
        {
            const std::lock_guard lock(mutex_);
            open_.push_back(connection);
        }
        serving_.emplace_back([this, connection] { serve(connection); });
    }
}

void ScriptedReceiver::serve(int connection) {
    std::string text;
    char buffer[4096];
    while (true) {
        const ssize_t got = ::recv(connection, buffer, sizeof buffer, 0);
        if (got <= 0) {
            ++closed_;
            closed_.notify_all();
            return;
        }
        text.append(buffer, static_cast<std::size_t>(got));
        const std::size_t size = whole_request(text);
        if (size == 0) continue;
        const std::string request = text.substr(0, size);
        {
            const std::lock_guard lock(mutex_);
            requests_.push_back(request);
        }
        text.erase(0, size);
        if (script_.hold) continue;
        const std::string answer = script_.answer_to ? script_.answer_to(request) : script_.answer;
        (void)::send(connection, answer.data(), answer.size(), MSG_NOSIGNAL);
        if (script_.close_after || answer.empty()) {
            ::shutdown(connection, SHUT_RDWR);
            return;
        }
    }
}

}  // namespace sundial
