#include <gtest/gtest.h>

#include "adapters/http/trusted_proxies.hpp"

namespace sundial::http {
namespace {

TEST(ClientNetwork, OfIPv4IsTheAddressItself) {
    EXPECT_EQ(network_of("192.0.2.1"), "192.0.2.1");
    EXPECT_NE(network_of("192.0.2.1"), network_of("192.0.2.2"));
    EXPECT_EQ(network_of("::ffff:192.0.2.1"), "192.0.2.1");
}

TEST(ClientNetwork, OfIPv6IsItsFirst64Bits) {
    EXPECT_EQ(network_of("2001:db8:1:2::1"), "2001:db8:1:2::/64");
    EXPECT_EQ(network_of("2001:db8:1:2:ffff:ffff:ffff:ffff"), network_of("2001:db8:1:2::1"));
    EXPECT_NE(network_of("2001:db8:1:3::1"), network_of("2001:db8:1:2::1"));
    EXPECT_EQ(network_of("::1"), "::/64");
}

TEST(ClientNetwork, OfAnInvalidAddressIsTheText) {
    EXPECT_EQ(network_of(""), "");
    EXPECT_EQ(network_of("unix:"), "unix:");
}

}  // namespace
}  // namespace sundial::http
