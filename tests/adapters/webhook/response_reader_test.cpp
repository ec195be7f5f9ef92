#include "adapters/webhook/response_reader.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>

#include "base/text.hpp"

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

TEST(ResponseReader, TheLastStatusCountsOnceItsHeadIsComplete) {
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

TEST(ReadableText, KeepsCharactersAndReplacesAllOtherBytes) {
    const std::string_view binary{"a\0\xff\xc3\xa9\xed\xa0\x80z", 9};
    EXPECT_EQ(readable_text(binary, false),
              (std::string_view{"a\0\uFFFD\u00E9\uFFFD\uFFFD\uFFFDz", 17}));
}

TEST(ReadableText, LeavesOutACharacterThatWasCut) {
    const std::string_view characters[] = {"\u00E9",     "\u20AC",     "\uFFFD",    "\uD7FF",
                                           "\U0001F382", "\U00010000", "\U0010FFFF"};
    for (const std::string_view character : characters) {
        for (std::size_t kept = 1; kept < character.size(); ++kept) {
            const std::string bytes = "a" + std::string{character.substr(0, kept)};
            EXPECT_EQ(readable_text(bytes, true), "a") << character << ' ' << kept;
            EXPECT_TRUE(readable_text(bytes, false).ends_with("\uFFFD")) << character;
        }
        EXPECT_EQ(readable_text(character, true), character);
    }
    EXPECT_EQ(readable_text("a\xc3(", true), "a\uFFFD(");
    EXPECT_EQ(readable_text("a\xff", true), "a\uFFFD");
    EXPECT_EQ(readable_text("a\xed\xa0", true), "a\uFFFD\uFFFD");
}

TEST(ReadableText, IsWellFormedForAnyBytes) {
    std::mt19937 random{7};
    std::uniform_int_distribution<int> byte{0, 255}, length{0, 12};
    for (int i = 0; i < 20'000; ++i) {
        std::string bytes(static_cast<std::size_t>(length(random)), '\0');
        for (char& one : bytes) one = static_cast<char>(byte(random));
        EXPECT_TRUE(base::count_code_points(readable_text(bytes, i % 2 == 0)));
    }
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
