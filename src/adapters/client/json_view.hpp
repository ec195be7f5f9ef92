#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace sundial::client {

/// A JSON value inside a text, which must outlive it. Reads members by their name and ignores all
/// others.
class JsonView {
public:
    /// The one value of the text; empty if that is not JSON or nested deeper than 512.
    [[nodiscard]] static std::optional<JsonView> parse(std::string_view text);

    /// Its text, byte for byte.
    [[nodiscard]] std::string_view raw() const { return raw_; }
    [[nodiscard]] bool is_object() const { return raw_.starts_with('{'); }
    [[nodiscard]] bool is_array() const { return raw_.starts_with('['); }
    /// Empty if this is not an object, has no such member, or has null there.
    [[nodiscard]] std::optional<JsonView> member(std::string_view name) const;
    /// Calls `each` with the name and the value of each member of an object, in order.
    void for_each_member(const std::function<void(std::string, JsonView)>& each) const;
    /// Calls `each` with each item of an array, in order.
    void for_each(const std::function<void(JsonView)>& each) const;

    /// The text of a string, without its escapes; empty if this is none.
    [[nodiscard]] std::optional<std::string> text() const;
    /// Empty if this is not an integer of 64 bits.
    [[nodiscard]] std::optional<std::int64_t> integer() const;
    [[nodiscard]] bool is_true() const { return raw_ == "true"; }

    /// The text of a member; empty without it.
    [[nodiscard]] std::string text_of(std::string_view name) const;
    /// The integer of a member; 0 without it or if it is negative.
    [[nodiscard]] std::uint64_t number_of(std::string_view name) const;
    [[nodiscard]] bool is_true(std::string_view name) const;

private:
    explicit JsonView(std::string_view raw) : raw_(raw) {}
    std::string_view raw_;
};

}  // namespace sundial::client
