#include "adapters/http/api/json_members.hpp"

#include <boost/json.hpp>

namespace sundial::http {
namespace {

namespace bj = boost::json;

std::string string_of(const bj::value& value) { return std::string(value.as_string()); }

}  // namespace

Members::Members(const JsonBody& body) : object_(&body.value().as_object()) {}

bool Members::has(std::string_view name) const { return object_->contains(name); }

std::optional<std::string> Members::text(std::string_view name) const {
    const bj::value* value = object_->if_contains(name);
    return value == nullptr || value->is_null() ? std::nullopt : std::optional(string_of(*value));
}

std::optional<bool> Members::truth(std::string_view name) const {
    const bj::value* value = object_->if_contains(name);
    return value == nullptr ? std::nullopt : std::optional(value->as_bool());
}

std::optional<std::uint32_t> Members::count(std::string_view name) const {
    const bj::value* value = object_->if_contains(name);
    return value == nullptr || value->is_null() ? std::nullopt
                                                : std::optional(value->to_number<std::uint32_t>());
}

std::optional<std::uint64_t> Members::number(std::string_view name) const {
    const bj::value* value = object_->if_contains(name);
    return value == nullptr ? std::nullopt : std::optional(value->to_number<std::uint64_t>());
}

Edit<std::string> Members::edit(std::string_view name) const {
    if (!has(name)) return std::nullopt;
    return text(name);
}

Edit<std::uint32_t> Members::count_edit(std::string_view name) const {
    if (!has(name)) return std::nullopt;
    return count(name);
}

std::map<std::string, std::string> Members::texts(std::string_view name) const {
    std::map<std::string, std::string> texts;
    if (const bj::value* value = object_->if_contains(name)) {
        for (const auto& member : value->as_object())
            texts[member.key()] = string_of(member.value());
    }
    return texts;
}

TextsEdit Members::texts_edit(std::string_view name) const {
    TextsEdit edit;
    const bj::value* value = object_->if_contains(name);
    edit.clear = value != nullptr && value->is_null();
    if (value != nullptr && !value->is_null()) {
        for (const auto& member : value->as_object()) {
            edit.members.emplace_back(member.key(), member.value().is_null()
                                                        ? std::nullopt
                                                        : std::optional(string_of(member.value())));
        }
    }
    return edit;
}

std::optional<Members> Members::object(std::string_view name) const {
    const bj::value* value = object_->if_contains(name);
    return value == nullptr || value->is_null() ? std::nullopt
                                                : std::optional(Members(value->as_object()));
}

std::vector<std::string> Members::list(std::string_view name) const {
    std::vector<std::string> list;
    if (const bj::value* value = object_->if_contains(name)) {
        for (const bj::value& member : value->as_array()) list.push_back(string_of(member));
    }
    return list;
}

bool Members::is_text(std::string_view name) const {
    const bj::value* value = object_->if_contains(name);
    return value != nullptr && value->is_string();
}

}  // namespace sundial::http
