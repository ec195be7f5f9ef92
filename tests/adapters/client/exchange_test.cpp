#include "adapters/client/exchange.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>
#include <utility>

#include "support/scripted_receiver.hpp"

namespace sundial::client {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::Pair;

/// Without the proxy that the environment of the developer may name.
class ExchangeTest : public testing::Test {
protected:
    ExchangeTest() { ::setenv("no_proxy", "*", 1); }

    static base::Result<HttpResponse, NoResponse> get(const std::string& url) {
        return exchange({.method = "GET", .url = url}, {});
    }
    /// The response to a request that `bytes` answer.
    static HttpResponse response_from(std::string bytes) {
        const ScriptedReceiver server{{.answer = std::move(bytes)}};
        return get(server.url()).value();
    }
};

/// A loopback port that belongs to this process.
class OwnPort {
public:
    OwnPort() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        address_.sin_family = AF_INET;
        address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address_;
        if (::bind(socket_, reinterpret_cast<sockaddr*>(&address_), size) != 0 ||
            ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address_), &size) != 0) {
            throw std::runtime_error("no port on the loopback interface");
        }
    }
    ~OwnPort() {
        ::close(socket_);
        if (first_ >= 0) ::close(first_);
    }
    OwnPort(const OwnPort&) = delete;
    OwnPort& operator=(const OwnPort&) = delete;

    /// Further connections get no answer: one fills the queue, and none is accepted.
    void listen_without_accepting() {
        first_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (::listen(socket_, 0) != 0 ||
            ::connect(first_, reinterpret_cast<sockaddr*>(&address_), sizeof address_) != 0) {
            throw std::runtime_error("cannot fill the queue");
        }
    }
    [[nodiscard]] std::string url() const {
        return "http://127.0.0.1:" + std::to_string(ntohs(address_.sin_port));
    }

private:
    int socket_;
    int first_ = -1;
    sockaddr_in address_{};
};

TEST_F(ExchangeTest, SendsMethodPathHeadersAndBodyAsGiven) {
    const ScriptedReceiver server{{}};
    const std::string body{"{\"zero\":\"\0\"}", 12};
    const auto response =
        exchange({.method = "PATCH",
                  .url = server.url(),
                  .headers = {"Content-Type: application/json", "If-Match: \"3\""},
                  .body = body},
                 {});
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, 204);
    const std::string host = "127.0.0.1:" + std::to_string(server.port());
    EXPECT_THAT(server.requests(),
                ElementsAre("PATCH /hook?x=1 HTTP/1.1\r\nHost: " + host +
                            "\r\nAccept: */*\r\nContent-Type: application/json\r\nIf-Match: "
                            "\"3\"\r\nContent-Length: 12\r\n\r\n" +
                            body));
}

TEST_F(ExchangeTest, SendsAndReceivesLargeBodiesWhole) {
    const std::string sent(900'000, 's');
    const std::string returned(8'000'000, 'r');
    const ScriptedReceiver server{
        {.answer = "HTTP/1.1 200 OK\r\nContent-Length: 8000000\r\n\r\n" + returned}};
    const auto response =
        exchange({.method = "POST", .url = server.url(), .body = sent}, {}).value();
    EXPECT_TRUE(response.body == returned) << response.body.size();
    EXPECT_TRUE(server.requests().at(0).ends_with("\r\n\r\n" + sent));
}

TEST_F(ExchangeTest, ReadsHeadersByNamesInLowerCase) {
    const auto response = response_from(
        "HTTP/1.1 200 OK\r\nETag:  \"7\" \r\nRetry-After:12\r\nEmpty:\r\nX-Two: 1\r\nx-two: 2\r\n"
        "Content-Length: 2\r\n\r\n{}");
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body, "{}");
    EXPECT_THAT(response.headers,
                ElementsAre(Pair("content-length", "2"), Pair("empty", ""), Pair("etag", "\"7\""),
                            Pair("retry-after", "12"), Pair("x-two", "2")));
}

TEST_F(ExchangeTest, ForgetsTheHeadersOfInterimResponses) {
    const auto response = response_from(
        "HTTP/1.1 103 Early Hints\r\nETag: \"early\"\r\n\r\nHTTP/1.1 201 Created\r\n"
        "Content-Length: 0\r\n\r\n");
    EXPECT_EQ(response.status, 201);
    EXPECT_THAT(response.headers, ElementsAre(Pair("content-length", "0")));
}

TEST_F(ExchangeTest, ReadsChunks) {
    EXPECT_EQ(response_from("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                            "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
                  .body,
              "abcde");
}

TEST_F(ExchangeTest, ReturnsErrorStatusesAsResponses) {
    for (const int status : {400, 404, 409, 429, 500, 503}) {
        const auto response = response_from("HTTP/1.1 " + std::to_string(status) +
                                            " X\r\nContent-Length: 3\r\n\r\nwhy");
        EXPECT_EQ(response.status, status);
        EXPECT_EQ(response.body, "why");
    }
}

TEST_F(ExchangeTest, FollowsNoRedirect) {
    const ScriptedReceiver elsewhere{{}};
    const ScriptedReceiver server{{.answer = "HTTP/1.1 307 Moved\r\nLocation: " + elsewhere.url() +
                                             "\r\nContent-Length: 0\r\n\r\n"}};
    EXPECT_EQ(get(server.url()).value().status, 307);
    EXPECT_EQ(elsewhere.connections(), 0);
}

TEST_F(ExchangeTest, WaitsForNoBodyAfterHead) {
    const ScriptedReceiver server{{.answer = "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n"}};
    const auto response =
        exchange({.method = "HEAD", .url = server.url(), .timeout = 20s}, {}).value();
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body, "");
    EXPECT_TRUE(server.requests().at(0).starts_with("HEAD /hook"));
}

TEST_F(ExchangeTest, HasAConnectionOfItsOwn) {
    const ScriptedReceiver server{{}};
    EXPECT_TRUE(get(server.url()));
    EXPECT_TRUE(get(server.url()));
    EXPECT_EQ(server.connections(), 2);
}

TEST_F(ExchangeTest, NothingListens) {
    const auto refused = get(OwnPort{}.url());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().reason, "Couldn't connect to server");
    EXPECT_FALSE(refused.error().untrusted_server);
}

TEST_F(ExchangeTest, TheServerDoesNotRespondInTime) {
    const ScriptedReceiver server{{.hold = true}};
    const auto late = exchange({.method = "GET", .url = server.url(), .timeout = 100ms}, {});
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().reason, "Timeout was reached");
}

TEST_F(ExchangeTest, TheServerDoesNotAcceptInTime) {
    OwnPort port;
    port.listen_without_accepting();
    const auto late = exchange({.method = "GET", .url = port.url(), .connect_timeout = 100ms}, {});
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().reason, "Timeout was reached");
}

TEST_F(ExchangeTest, ResponsesThatEndTooEarlyAreNone) {
    const auto reason_of = [](const std::string& bytes) {
        const ScriptedReceiver server{{.answer = bytes, .close_after = true}};
        const auto response = get(server.url());
        EXPECT_EQ(server.connections(), 1) << "it sent the request again";
        return response ? "a response" : response.error().reason;
    };
    EXPECT_EQ(reason_of("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{\"half\":"),
              "Transferred a partial file");
    EXPECT_EQ(reason_of("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf"),
              "Transferred a partial file");
    EXPECT_EQ(reason_of(""), "Server returned nothing (no headers, no data)");
}

TEST_F(ExchangeTest, OnlyHttpIsSpoken) {
    for (const char* const url :
         {"file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/"}) {
        const auto refused = get(url);
        ASSERT_FALSE(refused) << url;
        EXPECT_EQ(refused.error().reason, "Unsupported protocol");
    }
}

}  // namespace
}  // namespace sundial::client
