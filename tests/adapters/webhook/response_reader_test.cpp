#include "adapters/webhook/response_reader.hpp"

#include <gtest/gtest.h>

namespace sundial::webhook {
namespace {

using namespace std::chrono_literals;

const std::chrono::sys_seconds now = std::chrono::sys_days(2027y / 1 / 1);

ResponseReader after(std::initializer_list<std::string_view> lines) {
    ResponseReader reader;
    for (const std::string_view line : lines) EXPECT_TRUE(reader.head_line(line)) << line;
    return reader;
}

std::optional<std::chrono::seconds> retry_after(const std::string& value,
                                                const char* status = "HTTP/1.1 503 x\r\n") {
    return after({status, "Retry-After: " + value + "\r\n", "\r\n"}).retry_after(now);
}

TEST(ResponseReader, SkipsInterimResponsesUpToEight) {
    ResponseReader reader;
    for (int i = 0; i < 8; ++i) {
        EXPECT_TRUE(reader.head_line("HTTP/1.1 103 Early Hints\r\n"));
        EXPECT_TRUE(reader.head_line("\r\n"));
        EXPECT_FALSE(reader.head_complete());
    }
    EXPECT_TRUE(reader.head_line("HTTP/1.1 103 Early Hints\r\n"));
    EXPECT_FALSE(reader.head_line("\r\n"));
    EXPECT_EQ(reader.refusal(), "more than 8 interim responses");
}

TEST(ResponseReader, ReadsNothingBehindASwitchOfProtocols) {
    ResponseReader reader = after({"HTTP/1.1 101 Switching Protocols\r\n", "Upgrade: x\r\n"});
    EXPECT_FALSE(reader.head_line("\r\n"));
    EXPECT_TRUE(reader.head_complete());
    EXPECT_EQ(reader.status(), 101);
}

TEST(ResponseReader, TheLastStatusCountsOnceItsHeadIsWhole) {
    ResponseReader reader =
        after({"HTTP/1.1 100 Continue\r\n", "\r\n", "HTTP/1.1 204 No Content\r\n", "A: b\r\n"});
    EXPECT_FALSE(reader.head_complete());
    EXPECT_TRUE(reader.head_line("\r\n"));
    EXPECT_TRUE(reader.head_complete());
    EXPECT_EQ(reader.status(), 204);
}

TEST(ResponseReader, StopsAtAHeadOfMoreThan32KiB) {
    ResponseReader reader = after({"HTTP/1.1 200 OK\r\n"});
    const std::string line = "X: " + std::string(16 * 1024, 'x') + "\r\n";
    EXPECT_TRUE(reader.head_line(line));
    EXPECT_FALSE(reader.head_line(line));
    EXPECT_FALSE(reader.head_complete());
    EXPECT_EQ(reader.refusal(), "the head of the response has more than 32 KiB");
}

TEST(ResponseReader, Keeps2KiBOfTheBodyAndReads64) {
    ResponseReader reader = after({"HTTP/1.1 200 OK\r\n", "\r\n"});
    const std::string piece(16 * 1024, 'b');
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(reader.body(piece));
    EXPECT_FALSE(reader.body("x"));
    EXPECT_EQ(reader.kept_body(), std::string(2048, 'b'));
}

TEST(ResponseReader, RetryAfterIsSecondsOrADateCappedAtADay) {
    EXPECT_EQ(retry_after("120"), 120s);
    EXPECT_EQ(retry_after("  0 "), 0s);
    EXPECT_EQ(retry_after("99999999999999999999999"), 24h);
    EXPECT_EQ(retry_after("604800"), 24h);
    EXPECT_EQ(retry_after("Fri, 01 Jan 2027 00:10:00 GMT"), 600s);
    EXPECT_EQ(retry_after("Fri, 01 Jan 2021 00:10:00 GMT"), 0s);
    EXPECT_EQ(retry_after("soon"), std::nullopt);
    EXPECT_EQ(retry_after("60", "HTTP/1.1 429 x\r\n"), 60s);
    EXPECT_EQ(retry_after("60", "HTTP/1.1 500 x\r\n"), std::nullopt);
}

}  // namespace
}  // namespace sundial::webhook
