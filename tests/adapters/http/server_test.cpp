#include "adapters/http/server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/http/server_fixture.hpp"
#include "application/ports/failures.hpp"

namespace sundial::http {
namespace {

using testing::AllOf;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

TEST_F(ServerTest, GivesEveryAnswerItsFields) {
    start();
    RawHttpClient client(port_);
    const auto reply = client.ask(get("/a?b=1"));
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 200);
    EXPECT_EQ(reply->body, "GET /a?b=1 ");
    EXPECT_EQ(reply->field("Date"), "Sun, 06 Nov 1994 08:49:37 GMT");
    EXPECT_EQ(reply->field("X-Request-Id"), "req-00000000-0000-0000-0000-000000000001");
    EXPECT_EQ(reply->field("X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(reply->field("Content-Type"), "application/json");
    EXPECT_EQ(reply->field("Content-Length"), "11");
}

TEST_F(ServerTest, TakesOverASaneRequestIdAndReplacesAnother) {
    start();
    RawHttpClient client(port_);
    EXPECT_EQ(client.ask(get("/", "X-Request-Id: abc\r\n"))->field("X-Request-Id"), "abc");
    EXPECT_THAT(*client.ask(get("/", "X-Request-Id: a b\r\n"))->field("X-Request-Id"),
                StartsWith("req-"));
}

TEST_F(ServerTest, CompressesForTheRequestsThatTakeGzip) {
    start();
    RawHttpClient client(port_);
    const std::string request = get("/" + std::string(2'000, 'a'), "Accept-Encoding: gzip\r\n");
    const auto compressed = client.ask(request);
    EXPECT_EQ(compressed->field("Content-Encoding"), "gzip");
    EXPECT_EQ(compressed->field("Content-Length"), std::to_string(compressed->body.size()));
    EXPECT_LT(compressed->body.size(), 200U);
    const auto whole = client.ask(get("/" + std::string(2'000, 'a')));
    EXPECT_FALSE(whole->field("Content-Encoding"));
    EXPECT_EQ(whole->body.size(), 2'006U);
}

TEST_F(ServerTest, KeepsAConnectionOpen) {
    start();
    RawHttpClient client(port_);
    EXPECT_EQ(client.ask(get("/1"))->body, "GET /1 ");
    EXPECT_EQ(client.ask(post("two"))->body, "POST /p two");
    EXPECT_EQ(client.ask(get("/3"))->body, "GET /3 ");
}

TEST_F(ServerTest, AnswersPipelinedRequestsInOrder) {
    start();
    RawHttpClient client(port_);
    client.send(get("/1") + post("2") + "\r\n" + get("/3"));
    EXPECT_EQ(client.read()->body, "GET /1 ");
    EXPECT_EQ(client.read()->body, "POST /p 2");
    EXPECT_EQ(client.read()->body, "GET /3 ");
}

TEST_F(ServerTest, ClosesWhenAsked) {
    start();
    RawHttpClient client(port_);
    EXPECT_EQ(client.ask(get("/", "Connection: close\r\n"))->field("Connection"), "close");
    EXPECT_TRUE(client.closes());
}

TEST_F(ServerTest, SpeaksHttp10) {
    start();
    RawHttpClient once(port_);
    const auto reply = once.ask("GET / HTTP/1.0\r\n\r\n");
    EXPECT_THAT(reply->head, StartsWith("HTTP/1.0 200"));
    EXPECT_TRUE(once.closes());
    RawHttpClient twice(port_);
    const std::string request = "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
    EXPECT_EQ(twice.ask(request)->field("Connection"), "keep-alive");
    EXPECT_EQ(twice.ask(request)->status, 200);
}

TEST_F(ServerTest, AnswersHeadWithoutABody) {
    start();
    RawHttpClient client(port_);
    client.send("HEAD /a HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(client.read(true)->field("Content-Length"), "8");
    EXPECT_EQ(client.ask(get("/b"))->body, "GET /b ");
}

TEST_F(ServerTest, ReadsChunks) {
    start();
    RawHttpClient client(port_);
    client.send(
        "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2");
    client.send("\r\nde\r\n0\r\nX-Request-Id: trailer\r\n\r\n");
    const auto reply = client.read();
    EXPECT_EQ(reply->body, "POST /p abcde");
    EXPECT_THAT(*reply->field("X-Request-Id"), StartsWith("req-"));
    EXPECT_EQ(client.ask(get("/b"))->body, "GET /b ");
}

TEST_F(ServerTest, AnswersExpect100Continue) {
    start();
    RawHttpClient client(port_);
    client.send("POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n");
    EXPECT_THAT(client.read(true)->head, StartsWith("HTTP/1.1 100 Continue"));
    EXPECT_EQ(client.ask("abc")->body, "POST /p abc");
}

TEST_F(ServerTest, CountsAndLogsEachRequest) {
    start();
    RawHttpClient client(port_);
    client.ask(get("/1", "X-Request-Id: abc\r\n"));
    client.ask("BREW / HTTP/1.1\r\nHost: a\r\n\r\n");
    client.ask("GET\r\n\r\n");
    ASSERT_TRUE(server_->drain(10min));
    const auto requests = observed_.requests();
    ASSERT_THAT(requests, SizeIs(3));
    EXPECT_THAT(requests[0], AllOf(Field(&Observed::method, "GET"), Field(&Observed::status, 200),
                                   Field(&Observed::route, "/echo")));
    EXPECT_EQ(requests[1].method, "OTHER");
    EXPECT_THAT(requests[2], AllOf(Field(&Observed::status, 400), Field(&Observed::route, "none")));
    const auto lines = log_.lines();
    ASSERT_THAT(lines, SizeIs(3));
    EXPECT_EQ(lines[0].event_name, "http.request");
    EXPECT_EQ(lines[0].correlation_id, "abc");
    ASSERT_THAT(lines[0].fields, SizeIs(4));
    EXPECT_EQ(lines[0].fields[0].first, "method");
    EXPECT_EQ(lines[0].fields[1].first, "route");
    EXPECT_EQ(lines[0].fields[2].first, "status");
    EXPECT_EQ(lines[0].fields[3].first, "durationMs");
}

TEST_F(ServerTest, ReportsAnAddressThatIsInUse) {
    start();
    ServerSettings taken = settings_;
    taken.port = port_;
    HttpServer second(
        taken,
        {.now = [] { return std::chrono::sys_seconds{}; }, .new_uuid = [] { return base::Uuid{}; }},
        [](const Request&) { return no_content(); }, observed_, log_);
    try {
        second.listen();
        FAIL() << "listens twice";
    } catch (const CannotStart& error) {
        EXPECT_THAT(error.what(), HasSubstr("127.0.0.1:" + std::to_string(port_)));
        EXPECT_THAT(error.what(), HasSubstr("http.listen"));
    }
}

TEST_F(ServerTest, RefusesRequestsThatItsQueueCannotHold) {
    settings_.handler_threads = 1;
    settings_.handler_queue = 1;
    start();
    RawHttpClient running(port_);
    RawHttpClient queued(port_);
    RawHttpClient refused(port_);
    running.send(get("/wait"));
    until_waiting(1);
    queued.send(get("/queued"));
    while (server_->in_flight() < 2) std::this_thread::yield();
    // The queue has one place. The second request is refused.
    refused.send(get("/queued"));
    while (observed_.requests().empty()) std::this_thread::yield();
    release();
    const auto one = queued.read();
    const auto other = refused.read();
    EXPECT_EQ(running.read()->status, 200);
    EXPECT_EQ(std::min(one->status, other->status), 200);
    const auto& overloaded = one->status == 503 ? one : other;
    EXPECT_EQ(overloaded->status, 503);
    EXPECT_THAT(overloaded->body, HasSubstr(R"("code":"OVERLOADED")"));
    EXPECT_EQ(overloaded->field("Retry-After"), "1");
}

TEST_F(ServerTest, AnswersNonBlockingRequestsWhileThePoolIsBusy) {
    settings_.handler_threads = 1;
    settings_.handler_queue = 1;
    start();
    RawHttpClient running(port_), queued(port_), alive(port_);
    running.send(get("/wait"));
    until_waiting(1);
    queued.send(get("/queued"));
    while (server_->in_flight() < 2) std::this_thread::yield();
    EXPECT_EQ(alive.ask(get("/at-once"))->status, 200);
    release();
    EXPECT_EQ(running.read()->status, 200);
    EXPECT_EQ(queued.read()->status, 200);
}

TEST_F(ServerTest, DrainsRequestsUnderWay) {
    start();
    RawHttpClient idle(port_);
    RawHttpClient busy(port_);
    idle.ask(get("/"));
    busy.send(get("/wait"));
    until_waiting(1);
    server_->stop_accepting();
    EXPECT_TRUE(idle.closes());
    EXPECT_THROW(RawHttpClient{port_}, std::runtime_error);
    EXPECT_EQ(server_->in_flight(), 1U);
    EXPECT_FALSE(server_->drain(0ms));  // the request still waits, so its connection is closed
    release();
    EXPECT_TRUE(server_->drain(10min));
}

TEST_F(ServerTest, AnswersRequestsUnderWayAndThenCloses) {
    start();
    RawHttpClient busy(port_);
    busy.send(get("/wait") + get("/after"));
    until_waiting(1);
    server_->stop_accepting();
    release();
    EXPECT_TRUE(server_->drain(10min));
    const auto reply = busy.read();
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 200);
    EXPECT_EQ(reply->field("Connection"), "close");
    EXPECT_FALSE(busy.read());
}

TEST_F(ServerTest, EndsWithClientsConnectedAndHandlersRunning) {
    start();
    RawHttpClient idle(port_);
    RawHttpClient busy(port_);
    busy.send(get("/wait"));
    until_waiting(1);
    auto stopped = std::async(std::launch::async, [this] { server_.reset(); });
    release();
    stopped.get();
    EXPECT_TRUE(idle.closes());
}

TEST_F(ServerTest, ServesManyClientsFromSeveralThreads) {
    settings_.io_threads = 2;
    start();
    std::vector<std::thread> clients;
    std::atomic<int> answered = 0;
    for (int i = 0; i < 8; ++i) {
        clients.emplace_back([&] {
            RawHttpClient client(port_);
            for (int n = 0; n < 50; ++n) answered += client.ask(post("x"))->body == "POST /p x";
        });
    }
    for (std::thread& client : clients) client.join();
    EXPECT_EQ(answered, 400);
}

}  // namespace
}  // namespace sundial::http
