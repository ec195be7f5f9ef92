#include "adapters/http/api/etags.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

namespace sundial::http {
namespace {

struct Match {
    std::string field;
    Version current;
    Version expected;
    friend void PrintTo(const Match& one, std::ostream* out) { *out << one.field; }
};
class IfMatch : public testing::TestWithParam<Match> {};
TEST_P(IfMatch, NamesAVersion) {
    Request request;
    request.headers.add("If-Match", GetParam().field);
    const auto current = [] { return std::optional(GetParam().current); };
    EXPECT_EQ(expected_version(request, current), GetParam().expected);
}
INSTANTIATE_TEST_SUITE_P(Table, IfMatch,
                         testing::Values(Match{R"("3")", Version{4}, Version{3}},
                                         Match{R"("0")", Version{0},
                                               Version{0}},  // for a stream that does not exist
                                         Match{R"("7", "0")", Version{0}, Version{0}},
                                         Match{R"(W/"0", "7")", Version{0}, version_of_nothing},
                                         Match{R"(W/"3")", Version{3}, version_of_nothing},
                                         Match{"3", Version{3}, version_of_nothing},
                                         Match{R"("")", Version{0}, version_of_nothing},
                                         Match{R"("three")", Version{0}, version_of_nothing}));

TEST(IfMatchOfNothing, LetsAnyVersionDoWhereItNamesNone) {
    const auto current = [] { return std::optional(Version{1}); };
    Request request;
    EXPECT_EQ(expected_version(request, current), std::nullopt);
    request.headers.add("If-Match", "*");
    EXPECT_EQ(expected_version(request, current), std::nullopt);
}

TEST(IfNoneMatch, IgnoresInvalidVersions) {
    Request request;
    request.headers.add("If-None-Match", "three");
    EXPECT_FALSE(not_modified(request, Version{0}));
}

}  // namespace
}  // namespace sundial::http
