#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "adapters/http/browser_rules.hpp"

namespace sundial::http {
namespace {

TEST(HostField, IsANameOrAnAddressPerhapsWithAPort) {
    EXPECT_EQ(parse_host("Sundial.Example"), (HostAndPort{"sundial.example", std::nullopt}));
    EXPECT_EQ(parse_host("127.0.0.1:8080"), (HostAndPort{"127.0.0.1", 8080}));
    EXPECT_EQ(parse_host("[::1]"), (HostAndPort{"[::1]", std::nullopt}));
    EXPECT_EQ(parse_host("[2001:DB8::1]:443"), (HostAndPort{"[2001:db8::1]", 443}));
    for (const std::string& wrong :
         {std::string(""), std::string(":80"), std::string("a:"), std::string("a:0"),
          std::string("a:65536"), std::string("a:8x"), std::string("a:-1"), std::string("a b"),
          std::string("a/b"), std::string("user@a"), std::string("::1"), std::string("[::1"),
          std::string("[::1]x"), std::string("[fe80::1%lo]"), std::string("a\xC3\xA4"),
          std::string("a\0b", 3), std::string(254, 'a')}) {
        EXPECT_FALSE(parse_host(wrong)) << wrong;
    }
    EXPECT_TRUE(parse_host(std::string(253, 'a')));
}

TEST(HostField, IsLoopbackOnlyWhereDnsCannotChangeIt) {
    for (const char* ours :
         {"localhost", "127.0.0.1", "127.0.0.0", "127.255.255.255", "[::1]", "[0:0::1]"}) {
        EXPECT_TRUE(is_loopback_host(ours)) << ours;
    }
    for (const char* other :
         {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "notlocalhost",
          "a.localhost", "127.1", "0x7f.0.0.1", "2130706433", "0.0.0.0", "128.0.0.1",
          "126.255.255.255", "192.168.0.1", "[::]", "[::2]", "[::ffff:127.0.0.1]", "::1", ""}) {
        EXPECT_FALSE(is_loopback_host(other)) << other;
    }
}

TEST(WebOrigin, IsSchemeHostAndPort) {
    EXPECT_EQ(parse_origin("http://localhost"), (WebOrigin{false, "localhost", 80}));
    EXPECT_EQ(parse_origin("https://App.Example:443"), (WebOrigin{true, "app.example", 443}));
    EXPECT_EQ(parse_origin("http://[::1]:3000"), (WebOrigin{false, "[::1]", 3000}));
    for (const char* wrong : {"null", "", "app.example", "https://", "ftp://a", "https://a/",
                              "https://a/b", "https://a?b", "https://u@a", "https://a:0", "*",
                              "https://*.example", "file://", "chrome-extension://abc"}) {
        EXPECT_FALSE(parse_origin(wrong)) << wrong;
    }
}

TEST(WebOrigin, IsWrittenAsBrowsersDo) {
    const std::array<std::pair<const char*, const char*>, 4> cases{
        {{"http://a:80", "http://a"},
         {"https://a:443", "https://a"},
         {"http://a:443", "http://a:443"},
         {"https://A:80", "https://a:80"}}};
    for (const auto& [text, written] : cases) {
        EXPECT_EQ(to_string(parse_origin(text).value()), written);
    }
}

}  // namespace
}  // namespace sundial::http
