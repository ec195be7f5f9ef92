#include "adapters/webhook/address_rules.hpp"

#include <gtest/gtest.h>

#include "application/ports/failures.hpp"

namespace sundial::webhook {
namespace {

bool denied(std::string_view text, const AddressRules& rules = {{}, {}, false}) {
    return rules.denied(parse_address(text).value());
}

TEST(AddressRules, DenyEveryAddressThatIsNotPublic) {
    for (const std::string_view text : {"0.0.0.0",
                                        "0.255.255.255",
                                        "10.0.0.1",
                                        "100.64.0.1",
                                        "100.127.255.255",
                                        "127.0.0.1",
                                        "127.255.255.254",
                                        "169.254.169.254",
                                        "172.16.0.1",
                                        "172.31.255.255",
                                        "192.0.0.1",
                                        "192.0.2.1",
                                        "192.88.99.1",
                                        "192.168.1.1",
                                        "198.18.0.1",
                                        "198.19.255.255",
                                        "198.51.100.7",
                                        "203.0.113.9",
                                        "224.0.0.1",
                                        "239.1.1.1",
                                        "240.0.0.1",
                                        "255.255.255.255",
                                        "::",
                                        "::1",
                                        "::ffff:10.0.0.1",
                                        "::ffff:127.0.0.1",
                                        "64:ff9b::1.2.3.4",
                                        "64:ff9b:1::1",
                                        "100::1",
                                        "2001::1",
                                        "2001:1ff::1",
                                        "2001:db8::1",
                                        "2002::1",
                                        "3fff::1",
                                        "4000::1",
                                        "fc00::1",
                                        "fd12::1",
                                        "fe80::1",
                                        "fec0::1",
                                        "ff02::1"}) {
        const auto address = parse_address(text);
        if (address) EXPECT_TRUE(AddressRules({}, {}, false).denied(*address)) << text;
    }
}

TEST(AddressRules, LetPublicAddressesPassOnBothSidesOfEachEdge) {
    for (const std::string_view text :
         {"1.1.1.1",        "9.255.255.255",   "11.0.0.0",        "100.63.255.255",
          "100.128.0.0",    "126.255.255.255", "128.0.0.1",       "169.253.255.255",
          "169.255.0.0",    "172.15.255.255",  "172.32.0.0",      "192.0.1.0",
          "192.0.3.0",      "192.88.98.255",   "192.167.255.255", "192.169.0.0",
          "198.17.255.255", "198.20.0.0",      "223.255.255.255", "2001:200::1",
          "2001:db7::1",    "2001:db9::1",     "2003::1",         "2606:4700::1111",
          "3ffe::1",        "::ffff:8.8.8.8"}) {
        EXPECT_FALSE(denied(text)) << text;
    }
}

TEST(AddressRules, TheOperatorsListsChangeThem) {
    const std::vector<std::string> allow{"10.1.0.0/16", "fd00::/8"};
    const std::vector<std::string> deny{"1.1.1.0/24"};
    const AddressRules rules(allow, deny, false);
    EXPECT_FALSE(denied("10.1.2.3", rules));
    EXPECT_TRUE(denied("10.2.0.1", rules));
    EXPECT_FALSE(denied("fd00::1", rules));
    EXPECT_TRUE(denied("1.1.1.1", rules));
    EXPECT_FALSE(denied("1.1.2.1", rules));
    EXPECT_TRUE(denied("1.1.1.1", AddressRules({}, deny, true)));
    EXPECT_FALSE(denied("127.0.0.1", AddressRules({}, deny, true)));
}

TEST(AddressRules, AListThatHoldsNoNetworkIsRefusedAtTheStart) {
    for (const std::string text :
         {"10.0.0.0", "10.0.0.0/33", "10.0/8", "x/8", "fd00::/129", "10.0.0.0/x"}) {
        EXPECT_THROW(AddressRules(std::vector<std::string>{text}, {}, false), CannotStart) << text;
    }
}

TEST(ParseAddress, TakesOnlyTheCanonicalText) {
    for (const std::string_view text :
         {"0177.0.0.1", "127.1", "2130706433", "0x7f.0.0.1", "127.0.0.01", "1.2.3.4.5", "::0001",
          "FE80::1", "fe80::1%lo", "1:2:3:4:5:6:7:8:9", "", "localhost"}) {
        EXPECT_EQ(parse_address(text), std::nullopt) << text;
    }
}

}  // namespace
}  // namespace sundial::webhook
