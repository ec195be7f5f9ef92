#include "cli/http_client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "support/scripted_receiver.hpp"

namespace sundial::cli {
namespace {

using testing::ElementsAre;

class HttpClientTest : public testing::Test {
protected:
    HttpClientTest() { ::setenv("no_proxy", "*", 1); }

    static std::string address_of(const ScriptedReceiver& server) {
        return "127.0.0.1:" + std::to_string(server.port());
    }
    /// The message of a call that gets no response.
    static std::string words_of(const std::string& server, const CallOptions& options = {}) {
        try {
            (void)HttpClient{server, ""}.call("GET", "/v1/info", {}, options);
        } catch (const Unreachable& failure) {
            return failure.what();
        }
        return "a response";
    }
};

TEST_F(HttpClientTest, SendsTheKeyThenTheHeadersOfTheCall) {
    const ScriptedReceiver server{{}};
    const HttpClient client{"http://" + address_of(server), "sk_1"};
    EXPECT_EQ(client.call("PATCH", "/v1/events/7", "{}", any_version).status, 204);
    EXPECT_THAT(server.requests(),
                ElementsAre("PATCH /v1/events/7 HTTP/1.1\r\nHost: " + address_of(server) +
                            "\r\nAccept: */*\r\nContent-Type: application/json\r\n"
                            "Authorization: Bearer sk_1\r\nIf-Match: *\r\n"
                            "Content-Length: 2\r\n\r\n{}"));
}

TEST_F(HttpClientTest, SendsNoEmptyKey) {
    const ScriptedReceiver server{{}};
    (void)HttpClient{"http://" + address_of(server), ""}.call("POST", "/v1/clock/pause");
    EXPECT_THAT(server.requests(),
                ElementsAre("POST /v1/clock/pause HTTP/1.1\r\nHost: " + address_of(server) +
                            "\r\nAccept: */*\r\nContent-Type: application/json\r\n\r\n"));
}

TEST_F(HttpClientTest, ReturnsEveryStatusWithItsBody) {
    const ScriptedReceiver server{
        {.answer = "HTTP/1.1 307 X\r\nLocation: /v1/other\r\nContent-Length: 4\r\n\r\nbody"}};
    const Answer answer = HttpClient{"http://" + address_of(server), ""}.call("GET", "/v1/info");
    EXPECT_EQ(answer.status, 307);
    EXPECT_EQ(answer.body, "body");
}

TEST_F(HttpClientTest, SaysWhichServerDidNotRespond) {
    const ScriptedReceiver closing{{.answer = ""}};
    EXPECT_EQ(words_of("http://" + address_of(closing)),
              "no response from http://" + address_of(closing) +
                  " (Server returned nothing (no headers, no data)); is it running? Name another "
                  "server with --server");
    const ScriptedReceiver holding{{.hold = true}};
    EXPECT_EQ(words_of("http://" + address_of(holding), {.timeout = std::chrono::milliseconds{50}}),
              "no response from http://" + address_of(holding) +
                  " (Timeout was reached); is it running? Name another server with --server");
}

TEST_F(HttpClientTest, NamesTheFilesThatItCannotUse) {
    const ScriptedReceiver server{{}};
    const HttpClient client{"https://" + address_of(server), "", {.ca_file = "/missing.pem"}};
    try {
        (void)client.call("GET", "/v1/info");
        ADD_FAILURE() << "a response";
    } catch (const Unreachable& failure) {
        EXPECT_THAT(
            failure.what(),
            testing::EndsWith("; check the files of --ca-file, --cert-file and --key-file"));
    }
}

}  // namespace
}  // namespace sundial::cli
