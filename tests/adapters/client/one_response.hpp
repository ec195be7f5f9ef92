#pragma once

#include <cstddef>
#include <string>

#include "sundial/client.hpp"
#include "support/scripted_receiver.hpp"

namespace sundial {

/// A server that gives one response to each request.
class OneResponse {
public:
    OneResponse(int status, const std::string& body)
        : server_({.answer = "HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Length: " +
                             std::to_string(body.size()) + "\r\n\r\n" + body}) {}
    [[nodiscard]] Client client() const {
        return Client{{.server = "http://127.0.0.1:" + std::to_string(server_.port()),
                       .retry = {.max_attempts = 1}}};
    }
    [[nodiscard]] std::string request() const { return server_.requests().at(0); }
    [[nodiscard]] std::size_t count() const { return server_.requests().size(); }

private:
    ScriptedReceiver server_;
};

}  // namespace sundial
