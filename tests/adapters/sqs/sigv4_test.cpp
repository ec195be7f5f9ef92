#include <gtest/gtest.h>

#include <string>

#include "adapters/sqs/signature.hpp"

namespace sundial::sqs {
namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;

/// 2015-08-30T12:36:00Z, the time of AWS's test suite.
constexpr std::chrono::sys_seconds suite_time{
    std::chrono::sys_days{std::chrono::year{2015} / 8 / 30} + std::chrono::hours(12) +
    std::chrono::minutes(36)};
const AwsKeys suite_keys{"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", ""};
constexpr const char* session_token =
    "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfI"
    "eoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0"
    "wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDry"
    "pNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==";

struct SuiteCase {
    const char* name;
    RequestToSign request;
    Headers headers;  // besides host and time
    const char* signature;
};
class AwsSuite : public testing::TestWithParam<SuiteCase> {};

/// Vectors of AWS's test suite for Signature Version 4, and the request that its documentation
/// signs.
TEST_P(AwsSuite, IsReproduced) {
    RequestToSign request = GetParam().request;
    const bool iam = std::string{GetParam().name} == "documentation_iam";
    request.headers = GetParam().headers;
    request.headers.emplace_back("Host", iam ? "iam.amazonaws.com" : "example.amazonaws.com");
    request.headers.emplace_back("X-Amz-Date", "20150830T123600Z");
    const std::string header = authorization(
        request, {.region = "us-east-1", .service = iam ? "iam" : "service", .at = suite_time},
        suite_keys);
    EXPECT_EQ(header.substr(header.find("Signature=")),
              "Signature=" + std::string{GetParam().signature});
}

INSTANTIATE_TEST_SUITE_P(
    SigV4, AwsSuite,
    testing::Values(SuiteCase{"get_vanilla",
                              {.method = "GET"},
                              {},
                              "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
                    SuiteCase{"post_vanilla",
                              {},
                              {},
                              "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
                    SuiteCase{"get_vanilla_query_order_key_case",
                              {.method = "GET", .query = "Param1=value1&Param2=value2"},
                              {},
                              "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
                    SuiteCase{"post_vanilla_query",
                              {.query = "Param1=value1"},
                              {},
                              "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"},
                    SuiteCase{"post_header_key_sort",
                              {},
                              {{"My-Header1", "value1"}},
                              "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"},
                    SuiteCase{"post_header_value_case",
                              {},
                              {{"My-Header1", "VALUE1"}},
                              "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d"},
                    SuiteCase{"get_header_value_trim",
                              {.method = "GET"},
                              {{"My-Header1", " value1"}, {"My-Header2", R"( "a   b   c")"}},
                              "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"},
                    SuiteCase{"post_x_www_form_urlencoded",
                              {.body = "Param1=value1"},
                              {{"Content-Type", "application/x-www-form-urlencoded"}},
                              "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"},
                    SuiteCase{"post_x_www_form_urlencoded_parameters",
                              {.body = "Param1=value1"},
                              {{"Content-Type", "application/x-www-form-urlencoded; charset=utf8"}},
                              "1a72ec8f64bd914b0e42e42607c7fbce7fb2c7465f63e3092b3b0d39fa77a6fe"},
                    SuiteCase{"post_sts_header_before",
                              {},
                              {{"X-Amz-Security-Token", session_token}},
                              "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"},
                    SuiteCase{
                        "documentation_iam",
                        {.method = "GET", .query = "Action=ListUsers&Version=2010-05-08"},
                        {{"Content-Type", "application/x-www-form-urlencoded; charset=utf-8"}},
                        "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"}),
    [](const auto& info) { return std::string{info.param.name}; });

/// The expected signature was computed with botocore.
TEST(SigV4, SignsARequestForSqsAsBotocoreDoes) {
    const RequestToSign request{
        .headers = {{"Content-Type", "application/x-amz-json-1.0"},
                    {"Host", "sqs.eu-west-1.amazonaws.com"},
                    {"X-Amz-Date", "20150830T123600Z"},
                    {"X-Amz-Target", "AmazonSQS.SendMessageBatch"},
                    {"X-Amz-Security-Token", "TOKEN"}},
        .body = R"({"QueueUrl":"https://sqs.eu-west-1.amazonaws.com/123456789012/queue",)"
                R"("Entries":[]})"};
    EXPECT_EQ(authorization(request, {.region = "eu-west-1", .at = suite_time}, suite_keys),
              "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/eu-west-1/sqs/aws4_request, "
              "SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;x-amz-target, "
              "Signature=c16816df14af502cae06105273629c793530527a0a17b7cefd0bb6eddd0cd157");
}

TEST(SigV4, WritesTheTimeOfARequestWithAllDigits) {
    EXPECT_EQ(amz_date(std::chrono::sys_days{std::chrono::year{2027} / 1 / 5} +
                       std::chrono::seconds(3723)),
              "20270105T010203Z");
}

}  // namespace
}  // namespace sundial::sqs
