#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "adapters/client/exchange.hpp"
#include "adapters/client/tls_receiver.hpp"
#include "support/temporary_folder.hpp"

namespace sundial::client {
namespace {

class ExchangeTlsTest : public testing::Test {
protected:
    ExchangeTlsTest() { ::setenv("no_proxy", "*", 1); }

    static base::Result<HttpResponse, NoResponse> get(const TlsReceiver& server,
                                                      const TlsFiles& tls) {
        return exchange({.method = "GET", .url = server.url()}, tls);
    }

    TemporaryFolder folder_;
    CertificateFiles of_server_ = new_certificate(folder_.path(), "server");
    CertificateFiles of_client_ = new_certificate(folder_.path(), "client");
};

TEST_F(ExchangeTlsTest, TrustsTheCertificatesOfTheFile) {
    const TlsReceiver server{of_server_, {}};
    const auto response = get(server, {.ca_file = of_server_.certificate});
    ASSERT_TRUE(response) << response.error().reason;
    EXPECT_EQ(response->status, 200);
    EXPECT_EQ(response->body, "over TLS");
}

TEST_F(ExchangeTlsTest, TrustsNoOtherCertificate) {
    const TlsReceiver server{of_server_, {}};
    for (const std::string& trusted : {std::string{}, of_client_.certificate}) {
        const auto refused = get(server, {.ca_file = trusted});
        ASSERT_FALSE(refused);
        EXPECT_TRUE(refused.error().untrusted_server);
        EXPECT_FALSE(refused.error().unusable_files);
        EXPECT_EQ(refused.error().reason, "SSL peer certificate or SSH remote key was not OK");
    }
}

TEST_F(ExchangeTlsTest, FilesThatAreMissingAreNotTheServersFault) {
    const TlsReceiver server{of_server_, {}};
    const std::string missing = folder_.file("missing.pem").string();
    const auto no_authority = get(server, {.ca_file = missing});
    ASSERT_FALSE(no_authority);
    EXPECT_FALSE(no_authority.error().untrusted_server);
    EXPECT_TRUE(no_authority.error().unusable_files);
    const auto no_certificate =
        get(server, {.ca_file = of_server_.certificate, .certificate_file = missing});
    ASSERT_FALSE(no_certificate);
    EXPECT_FALSE(no_certificate.error().untrusted_server);
    EXPECT_TRUE(no_certificate.error().unusable_files);
}

TEST_F(ExchangeTlsTest, ShowsItsOwnCertificate) {
    const TlsReceiver server{of_server_, {.client_certificate = of_client_.certificate}};
    const auto response = get(server, {.ca_file = of_server_.certificate,
                                       .certificate_file = of_client_.certificate,
                                       .key_file = of_client_.key});
    ASSERT_TRUE(response) << response.error().reason;
    EXPECT_EQ(response->body, "over TLS");

    const auto refused = get(server, {.ca_file = of_server_.certificate});
    ASSERT_FALSE(refused) << "without a certificate";
    EXPECT_FALSE(refused.error().untrusted_server);
}

TEST_F(ExchangeTlsTest, FindsTheKeyInTheFileOfTheCertificate) {
    const TlsReceiver server{of_server_, {.client_certificate = of_client_.certificate}};
    const std::string both = folder_.file("both.pem").string();
    {
        std::ofstream out{both};
        out << std::ifstream{of_client_.certificate}.rdbuf()
            << std::ifstream{of_client_.key}.rdbuf();
    }
    const auto response =
        get(server, {.ca_file = of_server_.certificate, .certificate_file = both});
    ASSERT_TRUE(response) << response.error().reason;
    EXPECT_EQ(response->body, "over TLS");
}

/// SIGPIPE would end the process.
TEST_F(ExchangeTlsTest, SurvivesAConnectionThatBreaksOffWhileItSends) {
    const TlsReceiver server{of_server_, {.break_off = true}};
    const std::string body(900'000, 'x');
    for (int round = 0; round < 5; ++round) {
        const auto response = exchange({.method = "POST", .url = server.url(), .body = body},
                                       {.ca_file = of_server_.certificate});
        EXPECT_FALSE(response);
    }
}

}  // namespace
}  // namespace sundial::client
