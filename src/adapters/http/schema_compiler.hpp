#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/error.hpp"

namespace boost::json {
class value;  // NOLINT(readability-identifier-naming): named by Boost
}

namespace sundial::http {

/// A set of JSON types. `integer` is a number without a fraction.
enum JsonType : std::uint8_t {
    json_null = 1,
    json_boolean = 2,
    json_integer = 4,
    json_number = 8,
    json_string = 16,
    json_array = 32,
    json_object = 64,
    any_json_type = 127,
};

/// A pattern with the length bound that makes it safe: std::regex recurses once per character.
struct Pattern {
    std::string text;
    std::regex regex;
};

/// One schema of the document, compiled. An absent bound does not apply.
struct SchemaNode {
    std::uint8_t types = any_json_type;
    std::vector<std::string> allowed;  // enum or const; empty: any
    std::optional<std::size_t> min_length, max_length;
    std::optional<Pattern> pattern;  // comes with a max_length
    std::optional<double> minimum, maximum;

    std::optional<std::size_t> min_items, max_items;
    const SchemaNode* items = nullptr;

    std::vector<std::pair<std::string, const SchemaNode*>> properties;
    std::vector<std::string> required;
    std::optional<std::size_t> min_properties, max_properties;
    const SchemaNode* property_names = nullptr;
    bool closed = false;                           // no properties except the named ones
    const SchemaNode* other_properties = nullptr;  // schema of all other properties

    std::vector<const SchemaNode*> all_of, any_of, one_of;
};

/// Adds the violations of `node` by `value` to `errors`; `pointer` is the location of the value.
void check_value(const SchemaNode& node, const boost::json::value& value,
                 const std::string& pointer, std::vector<FieldError>& errors);

/// The same for the text of a query parameter: numbers and booleans as in JSON, an array as values
/// separated by commas.
void check_text(const SchemaNode& node, std::string_view text, const std::string& pointer,
                std::vector<FieldError>& errors);

/// "; did you mean 'x'?", or nothing.
[[nodiscard]] std::string suggestion(std::string_view wrong,
                                     const std::vector<std::string>& candidates);

/// Compiles the schemas of one document into nodes, each `$ref` once (so they may form cycles).
/// Every function throws std::invalid_argument, naming the place, for anything it does not
/// implement.
class SchemaCompiler {
public:
    /// Keeps a reference to `document`. `nodes` owns the nodes.
    SchemaCompiler(const boost::json::value& document, std::deque<SchemaNode>& nodes)
        : document_(document), nodes_(nodes) {}

    [[nodiscard]] const SchemaNode* compile(const boost::json::value& schema,
                                            const std::string& place);

    /// `value` itself, or the target of its `$ref`.
    [[nodiscard]] const boost::json::value& resolved(const boost::json::value& value,
                                                     const std::string& place) const;

private:
    void fill(SchemaNode& node, const boost::json::value& schema, const std::string& place);
    void fill_member(SchemaNode& node, std::string_view keyword, const boost::json::value& value,
                     const std::string& place);

    const boost::json::value& document_;
    std::deque<SchemaNode>& nodes_;
    std::map<std::string, const SchemaNode*, std::less<>> by_reference_;
};

[[noreturn]] void refuse_document(const std::string& place, const std::string& why);

}  // namespace sundial::http
