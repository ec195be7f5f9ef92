// An engine that delivers signed webhooks itself, to a receiver in this program. The receiver's
// first answer is lost, so the request comes again: the receiver knows it by its `webhook-id`.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <set>
#include <string>
#include <sundial/engine.hpp>
#include <thread>

#include "support.hpp"

namespace {

using namespace std::chrono_literals;

/// The value of a header, whose name is in lower case in `request`.
std::string header(const std::string& request, const std::string& name) {
    const auto at = request.find("\r\n" + name + ": ");
    if (at == std::string::npos) return {};
    const auto begin = at + name.size() + 4;
    return request.substr(begin, request.find("\r\n", begin) - begin);
}

/// A small HTTP server on this machine, for one request at a time.
class Receiver {
public:
    Receiver() : socket_{socket(AF_INET, SOCK_STREAM, 0)} {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* const any = reinterpret_cast<sockaddr*>(&address);
        require(bind(socket_, any, size) == 0 && listen(socket_, 8) == 0 &&
                    getsockname(socket_, any, &size) == 0,
                "the receiver listens");
        port_ = ntohs(address.sin_port);
        serving_ = std::jthread{[this] { serve(); }};
    }
    ~Receiver() {
        shutdown(socket_, SHUT_RDWR);
        serving_.join();
        close(socket_);
    }
    Receiver(const Receiver&) = delete;
    Receiver& operator=(const Receiver&) = delete;
    [[nodiscard]] std::uint16_t port() const { return port_; }

    /// To be read after the deliveries.
    int requests = 0, unsigned_requests = 0, booked = 0;

private:
    void serve() {
        for (;;) {
            const int client = accept(socket_, nullptr, nullptr);
            if (client < 0) return;
            const std::string request = read_from(client);
            const std::string answer = answer_to(request);
            if (send(client, answer.data(), answer.size(), MSG_NOSIGNAL) < 0) ++unsigned_requests;
            close(client);
        }
    }
    static std::string read_from(int client) {
        std::string request;
        char bytes[4096];
        for (;;) {
            const auto end = request.find("\r\n\r\n");
            if (end != std::string::npos) {
                std::string head = request.substr(0, end + 2);
                for (char& c : head) {
                    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
                }
                const auto length =
                    static_cast<std::size_t>(std::atol(header(head, "content-length").c_str()));
                if (request.size() >= end + 4 + length) return head + request.substr(end + 4);
            }
            const auto read = recv(client, bytes, sizeof bytes, 0);
            if (read <= 0) return request;
            request.append(bytes, static_cast<std::size_t>(read));
        }
    }
    std::string answer_to(const std::string& request) {
        ++requests;
        if (header(request, "webhook-signature").empty()) ++unsigned_requests;
        if (known_.insert(header(request, "webhook-id")).second) ++booked;
        const char* const status = requests == 1 ? "503 Service Unavailable" : "200 OK";
        return std::string{"HTTP/1.1 "} + status +
               "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    }

    int socket_;
    std::uint16_t port_ = 0;
    std::set<std::string> known_;
    std::jthread serving_;
};

}  // namespace

int main() {
    const TemporaryFolder folder;
    Receiver receiver;
    sundial::WebhookOptions webhooks;
    webhooks.key_file = folder.file("keys");
    webhooks.allow_private = true;  // this machine
    webhooks.ports = {receiver.port()};
    auto engine =
        sundial::Engine::open({.storage = "memory:", .test_clock = true, .webhooks = webhooks});
    require(bool{engine}, "the engine opens");
    sundial::NewEndpoint billing;
    billing.name = "billing";
    billing.url = "http://127.0.0.1:" + std::to_string(receiver.port()) + "/hook";
    require(bool{engine->put_endpoint(billing)}, "the endpoint is stored");
    const auto now = engine->now();
    require(bool{now}, "the storage has a clock");
    const auto invoice = engine->schedule({.type = "INVOICE",
                                           .at = *now + 1h,
                                           .payload = R"({"cents":1250})",
                                           .endpoint = "ext:billing"});
    require(bool{invoice}, "the event is scheduled");

    require(bool{engine->advance(2h)}, "the clock advances");
    const auto delivered = engine->find_event(invoice->id);
    require(delivered && delivered->status == "COMPLETED" && receiver.requests == 2,
            "the webhook was delivered at the second attempt");
    require(receiver.unsigned_requests == 0, "each request is signed");
    require(receiver.booked == 1, "the invoice was booked once");
    std::cout << receiver.requests << " requests, " << receiver.booked << " invoice\n";
}
