#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The form in which an operation stores its request: one `name value` per line. A name with
/// several values has several lines, and a line break or backslash of a value is escaped.
namespace sundial {

class StoredRequestWriter {
public:
    void add(std::string_view name, std::string_view value);
    [[nodiscard]] std::string result() && { return std::move(text_); }

private:
    std::string text_;
};

/// Throws Corrupt for a text that no writer made.
class StoredRequest {
public:
    explicit StoredRequest(std::string_view text);
    /// In their order; empty if the name has none.
    [[nodiscard]] std::vector<std::string> values(std::string_view name) const;

private:
    std::vector<std::pair<std::string, std::string>> lines_;
};

/// Throws Corrupt.
[[noreturn]] void refuse_stored_request(const std::string& what);

}  // namespace sundial
