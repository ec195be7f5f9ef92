#include "adapters/http/problem.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "adapters/http/json.hpp"

namespace sundial::http {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Problem, IsWrittenAsTheReferenceShows) {
    const Response response = to_response(
        validation_failed({{"/timezone", "unknown_zone", "'Mars/Base' is not an IANA zone"}}),
        "/v1/users", "req-1");
    EXPECT_EQ(response.status, 400);
    EXPECT_EQ(response.content_type, "application/problem+json");
    EXPECT_EQ(response.body,
              R"({"type":"/docs/errors/VALIDATION_FAILED","title":"Request validation failed",)"
              R"("status":400,"code":"VALIDATION_FAILED","retryable":false,)"
              R"("detail":"1 field is invalid","instance":"/v1/users","correlationId":"req-1",)"
              R"("errors":[{"pointer":"/timezone","code":"unknown_zone",)"
              R"("message":"'Mars/Base' is not an IANA zone"}]})");
}

TEST(Problem, CarriesTheDataOfItsCode) {
    const Problem problem{.code = Code::optimistic_lock,
                          .detail = "The user is at version 4",
                          .errors = {},
                          .members = {{"expectedVersion", std::int64_t{3}},
                                      {"holder", nullptr},
                                      {"allow", std::vector<std::string>{"GET", "PUT"}},
                                      {"error", RawJson{R"({"code":"X"})"}},
                                      {"late", true}},
                          .status = 412};
    const Response response = to_response(problem, "/v1/users/1", "req-1");
    EXPECT_EQ(response.status, 412);
    EXPECT_THAT(response.body,
                HasSubstr(R"("expectedVersion":3,"holder":null,"allow":["GET","PUT"],)"
                          R"("error":{"code":"X"},"late":true})"));
    EXPECT_THAT(response.body, HasSubstr(R"("status":412)"));
}

TEST(Problem, ShowsAtMostTwentyErrorsAndCountsAll) {
    std::vector<FieldError> errors;
    errors.reserve(25);
    for (int i = 0; i < 25; ++i) {
        errors.push_back({"/" + std::to_string(i) + "x", "required", "missing"});
    }
    const Response response = to_response(validation_failed(std::move(errors)), "/", "req-1");
    EXPECT_THAT(response.body, HasSubstr("25 fields are invalid"));
    EXPECT_THAT(response.body, HasSubstr("/19x"));
    EXPECT_THAT(response.body, Not(HasSubstr("/20x")));
}

TEST(Problem, StaysValidJsonForAnyQuotedText) {
    const Response response = to_response(
        {.code = Code::route_not_found, .detail = "a\"b\\c\x01\xff\n"}, "/\xc3", "req-1");
    EXPECT_THAT(response.body, HasSubstr("a\\\"b\\\\c\\u0001\xEF\xBF\xBD\\n"));
    EXPECT_THAT(response.body, HasSubstr("\"/\xEF\xBF\xBD\""));
}

TEST(Problem, HasRetryAfterIfUseful) {
    for (const ProblemKind& kind : problem_kinds()) {
        const Response response = to_response({.code = kind.code}, "/", "req-1");
        const bool come_back =
            kind.status == 503 || kind.status == 429 || (kind.status == 409 && kind.retryable);
        EXPECT_EQ(response.headers.find("Retry-After").has_value(), come_back) << kind.name;
    }
}

TEST(Problem, EveryCodeHasOneNameAndAnErrorStatus) {
    std::set<std::string_view> names;
    for (const ProblemKind& kind : problem_kinds()) {
        EXPECT_EQ(&kind_of(kind.code), &kind);
        EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
        EXPECT_GE(kind.status, 400);
        EXPECT_FALSE(kind.title.empty());
    }
}

}  // namespace
}  // namespace sundial::http
