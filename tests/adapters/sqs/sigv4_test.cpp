#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "adapters/sqs/signature.hpp"

namespace sundial::sqs {
namespace {

/// 2015-08-30T12:36:00Z, the time of AWS's test suite.
constexpr std::chrono::sys_seconds suite_time{
    std::chrono::sys_days{std::chrono::year{2015} / 8 / 30} + std::chrono::hours(12) +
    std::chrono::minutes(36)};
const AwsKeys suite_keys{"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", ""};
constexpr const char* long_token =
    "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfI"
    "eoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0"
    "wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDry"
    "pNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==";

struct SuiteCase {
    const char* name;
    const char* method;
    const char* path;   // as the suite's canonical request has it
    const char* query;  // the same
    std::vector<std::pair<std::string, std::string>> headers;  // besides host and time
    const char* body;
    const char* signature;
    const char* host = "example.amazonaws.com";
    const char* service = "service";
    friend void PrintTo(const SuiteCase& one, std::ostream* out) { *out << one.name; }
};
class AwsSuite : public testing::TestWithParam<SuiteCase> {};

TEST_P(AwsSuite, IsReproduced) {
    const SuiteCase& given = GetParam();
    RequestToSign request{.method = given.method,
                          .path = given.path,
                          .query = given.query,
                          .headers = given.headers,
                          .body = given.body};
    request.headers.emplace_back("Host", given.host);
    request.headers.emplace_back("X-Amz-Date", "20150830T123600Z");
    const std::string header = authorization(
        request, {.region = "us-east-1", .service = given.service, .at = suite_time}, suite_keys);
    EXPECT_EQ(header.substr(header.find("Signature=")),
              "Signature=" + std::string{given.signature});
}

std::string name_of(const testing::TestParamInfo<SuiteCase>& info) { return info.param.name; }

/// Each vector of AWS's test suite for signatures in the header: the requests and signatures of
/// tests/aws-signing-test-suite/v4 in awslabs/aws-c-auth (Apache License 2.0), as a table. Ways to
/// write one path or query are vectors of their own there: our requests have only normalized ones.
INSTANTIATE_TEST_SUITE_P(
    SigV4, AwsSuite,
    testing::Values(
        SuiteCase{"get_header_key_duplicate",
                  "GET",
                  "/",
                  "",
                  {{"My-Header1", "value2"}, {"My-Header1", "value2"}, {"My-Header1", "value1"}},
                  "",
                  "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"},
        SuiteCase{"get_header_value_multiline",
                  "GET",
                  "/",
                  "",
                  {{"My-Header1", "value1   value2      value3"}},
                  "",
                  "cfd34249e4b1c8d6b91ef74165d41a32e5fab3306300901bb65a51a73575eefd"},
        SuiteCase{"get_header_value_order",
                  "GET",
                  "/",
                  "",
                  {{"My-Header1", "value4"},
                   {"My-Header1", "value1"},
                   {"My-Header1", "value3"},
                   {"My-Header1", "value2"}},
                  "",
                  "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01"},
        SuiteCase{"get_header_value_trim",
                  "GET",
                  "/",
                  "",
                  {{"My-Header1", " value1"}, {"My-Header2", " \"a   b   c\""}},
                  "",
                  "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"},
        SuiteCase{"get_relative_normalized",
                  "GET",
                  "/",
                  "",
                  {},
                  "",
                  "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
        SuiteCase{"get_relative_relative_normalized",
                  "GET",
                  "/",
                  "",
                  {},
                  "",
                  "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
        SuiteCase{"get_relative_relative_unnormalized",
                  "GET",
                  "/example1/example2/../..",
                  "",
                  {},
                  "",
                  "dc33e0856fd4baca4d7aa2146c38958283844764f38c74252a333df5e613003b"},
        SuiteCase{"get_relative_unnormalized",
                  "GET",
                  "/example/..",
                  "",
                  {},
                  "",
                  "eca7ead57bb5aa5c8e28007acd4ff04e1ff9a0ff3b237ec1554a184887ff9282"},
        SuiteCase{"get_slash_dot_slash_normalized",
                  "GET",
                  "/",
                  "",
                  {},
                  "",
                  "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
        SuiteCase{"get_slash_dot_slash_unnormalized",
                  "GET",
                  "/./",
                  "",
                  {},
                  "",
                  "68714168e6557f8f2de0ef956fc24dc2593a4bd2961f8df51898d8a134695145"},
        SuiteCase{"get_slash_normalized",
                  "GET",
                  "/",
                  "",
                  {},
                  "",
                  "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
        SuiteCase{"get_slash_pointless_dot_normalized",
                  "GET",
                  "/example",
                  "",
                  {},
                  "",
                  "ef75d96142cf21edca26f06005da7988e4f8dc83a165a80865db7089db637ec5"},
        SuiteCase{"get_slash_pointless_dot_unnormalized",
                  "GET",
                  "/./example",
                  "",
                  {},
                  "",
                  "beb03f223f7deae4146464f06e29eebbee9c8afbe15c290cf07aa8b119e14cff"},
        SuiteCase{"get_slash_unnormalized",
                  "GET",
                  "//",
                  "",
                  {},
                  "",
                  "c88bcd3d312d75078c0cd961d6deae3f4c754924b01669efcfcb439fd5e5b76e"},
        SuiteCase{"get_slashes_normalized",
                  "GET",
                  "/example/",
                  "",
                  {},
                  "",
                  "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84"},
        SuiteCase{"get_slashes_unnormalized",
                  "GET",
                  "//example//",
                  "",
                  {},
                  "",
                  "87cca117541a147f6df867677d98a7d80dff226d2bfca9e4ffa899665623c7e5"},
        SuiteCase{"get_space_normalized",
                  "GET",
                  "/example%20space/",
                  "",
                  {},
                  "",
                  "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741"},
        SuiteCase{"get_space_unnormalized",
                  "GET",
                  "/example%20space/",
                  "",
                  {},
                  "",
                  "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741"},
        SuiteCase{"get_unreserved",
                  "GET",
                  "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
                  "",
                  {},
                  "",
                  "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"},
        SuiteCase{"get_utf8",
                  "GET",
                  "/%E1%88%B4",
                  "",
                  {},
                  "",
                  "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"},
        SuiteCase{"get_vanilla_empty_query_key",
                  "GET",
                  "/",
                  "Param1=value1",
                  {},
                  "",
                  "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"},
        SuiteCase{"get_vanilla_query_order_encoded",
                  "GET",
                  "/",
                  "%E1%88%B4=Value1&Param=Value2&Param-3=Value3",
                  {},
                  "",
                  "371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac"},
        SuiteCase{"get_vanilla_query_order_key_case",
                  "GET",
                  "/",
                  "Param1=value1&Param2=value2",
                  {},
                  "",
                  "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
        SuiteCase{"get_vanilla_query_unreserved",
                  "GET",
                  "/",
                  "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz=-._~"
                  "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
                  {},
                  "",
                  "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"},
        SuiteCase{"get_vanilla_query",
                  "GET",
                  "/",
                  "",
                  {},
                  "",
                  "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
        SuiteCase{"get_vanilla_utf8_query",
                  "GET",
                  "/",
                  "%E1%88%B4=bar",
                  {},
                  "",
                  "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"},
        SuiteCase{"get_vanilla_with_session_token",
                  "GET",
                  "/",
                  "",
                  {{"X-Amz-Security-Token",
                    "6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267"}},
                  "",
                  "07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8"},
        SuiteCase{"get_vanilla",
                  "GET",
                  "/",
                  "",
                  {},
                  "",
                  "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
        SuiteCase{"post_header_key_case",
                  "POST",
                  "/",
                  "",
                  {},
                  "",
                  "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
        SuiteCase{"post_header_key_sort",
                  "POST",
                  "/",
                  "",
                  {{"My-Header1", "value1"}},
                  "",
                  "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"},
        SuiteCase{"post_header_value_case",
                  "POST",
                  "/",
                  "",
                  {{"My-Header1", "VALUE1"}},
                  "",
                  "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d"},
        SuiteCase{"post_sts_header_after",
                  "POST",
                  "/",
                  "",
                  {},
                  "",
                  "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
        SuiteCase{"post_sts_header_before",
                  "POST",
                  "/",
                  "",
                  {{"X-Amz-Security-Token", long_token}},
                  "",
                  "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"},
        SuiteCase{"post_vanilla_empty_query_value",
                  "POST",
                  "/",
                  "Param1=value1",
                  {},
                  "",
                  "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"},
        SuiteCase{"post_vanilla_query",
                  "POST",
                  "/",
                  "Param1=value1",
                  {},
                  "",
                  "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"},
        SuiteCase{"post_vanilla",
                  "POST",
                  "/",
                  "",
                  {},
                  "",
                  "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
        SuiteCase{"post_x_www_form_urlencoded_parameters",
                  "POST",
                  "/",
                  "",
                  {{"Content-Type", "application/x-www-form-urlencoded; charset=utf-8"},
                   {"Content-Length", "13"},
                   {"X-Amz-Content-SHA256",
                    "9095672bbd1f56dfc5b65f3e153adc8731a4a654192329106275f4c7b24d0b6e"}},
                  "Param1=value1",
                  "328d1b9eaadca9f5818ef05e8392801e091653bafec24fcab71e7344e7f51422"},
        SuiteCase{"post_x_www_form_urlencoded",
                  "POST",
                  "/",
                  "",
                  {{"Content-Type", "application/x-www-form-urlencoded"},
                   {"Content-Length", "13"},
                   {"X-Amz-Content-SHA256",
                    "9095672bbd1f56dfc5b65f3e153adc8731a4a654192329106275f4c7b24d0b6e"}},
                  "Param1=value1",
                  "d3875051da38690788ef43de4db0d8f280229d82040bfac253562e56c3f20e0b"}),
    name_of);

/// Vectors of the suite's first edition that the present one changed, and the request that AWS's
/// documentation signs.
INSTANTIATE_TEST_SUITE_P(
    SigV4Older, AwsSuite,
    testing::Values(SuiteCase{"post_x_www_form_urlencoded",
                              "POST",
                              "/",
                              "",
                              {{"Content-Type", "application/x-www-form-urlencoded"}},
                              "Param1=value1",
                              "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"},
                    SuiteCase{"post_x_www_form_urlencoded_parameters",
                              "POST",
                              "/",
                              "",
                              {{"Content-Type", "application/x-www-form-urlencoded; charset=utf8"}},
                              "Param1=value1",
                              "1a72ec8f64bd914b0e42e42607c7fbce7fb2c7465f63e3092b3b0d39fa77a6fe"},
                    SuiteCase{
                        "documentation",
                        "GET",
                        "/",
                        "Action=ListUsers&Version=2010-05-08",
                        {{"Content-Type", "application/x-www-form-urlencoded; charset=utf-8"}},
                        "",
                        "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7",
                        "iam.amazonaws.com",
                        "iam"}),
    name_of);

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
