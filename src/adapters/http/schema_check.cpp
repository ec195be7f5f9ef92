#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <charconv>
#include <cmath>

#include "adapters/http/json.hpp"
#include "adapters/http/schema_compiler.hpp"
#include "base/text.hpp"
#include "domain/names.hpp"

namespace sundial::http {
namespace {

namespace bj = boost::json;
using Errors = std::vector<FieldError>;

std::uint8_t type_of(const bj::value& value) {
    switch (value.kind()) {
        case bj::kind::null:
            return json_null;
        case bj::kind::bool_:
            return json_boolean;
        case bj::kind::int64:
        case bj::kind::uint64:
            return json_integer | json_number;
        case bj::kind::double_:
            return std::trunc(value.get_double()) == value.get_double() ? json_integer | json_number
                                                                        : json_number;
        case bj::kind::string:
            return json_string;
        case bj::kind::array:
            return json_array;
        case bj::kind::object:
            return json_object;
    }
    return 0;
}

/// "a string or null"
std::string words_for(std::uint8_t types) {
    std::vector<std::string_view> words;
    if (types & json_string) words.emplace_back("a string");
    if (types & json_number) {
        words.emplace_back("a number");
    } else if (types & json_integer) {
        words.emplace_back("an integer");
    }
    if (types & json_boolean) words.emplace_back("true or false");
    if (types & json_object) words.emplace_back("an object");
    if (types & json_array) words.emplace_back("an array");
    if (types & json_null) words.emplace_back("null");
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
        text += words[i];
    }
    return text;
}

std::string word_for_kind(const bj::value& value) {
    if (value.is_bool()) return value.get_bool() ? "true" : "false";
    return words_for(type_of(value));
}

std::string quoted_list(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "'" : ", '") + name + "'";
    return text;
}

/// All digits, without a fraction of zeros.
std::string number_text(double number) {
    std::array<char, 400> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number,
                                   std::chars_format::fixed)
                         .ptr;
    return {digits.data(), end};
}

std::string count_text(std::size_t count, std::string_view noun) {
    return std::to_string(count) + ' ' + std::string(noun) + (count == 1 ? "" : "s");
}

void check_string(const SchemaNode& node, std::string_view text, const std::string& pointer,
                  Errors& errors) {
    if (!node.allowed.empty() && std::ranges::find(node.allowed, text) == node.allowed.end()) {
        errors.push_back(
            {pointer, "not_allowed",
             "must be one of " + quoted_list(node.allowed) + suggestion(text, node.allowed)});
        return;
    }
    if (text.find('\0') != std::string_view::npos) {
        errors.push_back({pointer, "bad_format", "must not contain U+0000"});
        return;
    }
    const std::size_t length = base::count_code_points(text).value_or(text.size());
    if (node.max_length && length > *node.max_length) {
        errors.push_back({pointer, "too_long",
                          "must have at most " + count_text(*node.max_length, "character") +
                              ", has " + std::to_string(length)});
        return;  // also protects the pattern from long texts
    }
    if (node.min_length && length < *node.min_length) {
        errors.push_back(length == 0 ? FieldError{pointer, "required", "must not be empty"}
                                     : FieldError{pointer, "bad_format",
                                                  "must have at least " +
                                                      count_text(*node.min_length, "character")});
        return;
    }
    if (node.pattern && !std::regex_search(text.begin(), text.end(), node.pattern->regex)) {
        errors.push_back({pointer, "bad_format", "must match " + node.pattern->text});
    }
}

void check_number(const SchemaNode& node, double number, const std::string& pointer,
                  Errors& errors) {
    const bool too_small = node.minimum && number < *node.minimum;
    const bool too_large = node.maximum && number > *node.maximum;
    if (!too_small && !too_large) return;
    std::string message = "must be ";
    if (node.minimum && node.maximum) {
        message += "from " + number_text(*node.minimum) + " to " + number_text(*node.maximum);
    } else if (node.minimum) {
        message += "at least " + number_text(*node.minimum);
    } else {
        message += "at most " + number_text(*node.maximum);
    }
    errors.push_back({pointer, "out_of_range", std::move(message)});
}

void check_count(std::size_t count, const std::optional<std::size_t>& min,
                 const std::optional<std::size_t>& max, std::string_view noun,
                 const std::string& pointer, Errors& errors) {
    if (max && count > *max) {
        errors.push_back(
            {pointer, "too_long",
             "must have at most " + count_text(*max, noun) + ", has " + std::to_string(count)});
    }
    if (min && count < *min) {
        errors.push_back({pointer, count == 0 ? "required" : "out_of_range",
                          "must have at least " + count_text(*min, noun)});
    }
}

void check_array(const SchemaNode& node, const bj::array& array, const std::string& pointer,
                 Errors& errors) {
    check_count(array.size(), node.min_items, node.max_items, "element", pointer, errors);
    if (node.items == nullptr) return;
    for (std::size_t i = 0; i < array.size(); ++i) {
        check_value(*node.items, array[i], pointer + '/' + std::to_string(i), errors);
    }
}

std::string unknown_member(const SchemaNode& node, std::string_view name) {
    std::vector<std::string> known;
    known.reserve(node.properties.size());
    for (const auto& property : node.properties) known.push_back(property.first);
    std::string hint = suggestion(name, known);
    if (hint.empty() && !known.empty()) hint = "; known are " + quoted_list(known);
    return "is not a member here" + hint;
}

void check_object(const SchemaNode& node, const bj::object& object, const std::string& pointer,
                  Errors& errors) {
    check_count(object.size(), node.min_properties, node.max_properties, "member", pointer, errors);
    for (const auto& member : object) {
        const std::string name(member.key());
        const std::string at = json_pointer(pointer, name);
        if (node.property_names != nullptr) check_string(*node.property_names, name, at, errors);
        const auto property = std::ranges::find(node.properties, name,
                                                &std::pair<std::string, const SchemaNode*>::first);
        if (property != node.properties.end()) {
            check_value(*property->second, member.value(), at, errors);
        } else if (node.closed) {
            errors.push_back({at, "unknown_member", unknown_member(node, name)});
        } else if (node.other_properties != nullptr) {
            check_value(*node.other_properties, member.value(), at, errors);
        }
    }
    for (const std::string& name : node.required) {
        if (!object.contains(name)) {
            errors.push_back({json_pointer(pointer, name), "required", "is required"});
        }
    }
}

/// Reports the errors of the closest alternative: of those with the value's type, the one with the
/// fewest errors.
void check_alternatives(const std::vector<const SchemaNode*>& alternatives, bool exactly_one,
                        const bj::value& value, const std::string& pointer, Errors& errors) {
    std::uint8_t types = 0;
    std::size_t matching = 0;
    std::optional<Errors> nearest;
    for (const SchemaNode* alternative : alternatives) {
        types |= alternative->types;
        if ((alternative->types & type_of(value)) == 0) continue;
        Errors found;
        check_value(*alternative, value, pointer, found);
        if (found.empty()) {
            ++matching;
        } else if (!nearest || found.size() < nearest->size()) {
            nearest = std::move(found);
        }
    }
    if (matching > 1 && exactly_one) {
        errors.push_back({pointer, "not_allowed", "matches more than one form; give exactly one"});
    } else if (matching == 0 && nearest) {
        errors.insert(errors.end(), nearest->begin(), nearest->end());
    } else if (matching == 0) {
        errors.push_back({pointer, "wrong_type",
                          "must be " + words_for(types) + ", not " + word_for_kind(value)});
    }
}

/// The number, if all of `text` is one; stricter than the standard's parsers.
template <class Number>
std::optional<double> whole_text(std::string_view text) {
    Number number{};
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return static_cast<double>(number);
}

void check_list(const SchemaNode& node, std::string_view text, const std::string& pointer,
                Errors& errors) {
    std::size_t count = 0;
    for (bool more = true; more; ++count) {
        const std::size_t comma = text.find(',');
        if (node.items != nullptr) {
            check_text(*node.items, text.substr(0, comma), pointer, errors);
        }
        more = comma != std::string_view::npos;
        if (more) text.remove_prefix(comma + 1);
    }
    check_count(count, node.min_items, node.max_items, "value", pointer, errors);
}

}  // namespace

std::string suggestion(std::string_view wrong, const std::vector<std::string>& candidates) {
    const auto meant = base::nearest(wrong, candidates);
    return meant ? "; did you mean '" + *meant + "'?" : "";
}

void check_value(const SchemaNode& node, const bj::value& value, const std::string& pointer,
                 Errors& errors) {
    const std::uint8_t type = type_of(value);
    if ((node.types & type) == 0) {
        errors.push_back({pointer, "wrong_type",
                          "must be " + words_for(node.types) + ", not " + word_for_kind(value)});
        return;
    }
    if (type & json_string) {
        const bj::string& text = value.get_string();
        check_string(node, {text.data(), text.size()}, pointer, errors);
    } else if (type & json_number) {
        check_number(node, value.to_number<double>(), pointer, errors);
    } else if (type & json_array) {
        check_array(node, value.get_array(), pointer, errors);
    } else if (type & json_object) {
        check_object(node, value.get_object(), pointer, errors);
    }
    for (const SchemaNode* part : node.all_of) check_value(*part, value, pointer, errors);
    if (!node.any_of.empty()) check_alternatives(node.any_of, false, value, pointer, errors);
    if (!node.one_of.empty()) check_alternatives(node.one_of, true, value, pointer, errors);
}

void check_text(const SchemaNode& node, std::string_view text, const std::string& pointer,
                Errors& errors) {
    if (node.types & json_array) return check_list(node, text, pointer, errors);
    if (node.types & json_string) return check_string(node, text, pointer, errors);
    if (node.types & json_boolean) {
        if (text != "true" && text != "false") {
            errors.push_back({pointer, "wrong_type", "must be true or false"});
        }
        return;
    }
    const auto number =
        (node.types & json_number) ? whole_text<double>(text) : whole_text<std::int64_t>(text);
    if (!number || !std::isfinite(*number)) {
        errors.push_back({pointer, "wrong_type", "must be " + words_for(node.types)});
        return;
    }
    check_number(node, *number, pointer, errors);
}

}  // namespace sundial::http
