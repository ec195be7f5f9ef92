#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <ostream>
#include <string>

#include "adapters/http/api/routes.hpp"
#include "api_fixture.hpp"
#include "support/fake_ids.hpp"

namespace sundial::http {
namespace {

using testing::HasSubstr;

class Streams : public ApiTest {
protected:
    Streams() { add_stream_routes(router, {streams, ids}); }

    /// An append to a stream at version 1 that expects what the body or the header says.
    Response append_expecting(const std::string& expected, const Headers& headers) {
        const std::string member = expected.empty() ? "" : R"("expectedVersion":)" + expected + ",";
        return call("POST", "/v1/streams/Order/1",
                    "{" + member + R"("events":[{"eventType":"Placed","data":{}}]})", headers);
    }
    std::uint64_t version() { return streams.read.read({"Order", "1"}, {})->head.version; }

    Feed& feed = store.feed();
    StreamsModule streams{{store, feed, digest, monotonic, log}, std::chrono::seconds{1}};
};

struct Defect {
    std::string in_body;
    std::string if_match;
    int status;
    friend void PrintTo(const Defect& one, std::ostream* out) {
        *out << one.in_body << ", If-Match: " << one.if_match;
    }
};
class DefectiveExpectation : public Streams, public testing::WithParamInterface<Defect> {};

/// Issue 19, item 26: none of them is any version, and none lets everything pass.
TEST_P(DefectiveExpectation, IsRefused) {
    ASSERT_EQ(append_expecting("0", {}).status, 201);
    Headers headers;
    if (!GetParam().if_match.empty()) headers.add("If-Match", GetParam().if_match);
    const Response refused = append_expecting(GetParam().in_body, headers);
    EXPECT_EQ(refused.status, GetParam().status) << refused.body;
    if (refused.status == 400) {
        EXPECT_THAT(refused.body, HasSubstr(R"("pointer":"/expectedVersion")"));
    } else {
        EXPECT_THAT(refused.body, HasSubstr(R"("actualVersion":1)"));
    }
    EXPECT_EQ(version(), 1U);
}
INSTANTIATE_TEST_SUITE_P(
    Table, DefectiveExpectation,
    testing::Values(
        Defect{"-3", "", 400}, Defect{"9223372036854775808", "", 400},
        Defect{"18446744073709551615", "", 400}, Defect{"18446744073709551616", "", 400},
        Defect{"1e30", "", 400}, Defect{"-1e30", "", 400}, Defect{"1.5", "", 400},
        Defect{R"("18446744073709551615")", "", 400}, Defect{R"("-9223372036854775809")", "", 400},
        Defect{R"("")", "", 400}, Defect{"9223372036854775807", "", 409},
        Defect{"", R"("18446744073709551615")", 412}, Defect{"", R"("18446744073709551614")", 412},
        Defect{"", R"("9223372036854775808")", 412}, Defect{"", R"("9223372036854775807")", 412},
        Defect{"", R"("99999999999999999999")", 412},
        Defect{"", R"("7", "18446744073709551615")", 412}, Defect{"", R"("-1")", 412},
        Defect{"", R"("-2")", 412}));

}  // namespace
}  // namespace sundial::http
