#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/json.hpp"
#include "application/requests/edits.hpp"

namespace boost::json {
class object;
}

namespace sundial::http {

/// The members of a JSON object that the OpenAPI document has validated. Absent members are empty.
/// Asking for another type than the document declares is a bug. Valid as long as the body it was
/// made from.
class Members {
public:
    explicit Members(const JsonBody& body);
    explicit Members(const boost::json::object& object) : object_(&object) {}

    [[nodiscard]] bool has(std::string_view name) const;
    [[nodiscard]] std::optional<std::string> text(std::string_view name) const;
    [[nodiscard]] std::optional<bool> truth(std::string_view name) const;
    [[nodiscard]] std::optional<std::uint32_t> count(std::string_view name) const;
    [[nodiscard]] std::optional<std::uint64_t> number(std::string_view name) const;
    /// Absent, null, or a text: the edit that a merge patch makes to a removable value.
    [[nodiscard]] Edit<std::string> edit(std::string_view name) const;
    /// The same for a count.
    [[nodiscard]] Edit<std::uint32_t> count_edit(std::string_view name) const;
    [[nodiscard]] std::map<std::string, std::string> texts(std::string_view name) const;
    [[nodiscard]] TextsEdit texts_edit(std::string_view name) const;
    /// Empty if the member is absent or null.
    [[nodiscard]] std::optional<Members> object(std::string_view name) const;
    [[nodiscard]] std::vector<std::string> list(std::string_view name) const;
    [[nodiscard]] bool is_text(std::string_view name) const;

private:
    const boost::json::object* object_;
};

}  // namespace sundial::http
