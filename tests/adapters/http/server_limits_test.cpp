#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/http/server_fixture.hpp"

namespace sundial::http {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Broken {
    const char* name;
    std::string bytes;
    int status;
    std::string code;
};
void PrintTo(const Broken& broken, std::ostream* out) { *out << broken.name; }

/// Limits that a few bytes can reach.
class BrokenRequest : public ServerTest, public testing::WithParamInterface<Broken> {
protected:
    BrokenRequest() {
        settings_.head_bytes = 400;
        settings_.target_bytes = 50;
        settings_.header_count = 5;
        settings_.body_bytes = 20;
    }
};

TEST_P(BrokenRequest, IsAnsweredWithAProblemAndTheConnectionCloses) {
    start();
    RawHttpClient client(port_);
    const auto reply = client.ask(GetParam().bytes);
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, GetParam().status);
    EXPECT_EQ(reply->field("Content-Type"), "application/problem+json");
    EXPECT_EQ(reply->field("Connection"), "close");
    EXPECT_THAT(reply->body, HasSubstr("\"code\":\"" + GetParam().code + '"'));
    EXPECT_THAT(reply->body, HasSubstr("\"correlationId\":\"" + *reply->field("X-Request-Id")));
    EXPECT_TRUE(client.closes());
}

std::string with_fields(const std::string& fields) {
    return "POST /p HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n";
}

INSTANTIATE_TEST_SUITE_P(
    Table, BrokenRequest,
    testing::Values(
        Broken{"no_http", "hello\r\n\r\n", 400, "VALIDATION_FAILED"},
        Broken{"version", "GET / HTTP/2.0\r\nHost: a\r\n\r\n", 400, "VALIDATION_FAILED"},
        Broken{"tls", std::string("\x16\x03\x01\x02\x00\x01\r\n\r\n", 10), 400,
               "VALIDATION_FAILED"},
        Broken{"bare_lf", "GET / HTTP/1.1\nHost: a\n\n", 400, "VALIDATION_FAILED"},
        Broken{"folding", with_fields("A: b\r\n c\r\n"), 400, "VALIDATION_FAILED"},
        Broken{"space_before_colon", with_fields("A : b\r\n"), 400, "VALIDATION_FAILED"},
        Broken{"nul_in_field", with_fields(std::string("A: b\0c\r\n", 8)), 400,
               "VALIDATION_FAILED"},
        Broken{"no_host", "GET / HTTP/1.1\r\n\r\n", 400, "VALIDATION_FAILED"},
        Broken{"two_hosts", with_fields("Host: b\r\n"), 400, "VALIDATION_FAILED"},
        Broken{"two_lengths", with_fields("Content-Length: 1\r\nContent-Length: 1\r\n"), 400,
               "VALIDATION_FAILED"},
        Broken{"length_list", with_fields("Content-Length: 1, 1\r\n"), 400, "VALIDATION_FAILED"},
        Broken{"negative_length", with_fields("Content-Length: -1\r\n"), 400, "VALIDATION_FAILED"},
        Broken{"plus_length", with_fields("Content-Length: +1\r\n"), 400, "VALIDATION_FAILED"},
        Broken{"length_and_chunks",
               with_fields("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"), 400,
               "VALIDATION_FAILED"},
        Broken{"chunks_and_length",
               with_fields("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"), 400,
               "VALIDATION_FAILED"},
        Broken{"other_encoding", with_fields("Transfer-Encoding: gzip\r\n"), 400,
               "VALIDATION_FAILED"},
        Broken{"chunked_twice", with_fields("Transfer-Encoding: chunked, chunked\r\n"), 400,
               "VALIDATION_FAILED"},
        Broken{"chunk_size", with_fields("Transfer-Encoding: chunked\r\n") + "x\r\n", 400,
               "VALIDATION_FAILED"},
        Broken{"chunk_end", with_fields("Transfer-Encoding: chunked\r\n") + "1\r\nabc\r\n", 400,
               "VALIDATION_FAILED"},
        Broken{"chunk_bare_lf", with_fields("Transfer-Encoding: chunked\r\n") + "1\na\n0\n\n", 400,
               "VALIDATION_FAILED"},
        Broken{"chunk_extension",
               with_fields("Transfer-Encoding: chunked\r\n") + "1;" + std::string(500, 'x'), 400,
               "VALIDATION_FAILED"},
        Broken{"chunk_extension_lf",
               with_fields("Transfer-Encoding: chunked\r\n") + "1;a=\"b\nc\"\r\nx\r\n0\r\n\r\n",
               400, "VALIDATION_FAILED"},
        Broken{"chunk_extension_nul",
               with_fields("Transfer-Encoding: chunked\r\n") +
                   std::string("1;a=\"b\0c\"\r\nx\r\n0\r\n\r\n", 19),
               400, "VALIDATION_FAILED"},
        Broken{"chunk_extension_escaped_lf",
               with_fields("Transfer-Encoding: chunked\r\n") + "1;a=\"b\\\nc\"\r\nx\r\n0\r\n\r\n",
               400, "VALIDATION_FAILED"},
        Broken{"last_chunk_extension_lf",
               with_fields("Transfer-Encoding: chunked\r\n") + "1\r\nx\r\n0;a=\"\n\"\r\n\r\n", 400,
               "VALIDATION_FAILED"},
        Broken{"trailer_folded",
               with_fields("Transfer-Encoding: chunked\r\n") + "1\r\nx\r\n0\r\nA: b\r\n c\r\n\r\n",
               400, "VALIDATION_FAILED"},
        Broken{"trailer_folded_at_once",
               with_fields("Transfer-Encoding: chunked\r\n") + "1\r\nx\r\n0\r\n\tA: b\r\n\r\n", 400,
               "VALIDATION_FAILED"},
        Broken{"trailer_lf",
               with_fields("Transfer-Encoding: chunked\r\n") + "1\r\nx\r\n0\r\nA: b\nC: d\r\n\r\n",
               400, "VALIDATION_FAILED"},
        Broken{"trailer_nul",
               with_fields("Transfer-Encoding: chunked\r\n") +
                   std::string("1\r\nx\r\n0\r\nA: b\0c\r\n\r\n", 19),
               400, "VALIDATION_FAILED"},
        Broken{"broken_escape", "GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", 400, "VALIDATION_FAILED"},
        Broken{"nul_in_path", "GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n", 400, "VALIDATION_FAILED"},
        Broken{"long_head", with_fields("A: " + std::string(400, 'x') + "\r\n"), 431,
               "HEADERS_TOO_LARGE"},
        Broken{"endless_line", std::string(401, 'x'), 431, "HEADERS_TOO_LARGE"},
        Broken{"many_fields", with_fields("A:1\r\nB:1\r\nC:1\r\nD:1\r\nE:1\r\n"), 431,
               "HEADERS_TOO_LARGE"},
        Broken{"long_target", "GET /" + std::string(50, 'x') + " HTTP/1.1\r\n\r\n", 414,
               "URI_TOO_LONG"},
        Broken{"large_body", with_fields("Content-Length: 21\r\n"), 413, "PAYLOAD_TOO_LARGE"},
        Broken{"large_body_expected", with_fields("Content-Length: 21\r\nExpect: 100-continue\r\n"),
               413, "PAYLOAD_TOO_LARGE"},
        Broken{"huge_body", with_fields("Content-Length: 99999999999999999999999\r\n"), 400,
               "VALIDATION_FAILED"},
        Broken{"large_chunks",
               with_fields("Transfer-Encoding: chunked\r\n") + "b\r\nxxxxxxxxxxx\r\na\r\n", 413,
               "PAYLOAD_TOO_LARGE"}),
    [](const auto& info) { return info.param.name; });

TEST_F(ServerTest, TakesABodyOfExactlyTheLimit) {
    settings_.body_bytes = 20;
    start();
    RawHttpClient client(port_);
    const std::string body(20, 'x');
    EXPECT_EQ(client.ask(post(body))->body, "POST /p " + body);
}

TEST_F(ServerTest, TakesChunksWithExtensionsAndTrailers) {
    start();
    RawHttpClient client(port_);
    const auto reply =
        client.ask(with_fields("Transfer-Encoding: chunked\r\n") +
                   "1;a;b=c;d=\"e \t\\\"\xff\"\r\nx\r\n0;a=\"b\"\r\nA: b\r\nC:\td e\r\n\r\n");
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->body, "POST /p x");
    EXPECT_EQ(client.ask(get("/next"))->body, "GET /next ");
}

TEST_F(ServerTest, LetsTheClientReadARefusalThoughItSendsOn) {
    settings_.body_bytes = 20;
    start();
    RawHttpClient client(port_);
    const auto reply = client.ask(post(std::string(100'000, 'x')));
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 413);
    EXPECT_THAT(reply->body, HasSubstr(R"("limit":20)"));
}

TEST_F(ServerTest, TimesOutAHeadThatDoesNotEnd) {
    settings_.head_time = 50ms;
    start();
    // The time of a first request begins with its connection. If this machine sends the first byte
    // later than that, the connection is closed as a silent one.
    for (int connection = 0; connection < 100; ++connection) {
        RawHttpClient client(port_);
        const auto reply = client.ask("GET / HTTP/1.1\r\n");
        if (!reply) continue;
        EXPECT_EQ(reply->status, 408);
        EXPECT_THAT(reply->body, HasSubstr("REQUEST_TIMEOUT"));
        EXPECT_TRUE(client.closes());
        return;
    }
    FAIL() << "no connection got an answer";
}

TEST_F(ServerTest, ClosesASilentConnection) {
    settings_.head_time = 50ms;
    start();
    RawHttpClient client(port_);
    EXPECT_TRUE(client.closes());
}

TEST_F(ServerTest, ClosesAnIdleConnection) {
    settings_.idle_time = 50ms;
    start();
    RawHttpClient client(port_);
    EXPECT_EQ(client.ask(get("/"))->status, 200);
    EXPECT_TRUE(client.closes());
}

TEST_F(ServerTest, TimesOutARequestThatDoesNotEnd) {
    settings_.request_time = 50ms;
    start();
    RawHttpClient client(port_);
    const auto reply = client.ask(with_fields("Content-Length: 3\r\n"));
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 408);
    EXPECT_TRUE(client.closes());
}

TEST_F(ServerTest, TimesOutABodyThatDrips) {
    settings_.body_grace = 50ms;
    settings_.body_rate = 1'000'000;
    start();
    RawHttpClient client(port_);
    const auto reply = client.ask(with_fields("Content-Length: 1000\r\n") + "abc");
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 408);
    EXPECT_TRUE(client.closes());
}

TEST_F(ServerTest, LetsAFastBodyOutliveTheGrace) {
    settings_.body_grace = 0ms;
    settings_.body_rate = 1;  // each byte adds a second
    settings_.request_time = 1h;
    start();
    RawHttpClient client(port_);
    const std::string first(600, 'a');
    client.send(with_fields("Content-Length: 603\r\n") + first);
    EXPECT_EQ(client.ask("def")->body, "POST /p " + first + "def");
}

TEST_F(ServerTest, GivesUpOnAClientThatDoesNotRead) {
    settings_.answer_time = 50ms;
    start();
    RawHttpClient client(port_);
    client.send(get("/large"));
    while (observed_.requests().empty()) std::this_thread::yield();
    EXPECT_TRUE(server_->drain(10min));
    EXPECT_THAT(observed_.shortages(), ElementsAre(Shortage::slow_reader));
}

TEST_F(ServerTest, BoundsTheUnreadAnswersOfAClient) {
    settings_.unsent_bytes = 80'000'000;  // a quarter is less than one large answer
    settings_.answer_time = 1h;
    start();
    RawHttpClient slow(port_);
    slow.send(get("/large"));
    while (observed_.requests().empty()) std::this_thread::yield();
    RawHttpClient other(port_);
    const auto refused = other.ask(get("/large"));
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->status, 503);
    EXPECT_EQ(refused->field("Retry-After"), "1");
    EXPECT_THAT(refused->body, HasSubstr("OVERLOADED"));
    EXPECT_EQ(other.ask(get("/"))->status, 200) << "a short answer is sent";
    EXPECT_EQ(other.ask(post("x"))->status, 503) << "a refused effect must be reported";
    EXPECT_THAT(observed_.shortages(), ElementsAre(Shortage::unsent_bytes, Shortage::unsent_bytes));
    EXPECT_EQ(slow.read()->body.size(), 64'000'000U);
    EXPECT_EQ(slow.ask(get("/"))->status, 200);
    EXPECT_EQ(other.ask(get("/large"))->status, 200);
}

TEST_F(ServerTest, RunsHeavyRequestsOnFewThreads) {
    settings_.heavy_seats = 1;
    settings_.heavy_wait = 2min;
    start();
    RawHttpClient first(port_), second(port_), light(port_);
    first.send(get("/heavy/wait"));
    until_waiting(1);
    second.send(get("/heavy"));
    for (int i = 0; i < 100; ++i) EXPECT_EQ(light.ask(get("/"))->status, 200);
    EXPECT_EQ(observed_.requests().size(), 100U) << "the second waits for the first";
    release();
    EXPECT_EQ(first.read()->status, 200);
    const auto reply = second.read();
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->body, "heavy work");
    EXPECT_EQ(reply->field("RateLimit"), "kept") << "of the guard";
    EXPECT_EQ(observed_.requests().back().route, "/heavy");
}

TEST_F(ServerTest, RefusesAHeavyRequestThatWaitsTooLong) {
    settings_.heavy_seats = 1;
    settings_.heavy_wait = 100ms;
    start();
    RawHttpClient first(port_), second(port_);
    // The thread of the first request must start within that time, too.
    std::size_t late = 0;
    for (first.send(get("/heavy/wait")); waiting_ == 0; std::this_thread::yield()) {
        if (observed_.requests().size() == late) continue;
        EXPECT_EQ(first.read()->status, 503);
        first.send(get("/heavy/wait"));
        ++late;
    }
    const auto reply = second.ask(get("/heavy"));
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 503);
    EXPECT_EQ(reply->field("Retry-After"), "1");
    EXPECT_THAT(reply->body, HasSubstr("http.heavy_seats"));
    EXPECT_EQ(observed_.shortages(), std::vector(late + 1, Shortage::heavy_seats));
    release();
    EXPECT_EQ(first.read()->status, 200);
    while (second.ask(get("/heavy"))->status == 503) {
    }
}

TEST_F(ServerTest, PausesBeforeAFurtherRefusalInARow) {
    settings_.refusal_pause = 1h;
    start();
    RawHttpClient hasty(port_), other(port_);
    EXPECT_EQ(hasty.ask(get("/refused"))->status, 429) << "the first is sent at once";
    EXPECT_EQ(hasty.ask(get("/"))->status, 200);
    EXPECT_EQ(hasty.ask(get("/refused"))->status, 429) << "not the second in a row";
    hasty.send(get("/refused"));
    while (observed_.requests().size() < 4) std::this_thread::yield();
    for (int i = 0; i < 100; ++i) EXPECT_EQ(other.ask(get("/"))->status, 200);
    EXPECT_EQ(other.ask(get("/refused"))->status, 429) << "each connection has its own row";
    server_.reset();
    EXPECT_TRUE(hasty.closes()) << "stopping does not wait for the pause";
}

TEST_F(ServerTest, SendsEveryRefusalAfterItsPause) {
    settings_.refusal_pause = 10ms;
    start();
    RawHttpClient client(port_);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(client.ask(get("/refused"))->status, 429);
    EXPECT_EQ(client.ask(get("/"))->status, 200);
}

TEST_F(ServerTest, RefusesAConnectionIfItsNetworkHasNoFreeSlot) {
    settings_.connections_per_network = 2;
    start();
    RawHttpClient first(port_), second(port_);
    first.send(get("/wait"));
    second.send(get("/wait"));
    until_waiting(2);
    RawHttpClient third(port_);
    const auto reply = third.ask(get("/"));
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 503);
    EXPECT_THAT(reply->body, HasSubstr("OVERLOADED"));
    EXPECT_TRUE(third.closes());
    release();
    EXPECT_EQ(first.read()->status, 200);
    EXPECT_EQ(second.read()->status, 200);
}

TEST_F(ServerTest, GivesANewConnectionTheSlotOfTheLongestIdleOne) {
    settings_.connections_per_network = 2;
    start();
    RawHttpClient first(port_), second(port_);
    EXPECT_EQ(first.ask(get("/"))->status, 200);
    EXPECT_EQ(second.ask(get("/"))->status, 200);
    EXPECT_EQ(first.ask(get("/"))->status, 200);
    RawHttpClient third(port_);
    EXPECT_EQ(third.ask(get("/"))->status, 200);
    EXPECT_TRUE(second.closes());
    EXPECT_EQ(first.ask(get("/"))->status, 200);
    EXPECT_EQ(server_->connections(), 2U);
}

TEST_F(ServerTest, GivesANewConnectionAnIdleSlotAtTheTotalBound) {
    settings_.connections = 2;
    start();
    RawHttpClient first(port_), second(port_);
    EXPECT_EQ(first.ask(get("/"))->status, 200);
    EXPECT_EQ(second.ask(get("/"))->status, 200);
    RawHttpClient third(port_);
    EXPECT_EQ(third.ask(get("/"))->status, 200);
    EXPECT_TRUE(first.closes());
    EXPECT_EQ(second.ask(get("/"))->status, 200);
}

TEST_F(ServerTest, TakesNoSeatFromAnIdleConnectionThatHasShownAKey) {
    settings_.connections_per_network = 2;
    start();
    RawHttpClient first(port_), second(port_);
    EXPECT_EQ(first.ask(get("/with-key"))->status, 200);
    EXPECT_EQ(second.ask(get("/"))->status, 200);
    RawHttpClient third(port_);
    EXPECT_EQ(third.ask(get("/with-key"))->status, 200);
    EXPECT_TRUE(second.closes());
    RawHttpClient fourth(port_);
    EXPECT_EQ(fourth.ask(get("/"))->status, 503);
    EXPECT_EQ(first.ask(get("/"))->status, 200);  // open to all: it has still shown one
    RawHttpClient fifth(port_);
    EXPECT_EQ(fifth.ask(get("/"))->status, 503);
    EXPECT_EQ(first.ask(get("/no-key"))->status, 401);
    RawHttpClient sixth(port_);
    EXPECT_EQ(sixth.ask(get("/"))->status, 200);
    EXPECT_TRUE(first.closes());
    EXPECT_EQ(third.ask(get("/"))->status, 200);
}

TEST_F(ServerTest, TakesTheSeatOfAConnectionWhoseRequestDoesNotEnd) {
    settings_.connections_per_network = 1;
    start();
    RawHttpClient first(port_);
    first.send("GET / HTTP/1.1\r\nHost:");
    RawHttpClient second(port_);
    EXPECT_EQ(second.ask(get("/"))->status, 200);
    EXPECT_TRUE(first.closes());
}

TEST_F(ServerTest, HasRoomAgainOnceAConnectionHasEnded) {
    settings_.connections = 1;
    start();
    {
        RawHttpClient first(port_);
        EXPECT_EQ(first.ask(get("/with-key"))->status, 200);
        EXPECT_EQ(server_->connections(), 1U);
        RawHttpClient second(port_);
        EXPECT_EQ(second.ask(get("/"))->status, 503);
    }
    while (server_->connections() > 0) std::this_thread::yield();
    RawHttpClient third(port_);
    EXPECT_EQ(third.ask(get("/"))->status, 200);
}

}  // namespace
}  // namespace sundial::http
