#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/client/json_view.hpp"
#include "base/json.hpp"
#include "sundial/client.hpp"
#include "sundial/result.hpp"
#include "sundial/values.hpp"

/// How the API writes what the public headers have as types.
namespace sundial::client {

/// "2027-01-05T14:00:00.000000Z"
[[nodiscard]] std::string to_rfc3339(embedding::Instant instant);
/// Reads what the server writes: UTC, with up to six digits of a second.
[[nodiscard]] std::optional<embedding::Instant> from_rfc3339(std::string_view text);
/// The instant of a member; empty without it.
[[nodiscard]] std::optional<embedding::Instant> instant_of(const JsonView& object,
                                                           std::string_view name);
/// "PT90S"
[[nodiscard]] std::string to_iso_duration(std::chrono::seconds duration);
/// Reads what the server writes: "PT1H30M", of hours, minutes and seconds.
[[nodiscard]] std::optional<std::chrono::seconds> from_iso_duration(std::string_view text);
/// Percent-encoded, for one segment of a path or one value of a query.
[[nodiscard]] std::string encoded(std::string_view text);
/// "HIGH"
[[nodiscard]] std::string_view to_text(embedding::Priority priority);
[[nodiscard]] embedding::Priority priority_of(std::string_view text);
/// The value of If-Match; empty for 0, any version.
[[nodiscard]] std::string if_match_of(std::uint64_t version);

/// Writes the member unless the text is empty.
void add_text(base::JsonWriter& json, std::string_view name, const std::string& text);

/// Writes the member, as null if there is no text.
void add_or_null(base::JsonWriter& json, std::string_view name,
                 const std::optional<std::string>& text);
/// The texts of the object at a member; empty without it.
[[nodiscard]] std::map<std::string, std::string> texts_of(const JsonView& object,
                                                          std::string_view name);

/// The query of a path, parameter by parameter.
class QueryText {
public:
    /// Adds nothing for an empty value.
    QueryText& add(std::string_view name, std::string_view value);
    /// One of the values must match; adds nothing for an empty list. The API takes each parameter
    /// once, with commas between the values.
    QueryText& add_list(std::string_view name, const std::vector<std::string>& values);
    /// `order`: the field by which the list is sorted.
    QueryText& add_page(const embedding::PageOptions& page, std::string_view order);
    /// With the question mark; empty without a parameter.
    [[nodiscard]] const std::string& text() const { return text_; }

private:
    std::string text_;
};

/// The names in a typed call, which a problem of the API does not repeat.
struct Asked {
    std::string id{};        // of the object of the call, or the key that it gives to it
    std::string user{};      // that the call refers to
    std::string endpoint{};  // likewise
};

/// The JSON object of an answer, which must outlive it; else HTTP_ERROR.
[[nodiscard]] embedding::Result<JsonView> object_of(const embedding::Result<ClientAnswer>& answer);
embedding::Result<JsonView> object_of(embedding::Result<ClientAnswer>&& answer) = delete;

/// A page of a list.
struct ListPage {
    JsonView items;
    std::string next;  // the cursor of the next page; empty: this is the last
};
/// The page of an answer, which must outlive it, with `asked` in its errors; else HTTP_ERROR.
[[nodiscard]] embedding::Result<ListPage> page_of(const embedding::Result<ClientAnswer>& answer,
                                                  const Asked& asked);
embedding::Result<ListPage> page_of(embedding::Result<ClientAnswer>&& answer,
                                    const Asked& asked) = delete;

/// The details of a problem of the API, as an engine has them. Those that only the caller of a
/// typed call knows are empty (`completed`), and the fields are JSON pointers.
[[nodiscard]] embedding::Error::Data details_of(std::string_view code, const JsonView& problem);
/// The same error with these names, and with the names of fields in C++.
[[nodiscard]] embedding::Error completed(embedding::Error error, const Asked& asked);
/// VALIDATION_FAILED of one field.
[[nodiscard]] embedding::Error refused_field(const std::string& field, const std::string& why);

}  // namespace sundial::client
