#include <gmock/gmock.h>

#include "adapters/http/server_fixture.hpp"

/// Requests that are answered later and hold no thread until then.
namespace sundial::http {
namespace {

using testing::Contains;
using testing::Field;
using testing::SizeIs;

using LongPollTest = ServerTest;

TEST_F(LongPollTest, AnswersOnceItIsWokenAndHasNews) {
    start();
    RawHttpClient client(port_);
    client.send(get("/poll"));
    until_listening(1);
    has_news_ = true;
    wake();
    EXPECT_EQ(client.read()->body, "late");
    until_listening(0);
    EXPECT_EQ(client.ask(get("/next"))->body, "GET /next ");
    ASSERT_THAT(observed_.requests(), SizeIs(2));
    EXPECT_EQ(observed_.requests()[0].route, "/poll");
}

TEST_F(LongPollTest, WaitsOnIfItWasWokenForNothing) {
    start();
    RawHttpClient client(port_);
    client.send(get("/poll"));
    until_listened(1);
    wake();
    until_listened(2);
    has_news_ = true;
    wake();
    EXPECT_EQ(client.read()->body, "late");
}

TEST_F(LongPollTest, AnswersEmptyAfterTheTimeout) {
    poll_time_ = 1ms;
    start();
    RawHttpClient client(port_);
    EXPECT_EQ(client.ask(get("/poll"))->body, "nothing");
}

TEST_F(LongPollTest, HoldsNoThreadWhileItWaits) {
    settings_.handler_threads = 1;
    start();
    RawHttpClient first(port_), second(port_), third(port_);
    first.send(get("/poll"));
    second.send(get("/poll"));
    until_listening(2);
    EXPECT_EQ(third.ask(get("/a"))->body, "GET /a ");
    // The client gets the response before the request counts as finished.
    while (server_->in_flight() > 2) std::this_thread::yield();
    EXPECT_EQ(server_->in_flight(), 2U);
}

TEST_F(LongPollTest, EndsWhenTheClientDisconnects) {
    start();
    {
        RawHttpClient client(port_);
        client.send(get("/poll"));
        until_listening(1);
    }
    until_listening(0);  // the polls have ended
    EXPECT_THAT(observed_.requests(), SizeIs(0));
}

TEST_F(LongPollTest, AnswersTheNextRequestOfAPipelineAfterwards) {
    start();
    RawHttpClient client(port_);
    client.send(get("/poll") + get("/next"));
    until_listening(1);
    has_news_ = true;
    wake();
    EXPECT_EQ(client.read()->body, "late");
    EXPECT_EQ(client.read()->body, "GET /next ");
}

TEST_F(LongPollTest, IsAnsweredWhenTheServerStops) {
    start();
    RawHttpClient client(port_);
    client.send(get("/poll"));
    until_listening(1);
    server_->stop_accepting();
    wake();  // as the awaited object does when it stops
    const auto reply = client.read();
    EXPECT_EQ(reply->body, "nothing");
    EXPECT_EQ(reply->field("Connection"), "close");
    EXPECT_TRUE(server_->drain(10min));
}

TEST_F(LongPollTest, EndsWhenTheClientLeavesAfterSendingMore) {
    start();
    {
        RawHttpClient client(port_);
        client.send(get("/poll"));
        until_listening(1);
        client.send("G");
    }
    until_listening(0);
    EXPECT_THAT(observed_.requests(), SizeIs(0));
}

TEST_F(LongPollTest, IsWokenEvenIfTheClientSentMore) {
    start();
    RawHttpClient client(port_);
    client.send(get("/poll"));
    until_listening(1);
    client.send("G");
    wake();
    until_listened(2);
    has_news_ = true;
    wake();
    EXPECT_EQ(client.read()->body, "late");
}

TEST_F(LongPollTest, UndoesAResponseWhoseClientDisconnected) {
    lose_an_answer<RawHttpClient>();
    undone_.get_future().wait();
}

TEST_F(LongPollTest, UndoesAResponseWhoseClientDisconnectedAfterSendingMore) {
    lose_an_answer<RawHttpClient>("G");
    undone_.get_future().wait();
}

TEST_F(LongPollTest, OutlivesAnAnswerThatCannotBeUndone) {
    cannot_undo_ = true;
    lose_an_answer<RawHttpClient>();
    undone_.get_future().wait();
    EXPECT_EQ(RawHttpClient(port_).ask(get("/next"))->body, "GET /next ");  // on the same thread
    ASSERT_THAT(log_.lines(), Contains(Field(&base::LogLine::level, base::LogLevel::error)));
}

TEST_F(LongPollTest, IsUndoneBeforeADrainEnds) {
    lose_an_answer<RawHttpClient>();
    EXPECT_TRUE(server_->drain(10min));
    EXPECT_EQ(undone_.get_future().wait_for(0s), std::future_status::ready);
}

TEST_F(LongPollTest, IsNotDrainedWhileAHandlerRuns) {
    start();
    RawHttpClient client(port_);
    client.send(get("/wait"));
    until_waiting(1);
    EXPECT_FALSE(server_->drain(1ms));
    release();
    server_->stop();
    server_.reset();
    EXPECT_FALSE(client.read());
}

class StreamTest : public ServerTest {};

TEST_F(StreamTest, SendsDataInChunksAsItArrives) {
    start();
    say({"id: 1\n\n", "id: 2\n\n"});
    RawHttpClient client(port_);
    client.send(get("/stream") + get("/next"));
    until_listened(1);  // both pieces are sent, and there are no others
    say({"0123456789abcdef", "end"});
    const auto reply = client.read();
    EXPECT_EQ(reply->status, 200);
    EXPECT_EQ(reply->field("Transfer-Encoding"), "chunked");
    EXPECT_EQ(reply->field("Content-Length"), std::nullopt);
    EXPECT_EQ(reply->field("Content-Type"), "text/event-stream");
    const auto chunks = client.read(true);  // up to the empty last chunk
    EXPECT_EQ(chunks->head, "7\r\nid: 1\n\n\r\n7\r\nid: 2\n\n\r\n10\r\n0123456789abcdef\r\n0\r\n");
    EXPECT_EQ(client.read()->body, "GET /next ");
}

TEST_F(StreamTest, WaitsAndAsksAgainWhenAPieceCannotBeRead) {
    start();
    say({"id: 1\n\n", "away", "away", "id: 2\n\n", "end"});
    RawHttpClient client(port_);
    client.send(get("/stream"));
    EXPECT_EQ(client.read()->status, 200);
    const auto chunks = client.read(true);
    EXPECT_EQ(chunks->head, "7\r\nid: 1\n\n\r\n7\r\nid: 2\n\n\r\n0\r\n");
    EXPECT_EQ(refused_, 2);
}

/// A change wakes all streams at once.
TEST_F(StreamTest, LeavesRoomInTheQueueOfRequests) {
    settings_.handler_threads = 1;
    settings_.handler_queue = 1;
    start();
    RawHttpClient follower(port_), busy(port_), other(port_);
    follower.send(get("/stream"));
    until_listening(1);
    busy.send(get("/wait"));
    until_waiting(1);
    say({"id: 1\n\n", "end"});
    until_listening(0);
    other.send(get("/a"));
    while (server_->in_flight() < 3) std::this_thread::yield();
    release();
    EXPECT_EQ(other.read()->body, "GET /a ");
    EXPECT_EQ(follower.read()->status, 200);
    EXPECT_EQ(follower.read(true)->head, "7\r\nid: 1\n\n\r\n0\r\n");
}

TEST_F(StreamTest, EndsWithTheServerWhilePiecesCannotBeRead) {
    start();
    say(std::vector<std::string>(100, "away"));
    RawHttpClient client(port_);
    client.send(get("/stream"));
    EXPECT_EQ(client.read()->status, 200);
    for (int seen = refused_; seen < 1; seen = refused_) refused_.wait(seen);
    server_->stop_accepting();
    EXPECT_TRUE(server_->drain(10min));
    EXPECT_EQ(client.read(true)->head, "0\r\n");
}

TEST_F(StreamTest, HoldsNoThreadWhileIdle) {
    settings_.handler_threads = 1;
    start();
    RawHttpClient first(port_), second(port_), third(port_);
    first.send(get("/stream"));
    second.send(get("/stream"));
    until_listening(2);
    EXPECT_EQ(third.ask(get("/a"))->body, "GET /a ");
}

TEST_F(StreamTest, EndsWhenTheClientDisconnects) {
    start();
    {
        RawHttpClient client(port_);
        client.send(get("/stream"));
        until_listening(1);
    }
    until_listening(0);
}

}  // namespace
}  // namespace sundial::http
