#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Splits JSON into its parts without changing a byte of its values: payloads keep numbers such as
/// 1.0 and 1E400 as written. The functions expect valid JSON.
namespace sundial::cli {

/// The members of an object in their order. Empty if `object` is not an object.
[[nodiscard]] std::vector<std::pair<std::string, std::string_view>> members_of(
    std::string_view object);
/// The elements of an array. Empty if `array` is not an array.
[[nodiscard]] std::vector<std::string_view> elements_of(std::string_view array);
/// The value at a path with dots, such as `circuit.state`, where 0 is the first element of an
/// array; empty if it is absent.
[[nodiscard]] std::string_view value_at(std::string_view object, std::string_view path);
/// A value as text for people and for CSV: strings without quotes, null as nothing.
[[nodiscard]] std::string plain_text(std::string_view value);

/// The error in `text` as a JSON value; empty if it is one.
[[nodiscard]] std::string json_error(std::string_view text);

/// A JSON object that is built member by member.
class JsonTree {
public:
    /// Sets the value at a path with dots. A part `0` makes an array of one element. Replaces the
    /// present value, and keeps the other members of objects on the way.
    void set(std::string_view path, std::string json);
    [[nodiscard]] std::string text() const;
    [[nodiscard]] bool empty() const { return children_.empty(); }

private:
    void take_apart();

    std::string json_;  // of a leaf
    std::vector<std::pair<std::string, JsonTree>> children_;
};

}  // namespace sundial::cli
