#include "cli/command_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "cli/api_request.hpp"

namespace sundial::cli {
namespace {

namespace json = boost::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// openapi.json, as the table must agree with it.
class ApiDocument {
public:
    ApiDocument() {
        std::ifstream file(SUNDIAL_OPENAPI);
        std::ostringstream text;
        text << file.rdbuf();
        document_ = json::parse(text.str());
        for (const auto& [path, item] : document_.at("paths").as_object()) {
            for (const auto& [method, operation] : item.as_object()) {
                if (!operation.is_object()) continue;
                const json::value* const id = operation.as_object().if_contains("operationId");
                if (id == nullptr) continue;
                std::string upper(method);
                std::ranges::transform(upper, upper.begin(),
                                       [](char c) { return static_cast<char>(c - 32); });
                operations_[std::string(id->as_string())] = {upper + ' ' + std::string(path),
                                                             &operation.as_object()};
            }
        }
    }

    /// "GET /v1/users"; empty if there is no such operation.
    std::string request_of(const std::string& operation) const {
        const auto found = operations_.find(operation);
        return found == operations_.end() ? "" : found->second.first;
    }
    const json::object& operation(const std::string& id) const {
        return *operations_.at(id).second;
    }
    std::set<std::string> parameters(const std::string& id, std::string_view place) const {
        std::set<std::string> names;
        const json::value* const all = operation(id).if_contains("parameters");
        if (all == nullptr) return names;
        for (const json::value& one : all->as_array()) {
            const json::object& parameter = resolved(one);
            if (parameter.at("in").as_string() == place)
                names.emplace(parameter.at("name").as_string());
        }
        return names;
    }
    /// The schema of the request's body.
    const json::object* body(const std::string& id) const {
        const json::value* const body = operation(id).if_contains("requestBody");
        if (body == nullptr) return nullptr;
        return &resolved(
            body->at("content").as_object().at("application/json").as_object().at("schema"));
    }
    /// The schemas of the successful JSON responses.
    std::vector<const json::object*> responses(const std::string& id) const {
        std::vector<const json::object*> schemas;
        for (const auto& [status, response] : operation(id).at("responses").as_object()) {
            if (!status.starts_with('2')) continue;
            const json::value* const content = resolved(response).if_contains("content");
            if (content == nullptr) continue;
            const json::value* const of_json = content->as_object().if_contains("application/json");
            if (of_json != nullptr) schemas.push_back(&resolved(of_json->as_object().at("schema")));
        }
        return schemas;
    }
    /// Whether `path` with dots leads to a member of `schema`. Below free-form JSON all does.
    bool has(const json::object& schema, std::string_view path) const {
        if (path.empty()) return true;
        for (const char* const variants : {"oneOf", "anyOf", "allOf"}) {
            const json::value* const all = schema.if_contains(variants);
            if (all == nullptr) continue;
            for (const json::value& one : all->as_array()) {
                if (has(resolved(one), path)) return true;
            }
        }
        const auto dot = path.find('.');
        const std::string_view name = path.substr(0, dot);
        const std::string_view rest = dot == path.npos ? "" : path.substr(dot + 1);
        if (const json::value* const items = schema.if_contains("items"); items && name == "0")
            return has(resolved(*items), rest);
        const json::value* const properties = schema.if_contains("properties");
        if (properties == nullptr) {
            const json::value* const more = schema.if_contains("additionalProperties");
            return more != nullptr && *more != json::value(false);
        }
        const json::value* const found = properties->as_object().if_contains(name);
        return found != nullptr && has(resolved(*found), rest);
    }
    /// The schema of a member of `schema`, or of a schema that it extends; null: it has none.
    const json::object* member(const json::object& schema, std::string_view name) const {
        if (const json::value* const all = schema.if_contains("allOf")) {
            for (const json::value& one : all->as_array()) {
                if (const json::object* const found = member(resolved(one), name)) return found;
            }
        }
        const json::value* const properties = schema.if_contains("properties");
        if (properties == nullptr) return nullptr;
        const json::value* const found = properties->as_object().if_contains(name);
        return found == nullptr ? nullptr : &resolved(*found);
    }
    static std::set<std::string> members(const json::object& schema) {
        std::set<std::string> names;
        for (const auto& member : schema.at("properties").as_object()) names.emplace(member.key());
        return names;
    }
    const json::object& resolved(const json::value& value) const {
        const json::object& object = value.as_object();
        const json::value* const reference = object.if_contains("$ref");
        if (reference == nullptr) return object;
        std::string pointer(reference->as_string());
        return resolved(document_.at_pointer(pointer.substr(1)));
    }

private:
    json::value document_;
    std::map<std::string, std::pair<std::string, const json::object*>> operations_;
};

const ApiDocument& api() {
    static const ApiDocument document;
    return document;
}

std::string words(const ApiCommand& command) { return command.noun + ' ' + command.verb; }

TEST(CommandTable, HasTheMethodAndThePathOfEachOperation) {
    for (const ApiCommand& command : command_table()) {
        EXPECT_EQ(api().request_of(command.operation), command.method + ' ' + command.path)
            << words(command);
        for (const std::string& alias : command.names) {
            const std::string other = api().request_of(alias);
            EXPECT_THAT(other, testing::StartsWith(command.method + " /user")) << alias;
        }
    }
}

TEST(CommandTable, NamesEachVerbOfANounOnce) {
    std::set<std::string> seen;
    for (const ApiCommand& command : command_table())
        EXPECT_TRUE(seen.insert(words(command)).second) << words(command);
}

TEST(CommandTable, NamesNoFlagOfACommandTwice) {
    for (const ApiCommand& command : command_table()) {
        std::set<std::string> seen{"--server",   "--api-key", "--ca-file", "--cert-file",
                                   "--key-file", "--json",    "--no-color"};
        std::vector<Argument> all = command.arguments;
        for (const Argument& flag : common_flags(command)) all.push_back(flag);
        for (const Argument& argument : all) {
            std::istringstream names(argument.name);
            for (std::string name; std::getline(names, name, ',');)
                EXPECT_TRUE(seen.insert(name).second) << words(command) << ' ' << name;
        }
    }
}

TEST(CommandTable, SendsOnlyParametersThatTheOperationHas) {
    for (const ApiCommand& command : command_table()) {
        const auto in_query = api().parameters(command.operation, "query");
        const auto in_header = api().parameters(command.operation, "header");
        const auto in_path = api().parameters(command.operation, "path");
        for (const Argument& argument : command.arguments) {
            if (argument.place == Place::query)
                EXPECT_TRUE(in_query.contains(argument.member))
                    << words(command) << ' ' << argument.member;
            if (argument.place == Place::header)
                EXPECT_TRUE(in_header.contains(argument.member))
                    << words(command) << ' ' << argument.member;
            if (argument.place == Place::path)
                EXPECT_TRUE(in_path.contains(argument.member))
                    << words(command) << ' ' << argument.member;
        }
        for (const FixedMember& fixed : command.fixed_query)
            EXPECT_TRUE(in_query.contains(fixed.path)) << words(command) << ' ' << fixed.path;
        EXPECT_EQ(command.versioned,
                  in_header.contains("If-Match") && command.operation != "appendToStream")
            << words(command);
        EXPECT_EQ(!command.sorts.empty(), in_query.contains("sort")) << words(command);
        EXPECT_EQ(command.shape == Shape::pages, in_query.contains("limit")) << words(command);
    }
}

/// The parameters of the operation that no command with it has a flag for.
TEST(CommandTable, HasAFlagForEachParameter) {
    // These have flags or ways of their own: paging, caching, and the version that --expect names.
    const std::set<std::string> elsewhere{
        "cursor", "limit", "sort", "If-None-Match", "Last-Event-ID", "If-Match", "Idempotency-Key"};
    std::map<std::string, std::set<std::string>> had;
    for (const ApiCommand& command : command_table()) {
        for (const Argument& argument : command.arguments)
            had[command.operation].insert(argument.member);
        for (const FixedMember& fixed : command.fixed_query)
            had[command.operation].insert(fixed.path);
    }
    for (const auto& [operation, members] : had) {
        for (const char* const place : {"query", "header", "path"}) {
            for (const std::string& parameter : api().parameters(operation, place))
                EXPECT_TRUE(elsewhere.contains(parameter) || members.contains(parameter))
                    << operation << ": " << parameter;
        }
    }
}

TEST(CommandTable, SendsOnlyMembersThatTheBodyHas) {
    for (const ApiCommand& command : command_table()) {
        const json::object* const body = api().body(command.operation);
        for (const Argument& argument : command.arguments) {
            if (argument.place != Place::body) continue;
            ASSERT_NE(body, nullptr) << words(command);
            const bool moment = argument.kind == ValueKind::moment;
            EXPECT_TRUE(api().has(*body, argument.member + (moment ? "UTC" : "")))
                << words(command) << ' ' << argument.member;
            EXPECT_TRUE(!moment || api().has(*body, argument.member + "Local")) << words(command);
        }
        for (const FixedMember& fixed : command.fixed)
            EXPECT_TRUE(api().has(*body, fixed.path)) << words(command) << ' ' << fixed.path;
    }
}

TEST(CommandTable, HasAFlagForEachMemberOfABody) {
    std::map<std::string, std::set<std::string>> had;
    std::set<std::string> takes_file;
    for (const ApiCommand& command : command_table()) {
        auto& members = had[command.operation];
        for (const FixedMember& fixed : command.fixed)
            members.insert(fixed.path.substr(0, fixed.path.find('.')));
        for (const Argument& argument : command.arguments) {
            if (argument.place != Place::body) continue;
            if (argument.kind == ValueKind::file) takes_file.insert(command.operation);
            const std::string top = argument.member.substr(0, argument.member.find('.'));
            members.insert(argument.kind == ValueKind::moment ? top + "UTC" : top);
            if (argument.kind == ValueKind::moment) members.insert(top + "Local");
        }
    }
    // A key has one purpose so far; `key create` is not of the table.
    for (const auto& [operation, members] : had) {
        const json::object* const body = api().body(operation);
        if (body == nullptr || takes_file.contains(operation)) continue;
        for (const std::string& member : ApiDocument::members(*body))
            EXPECT_TRUE(members.contains(member)) << operation << ": " << member;
    }
}

TEST(CommandTable, ShowsColumnsThatTheResponseHas) {
    for (const ApiCommand& command : command_table()) {
        if (command.columns.empty()) continue;
        const auto schemas = api().responses(command.operation);
        ASSERT_THAT(schemas, testing::SizeIs(1)) << words(command);
        const json::object* const data = api().member(*schemas.front(), "data");
        ASSERT_NE(data, nullptr) << words(command);
        const json::object& row = api().resolved(data->at("items"));
        std::vector<Column> columns = command.columns;
        for (const Argument& argument : command.arguments)
            columns.insert(columns.end(), argument.columns.begin(), argument.columns.end());
        for (const Column& column : columns) {
            if (column.member == "@ref")
                EXPECT_TRUE(api().has(row, "externalId")) << words(command);
            else if (column.member == "@state")
                EXPECT_TRUE(api().has(row, "enabled")) << words(command);
            else if (column.member == "@roles")
                EXPECT_TRUE(api().has(row, "roles")) << words(command);
            else if (column.member == "@seen")
                EXPECT_TRUE(api().has(row, "silentMs")) << words(command);
            else
                EXPECT_TRUE(api().has(row, column.member))
                    << words(command) << ' ' << column.member;
        }
    }
}

TEST(CommandTable, SortsByWhatTheOperationSortsBy) {
    for (const ApiCommand& command : command_table()) {
        if (command.sorts.empty()) continue;
        std::set<std::string> known;
        for (const json::value& one :
             api().operation(command.operation).at("parameters").as_array()) {
            const json::object& parameter = api().resolved(one);
            if (parameter.at("name").as_string() != "sort") continue;
            for (const json::value& word : parameter.at("schema").as_object().at("enum").as_array())
                known.emplace(word.as_string());
        }
        std::set<std::string> offered;
        for (const std::string& field : command.sorts) {
            offered.insert(field);
            offered.insert('-' + field);
        }
        EXPECT_EQ(offered, known) << words(command);
    }
}

TEST(CommandTable, AsksBeforeEachDeletion) {
    for (const ApiCommand& command : command_table()) {
        if (command.verb == "delete" || command.verb == "clear")
            EXPECT_FALSE(command.question.empty()) << words(command);
    }
}

const ApiCommand& command(const std::string& noun, const std::string& verb) {
    const auto found = std::ranges::find_if(command_table(), [&](const ApiCommand& one) {
        return one.noun == noun && one.verb == verb;
    });
    EXPECT_NE(found, command_table().end()) << noun << ' ' << verb;
    return *found;
}

ApiRequest request_of(const std::string& noun, const std::string& verb, const Given& given,
                      const std::string& input = "") {
    std::istringstream standard_input(input);
    return make_request(command(noun, verb), given, files_and(standard_input));
}

TEST(MakeRequest, KeepsEveryByteOfAPayload) {
    const std::string payload = R"({"n": 1.0, "big":1E400, "t":"\u0041"})";
    const ApiRequest request = request_of(
        "event", "add", {{"--type", {"T"}}, {"--at", {"now"}}, {"--payload", {payload}}});
    EXPECT_EQ(request.body,
              R"({"eventType":"T","targetTimestampUTC":"now","deliveryPayload":)" + payload + '}');
}

TEST(MakeRequest, ReadsAPayloadFromStandardInputOnce) {
    const ApiRequest request = request_of(
        "event", "add", {{"--type", {"T"}}, {"--at", {"now"}}, {"--payload", {"-"}}}, "[1]");
    EXPECT_THAT(request.body, HasSubstr(R"("deliveryPayload":[1])"));
    EXPECT_THROW((void)request_of("event", "add", {{"--data", {"-"}}, {"--payload", {"-"}}}, "{}"),
                 BadArgument);
}

TEST(MakeRequest, TellsLocalTimesFromInstants) {
    const auto body = [](const std::string& at) {
        return request_of("event", "reschedule", {{"id", {"x"}}, {"--at", {at}}}).body;
    };
    EXPECT_EQ(body("2027-01-05T09:00"), R"({"targetTimestampLocal":"2027-01-05T09:00"})");
    EXPECT_EQ(body("2027-01-05T09:00Z"), R"({"targetTimestampUTC":"2027-01-05T09:00Z"})");
    EXPECT_EQ(body("2027-01-05T09:00-05:00"), R"({"targetTimestampUTC":"2027-01-05T09:00-05:00"})");
    EXPECT_EQ(body("now+1h"), R"({"targetTimestampUTC":"now+1h"})");
}

TEST(MakeRequest, PutsNestedMembersTogether) {
    const ApiRequest request = request_of("schedule", "add",
                                          {{"--rrule", {"FREQ=DAILY"}},
                                           {"--dtstart", {"2027-01-01T09:00"}},
                                           {"--exdate", {"2027-01-02T09:00,2027-01-03T09:00"}}});
    EXPECT_EQ(
        request.body,
        R"({"trigger":{"rrule":{"rrule":"FREQ=DAILY","dtstart":"2027-01-01T09:00","exdate":["2027-01-02T09:00","2027-01-03T09:00"]}}})");
}

TEST(MakeRequest, LetsFlagsReplaceMembersOfTheGivenBody) {
    const ApiRequest request = request_of(
        "schedule", "set",
        {{"id", {"ext:a b"}},
         {"--data",
          {R"({"jitter":"PT1S","trigger":{"yearly":{"on":"dateOfBirth","at":"09:00"}}})"}},
         {"--at", {"10:00"}},
         {"--unset", {"note,window"}}});
    EXPECT_EQ(request.path, "/v1/schedules/ext:a%20b");
    EXPECT_EQ(
        request.body,
        R"({"jitter":"PT1S","trigger":{"yearly":{"on":"dateOfBirth","at":"10:00"}},"note":null,"window":null})");
}

TEST(MakeRequest, SendsTheGivenBodyAsItIs) {
    const std::string body = R"({ "name" : "x" , "type":"PULL" })";
    EXPECT_EQ(request_of("endpoint", "add", {{"--data", {body}}}).body, body);
    EXPECT_EQ(request_of("endpoint", "put", {{"id", {"ext:x"}}, {"file", {"-"}}}, body).body, body);
}

TEST(MakeRequest, RefusesWhatNoRequestCanHave) {
    const auto error = [](const std::string& noun, const std::string& verb,
                          const Given& given) -> std::string {
        try {
            (void)request_of(noun, verb, given);
        } catch (const BadArgument& wrong) {
            return wrong.what();
        }
        return "";
    };
    EXPECT_THAT(error("event", "set", {{"id", {"x"}}}), HasSubstr("say what to change"));
    EXPECT_THAT(error("event", "set", {{"id", {"x"}}, {"--payload", {"{"}}}),
                HasSubstr("--payload: the JSON ends too early"));
    EXPECT_THAT(error("event", "set", {{"id", {"x"}}, {"--payload", {"text"}}}),
                HasSubstr("--payload: the JSON is wrong at character"));
    EXPECT_THAT(error("event", "set", {{"id", {"x"}}, {"--payload", {"@/none"}}}),
                HasSubstr("cannot read /none"));
    EXPECT_THAT(error("user", "list", {{"--birth-month", {"May"}}}),
                HasSubstr("'May' is not a whole number"));
    for (const char* const number : {"007", "1e3", "-0", "1.0", "+1", " 1", "0x1", ""}) {
        EXPECT_THAT(error("user", "list", {{"--birth-month", {number}}}),
                    HasSubstr("is not a whole number"))
            << number;
    }
    for (const char* const id : {"", ".", ".."}) {
        EXPECT_THAT(error("event", "get", {{"id", {id}}}), HasSubstr("is not an id or a name"))
            << id;
    }
    EXPECT_EQ(request_of("event", "get", {{"id", {"../users"}}}).path, "/v1/events/..%2Fusers");
    EXPECT_EQ(request_of("event", "get", {{"id", {"a?b#c%2F"}}}).path, "/v1/events/a%3Fb%23c%252F");
    EXPECT_THAT(error("user", "add", {}), HasSubstr("--first-name is required, or --data"));
    EXPECT_THAT(error("user", "set", {{"id", {"x"}}, {"--unset", {"colour"}}}),
                HasSubstr("'colour'"));
    EXPECT_THAT(error("user", "delete", {{"id", {"x"}}, {"--if-match", {"one"}}}),
                HasSubstr("'one' is not a version"));
}

TEST(MakeRequest, NamesVersionsAndKeysInHeaders) {
    EXPECT_THAT(request_of("user", "delete", {{"id", {"x"}}}).headers, ElementsAre("If-Match: *"));
    EXPECT_THAT(request_of("user", "delete",
                           {{"id", {"x"}}, {"--if-match", {"3"}}, {"--request-key", {"k"}}})
                    .headers,
                ElementsAre("If-Match: \"3\"", "Idempotency-Key: k"));
    EXPECT_THAT(request_of("lock", "release", {{"name", {"x"}}, {"lock-token", {"t"}}}).headers,
                ElementsAre("Sundial-Lock-Token: t"));
    EXPECT_THAT(request_of("user", "list", {}).headers, IsEmpty());
}

TEST(ArgumentOf, FindsTheFlagOfAPointer) {
    EXPECT_EQ(argument_of(command("user", "add"), "/dateOfBirth"), "--date-of-birth");
    EXPECT_EQ(argument_of(command("event", "add"), "/targetTimestampLocal"), "--at");
    EXPECT_EQ(argument_of(command("event", "list"), "?targetFrom"), "--due-from");
    EXPECT_EQ(argument_of(command("schedule", "add"), "/trigger/cron"), "--cron");
    EXPECT_EQ(argument_of(command("user", "add"), "/metadata/a/b"), "--metadata at a.b");
    EXPECT_EQ(argument_of(command("schedule", "add"), "/none"), "/none");
}

}  // namespace
}  // namespace sundial::cli
