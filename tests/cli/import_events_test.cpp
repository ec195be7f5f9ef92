#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "support/scripted_receiver.hpp"

namespace sundial::cli {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

/// An address that is bound, but does not accept connections.
class SilentAddress {
public:
    SilentAddress() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* const generic = reinterpret_cast<sockaddr*>(&address);
        EXPECT_EQ(::bind(socket_, generic, size), 0);
        EXPECT_EQ(::getsockname(socket_, generic, &size), 0);
        url_ = "http://127.0.0.1:" + std::to_string(::ntohs(address.sin_port));
    }
    ~SilentAddress() { ::close(socket_); }
    SilentAddress(const SilentAddress&) = delete;
    SilentAddress& operator=(const SilentAddress&) = delete;

    [[nodiscard]] const std::string& url() const { return url_; }

private:
    int socket_;
    std::string url_;
};

TEST(ImportEvents, ReportsAMissingServerAtOnceAndOnlyOnce) {
    const SilentAddress silent;
    std::istringstream lines(R"({"eventType":"A"})");
    std::ostringstream out, err;
    std::chrono::milliseconds slept{0};
    std::string said_before_first_wait;
    const WaitOptions wait_options{.elapsed = [] { return 0ms; },
                                   .sleep =
                                       [&](std::chrono::milliseconds time) {
                                           if (slept == 0ms) said_before_first_wait = err.str();
                                           slept += time;
                                       },
                                   .timeout = std::nullopt};

    EXPECT_THROW((void)import_events(HttpClient(silent.url(), ""),
                                     {.lines = lines, .name = "line", .key = "k", .requests = 1},
                                     wait_options, {out, err, false}),
                 Unreachable);
    EXPECT_THAT(said_before_first_wait, HasSubstr("no response from " + silent.url()));
    EXPECT_THAT(said_before_first_wait, HasSubstr("retrying for 30 seconds"));
    EXPECT_EQ(err.str(), said_before_first_wait);
    EXPECT_EQ(slept, 27'500ms);
    EXPECT_EQ(out.str(), "0 stored, 0 there already, 0 refused\n");
}

TEST(ImportEvents, ReportsOnceThatItWaitsForABusyServer) {
    const std::string problem = R"({"code":"OVERLOADED","detail":"too many requests at once"})";
    const ScriptedReceiver busy({.answer = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: " +
                                           std::to_string(problem.size()) + "\r\n\r\n" + problem});
    std::istringstream lines(R"({"eventType":"A"})");
    std::ostringstream out, err;
    std::vector<std::string> outputs;  // the output before each wait
    const WaitOptions wait_options{
        .elapsed = [] { return 0ms; },
        .sleep = [&](std::chrono::milliseconds /*time*/) { outputs.push_back(err.str()); },
        .timeout = std::nullopt};

    const int code =
        import_events(HttpClient("http://127.0.0.1:" + std::to_string(busy.port()), ""),
                      {.lines = lines, .name = "line", .key = "k", .requests = 1}, wait_options,
                      {out, err, false});

    const std::string waits =
        "sundial: the server responds with 503 OVERLOADED too many requests at once; retrying for "
        "30 seconds\n";
    EXPECT_EQ(code, 1);
    EXPECT_THAT(outputs, ElementsAre("", "", waits, waits, waits, waits, waits, waits));
    EXPECT_EQ(err.str(), waits + "sundial: too many requests at once (OVERLOADED)\n");
}

}  // namespace
}  // namespace sundial::cli
