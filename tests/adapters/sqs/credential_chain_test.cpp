#include "adapters/sqs/credential_chain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "support/builders.hpp"

namespace sundial::sqs {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

class CredentialChain : public testing::Test {
protected:
    CredentialResult find() {
        return find_credentials(
            {.environment = [this](const std::string& name) { return found(variables, name); },
             .read_file = [this](const std::string& path) { return found(files, path); },
             .send =
                 [this](const CredentialRequest& request) {
                     requests.push_back(request);
                     const auto answer = answers.find(request.method + ' ' + request.url);
                     return answer == answers.end() ? CredentialResponse{0, "refused"}
                                                    : answer->second;
                 }});
    }
    AwsKeys keys() {
        const CredentialResult result = find();
        const auto* credentials = std::get_if<Credentials>(&result);
        EXPECT_NE(credentials, nullptr) << reason_in(result);
        return credentials == nullptr ? AwsKeys{} : credentials->keys;
    }
    std::string reason() { return reason_in(find()); }

    std::map<std::string, std::string> variables{{"HOME", "/home/sundial"},
                                                 {"AWS_EC2_METADATA_DISABLED", "true"}};
    std::map<std::string, std::string> files;
    std::map<std::string, CredentialResponse> answers;
    std::vector<CredentialRequest> requests;

private:
    static std::string reason_in(const CredentialResult& result) {
        const auto* none = std::get_if<NoCredentials>(&result);
        return none == nullptr ? std::string{} : none->reason;
    }
    static std::optional<std::string> found(const std::map<std::string, std::string>& in,
                                            const std::string& name) {
        const auto at = in.find(name);
        return at == in.end() ? std::nullopt : std::optional{at->second};
    }
};

constexpr const char* container_keys =
    R"({"AccessKeyId":"AKID","SecretAccessKey":"secret","Token":"token",)"
    R"("Expiration":"2027-01-05T18:00:00Z","RoleArn":"arn"})";

TEST_F(CredentialChain, TakesTheEnvironmentFirst) {
    variables["AWS_ACCESS_KEY_ID"] = "AKID";
    variables["AWS_SECRET_ACCESS_KEY"] = "secret";
    files["/home/sundial/.aws/credentials"] =
        "[default]\naws_access_key_id=OTHER\naws_secret_access_key=x\n";
    EXPECT_EQ(keys(), (AwsKeys{"AKID", "secret", ""}));
    variables["AWS_SESSION_TOKEN"] = "token";
    EXPECT_EQ(keys(), (AwsKeys{"AKID", "secret", "token"}));
    variables.erase("AWS_SECRET_ACCESS_KEY");
    EXPECT_THAT(reason(), HasSubstr("AWS_SECRET_ACCESS_KEY is not"));
}

TEST_F(CredentialChain, ReadsTheProfileOfTheSharedFiles) {
    files["/home/sundial/.aws/credentials"] =
        "[default]\naws_access_key_id=AKID\naws_secret_access_key=secret\n"
        "[dev]\naws_access_key_id=DEV\naws_secret_access_key=devsecret\naws_session_token=t\n";
    EXPECT_EQ(keys(), (AwsKeys{"AKID", "secret", ""}));
    variables["AWS_PROFILE"] = "dev";
    EXPECT_EQ(keys(), (AwsKeys{"DEV", "devsecret", "t"}));
    variables["AWS_PROFILE"] = "gone";
    EXPECT_THAT(reason(), HasSubstr("no profile 'gone'"));
}

TEST_F(CredentialChain, ReadsFilesThatVariablesName) {
    variables["AWS_CONFIG_FILE"] = "/etc/aws/config";
    files["/etc/aws/config"] = "[default]\naws_access_key_id=AKID\naws_secret_access_key=secret\n";
    EXPECT_EQ(keys(), (AwsKeys{"AKID", "secret", ""}));
}

TEST_F(CredentialChain, NamesSourcesThatItDoesNotSupport) {
    files["/home/sundial/.aws/config"] = "[default]\ncredential_process=/bin/keys\n";
    EXPECT_THAT(reason(), HasSubstr("credential_process"));
    files["/home/sundial/.aws/config"] = "[default]\nrole_arn=arn\nsource_profile=base\n";
    EXPECT_THAT(reason(), HasSubstr("assumes a role from another profile"));
}

TEST_F(CredentialChain, AssumesARoleByWebIdentity) {
    variables["AWS_WEB_IDENTITY_TOKEN_FILE"] = "/token";
    variables["AWS_ROLE_ARN"] = "arn:aws:iam::1:role/r";
    variables["AWS_REGION"] = "eu-west-1";
    files["/token"] = "to+ken\n";
    const std::string url = "POST https://sts.eu-west-1.amazonaws.com/";
    answers[url] = {200,
                    "<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult>"
                    "<Credentials><SessionToken>session</SessionToken>"
                    "<SecretAccessKey>secret</SecretAccessKey>"
                    "<Expiration>2027-01-05T18:00:00Z</Expiration>"
                    "<AccessKeyId>ASIA</AccessKeyId></Credentials>"
                    "</AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>"};
    const CredentialResult result = find();
    ASSERT_TRUE(std::holds_alternative<Credentials>(result));
    EXPECT_EQ(std::get<Credentials>(result).keys, (AwsKeys{"ASIA", "secret", "session"}));
    EXPECT_EQ(std::get<Credentials>(result).expires, noon + 6h);
    ASSERT_THAT(requests, SizeIs(1));
    EXPECT_THAT(requests[0].body, AllOf(HasSubstr("Action=AssumeRoleWithWebIdentity&"),
                                        HasSubstr("RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr&"),
                                        HasSubstr("WebIdentityToken=to%2Bken")));

    answers[url] = {403, "<ErrorResponse><Error><Code>ExpiredTokenException</Code></Error>"};
    EXPECT_THAT(reason(), AllOf(HasSubstr("ExpiredTokenException"), Not(HasSubstr("to+ken"))));
    files.clear();
    EXPECT_THAT(reason(), HasSubstr("cannot be read: /token"));
}

TEST_F(CredentialChain, AsksTheContainersService) {
    variables["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] = "/v2/credentials/1";
    answers["GET http://169.254.170.2/v2/credentials/1"] = {200, container_keys};
    EXPECT_EQ(keys(), (AwsKeys{"AKID", "secret", "token"}));
    EXPECT_THAT(requests[0].headers, IsEmpty());
}

TEST_F(CredentialChain, SendsTheContainersAuthorizationToken) {
    variables["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = "http://169.254.170.23/v1/credentials";
    variables["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"] = "/token";
    files["/token"] = "pod token\n";
    answers["GET http://169.254.170.23/v1/credentials"] = {200, container_keys};
    EXPECT_EQ(keys(), (AwsKeys{"AKID", "secret", "token"}));
    EXPECT_THAT(requests[0].headers, ElementsAre(Pair("Authorization", "pod token")));
    answers.begin()->second = {200, "{}"};
    EXPECT_THAT(reason(), HasSubstr("gave no credentials"));
    variables["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = "http://keys.example/";
    EXPECT_THAT(reason(), HasSubstr("must be https"));
}

TEST_F(CredentialChain, AsksTheInstanceWithATokenOfItsSession) {
    variables.erase("AWS_EC2_METADATA_DISABLED");
    const std::string host = "http://169.254.169.254/latest/";
    answers["PUT " + host + "api/token"] = {200, "session"};
    answers["GET " + host + "meta-data/iam/security-credentials/"] = {200, "role\n"};
    answers["GET " + host + "meta-data/iam/security-credentials/role"] = {200, container_keys};
    EXPECT_EQ(keys(), (AwsKeys{"AKID", "secret", "token"}));
    ASSERT_THAT(requests, SizeIs(3));
    EXPECT_THAT(requests[0].headers,
                ElementsAre(Pair("X-aws-ec2-metadata-token-ttl-seconds", "21600")));
    for (const std::size_t i : {1U, 2U}) {
        EXPECT_THAT(requests[i].headers, ElementsAre(Pair("X-aws-ec2-metadata-token", "session")));
    }
    answers.erase("GET " + host + "meta-data/iam/security-credentials/");
    EXPECT_THAT(reason(), HasSubstr("the instance has no role"));
    answers.clear();
    EXPECT_THAT(reason(), HasSubstr("does not answer: refused"));
}

TEST_F(CredentialChain, SaysSoIfNothingIsConfigured) {
    EXPECT_EQ(reason(), "no AWS credentials are configured");
    EXPECT_THAT(requests, IsEmpty());
}

TEST(ContainerUri, MayLeadOnlyWhereAwsHasItsServices) {
    for (const char* uri :
         {"https://keys.example/", "http://localhost:1/", "http://127.0.0.1/x", "http://[::1]:1/",
          "http://169.254.170.2/", "http://169.254.170.23/", "http://[fd00:ec2::23]/v1"}) {
        EXPECT_TRUE(may_ask(uri)) << uri;
    }
    for (const char* uri :
         {"http://keys.example/", "http://127.0.0.1.example/", "http://127.0.0.1@keys.example/",
          "file:///etc/passwd", "ftp://x/", "http://[::2]/"}) {
        EXPECT_FALSE(may_ask(uri)) << uri;
    }
}

}  // namespace
}  // namespace sundial::sqs
