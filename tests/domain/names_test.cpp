#include "domain/names.hpp"

#include <gtest/gtest.h>

#include <string>

namespace sundial {
namespace {

std::string code(const std::optional<FieldError>& defect) { return defect ? defect->code : ""; }
std::string repeated(std::string_view text, int times) {
    std::string result;
    while (times-- > 0) result += text;
    return result;
}

TEST(RefuseText, TakesTheNamesOfPeople) {
    for (const char* name :
         {"Ada", "Zoë", "Łukasz", "李小龍", "O'Neill-Müller", "नरेन्द्र", "🎂", " x "}) {
        EXPECT_EQ(code(refuse_text("/firstName", name, 100)), "") << name;
    }
}

TEST(RefuseText, CountsCharactersNotBytes) {
    EXPECT_EQ(code(refuse_text("/x", repeated("李", 100), 100)), "");
    EXPECT_EQ(code(refuse_text("/x", repeated("李", 101), 100)), "too_long");
}

TEST(RefuseText, RefusesInvisibleText) {
    for (const char* blank : {"", " ", "   ", "\u00a0", "\u3000 \u2003", "\u200b", "\ufeff"}) {
        EXPECT_EQ(code(refuse_text("/x", blank, 100)), "required");
    }
}

TEST(RefuseText, RefusesControlCharactersAndBrokenBytes) {
    for (const std::string_view wrong :
         {std::string_view{"a\0b", 3}, std::string_view{"a\nb"}, std::string_view{"\t"},
          std::string_view{"a\x7f"}, std::string_view{"\u0085"}, std::string_view{"\xc3"}}) {
        EXPECT_EQ(code(refuse_text("/x", wrong, 100)), "bad_format");
    }
}

TEST(RefuseText, ReportsThePlaceAndACorrection) {
    const auto defect = refuse_text("/lastName", "", 100);
    ASSERT_TRUE(defect);
    EXPECT_EQ(defect->pointer, "/lastName");
    EXPECT_EQ(defect->message, "must have 1 to 100 characters, not only blanks");
}

TEST(RefuseExternalId, TakesUpTo128PrintableCharacters) {
    EXPECT_EQ(code(refuse_external_id("/x", "crm/7: Zoë")), "");
    EXPECT_EQ(code(refuse_external_id("/x", repeated("ë", 128))), "");
    EXPECT_EQ(code(refuse_external_id("/x", repeated("ë", 129))), "too_long");
    EXPECT_EQ(code(refuse_external_id("/x", "")), "required");
}

TEST(RefuseIdempotencyKey, AcceptsTextThatASignatureCanCarry) {
    EXPECT_EQ(code(refuse_idempotency_key("/x", "event-5f0c_AZ09")), "");
    EXPECT_EQ(code(refuse_idempotency_key("/x", repeated("k", 128))), "");
    EXPECT_EQ(code(refuse_idempotency_key("/x", repeated("k", 129))), "too_long");
    EXPECT_EQ(code(refuse_idempotency_key("/x", "")), "required");
    for (const char* wrong : {"a.b", "a b", "a/b", "é", "a\n"}) {
        EXPECT_EQ(code(refuse_idempotency_key("/x", wrong)), "bad_format") << wrong;
    }
}

TEST(RefuseEventType, TakesDotsToo) {
    EXPECT_EQ(code(refuse_event_type("/x", "order.shipped-v2_EU")), "");
    EXPECT_EQ(code(refuse_event_type("/x", "order shipped")), "bad_format");
    EXPECT_EQ(code(refuse_event_type("/x", repeated("t", 129))), "too_long");
}

TEST(RefuseMemberName, AcceptsNamesThatATemplateCanUse) {
    EXPECT_EQ(code(refuse_member_name("/x", "wedding_2")), "");
    EXPECT_EQ(code(refuse_member_name("/x", "wedding-day")), "bad_format");
    EXPECT_EQ(code(refuse_member_name("/x", repeated("n", 65))), "too_long");
}

TEST(RefusePayload, TakesOneJsonValue) {
    for (const char* const payload : {"{}", "null", " 1 ", R"("a\\u0000")", R"([{"a":[1,2]}])"})
        EXPECT_EQ(code(refuse_payload("/x", payload)), "") << payload;
    EXPECT_EQ(code(refuse_payload("/x", "")), "required");
    for (const char* const payload : {"{", "{} {}", "text", "'a'", "{\"a\":1,\"a\":2}", "\"\xff\"",
                                      R"("a\u0000")", R"(["\\\u0000"])", R"("\ud800")"})
        EXPECT_EQ(code(refuse_payload("/x", payload)), "bad_format") << payload;
    EXPECT_EQ(code(refuse_payload("/x", repeated("[", 65) + repeated("]", 65))), "bad_format");
}

TEST(RefusePayload, TakesAQuarterOfAMebibyte) {
    EXPECT_EQ(code(refuse_payload("/x", '"' + repeated("p", 262'142) + '"')), "");
    EXPECT_EQ(code(refuse_payload("/x", '"' + repeated("p", 262'143) + '"')), "too_long");
}

TEST(JsonPointer, EscapesByRfc6901) {
    EXPECT_EQ(json_pointer("/dates", "a/b~c"), "/dates/a~1b~0c");
}

TEST(EventType, ThatBeginsLikeOurOwnIsRefused) {
    EXPECT_EQ(refuse_event_type("/eventType", "sundial.test")->code, "not_allowed");
    EXPECT_FALSE(refuse_event_type("/eventType", "sundial-test"));
    EXPECT_FALSE(refuse_event_type("/eventType", "my.sundial.test"));
}

}  // namespace
}  // namespace sundial
