#include "adapters/webhook/address_rules.hpp"

#include <gtest/gtest.h>

#include "application/ports/failures.hpp"

namespace sundial::webhook {
namespace {

const AddressRules by_default{AddressSettings{}};

bool denied(std::string_view text, const AddressRules& rules = by_default,
            std::uint16_t port = 443) {
    return rules.denied(parse_address(text).value(), port);
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
                                        "64:ff9b::102:304",
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
        EXPECT_TRUE(denied(text)) << text;
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
    const AddressRules rules{{.allow = allow, .deny = deny}};
    EXPECT_FALSE(denied("10.1.2.3", rules));
    EXPECT_TRUE(denied("10.2.0.1", rules));
    EXPECT_FALSE(denied("fd00::1", rules));
    EXPECT_TRUE(denied("1.1.1.1", rules));
    EXPECT_FALSE(denied("1.1.2.1", rules));
    const AddressRules all_but{{.deny = deny, .allow_private = true}};
    EXPECT_TRUE(denied("1.1.1.1", all_but));
    EXPECT_FALSE(denied("127.0.0.1", all_but));
}

TEST(AddressRules, AListThatHoldsNoNetworkIsRefusedAtTheStart) {
    for (const std::string text :
         {"10.0.0.0", "10.0.0.0/33", "10.0/8", "x/8", "fd00::/129", "10.0.0.0/x"}) {
        EXPECT_THROW(AddressRules{AddressSettings{.allow = {text}}}, CannotStart) << text;
        EXPECT_THROW(AddressRules{AddressSettings{.deny = {text}}}, CannotStart) << text;
    }
}

OwnListener listener(std::string_view address, std::uint16_t port) {
    return {parse_address(address).value(), port};
}

TEST(AddressRules, NoRequestGoesToOurOwnListenersWhateverIsAllowed) {
    const AddressSettings all{.allow = {"127.0.0.0/8"}, .allow_private = true};
    const AddressRules rules(all, {listener("127.0.0.1", 8080), listener("::1", 8081)});
    EXPECT_TRUE(denied("127.0.0.1", rules, 8080));
    EXPECT_FALSE(denied("127.0.0.1", rules, 8081));
    EXPECT_FALSE(denied("127.0.0.2", rules, 8080));
    EXPECT_TRUE(denied("::1", rules, 8081));
    EXPECT_TRUE(denied("::ffff:127.0.0.1", rules, 8080));
    // These also lead to this machine.
    EXPECT_TRUE(denied("0.0.0.0", rules, 8080));
    EXPECT_TRUE(denied("::", rules, 8081));
}

TEST(AddressRules, AListenerOnAllAddressesIsBehindEachOfThem) {
    const AddressRules rules({.allow_private = true}, {listener("0.0.0.0", 8080)});
    EXPECT_TRUE(denied("127.0.0.1", rules, 8080));
    EXPECT_TRUE(denied("127.9.9.9", rules, 8080));
    EXPECT_TRUE(denied("::1", rules, 8080));
    EXPECT_FALSE(denied("127.0.0.1", rules, 8081));
    EXPECT_FALSE(denied("8.8.8.8", rules, 8080));
}

TEST(AddressRules, TheDatabasesAddressIsDeniedAndItsPortEvenWhereTheAddressIsAllowed) {
    const auto database = [] { return std::vector{listener("8.8.8.8", 5432)}; };
    const AddressRules closed({}, {}, database);
    EXPECT_TRUE(denied("8.8.8.8", closed, 443));
    EXPECT_FALSE(denied("8.8.4.4", closed, 443));
    const AddressRules open({.allow = {"8.8.8.8/32"}}, {}, database);
    EXPECT_FALSE(denied("8.8.8.8", open, 443));
    EXPECT_TRUE(denied("8.8.8.8", open, 5432));
    const AddressRules wide({.allow_private = true}, {}, database);
    EXPECT_TRUE(denied("8.8.8.8", wide, 5432));
}

TEST(AddressRules, ADatabaseThatMovesIsDeniedWhereItIsNow) {
    std::vector<OwnListener> at{listener("8.8.8.8", 5432)};
    const AddressRules rules({}, {}, [&at] { return at; });
    EXPECT_FALSE(denied("8.8.4.4", rules));
    at.push_back(listener("8.8.4.4", 5432));
    EXPECT_TRUE(denied("8.8.4.4", rules));
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
