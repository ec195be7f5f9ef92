#include "adapters/sqs/answer.hpp"

#include <gtest/gtest.h>

#include <ostream>

#include "adapters/sqs/batch.hpp"
#include "support/builders.hpp"

namespace sundial::sqs {
namespace {

TEST(SqsAnswer, NamesTheResultOfEachEntry) {
    const auto results = read_results(
        R"({"Successful":[{"Id":"2","MessageId":"m"},{"Id":"0","MessageId":"n"}],)"
        R"("Failed":[{"Id":"1","Code":"InternalError","Message":"later","SenderFault":false}]})",
        3);
    ASSERT_TRUE(results.has_value());
    EXPECT_EQ((*results)[0], std::nullopt);
    EXPECT_EQ((*results)[2], std::nullopt);
    ASSERT_TRUE((*results)[1].has_value());
    EXPECT_EQ((*results)[1]->code, "InternalError");
    EXPECT_EQ((*results)[1]->text, "later");
    EXPECT_EQ((*results)[1]->kind, ErrorKind::temporary);
}

TEST(SqsAnswer, IsUnreadableUnlessItNamesEachEntryOnce) {
    for (const char* body :
         {"", "{", "[]", "{}", R"({"Successful":[{"Id":"0"}]})",
          R"({"Successful":[{"Id":"0"},{"Id":"0"}]})",
          R"({"Successful":[{"Id":"0"},{"Id":"1"}],"Failed":[{"Id":"1"}]})",
          R"({"Successful":[{"Id":"0"},{"Id":"2"}]})", R"({"Successful":[{"Id":"0"},{"Id":1}]})",
          R"({"Successful":[{"Id":"0"},"1"]})", R"({"Successful":{"Id":"0"}})"}) {
        EXPECT_EQ(read_results(body, 2), std::nullopt) << body;
    }
    EXPECT_TRUE(read_results(R"({"Successful":[{"Id":"0"},{"Id":"1"}],"Failed":null})", 2));
}

TEST(SqsAnswer, SenderFaultDecidesForUnknownCodesOnly) {
    const auto kind_of_entry = [](const std::string& code, const char* fault) {
        const auto results = read_results(
            R"({"Failed":[{"Id":"0","Code":")" + code + R"(","SenderFault":)" + fault + "}]}", 1);
        return results.value()[0].value().kind;
    };
    EXPECT_EQ(kind_of_entry("InvalidMessageContents", "true"), ErrorKind::refused);
    EXPECT_EQ(kind_of_entry("SomethingNew", "false"), ErrorKind::temporary);
    EXPECT_EQ(kind_of_entry("AWS.SimpleQueueService.OverLimit", "true"), ErrorKind::throttled);
}

struct ErrorCase {
    int status;
    const char* body;
    const char* code;
    ErrorKind kind;
    friend void PrintTo(const ErrorCase& one, std::ostream* out) { *out << one.body; }
};
class SqsErrors : public testing::TestWithParam<ErrorCase> {};

TEST_P(SqsErrors, HaveTheKindOfTheTable) {
    const SqsError error = read_error(GetParam().status, GetParam().body);
    EXPECT_EQ(error.code, GetParam().code);
    EXPECT_EQ(error.kind, GetParam().kind) << GetParam().body;
}

INSTANTIATE_TEST_SUITE_P(
    Sqs, SqsErrors,
    testing::Values(
        ErrorCase{400, R"({"__type":"com.amazonaws.sqs#QueueDoesNotExist","message":"none"})",
                  "QueueDoesNotExist", ErrorKind::missing_queue},
        ErrorCase{400, R"({"__type":"AWS.SimpleQueueService.NonExistentQueue"})",
                  "NonExistentQueue", ErrorKind::missing_queue},
        ErrorCase{403, R"({"__type":"com.amazon.coral.service#ExpiredTokenException"})",
                  "ExpiredTokenException", ErrorKind::expired_keys},
        ErrorCase{403, R"({"__type":"InvalidSignatureException","message":"Signature expired: 2"})",
                  "InvalidSignatureException", ErrorKind::skewed_clock},
        ErrorCase{403, R"({"__type":"InvalidSignatureException","message":"Credential"})",
                  "InvalidSignatureException", ErrorKind::wrong_keys},
        ErrorCase{400, R"({"__type":"com.amazonaws.sqs#RequestThrottled"})", "RequestThrottled",
                  ErrorKind::throttled},
        ErrorCase{403, R"({"__type":"AccessDeniedException","Message":"no"})",
                  "AccessDeniedException", ErrorKind::denied},
        ErrorCase{400, R"({"__type":"com.amazonaws.sqs#BatchRequestTooLong"})",
                  "BatchRequestTooLong", ErrorKind::refused},
        ErrorCase{503, "<html>Service Unavailable</html>", "", ErrorKind::temporary},
        ErrorCase{429, "", "", ErrorKind::throttled}, ErrorCase{403, "", "", ErrorKind::denied},
        ErrorCase{400, "", "", ErrorKind::refused}));

Outcome outcome_of(ErrorKind kind, std::uint32_t granted, std::uint32_t retried,
                   unsigned throttles = 0) {
    Endpoint endpoint = an_endpoint();
    endpoint.retry_client_errors = granted;
    Event event = an_event();
    event.retry_count = retried;
    const DeliveryRequest request{.event = event,
                                  .endpoint = std::make_shared<const Endpoint>(endpoint),
                                  .target_time = {},
                                  .now = noon};
    return refused_outcome({.code = "Code", .text = "text", .kind = kind}, 400, request, throttles);
}

TEST(SqsAnswer, IsRetriedOrPermanentByKind) {
    for (const ErrorKind kind :
         {ErrorKind::throttled, ErrorKind::temporary, ErrorKind::expired_keys,
          ErrorKind::wrong_keys, ErrorKind::skewed_clock}) {
        EXPECT_EQ(outcome_of(kind, 0, 0).verdict, Verdict::retryable);
    }
    EXPECT_EQ(outcome_of(ErrorKind::refused, 5, 0).verdict, Verdict::permanent);
    for (const ErrorKind kind : {ErrorKind::denied, ErrorKind::missing_queue}) {
        EXPECT_EQ(outcome_of(kind, 0, 0).verdict, Verdict::permanent);
        EXPECT_EQ(outcome_of(kind, 2, 1).verdict, Verdict::retryable);
        EXPECT_EQ(outcome_of(kind, 2, 2).verdict, Verdict::permanent);
    }
    EXPECT_EQ(failure_reason(outcome_of(ErrorKind::refused, 0, 0)), "HTTP_STATUS 400 Code: text");
}

TEST(SqsAnswer, WaitsLongerAfterEachThrottlingInSuccession) {
    EXPECT_EQ(outcome_of(ErrorKind::throttled, 0, 0, 1).retry_after, std::chrono::seconds(1));
    EXPECT_EQ(outcome_of(ErrorKind::throttled, 0, 0, 4).retry_after, std::chrono::seconds(8));
    EXPECT_EQ(outcome_of(ErrorKind::throttled, 0, 0, 99).retry_after, std::chrono::seconds(64));
    EXPECT_EQ(outcome_of(ErrorKind::temporary, 0, 0).retry_after, std::nullopt);
}

}  // namespace
}  // namespace sundial::sqs
