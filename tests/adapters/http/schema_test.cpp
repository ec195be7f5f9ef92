#include "adapters/http/schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <stdexcept>

#include "adapters/http/sample_api.hpp"

namespace sundial::http {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const ApiSchema& api() {
    static const ApiSchema schema(sample_api);
    return schema;
}

/// "pointer code" of each error; messages are checked separately.
std::string summary(const std::vector<FieldError>& errors) {
    std::string text;
    for (const FieldError& error : errors) {
        text += (text.empty() ? "" : ", ") + error.pointer + ' ' + error.code;
    }
    return text;
}
std::string messages(const std::vector<FieldError>& errors) {
    std::string text;
    for (const FieldError& error : errors) text += error.message + '\n';
    return text;
}

struct Body {
    std::string json;
    std::string errors;
    std::string message;  // part of the message
    friend void PrintTo(const Body& one, std::ostream* out) { *out << one.json; }
};

class PostedUser : public testing::TestWithParam<Body> {};
TEST_P(PostedUser, IsJudgedByTheDocument) {
    const auto body = JsonBody::read(GetParam().json);
    ASSERT_TRUE(body) << body.error().detail;
    const auto errors = api().check_body({"POST", "/v1/users"}, *body);
    EXPECT_EQ(summary(errors), GetParam().errors);
    EXPECT_THAT(messages(errors), HasSubstr(GetParam().message));
}
INSTANTIATE_TEST_SUITE_P(
    Table, PostedUser,
    testing::Values(
        Body{R"({"name":"Ada"})", "", ""},
        Body{R"({"name":"Ada","age":30,"score":null,"color":null,"payload":[{"x":1}]})", "", ""},
        Body{R"({"name":"Ada","age":30.0,"score":9.5,"kind":"person"})", "", ""},
        Body{"{}", "/name required", "is required"},
        Body{"[]", " wrong_type", "must be an object, not an array"},
        Body{R"({"name":""})", "/name required", "must not be empty"},
        Body{R"({"name":"Adaline"})", "/name too_long", "at most 5 characters, has 7"},
        Body{R"({"name":"éééééé"})", "/name too_long", "has 6"},
        Body{R"({"name":"ééééé"})", "", ""},
        Body{R"({"name":null})", "/name wrong_type", "must be a string, not null"},
        Body{R"({"name":"a\u0000b"})", "/name bad_format", "U+0000"},
        Body{R"({"nam":"Ada"})", "/nam unknown_member, /name required", "did you mean 'name'?"},
        Body{R"({"name":"Ada","zzzzzzzzz":1})", "/zzzzzzzzz unknown_member",
             "known are 'name', 'age'"},
        Body{R"({"name":"Ada","a/b":1})", "/a~1b unknown_member", ""},
        Body{R"({"name":"Ada","age":"30"})", "/age wrong_type", "must be an integer, not a string"},
        Body{R"({"name":"Ada","age":3.5})", "/age wrong_type", "not a number"},
        Body{R"({"name":"Ada","age":-1})", "/age out_of_range", "must be from 0 to 150"},
        Body{R"({"name":"Ada","age":151})", "/age out_of_range", ""},
        Body{R"({"name":"Ada","score":true})", "/score wrong_type", "a number or null, not true"},
        Body{R"({"name":"Ada","score":10.5})", "/score out_of_range", "at most 10"},
        Body{R"({"name":"Ada","key":"abc_d"})", "", ""},
        Body{R"({"name":"Ada","key":"ab"})", "/key bad_format", "at least 3 characters"},
        Body{R"({"name":"Ada","key":"ABC"})", "/key bad_format", "must match ^[a-z_]+$"},
        Body{R"({"name":"Ada","key":"abcdefghi"})", "/key too_long", ""},
        Body{R"({"name":"Ada","status":"PENDIN"})", "/status not_allowed",
             "did you mean 'PENDING'?"},
        Body{R"({"name":"Ada","status":"x"})", "/status not_allowed",
             "must be one of 'PENDING', 'PROCESSING', 'COMPLETED'"},
        Body{R"({"name":"Ada","kind":"robot"})", "/kind not_allowed", "'person'"},
        Body{R"({"name":"Ada","color":"blue"})", "/color not_allowed", "'red'"},
        Body{R"({"name":"Ada","dates":{"born":"2000-01-01"}})", "", ""},
        Body{R"({"name":"Ada","dates":{}})", "/dates required", "at least 1 member"},
        Body{R"({"name":"Ada","dates":{"aaa":"","bbb":"","ccc":""}})", "/dates too_long", "has 3"},
        Body{R"({"name":"Ada","dates":{"A":"x"}})", "/dates/A bad_format", ""},
        Body{R"({"name":"Ada","dates":{"born":1}})", "/dates/born wrong_type", ""},
        Body{R"({"name":"Ada","tags":["a",2]})", "/tags/1 wrong_type", ""},
        Body{R"({"name":"Ada","tags":[]})", "/tags required", ""},
        Body{R"({"name":"Ada","tags":["a","b","c"]})", "/tags too_long", "at most 2 elements"},
        Body{R"({"name":"Ada","friend":{"name":"Bo","friend":{"age":1}}})",
             "/friend/friend/name required", ""},
        Body{R"({"name":"Ada","retry":"standard"})", "", ""},
        Body{R"({"name":"Ada","retry":"standart"})", "/retry not_allowed", "'standard'?"},
        Body{R"({"name":"Ada","retry":{"delays":["PT1S"]}})", "", ""},
        Body{R"({"name":"Ada","retry":{"delays":[1]}})", "/retry/delays/0 wrong_type", ""},
        Body{R"({"name":"Ada","retry":{"max":1}})", "/retry/step required", ""},
        Body{R"({"name":"Ada","retry":7})", "/retry wrong_type",
             "a string or an object, not a number"},
        Body{R"({"name":"Ada","either":{"a":1,"b":2}})", "", ""},
        Body{R"({"name":"Ada","either":{"a":1}})", "/either not_allowed", "more than one"},
        Body{R"({"name":"Ada","any":6})", "", ""}, Body{R"({"name":"Ada","any":true})", "", ""},
        Body{R"({"name":"Ada","any":4})", "/any out_of_range", ""},
        Body{R"({"name":"Ada","both":6})", "", ""},
        Body{R"({"name":"Ada","both":8})", "/both out_of_range", "at most 7"},
        Body{R"({"age":-1,"name":7})", "/age out_of_range, /name wrong_type", ""}));

TEST(PostedText, OfAnyLengthIsRefusedWithoutBeingMatched) {
    const auto body =
        JsonBody::read(R"({"name":"Ada","key":")" + std::string(1'000'000, 'a') + "\"}");
    ASSERT_TRUE(body);
    EXPECT_EQ(summary(api().check_body({"POST", "/v1/users"}, *body)), "/key too_long");
}

struct Query {
    std::vector<Parameter> parameters;
    std::string errors;
    std::string message;
    friend void PrintTo(const Query& one, std::ostream* out) { *out << one.errors; }
};
class AskedUsers : public testing::TestWithParam<Query> {};
TEST_P(AskedUsers, AreJudgedByTheDocument) {
    const auto errors = api().check_query({"GET", "/v1/users"}, GetParam().parameters);
    EXPECT_EQ(summary(errors), GetParam().errors);
    EXPECT_THAT(messages(errors), HasSubstr(GetParam().message));
}
INSTANTIATE_TEST_SUITE_P(
    Table, AskedUsers,
    testing::Values(
        Query{{}, "", ""}, Query{{{"limit", "500"}, {"late", "true"}, {"tenant", "abc"}}, "", ""},
        Query{{{"limit", "0"}}, "?limit out_of_range", "from 1 to 500"},
        Query{{{"limit", "99999999999999999999"}}, "?limit wrong_type", "an integer"},
        Query{{{"limit", "1.5"}}, "?limit wrong_type", ""},
        Query{{{"limit", "1e2"}}, "?limit wrong_type", ""},
        Query{{{"limit", " 1"}}, "?limit wrong_type", ""},
        Query{{{"limit", ""}}, "?limit wrong_type", ""}, Query{{{"ratio", "0.5"}}, "", ""},
        Query{{{"ratio", "nan"}}, "?ratio wrong_type", ""},
        Query{{{"late", "yes"}}, "?late wrong_type", "true or false"},
        Query{{{"status", "PENDING,COMPLETED"}}, "", ""},
        Query{{{"status", "PENDING,"}}, "?status not_allowed", ""},
        Query{{{"status", "pending"}}, "?status not_allowed", "did you mean 'PENDING'?"},
        Query{{{"status", "PENDING,PENDING,PENDING,PENDING"}}, "?status too_long", "3 values"},
        Query{{{"tenant", "abcd"}}, "?tenant too_long", ""},
        Query{{{"If-Match", "1"}}, "?If-Match unknown_member", ""},
        Query{{{"limt", "1"}}, "?limt unknown_member", "did you mean 'limit'?"},
        Query{{{"zzzzzz", "1"}}, "?zzzzzz unknown_member", "known are 'late', 'limit'"},
        Query{{{"limit", "1"}, {"limit", "2"}}, "?limit not_allowed", "twice"}));

TEST(ApiSchema, ListsOperationsAndMediaTypes) {
    EXPECT_EQ(api().operations().size(), 8U);
    EXPECT_TRUE(api().has({"PATCH", "/v1/users/{id}"}));
    EXPECT_FALSE(api().has({"PUT", "/v1/users/{id}"}));
    EXPECT_THAT(api().request_types({"PATCH", "/v1/users/{id}"}),
                ElementsAre("application/merge-patch+json", "application/json"));
    EXPECT_THAT(api().request_types({"GET", "/livez"}), IsEmpty());
    EXPECT_THAT(api().response_types({"GET", "/v1/users"}),
                ElementsAre("application/json", "text/csv"));
    EXPECT_THAT(api().response_types({"DELETE", "/v1/users/{id}"}), IsEmpty());
    EXPECT_TRUE(api().body_required({"POST", "/v1/users"}));
    EXPECT_FALSE(api().body_required({"POST", "/v1/tick"}));
}

std::string document_with(const std::string& schema) {
    return R"({"paths":{"/a":{"post":{"requestBody":{"content":{"application/json":{"schema":)" +
           schema + R"(}}},"responses":{}}}}})";
}

struct BadDocument {
    std::string text;
    std::string why;
    friend void PrintTo(const BadDocument& one, std::ostream* out) { *out << one.text; }
};
class RefusedDocument : public testing::TestWithParam<BadDocument> {};
TEST_P(RefusedDocument, SaysWhy) {
    try {
        const ApiSchema schema(GetParam().text);
        FAIL() << "was taken";
    } catch (const std::invalid_argument& error) {
        EXPECT_THAT(error.what(), HasSubstr(GetParam().why));
    }
}
INSTANTIATE_TEST_SUITE_P(
    Table, RefusedDocument,
    testing::Values(
        BadDocument{"{", "cannot be read"}, BadDocument{"{}", "has no 'paths'"},
        BadDocument{R"({"paths":{"/a":{"get":{}}}})", "GET /a: has no 'responses'"},
        BadDocument{document_with(R"({"type":"strin"})"), "/type: is not a JSON type"},
        BadDocument{document_with(R"({"minLenght":1})"), "/minLenght: is a keyword"},
        BadDocument{document_with(R"({"uniqueItems":true})"), "/uniqueItems: is a keyword"},
        BadDocument{document_with(R"({"minLength":-1})"), "must be a count"},
        BadDocument{document_with(R"({"pattern":"a"})"), "needs a maxLength"},
        BadDocument{document_with(R"({"pattern":"(","maxLength":1})"), "bad pattern"},
        BadDocument{document_with(R"({"enum":["a"]})"), "need the type string"},
        BadDocument{document_with(R"({"properties":{}})"), "additionalProperties"},
        BadDocument{
            document_with(R"({"properties":{"a":{"items":7}},"additionalProperties":false})"),
            "/properties/a/items: must be an object"},
        BadDocument{document_with("{\"$ref\":\"#/nowhere\"}"), "there is nothing at '#/nowhere'"},
        BadDocument{document_with("{\"$ref\":\"#/paths\",\"minimum\":1}"), "beside a $ref"}));

}  // namespace
}  // namespace sundial::http
