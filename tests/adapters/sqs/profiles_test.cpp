#include "adapters/sqs/profiles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sundial::sqs {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(Profiles, AreReadFromBothFormsOfSections) {
    const auto profiles = read_profiles(
        "# comment\r\n"
        "[default]\r\n"
        "aws_access_key_id = AKID\r\n"
        "AWS_SECRET_ACCESS_KEY=se#cret ; comment\r\n"
        "\r\n"
        "[profile  dev ]\n"
        "region = eu-west-1 # comment\n"
        "s3 =\n"
        "  max_concurrent_requests = 20\n"
        "[sso-session corp]\n"
        "sso_region = us-east-1\n"
        "[prod]\n"
        "no equals sign\n"
        "role_arn = arn:aws:iam::1:role/x=y");
    ASSERT_EQ(profiles.size(), 3U);
    EXPECT_THAT(profiles.at("default"), ElementsAre(Pair("aws_access_key_id", "AKID"),
                                                    Pair("aws_secret_access_key", "se#cret")));
    EXPECT_THAT(profiles.at("dev"), ElementsAre(Pair("region", "eu-west-1"), Pair("s3", "")));
    EXPECT_THAT(profiles.at("prod"), ElementsAre(Pair("role_arn", "arn:aws:iam::1:role/x=y")));
}

TEST(Profiles, OfAFileWithoutSectionsAreNone) {
    EXPECT_THAT(read_profiles(""), IsEmpty());
    EXPECT_THAT(read_profiles("aws_access_key_id = AKID\n[broken\n"), IsEmpty());
}

}  // namespace
}  // namespace sundial::sqs
