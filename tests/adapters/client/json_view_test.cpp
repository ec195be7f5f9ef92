#include "adapters/client/json_view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sundial::client {
namespace {

TEST(JsonViewTest, ReadsMembersAndIgnoresOthers) {
    const std::string text =
        R"( {"later":{"id":"no"},"id":"a\"b","n":-7,"yes":true,"none":null,"list":[1, {"x":2} ,[]]} )";
    const auto view = JsonView::parse(text);
    ASSERT_TRUE(view);
    EXPECT_EQ(view->text_of("id"), "a\"b");
    EXPECT_EQ(view->member("n")->integer(), -7);
    EXPECT_EQ(view->number_of("n"), 0U) << "a negative one";
    EXPECT_TRUE(view->is_true("yes"));
    EXPECT_FALSE(view->member("none"));
    EXPECT_FALSE(view->member("missing"));
    std::vector<std::string> items;
    view->member("list")->for_each([&](const JsonView& one) { items.emplace_back(one.raw()); });
    EXPECT_THAT(items, testing::ElementsAre("1", "{\"x\":2}", "[]"));
}

TEST(JsonViewTest, GoesOverTheMembersInOrder) {
    const auto view = JsonView::parse(R"({ "b" : "1" , "a\"c":{"x":[2]},"n":null})");
    ASSERT_TRUE(view);
    std::string seen;
    view->for_each_member([&](const std::string& name, JsonView value) {
        seen += name + '=' + std::string{value.raw()} + ' ';
    });
    EXPECT_EQ(seen, R"(b="1" a"c={"x":[2]} n=null )");
}

TEST(JsonViewTest, KeepsTheBytesOfAValue) {
    const std::string text = R"({"data":{ "a" : 1.50, "ü":"\u00fc" }})";
    EXPECT_EQ(JsonView::parse(text)->member("data")->raw(), R"({ "a" : 1.50, "ü":"\u00fc" })");
}

TEST(JsonViewTest, ReadsEscapes) {
    const std::string text = R"("\"\\\/\b\f\n\r\t\u0041\u00fc\u20ac\ud83d\ude00")";
    EXPECT_EQ(JsonView::parse(text)->text(), "\"\\/\b\f\n\r\tAü€😀");
    for (const std::string wrong : {R"("\ud83d")", R"("\ude00")", R"("\ud83dx")", R"("\u12")",
                                    R"("\x")", R"("\ud83d\u0041")"}) {
        const auto view = JsonView::parse(wrong);
        EXPECT_FALSE(view && view->text()) << wrong;
    }
}

TEST(JsonViewTest, ReadsEmptyObjectsAndLists) {
    EXPECT_FALSE(JsonView::parse("{}")->member("a"));
    JsonView::parse("[ ]")->for_each([](const JsonView&) { ADD_FAILURE(); });
    JsonView::parse("{ }")->for_each_member([](const std::string&, JsonView) { ADD_FAILURE(); });
}

TEST(JsonViewTest, RefusesWhatIsNotOneValue) {
    for (const std::string wrong :
         {"",     " ",     "{",   "{]",  "{\"a\"}",   "{\"a\":}", "{\"a\":1,}", "{a:1}",
          "[1,]", "[1 2]", "1 2", "\"a", "\"a\\\"",   "\"a\nb\"", "01",         "1.",
          "-",    "1e",    "+1",  "nul", "1,\"b\":2", "tru"}) {
        EXPECT_FALSE(JsonView::parse(wrong)) << wrong;
    }
    for (const std::string right : {"0", "-0.5e+10", "1E9", "\"\"", "null", " [ ] ", "{ }"}) {
        EXPECT_TRUE(JsonView::parse(right)) << right;
    }
}

TEST(JsonViewTest, RefusesDepthThatWouldUseUpTheStack) {
    EXPECT_TRUE(JsonView::parse(std::string(300, '[') + std::string(300, ']')));
    EXPECT_FALSE(JsonView::parse(std::string(100'000, '[') + std::string(100'000, ']')));
}

}  // namespace
}  // namespace sundial::client
