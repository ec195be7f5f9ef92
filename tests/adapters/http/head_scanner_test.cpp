#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

#include "adapters/http/request_reader.hpp"

namespace sundial::http {
namespace {

using testing::HasSubstr;

constexpr HeadLimits small{.head_bytes = 80, .target_bytes = 10, .header_count = 3};

struct Head {
    std::string bytes;
    std::optional<Code> code;  // empty: the head is complete
    std::string part;
};

void PrintTo(const Head& head, std::ostream* out) { *out << testing::PrintToString(head.bytes); }

class ScannedHead : public testing::TestWithParam<Head> {};

TEST_P(ScannedHead, IsCompleteOrMalformed) {
    HeadScanner scanner(small);
    ASSERT_TRUE(scanner.done(GetParam().bytes));
    ASSERT_EQ(scanner.fault().has_value(), GetParam().code.has_value());
    if (!scanner.fault()) return;
    EXPECT_EQ(scanner.fault()->code, *GetParam().code);
    EXPECT_THAT(scanner.fault()->detail, HasSubstr(GetParam().part));
}

TEST_P(ScannedHead, IsTheSameHoweverItsBytesArrive) {
    HeadScanner whole(small);
    ASSERT_TRUE(whole.done(GetParam().bytes));
    HeadScanner dripped(small);
    std::size_t given = 1;
    while (!dripped.done(std::string_view(GetParam().bytes).substr(0, given))) ++given;
    EXPECT_EQ(dripped.end(), whole.end());
    EXPECT_EQ(dripped.begin(), whole.begin());
    EXPECT_EQ(dripped.fault().has_value(), whole.fault().has_value());
}

INSTANTIATE_TEST_SUITE_P(
    Table, ScannedHead,
    testing::Values(
        Head{"GET / HTTP/1.1\r\n\r\n", std::nullopt, ""},
        Head{"GET / HTTP/1.1\r\nA: 1\r\nB: 2\r\nC: 3\r\n\r\nrest", std::nullopt, ""},
        Head{"\r\n\r\nGET / HTTP/1.1\r\n\r\n", std::nullopt, ""},
        Head{"GET /3456789012 HTTP/1.1\r\n\r\n", Code::uri_too_long, "10 bytes in its target"},
        Head{"GET / HTTP/1.1\r\nA:\r\nB:\r\nC:\r\nD:\r\n", Code::headers_too_large,
             "3 header fields"},
        Head{"GET / HTTP/1.1\r\nA: " + std::string(80, 'a'), Code::headers_too_large,
             "80 bytes in its head"},
        Head{std::string(81, 'X'), Code::headers_too_large, "80 bytes"},
        Head{"GET / HTTP/1.1\n", Code::validation_failed, "LF alone"},
        Head{"GET / HTTP/1.1\r\nA: 1\n", Code::validation_failed, "LF alone"},
        Head{"GET / HTTP/1.1\rA", Code::validation_failed, "CR has no LF after it"},
        Head{"GET / HTTP/1.1\r\nA: 1\r\n b", Code::validation_failed, "folded"},
        Head{"GET / HTTP/1.1\r\n\tb", Code::validation_failed, "folded"},
        Head{"GET / HTTP/1.1\r\nA: 1\r\n\rx", Code::validation_failed, "CR has no LF"}));

TEST(HeadScanner, FindsTheEndOfTheHead) {
    HeadScanner scanner(small);
    EXPECT_FALSE(scanner.done("\r\nGET / HTTP/1.1\r\n"));
    EXPECT_TRUE(scanner.done("\r\nGET / HTTP/1.1\r\n\r\nbody"));
    EXPECT_EQ(scanner.begin(), 2U);
    EXPECT_EQ(scanner.end(), 20U);
}

TEST(HeadScanner, TakesATargetOfExactlyTheLimit) {
    HeadScanner scanner(small);
    EXPECT_TRUE(scanner.done("GET /34567890 HTTP/1.1\r\n\r\n"));
    EXPECT_FALSE(scanner.fault());
}

struct Framing {
    std::vector<Parameter> fields;
    bool http_1_1;
    std::string fault;  // empty: none
};
void PrintTo(const Framing& framing, std::ostream* out) {
    for (const Parameter& field : framing.fields) *out << field.name << ": " << field.value << "; ";
}

class FramingFault : public testing::TestWithParam<Framing> {};
TEST_P(FramingFault, IsFound) {
    Headers headers;
    for (const Parameter& field : GetParam().fields) headers.add(field.name, field.value);
    const auto fault = framing_fault(headers, GetParam().http_1_1);
    EXPECT_EQ(fault.has_value(), !GetParam().fault.empty());
    if (fault) EXPECT_THAT(fault->detail, HasSubstr(GetParam().fault));
}
INSTANTIATE_TEST_SUITE_P(
    Table, FramingFault,
    testing::Values(
        Framing{{{"Host", "a"}}, true, ""}, Framing{{}, false, ""},
        Framing{{{"Host", "a"}, {"Content-Length", "1"}}, true, ""},
        Framing{{{"Host", "a"}, {"transfer-encoding", "Chunked"}}, true, ""},
        Framing{{}, true, "Host is missing"},
        Framing{{{"Host", "a"}, {"host", "b"}}, true, "Host is given twice"},
        Framing{{{"Host", "a"}, {"Content-Length", "1"}, {"content-length", "1"}}, true, "twice"},
        Framing{{{"Host", "a"}, {"Content-Length", "1, 1"}}, true, "not one number"},
        Framing{{{"Host", "a"}, {"Content-Length", "1"}, {"Transfer-Encoding", "chunked"}},
                true,
                "exclude each other"},
        Framing{{{"Transfer-Encoding", "chunked"}}, false, "HTTP/1.0 has no"},
        Framing{{{"Host", "a"}, {"Transfer-Encoding", "gzip, chunked"}}, true, "only"},
        Framing{{{"Host", "a"}, {"Transfer-Encoding", "chunked"}, {"Transfer-Encoding", "chunked"}},
                true,
                "once"}));

}  // namespace
}  // namespace sundial::http
