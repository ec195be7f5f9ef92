#include "adapters/http/trusted_proxies.hpp"

#include <gtest/gtest.h>

#include "application/ports/failures.hpp"

namespace sundial::http {
namespace {

Headers forwarded(const std::vector<std::string>& fields) {
    Headers headers;
    for (const std::string& field : fields) headers.add("X-Forwarded-For", field);
    return headers;
}

TEST(TrustedProxies, AreNetworksAndAddresses) {
    const TrustedProxies proxies({"10.0.0.0/8", "192.0.2.7", "fd00::/8", "2001:db8::1"});
    for (const char* trusted :
         {"10.0.0.0", "10.255.255.255", "192.0.2.7", "fdff::1", "2001:db8::1", "::ffff:10.1.2.3"}) {
        EXPECT_TRUE(proxies.trusts(trusted)) << trusted;
    }
    for (const char* stranger : {"11.0.0.0", "9.255.255.255", "192.0.2.8", "fe80::1", "2001:db8::2",
                                 "::ffff:11.0.0.1", "", "x"}) {
        EXPECT_FALSE(proxies.trusts(stranger)) << stranger;
    }
}

TEST(TrustedProxies, TrustNoProxyByDefault) {
    const TrustedProxies no_proxies;
    EXPECT_FALSE(no_proxies.trusts("127.0.0.1"));
    EXPECT_EQ(no_proxies.client_of("127.0.0.1", forwarded({"192.0.2.1"})), "127.0.0.1");
}

TEST(TrustedProxies, NameTheOriginOfARequest) {
    const TrustedProxies proxies({"10.0.0.0/8"});
    const auto client = [&](const std::vector<std::string>& fields) {
        return proxies.client_of("10.0.0.1", forwarded(fields));
    };
    EXPECT_EQ(client({}), "10.0.0.1");
    EXPECT_EQ(client({"192.0.2.1"}), "192.0.2.1");
    EXPECT_EQ(client({"203.0.113.9, 192.0.2.1 , 10.0.0.2"}), "192.0.2.1");
    EXPECT_EQ(client({"203.0.113.9", "192.0.2.1,\t10.0.0.2"}), "192.0.2.1");
    EXPECT_EQ(client({"10.0.0.3, 10.0.0.2"}), "10.0.0.3");
    EXPECT_EQ(client({"2001:db8::1"}), "2001:db8::1");
    EXPECT_EQ(client({"192.0.2.1, unknown, 10.0.0.2"}), "10.0.0.2");
    EXPECT_EQ(client({""}), "10.0.0.1");
}

TEST(TrustedProxies, AreNotBelievedWhenTheyAreStrangers) {
    const TrustedProxies proxies({"10.0.0.0/8"});
    EXPECT_EQ(proxies.client_of("192.0.2.1", forwarded({"10.0.0.1"})), "192.0.2.1");
}

TEST(TrustedProxies, AreRefusedWhereTheyAreNoNetwork) {
    for (const char* wrong : {"10.0.0.0/33", "10.0.0/8", "example.com", "fd00::/129", ""}) {
        EXPECT_THROW(TrustedProxies({wrong}), CannotStart) << wrong;
    }
}

}  // namespace
}  // namespace sundial::http
