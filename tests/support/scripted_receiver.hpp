#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace sundial {

/// A TCP receiver on a free loopback port. It reads one HTTP request per connection and responds
/// with the given bytes, valid or not; if they are empty, it closes without a response. `hold`: it
/// never responds.
class ScriptedReceiver {
public:
    struct Script {
        std::string answer = "HTTP/1.1 204 No Content\r\n\r\n";
        bool close_after = false;
        bool hold = false;
        /// Instead of `answer`: the response to `request`. Called on several threads.
        std::function<std::string(const std::string& request)> answer_to{};
    };
    explicit ScriptedReceiver(Script script);
    ~ScriptedReceiver();
    ScriptedReceiver(const ScriptedReceiver&) = delete;
    ScriptedReceiver& operator=(const ScriptedReceiver&) = delete;

    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] std::string url() const {
        return "http://127.0.0.1:" + std::to_string(port_) + "/hook?x=1";
    }
    /// Complete requests, as received.
    [[nodiscard]] std::vector<std::string> requests() const;
    [[nodiscard]] int connections() const { return connections_; }
    /// Waits until `count` senders have closed their connections.
    void wait_for_closed(int count) const {
        for (int closed = closed_; closed < count; closed = closed_) closed_.wait(closed);
    }

private:
    void run();
    void serve(int connection);

    Script script_;
    int listener_ = -1;
    std::uint16_t port_ = 0;
    mutable std::mutex mutex_;
    std::vector<std::string> requests_;
    std::vector<int> open_;
    std::vector<std::thread> serving_;
    std::atomic<int> connections_{0};
    std::atomic<int> closed_{0};
    std::thread thread_;
};

}  // namespace sundial
