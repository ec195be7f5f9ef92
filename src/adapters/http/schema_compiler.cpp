#include "adapters/http/schema_compiler.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <functional>
#include <stdexcept>
#include <unordered_map>

#include "adapters/http/json.hpp"
#include "domain/names.hpp"

namespace sundial::http {
namespace {

namespace bj = boost::json;
using Nodes = std::vector<const SchemaNode*>;

/// Longer texts are not matched, because std::regex recurses once per character.
constexpr std::size_t longest_matched_text = 512;

/// Keywords that only describe. `format` is one in JSON Schema 2020-12: the domain checks dates and
/// zones, with codes of its own.
constexpr std::array annotations{"title",    "description", "example",         "examples",
                                 "default",  "format",      "$comment",        "deprecated",
                                 "readOnly", "writeOnly",   "contentMediaType"};

bool only_describes(std::string_view keyword) {
    return keyword.starts_with("x-") ||
           std::ranges::find(annotations, keyword) != annotations.end();
}

std::string string_at(const bj::value& value, const std::string& place) {
    if (!value.is_string()) refuse_document(place, "must be a string");
    return std::string(value.get_string());
}

std::size_t size_at(const bj::value& value, const std::string& place) {
    if (!value.is_int64() || value.get_int64() < 0) refuse_document(place, "must be a count");
    return static_cast<std::size_t>(value.get_int64());
}

double number_at(const bj::value& value, const std::string& place) {
    if (!value.is_number()) refuse_document(place, "must be a number");
    return value.to_number<double>();
}

const bj::object& object_at(const bj::value& value, const std::string& place) {
    if (!value.is_object()) refuse_document(place, "must be an object");
    return value.get_object();
}

const bj::array& array_at(const bj::value& value, const std::string& place) {
    if (!value.is_array()) refuse_document(place, "must be an array");
    return value.get_array();
}

std::uint8_t type_named(const bj::value& name, const std::string& place) {
    static const std::unordered_map<std::string_view, std::uint8_t> types{
        {"null", json_null},       {"boolean", json_boolean},
        {"integer", json_integer}, {"number", json_integer | json_number},
        {"string", json_string},   {"array", json_array},
        {"object", json_object}};
    const auto found = types.find(string_at(name, place));
    if (found == types.end()) refuse_document(place, "is not a JSON type");
    return found->second;
}

std::uint8_t types_at(const bj::value& value, const std::string& place) {
    if (!value.is_array()) return type_named(value, place);
    std::uint8_t types = 0;
    for (const bj::value& name : value.get_array()) types |= type_named(name, place);
    return types;
}

/// Texts only: `type` already states whether null is allowed.
std::vector<std::string> words_at(const bj::value& value, const std::string& place) {
    std::vector<std::string> words;
    for (const bj::value& word : array_at(value, place)) {
        if (!word.is_null()) words.push_back(string_at(word, place));
    }
    return words;
}

using Filler = std::function<void(SchemaNode&, const bj::value&, const std::string&)>;

/// Keywords whose value contains no schema.
const Filler* plain_keyword(std::string_view keyword) {
    const auto count = [](std::optional<std::size_t> SchemaNode::* bound) {
        return [bound](SchemaNode& node, const bj::value& value, const std::string& place) {
            node.*bound = size_at(value, place);
        };
    };
    static const std::unordered_map<std::string_view, Filler> fillers{
        {"type", [](auto& node, auto& value, auto& at) { node.types = types_at(value, at); }},
        {"enum", [](auto& node, auto& value, auto& at) { node.allowed = words_at(value, at); }},
        {"const", [](auto& node, auto& value, auto& at) { node.allowed = {string_at(value, at)}; }},
        {"minLength", count(&SchemaNode::min_length)},
        {"maxLength", count(&SchemaNode::max_length)},
        {"minItems", count(&SchemaNode::min_items)},
        {"maxItems", count(&SchemaNode::max_items)},
        {"minProperties", count(&SchemaNode::min_properties)},
        {"maxProperties", count(&SchemaNode::max_properties)},
        {"minimum", [](auto& node, auto& value, auto& at) { node.minimum = number_at(value, at); }},
        {"maximum", [](auto& node, auto& value, auto& at) { node.maximum = number_at(value, at); }},
        {"required",
         [](auto& node, auto& value, auto& at) { node.required = words_at(value, at); }},
        {"pattern", [](auto& node, auto& value, auto& at) {
             std::string text = string_at(value, at);
             std::regex regex(text, std::regex::ECMAScript | std::regex::optimize);
             node.pattern = Pattern{std::move(text), std::move(regex)};
         }}};
    const auto found = fillers.find(keyword);
    return found == fillers.end() ? nullptr : &found->second;
}

void check_whole(const SchemaNode& node, const bj::object& schema, const std::string& place) {
    if (schema.contains("properties") && !schema.contains("additionalProperties")) {
        refuse_document(place,
                        "has properties, so it must say whether others are allowed "
                        "(additionalProperties)");
    }
    if (node.pattern && node.max_length.value_or(longest_matched_text + 1) > longest_matched_text) {
        refuse_document(place, "a pattern needs a maxLength of at most " +
                                   std::to_string(longest_matched_text) + " beside it");
    }
    if (!node.allowed.empty() && (node.types & ~(json_string | json_null)) != 0) {
        refuse_document(place, "enum and const need the type string (or null with it) beside them");
    }
}

}  // namespace

void refuse_document(const std::string& place, const std::string& why) {
    throw std::invalid_argument("openapi.json, " + place + ": " + why);
}

const bj::value& SchemaCompiler::resolved(const bj::value& value, const std::string& place) const {
    const bj::value* reference =
        value.is_object() ? value.get_object().if_contains("$ref") : nullptr;
    // Both belong to the OpenAPI document, which outlives this object.
    if (reference == nullptr) return value;  // NOLINT(bugprone-return-const-ref-from-parameter)
    const std::string text = string_at(*reference, place);
    bj::error_code ec;
    const bj::value* target =
        text.starts_with("#/") ? document_.find_pointer(text.substr(1), ec) : nullptr;
    if (target == nullptr) refuse_document(place, "there is nothing at '" + text + "'");
    if (target->is_object() && target->get_object().contains("$ref")) {
        refuse_document(place, "'" + text + "' is itself a reference; name its target");
    }
    return *target;
}

const SchemaNode* SchemaCompiler::compile(const bj::value& schema, const std::string& place) {
    const bj::value& target = resolved(schema, place);
    if (&target == &schema) {
        SchemaNode& node = nodes_.emplace_back();
        fill(node, schema, place);
        return &node;
    }
    for (const auto& member : schema.get_object()) {
        if (member.key() != "$ref" && !only_describes(member.key())) {
            refuse_document(place, "'" + std::string(member.key()) + "' beside a $ref; use allOf");
        }
    }
    const std::string reference(schema.at("$ref").as_string());
    if (const auto known = by_reference_.find(reference); known != by_reference_.end()) {
        return known->second;
    }
    SchemaNode& node = nodes_.emplace_back();
    // Before the node is filled: the schema may contain itself.
    by_reference_.emplace(reference, &node);
    fill(node, target, reference);
    return &node;
}

void SchemaCompiler::fill(SchemaNode& node, const bj::value& schema, const std::string& place) {
    if (schema.is_bool() && schema.get_bool()) return;  // `true` accepts every value
    const bj::object& object = object_at(schema, place);
    for (const auto& member : object) {
        fill_member(node, member.key(), member.value(), json_pointer(place, member.key()));
    }
    check_whole(node, object, place);
}

void SchemaCompiler::fill_member(SchemaNode& node, std::string_view keyword, const bj::value& value,
                                 const std::string& place) {
    const auto all = [&](Nodes& alternatives) {
        for (const bj::value& one : array_at(value, place)) {
            alternatives.push_back(compile(one, place));
        }
    };
    if (only_describes(keyword)) return;
    if (const Filler* fill_plain = plain_keyword(keyword)) {
        (*fill_plain)(node, value, place);
    } else if (keyword == "properties") {
        for (const auto& property : object_at(value, place)) {
            const std::string name(property.key());
            node.properties.emplace_back(name,
                                         compile(property.value(), json_pointer(place, name)));
        }
    } else if (keyword == "additionalProperties") {
        node.closed = value.is_bool() && !value.get_bool();
        if (!value.is_bool()) node.other_properties = compile(value, place);
    } else if (keyword == "propertyNames") {
        node.property_names = compile(value, place);
    } else if (keyword == "items") {
        node.items = compile(value, place);
    } else if (keyword == "allOf") {
        all(node.all_of);
    } else if (keyword == "anyOf") {
        all(node.any_of);
    } else if (keyword == "oneOf") {
        all(node.one_of);
    } else {
        refuse_document(place, "is a keyword that the validation of requests does not support");
    }
}

}  // namespace sundial::http
