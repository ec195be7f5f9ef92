#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "adapters/http/problem.hpp"
#include "adapters/http/server.hpp"
#include "support/raw_http_client.hpp"
#include "support/recorded_log.hpp"

namespace sundial::http {

using namespace std::chrono_literals;

struct Observed {
    std::string method;
    std::string route;
    int status;
};

class RecordedRequests : public RequestObserver {
public:
    void answered(const AnsweredRequest& request) override {
        const std::lock_guard lock(mutex_);
        requests_.push_back(
            {std::string(request.method), std::string(request.route), request.status});
    }
    void note_shortage(Shortage of) override {
        const std::lock_guard lock(mutex_);
        shortages_.push_back(of);
    }
    [[nodiscard]] std::vector<Shortage> shortages() const {
        const std::lock_guard lock(mutex_);
        return shortages_;
    }
    [[nodiscard]] std::vector<Observed> requests() const {
        const std::lock_guard lock(mutex_);
        return requests_;
    }

private:
    mutable std::mutex mutex_;
    std::vector<Observed> requests_;
    std::vector<Shortage> shortages_;
};

/// A real server on a free loopback port. "/wait" is answered once release() was called; "/large"
/// has more bytes than a socket holds; "/poll" says "late" once wake() was called, and "nothing"
/// after an hour; "/with-key" is as if a key were shown, "/no-key" asks for one; "/refused" was
/// one request too many; all is echoed.
class ServerTest : public testing::Test {
protected:
    ServerTest() { settings_.port = 0; }
    ~ServerTest() override { release(); }

    void start() {
        ServerWorld world{
            .now = [] { return std::chrono::sys_seconds{784111777s}; },
            .new_uuid =
                [this] {
                    base::Uuid uuid;
                    uuid.bytes.back() = ++last_id_;
                    return uuid;
                },
            .never_blocks = [](const Request& request) { return request.path == "/at-once"; }};
        auto answer = [this](const Request& request) { return answer_to(request); };
        server_ = std::make_unique<HttpServer>(settings_, std::move(world), std::move(answer),
                                               observed_, log_);
        port_ = server_->listen();
    }
    /// The only handler thread is busy, so the response is ready after the client has disconnected.
    /// The client sends `last` before.
    template <class Client>
    void lose_an_answer(const std::string& last = {}) {
        settings_.handler_threads = 1;
        start();
        Client busy(port_);
        {
            Client client(port_);
            client.send(get("/poll"));
            until_listening(1);
            busy.send(get("/wait"));
            until_waiting(1);
            has_news_ = true;
            wake();
            until_listening(0);
            if (!last.empty()) client.send(last);
        }
        release();
    }
    void release() {
        if (!released_.exchange(true)) go_on_.set_value();
    }

    Response answer_to(const Request& request) {
        if (request.path == "/wait") {
            ++waiting_;
            waiting_.notify_all();
            may_go_on_.wait();
        }
        if (request.path.starts_with("/heavy")) return heavy(request.path);
        if (request.path == "/poll") return poll();
        if (request.path == "/stream") return stream();
        Response response = json(200, request.method + ' ' + request.target + ' ' + request.body);
        if (request.path == "/large") response.body.assign(64'000'000, 'x');
        response.route = "/echo";
        if (request.path == "/with-key") response.actor = "key:7f3a9k2m1q";
        if (request.path == "/no-key") response.status = 401;
        if (request.path == "/refused") {
            response.status = 429;
            response.headers.add("Retry-After", "1");
        }
        return response;
    }
    Response heavy(const std::string& path) {
        Response response;
        response.route = "/heavy";
        response.headers.add("RateLimit", "kept");
        response.heavy = std::make_shared<const HeavyWork>(
            HeavyWork{"key:7f3a9k2m1q", [this, path] {
                          if (path == "/heavy/wait") {
                              ++waiting_;
                              waiting_.notify_all();
                              may_go_on_.wait();
                          }
                          return text(200, "text/plain", "heavy work");
                      }});
        return response;
    }
    Response poll() {
        Response response;
        response.route = "/poll";
        response.later = std::make_shared<const Later>(
            Later{.at_most = poll_time_,
                  .listen =
                      [this](std::function<void()> wake) {
                          const std::lock_guard lock(wakes_mutex_);
                          wakes_.push_back(std::move(wake));
                          ++listened_;
                          listened_.notify_all();
                          ++listening_;
                          listening_.notify_all();
                          return std::shared_ptr<void>(nullptr, [this](void*) {
                              --listening_;
                              listening_.notify_all();
                          });
                      },
                  .answer =
                      [this](bool last) {
                          if (!has_news_ && !last) return poll();
                          Response response = json(200, has_news_ ? "late" : "nothing");
                          response.undelivered = [this] {
                              undone_.set_value();
                              if (cannot_undo_) throw std::runtime_error("the database is away");
                          };
                          return response;
                      }});
        return response;
    }
    /// Returns `pieces_` one after the other; waits while there is none.
    Response stream() {
        Response response;
        response.route = "/stream";
        response.content_type = "text/event-stream";
        auto next = [this] {
            const std::lock_guard lock(wakes_mutex_);
            Response piece;
            if (pieces_.empty()) return piece;
            piece.body = pieces_.front();
            if (piece.body == "end") piece.status = 503;
            if (piece.body == "away") {
                ++refused_;
                refused_.notify_all();
                piece = to_response({.code = Code::storage_unavailable}, "/stream", "req-1");
            }
            pieces_.erase(pieces_.begin());
            return piece;
        };
        response.stream = std::make_shared<const Stream>(
            Stream{.at_most = 1h, .idle = ":\n", .listen = poll().later->listen, .next = next});
        return response;
    }
    void say(std::vector<std::string> pieces) {
        {
            const std::lock_guard lock(wakes_mutex_);
            pieces_ = std::move(pieces);
        }
        wake();
    }
    /// Wakes every poll that has ever waited.
    void wake() {
        const std::lock_guard lock(wakes_mutex_);
        for (const auto& one : wakes_) one();
    }
    void until_listening(int count) {
        for (int seen = listening_; seen != count; seen = listening_) listening_.wait(seen);
    }

    /// Waits until polls have begun to wait that often.
    void until_listened(int times) {
        for (int seen = listened_; seen < times; seen = listened_) listened_.wait(seen);
    }

    /// Waits until `count` requests for "/wait" have reached the handler.
    void until_waiting(int count) {
        for (int seen = waiting_; seen < count; seen = waiting_) waiting_.wait(seen);
    }

    static std::string get(const std::string& target, const std::string& fields = "") {
        return "GET " + target + " HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n";
    }
    static std::string post(const std::string& body) {
        return "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) +
               "\r\n\r\n" + body;
    }

    ServerSettings settings_;
    RecordedRequests observed_;
    RecordedLog log_;
    std::atomic<std::uint8_t> last_id_ = 0;
    std::atomic<int> waiting_ = 0;
    std::atomic<bool> released_ = false;
    std::promise<void> go_on_;
    std::chrono::milliseconds poll_time_ = 1h;
    std::mutex wakes_mutex_;
    std::vector<std::function<void()>> wakes_;
    std::vector<std::string> pieces_;  // of "/stream"; "end" ends it, "away" cannot be read
    std::atomic<int> refused_ = 0;     // how often a piece could not be read
    std::atomic<int> listened_ = 0;
    std::atomic<int> listening_ = 0;
    std::atomic<bool> has_news_ = false;
    std::atomic<bool> cannot_undo_ = false;
    std::promise<void> undone_;
    std::shared_future<void> may_go_on_ = go_on_.get_future().share();
    std::unique_ptr<HttpServer> server_;
    std::uint16_t port_ = 0;
};

}  // namespace sundial::http
