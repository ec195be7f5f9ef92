#include "adapters/webhook/destination.hpp"

#include <gtest/gtest.h>

namespace sundial::webhook {
namespace {

const AddressRules public_only{AddressSettings{}};
const AddressRules everything{{.allow_private = true}};
const UrlRules strict({}, public_only);

TEST(UrlRules, TakePublicHttpsUrls) {
    for (const std::string_view url :
         {"https://example.com", "https://example.com/hook?x=1&y=%20", "https://EXAMPLE.com:8443/",
          "https://a-b.c_d.example/", "https://xn--bcher-kva.example/", "https://1.1.1.1/",
          "https://[2606:4700::1111]/hook"}) {
        const auto refused = strict.refuse(url);
        EXPECT_FALSE(refused) << url << ": " << refused->message;
    }
}

TEST(UrlRules, RefuseEverythingElseWithTheReason) {
    const std::pair<std::string, std::string> refused[] = {
        {"", "required"},
        {"https://" + std::string(2050, 'a') + ".com/", "too_long"},
        {"example.com/hook", "bad_format"},
        {"https://", "bad_format"},
        {"https:///path", "bad_format"},
        {"https://ex ample.com/", "bad_format"},
        {"https://exämple.com/", "bad_format"},
        {"https://example.com\\@evil/", "bad_format"},
        {"https://example..com/", "bad_format"},
        {"https://example.com./", "bad_format"},
        {"https://-a.com/", "bad_format"},
        {"https://0177.0.0.1/", "bad_format"},
        {"https://0x7f000001/", "bad_format"},
        {"https://2130706433/", "bad_format"},
        {"https://127.1/", "bad_format"},
        {"https://1.2.3.4.5/", "bad_format"},
        {"https://a.0x7f/", "bad_format"},
        {"https://example.com:/", "bad_format"},
        {"https://example.com:99999/", "bad_format"},
        {"https://%31%32%37.0.0.1/", "bad_format"},
        {"https://[fe80::1%25eth0]/", "bad_format"},
        {"https://[::0001]/", "bad_format"},
        {"https://example.com:0443/", "bad_format"},
        {"https://user@example.com/", "not_allowed"},
        {"https://user:secret@example.com/", "not_allowed"},
        {"https://@example.com/", "not_allowed"},
        {"https://example.com/#top", "not_allowed"},
        {"http://example.com/", "not_allowed"},
        {"ftp://example.com/", "not_allowed"},
        {"file:///etc/passwd", "not_allowed"},
        {"https://example.com:22/", "not_allowed"},
        {"https://127.0.0.1/", "not_allowed"},
        {"https://169.254.169.254/latest", "not_allowed"},
        {"https://[::1]/", "not_allowed"},
        {"https://[::ffff:10.0.0.1]/", "not_allowed"},
    };
    for (const auto& [url, code] : refused) {
        const auto error = strict.refuse(url);
        ASSERT_TRUE(error) << url;
        EXPECT_EQ(error->code, code) << url << ": " << error->message;
        EXPECT_EQ(error->pointer, "/url");
    }
}

TEST(UrlRules, AllowPrivateLetsLocalReceiversPassOnAnyPortByHttp) {
    const UrlRules local({}, everything);
    EXPECT_FALSE(local.refuse("http://127.0.0.1:12345/hook"));
    EXPECT_FALSE(local.refuse("https://10.0.0.1:9/"));
    EXPECT_TRUE(local.refuse("ftp://127.0.0.1/"));
}

TEST(UrlRules, AllowHttpLetsPlainHttpPassToPublicAddressesOnly) {
    const UrlRules plain({.allow_http = true}, public_only);
    EXPECT_FALSE(plain.refuse("http://example.com/"));
    EXPECT_TRUE(plain.refuse("http://example.com:8080/"));
    EXPECT_TRUE(plain.refuse("http://127.0.0.1/"));
}

TEST(UrlRules, TheSenderGetsTheJudgedAddresses) {
    const auto judged = strict.judge("https://Example.com:8443/hook");
    ASSERT_TRUE(std::holds_alternative<Target>(judged));
    const auto& target = std::get<Target>(judged);
    EXPECT_EQ(target.host, "example.com");
    EXPECT_EQ(target.port, 8443);
    EXPECT_FALSE(target.address);
    const auto literal = strict.judge("https://[2606:4700::1111]/");
    ASSERT_TRUE(std::holds_alternative<Target>(literal));
    EXPECT_EQ(std::get<Target>(literal).host, "2606:4700::1111");
    EXPECT_EQ(std::get<Target>(literal).address, parse_address("2606:4700::1111"));
    EXPECT_EQ(std::get<Target>(literal).port, 443);
}

TEST(UrlRules, CompareOriginsBySchemeHostAndPort) {
    const std::string crm = strict.origin("https://crm.example/hook?x=1");
    EXPECT_EQ(crm, "https://crm.example");
    for (const std::string_view same :
         {"https://crm.example", "https://CRM.example:443/other", "HTTPS://crm.EXAMPLE/"}) {
        EXPECT_EQ(strict.origin(same), crm) << same;
    }
    for (const std::string_view other :
         {"http://crm.example/hook", "https://crm.example:8443/hook", "https://crm.example.evil/",
          "https://evil.example/crm.example", "https://[::1]/hook"}) {
        EXPECT_NE(strict.origin(other), crm) << other;
    }
    EXPECT_EQ(strict.origin("http://[::1]:8080/hook"), "http://[::1]:8080");
    EXPECT_EQ(strict.origin(""), "");
    EXPECT_EQ(strict.origin("no url"), "");
}

}  // namespace
}  // namespace sundial::webhook
