#include "adapters/http/api/query.hpp"

#include <charconv>

#include "domain/time/calendar_duration.hpp"

namespace sundial::http {

std::vector<std::string> list_value(const Request& request, std::string_view name) {
    std::vector<std::string> values;
    auto rest = request.query_value(name);
    while (rest) {
        const auto comma = rest->find(',');
        values.emplace_back(rest->substr(0, comma));
        rest =
            comma == std::string_view::npos ? std::nullopt : std::optional(rest->substr(comma + 1));
    }
    return values;
}

std::optional<std::string> text_value(const Request& request, std::string_view name) {
    const auto text = request.query_value(name);
    return text ? std::optional(std::string(*text)) : std::nullopt;
}

std::optional<bool> truth_value(const Request& request, std::string_view name) {
    const auto text = request.query_value(name);
    return text ? std::optional(*text == "true") : std::nullopt;
}

std::optional<unsigned> number_value(const Request& request, std::string_view name) {
    const auto text = request.query_value(name);
    if (!text) return std::nullopt;
    unsigned number = 0;
    std::from_chars(text->data(), text->data() + text->size(), number);
    return number;
}

std::optional<Instant> Moments::value(std::string_view name) {
    const auto text = request_.query_value(name);
    if (!text) return std::nullopt;
    const auto moment = parse_moment(*text, clock_.now());
    if (moment) return *moment;
    errors_.push_back({"?" + std::string(name), std::string(to_string(moment.error().code)),
                       moment.error().message});
    return std::nullopt;
}

}  // namespace sundial::http
