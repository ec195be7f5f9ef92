#include "domain/outcome.hpp"

#include <gtest/gtest.h>

namespace sundial {
namespace {

TEST(JudgeStatus, AcceptsEverySuccess) {
    for (int status = 200; status <= 299; ++status) {
        EXPECT_EQ(judge_status(status, 0), Verdict::accepted) << status;
    }
}

TEST(JudgeStatus, RetriesTransientErrors) {
    for (const int status : {408, 425, 429, 500, 501, 502, 503, 504, 599}) {
        EXPECT_EQ(judge_status(status, 0), Verdict::retryable) << status;
    }
}

TEST(JudgeStatus, TreatsOtherErrorsAsFinal) {
    for (const int status : {100, 101, 199, 300, 301, 302, 304, 307, 308, 400, 401, 403, 404,
                             405, 406, 407, 409, 410, 413, 418, 421, 422, 451, 600, 999}) {
        EXPECT_EQ(judge_status(status, 0), Verdict::permanent) << status;
    }
}

TEST(JudgeStatus, GrantsDeploymentMistakesTheAttemptsOfTheEndpoint) {
    for (const int status : {300, 302, 399, 401, 403, 404, 407, 409, 421}) {
        EXPECT_EQ(judge_status(status, 1), Verdict::retryable) << status;
    }
    for (const int status : {101, 400, 402, 405, 410, 422, 600}) {
        EXPECT_EQ(judge_status(status, 1), Verdict::permanent) << status;
    }
}

TEST(FailureReason, BeginsWithTheErrorsCode) {
    Outcome outcome{.status_code = 404,
                    .error = DeliveryErrorCode::http_status,
                    .error_text = "",
                    .retry_after = std::nullopt,
                    .response_body = ""};
    EXPECT_EQ(failure_reason(outcome), "HTTP_STATUS 404");
    outcome.status_code.reset();
    outcome.error = DeliveryErrorCode::timeout;
    outcome.error_text = "no response within 10 s";
    EXPECT_EQ(failure_reason(outcome), "TIMEOUT no response within 10 s");
    outcome.error_text = "the file \xff\nof postgresql://a:b@c";
    EXPECT_EQ(failure_reason(outcome), "TIMEOUT the file \uFFFD of postgresql://a:***@c");
    outcome.error = DeliveryErrorCode::lease_lost;
    outcome.error_text.clear();
    EXPECT_EQ(failure_reason(outcome), "LEASE_LOST");
    outcome.error.reset();
    EXPECT_EQ(failure_reason(outcome), "");
}

TEST(AttemptOutcome, ReadsWhatItWrites) {
    for (const char* text : {"SUCCEEDED", "RETRYABLE", "PERMANENT", "LOST", "LATE", "RELEASED"}) {
        ASSERT_TRUE(parse_attempt_outcome(text)) << text;
        EXPECT_EQ(to_string(*parse_attempt_outcome(text)), text);
    }
    EXPECT_EQ(parse_attempt_outcome("lost"), std::nullopt);
    EXPECT_EQ(to_string(AttemptOutcome::late), "LATE");
}

}  // namespace
}  // namespace sundial
