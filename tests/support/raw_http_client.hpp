#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sundial {

/// A response as received.
struct RawReply {
    int status = 0;
    std::string head;  // status line and fields, as received
    std::string body;

    /// The value of a header field; ignores case.
    [[nodiscard]] std::optional<std::string> field(std::string_view name) const;
};

/// A blocking loopback connection that sends exactly the given bytes. Throws if a response takes
/// longer than two minutes.
class RawHttpClient {
public:
    explicit RawHttpClient(std::uint16_t port);
    ~RawHttpClient();
    RawHttpClient(const RawHttpClient&) = delete;
    RawHttpClient& operator=(const RawHttpClient&) = delete;

    /// False if the server has closed the connection.
    bool send(std::string_view bytes);
    void finish_sending();

    /// The next response; empty if the server closes before one begins. `head_only`: the response
    /// to HEAD, which has no body.
    std::optional<RawReply> read(bool head_only = false);
    /// Waits until the server closes the connection; false if it sends something instead.
    bool closes();

    std::optional<RawReply> ask(std::string_view request) {
        send(request);
        return read();
    }

private:
    bool receive();

    int socket_;
    std::string received_;
};

}  // namespace sundial
