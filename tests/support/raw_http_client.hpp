#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sundial {

/// An answer as it came over the wire.
struct RawReply {
    int status = 0;
    std::string head;  // status line and fields, as sent
    std::string body;

    /// The value of a header field, looked for in any case.
    [[nodiscard]] std::optional<std::string> field(std::string_view name) const;
};

/// A blocking loopback connection that sends exactly the bytes it is given. Gives up, with an
/// exception, when an answer takes longer than 20 seconds.
class RawHttpClient {
public:
    explicit RawHttpClient(std::uint16_t port);
    ~RawHttpClient();
    RawHttpClient(const RawHttpClient&) = delete;
    RawHttpClient& operator=(const RawHttpClient&) = delete;

    /// False if the other side has closed.
    bool send(std::string_view bytes);
    void finish_sending();

    /// The next answer; nothing if the other side closed before one began. `head_only`: it answers
    /// HEAD, so no body follows.
    std::optional<RawReply> read(bool head_only = false);
    /// Waits until the other side has closed; false if it sends something instead.
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
