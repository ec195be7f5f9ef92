#include "application/schedules/payload_template.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/json.hpp>
#include <ostream>
#include <string>
#include <variant>

#include "domain/names.hpp"
#include "support/builders.hpp"

namespace sundial {
namespace {

const TemplateValues ada{.first_name = "Ada",
                         .last_name = "Li",
                         .age = "35",
                         .target_timestamp_local = "2027-02-28T09:00:00.000+01:00",
                         .timezone = "Europe/Paris",
                         .dates = {{"anniversary", "2015-06-01"}},
                         .metadata = {{"plan", "gold"}}};

struct Rendering {
    std::string name;
    std::string json;
    std::string rendered;
    friend void PrintTo(const Rendering& one, std::ostream* out) { *out << one.name; }
};
class Render : public testing::TestWithParam<Rendering> {};

TEST_P(Render, RendersTheTemplate) {
    EXPECT_TRUE(check_template(GetParam().json));
    EXPECT_EQ(render(GetParam().json, ada), GetParam().rendered);
}

INSTANTIATE_TEST_SUITE_P(
    Template, Render,
    testing::Values(
        Rendering{"the_seeds_message",
                  R"({"message":"Hey, {firstName} {lastName} it's your birthday"})",
                  R"({"message":"Hey, Ada Li it's your birthday"})"},
        Rendering{
            "every_name",
            R"(["{age}","{targetTimestampLocal}","{timezone}","{dates.anniversary}","{metadata.plan}"])",
            R"(["35","2027-02-28T09:00:00.000+01:00","Europe/Paris","2015-06-01","gold"])"},
        Rendering{"a_member_that_this_user_lacks", R"("<{dates.wedding}{metadata.x}>")", R"("<>")"},
        Rendering{"doubled_braces", R"("{{firstName}} {{{firstName}}}")", R"("{firstName} {Ada}")"},
        Rendering{"single_closing_braces", R"("a } b {age}}")", R"("a } b 35}")"},
        Rendering{"braces_of_json_itself", R"({ "a" : {"b":{}, "c":[{}]} , "d": {} })",
                  R"({ "a" : {"b":{}, "c":[{}]} , "d": {} })"},
        Rendering{"doubled_braces_outside_of_literals", R"({"a":{"b":{"c":"{age}"}}})",
                  R"({"a":{"b":{"c":"35"}}})"},
        Rendering{"quotes_and_backslashes_in_literals",
                  R"(["\"{age}\"","\\","{age}\\","\\\"{age}"])",
                  R"(["\"35\"","\\","35\\","\\\"35"])"},
        Rendering{"escaped_braces_are_text", R"("\u007bage\u007d {age}")",
                  R"("\u007bage\u007d 35")"},
        Rendering{"names_of_members", R"({"{firstName}":1.50e3})", R"({"Ada":1.50e3})"},
        Rendering{"other_characters", R"({"t":"🎂 Zoë {firstName} 李"})",
                  R"({"t":"🎂 Zoë Ada 李"})"},
        Rendering{"nothing_to_replace", "[1, 2,\n 3]", "[1, 2,\n 3]"}),
    [](const auto& test) { return test.param.name; });

struct Refusal {
    std::string name;
    std::string json;
    std::string named;
    std::string message;
    friend void PrintTo(const Refusal& one, std::ostream* out) { *out << one.name; }
};
class CheckTemplate : public testing::TestWithParam<Refusal> {};

TEST_P(CheckTemplate, Refuses) {
    const auto result = check_template(GetParam().json);
    ASSERT_FALSE(result);
    const auto* error = std::get_if<InvalidTemplate>(&result.error());
    ASSERT_NE(error, nullptr);
    EXPECT_EQ(error->name, GetParam().named);
    EXPECT_NE(error->message.find(GetParam().message), std::string::npos) << error->message;
}

INSTANTIATE_TEST_SUITE_P(
    Template, CheckTemplate,
    testing::Values(
        Refusal{"another_case", R"("{firstname}")", "firstname", "did you mean '{firstName}'?"},
        Refusal{"a_far_name", R"("{favouriteColour}")", "favouriteColour", "{metadata.x}"},
        Refusal{"the_first_of_two", R"("{a1} {b2}")", "a1", "'{a1}'"},
        Refusal{"no_name", R"("{}")", "", "'{}'"},
        Refusal{"blanks", R"("{ firstName }")", " firstName ", "did you mean '{firstName}'?"},
        Refusal{"a_group_without_member", R"("{dates.}")", "dates.", "{dates.x}"},
        Refusal{"a_member_that_nobody_can_have", R"("{metadata.a-b}")", "metadata.a-b",
                "'{metadata.a-b}'"},
        Refusal{"an_open_brace", R"("{firstName")", "firstName", "no closing brace"},
        Refusal{"an_open_brace_at_the_end", R"({"a":"x {","b":"y}"})", "", "no closing brace"},
        Refusal{"a_brace_before_an_escape", R"("{a\"}")", "a", "no closing brace"}),
    [](const auto& test) { return test.param.name; });

TEST(CheckTemplate, CutsLongTextsBetweenCharacters) {
    std::string json = "\"{";
    for (int i = 0; i < 100; ++i) json += "€";
    const auto result = check_template(json + "\"");
    ASSERT_FALSE(result);
    const auto& name = std::get<InvalidTemplate>(result.error()).name;
    EXPECT_EQ(name.size(), 63U + 3U);  // 21 characters of three bytes, and the ellipsis
}

TEST(Render, KeepsTextThatIsNotATemplate) {
    EXPECT_EQ(render(R"(["{nobody}","{age","{a\"{age}"])", ada), R"(["{nobody}","{age","{a\"35"])");
}

TEST(Render, EscapesInsertedValues) {
    TemplateValues values = ada;
    values.first_name = "\"},{\"admin\":true,\"\\\n\x01🎂";
    EXPECT_EQ(render(R"({"m":"{firstName}"})", values),
              R"({"m":"\"},{\"admin\":true,\"\\\u000a\u0001🎂"})");
}

TEST(Render, ReturnsNothingLongerThanAPayload) {
    TemplateValues values = ada;
    values.metadata["note"] = std::string(max_payload_bytes - 2, 'x');
    EXPECT_EQ(render(R"("{metadata.note}")", values)->size(), max_payload_bytes);
    EXPECT_EQ(render(R"("{metadata.note}.")", values), std::nullopt);

    // Rendering all of this would take more memory than any machine has.
    std::string greedy = "\"";
    for (int i = 0; i < 10'000; ++i) greedy += "{metadata.note}";
    EXPECT_EQ(render(greedy + '"', values), std::nullopt);
}

TEST(Render, DoesNotReadValuesAsTemplates) {
    TemplateValues values = ada;
    values.first_name = "{lastName}{{";
    EXPECT_EQ(render(R"("{firstName}")", values), R"("{lastName}{{")");
}

/// Characters that could end a literal, and some that take several bytes.
rc::Gen<std::string> gen_hostile_text() {
    const auto character = rc::gen::element<std::string>(
        "\"", "\\", "{", "}", "\n", "\r", "\t", "\b", "\f", "\x01", "\x1f", "\x7f", "/", "u0041",
        "a", ",", ":", "é", "李", "🎂", "\u2028");
    return rc::gen::map(rc::gen::container<std::vector<std::string>>(character),
                        [](const std::vector<std::string>& characters) {
                            std::string text;
                            for (const auto& c : characters) text += c;
                            return text;
                        });
}

RC_GTEST_PROP(Render, ProducesJsonWithTheSameValues, ()) {
    TemplateValues values;
    values.first_name = *gen_hostile_text();
    values.last_name = *gen_hostile_text();
    values.metadata["note"] = *gen_hostile_text();
    const std::string json =
        R"({"message":"Hey, \"{firstName}\" {lastName}","note":["{metadata.note}"],"n":1})";

    boost::system::error_code failure;
    const auto parsed = boost::json::parse(render(json, values).value(), failure);
    RC_ASSERT(!failure);
    const auto& object = parsed.as_object();
    RC_ASSERT(object.size() == 3U);
    RC_ASSERT(object.at("message").as_string() ==
              "Hey, \"" + values.first_name + "\" " + values.last_name);
    RC_ASSERT(object.at("note").as_array().at(0).as_string() == values.metadata["note"]);
}

TEST(TemplateValues, AreTextsOfTheUserAndTheOccurrence) {
    const User user = a_user()
                          .named("Ada", "Li")
                          .born(std::chrono::year{1992} / 2 / 29)
                          .with_date("anniversary", std::chrono::year{2015} / 6 / 1)
                          .with_metadata("plan", "gold");
    const auto values =
        template_values(user, std::chrono::year{2027} / 2 / 28, "2027-02-28T09:00:00.000+01:00");
    EXPECT_EQ(values.first_name, ada.first_name);
    EXPECT_EQ(values.last_name, ada.last_name);
    EXPECT_EQ(values.age, ada.age);
    EXPECT_EQ(values.target_timestamp_local, ada.target_timestamp_local);
    EXPECT_EQ(values.timezone, ada.timezone);
    EXPECT_EQ(values.dates, ada.dates);
    EXPECT_EQ(values.metadata, ada.metadata);
}

}  // namespace
}  // namespace sundial
