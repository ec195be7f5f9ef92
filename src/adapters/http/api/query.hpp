#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/message.hpp"
#include "application/ports/clock.hpp"
#include "domain/error.hpp"

/// Filters of lists, from parameters that the OpenAPI document has validated.
namespace sundial::http {

/// Values separated by commas; empty if the parameter is absent.
[[nodiscard]] std::vector<std::string> list_value(const Request& request, std::string_view name);
[[nodiscard]] std::optional<std::string> text_value(const Request& request, std::string_view name);
[[nodiscard]] std::optional<bool> truth_value(const Request& request, std::string_view name);
[[nodiscard]] std::optional<unsigned> number_value(const Request& request, std::string_view name);

/// Instants: RFC 3339, or now, now-1h, now+7d. Adds invalid ones to `errors`.
class Moments {
public:
    Moments(const Request& request, Clock& clock, std::vector<FieldError>& errors)
        : request_(request), clock_(clock), errors_(errors) {}
    [[nodiscard]] std::optional<Instant> value(std::string_view name);

private:
    const Request& request_;
    Clock& clock_;
    std::vector<FieldError>& errors_;
};

/// The texts of a list as values of an enum. The OpenAPI document has checked the names.
template <class Parse>
auto parsed_list(const Request& request, std::string_view name, Parse parse) {
    std::vector<typename decltype(parse(std::string_view{}))::value_type> values;
    for (const std::string& text : list_value(request, name)) {
        if (const auto value = parse(text)) values.push_back(*value);
    }
    return values;
}

}  // namespace sundial::http
