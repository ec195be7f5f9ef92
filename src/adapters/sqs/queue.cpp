#include "adapters/sqs/queue.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace sundial::sqs {
namespace {

constexpr std::size_t longest_queue_name = 80;
constexpr std::string_view fifo_ending = ".fifo";

/// The part of a URL before its path: https://sqs.eu-west-1.amazonaws.com.
std::string_view origin_in(std::string_view url) {
    const auto scheme = url.find("://");
    if (scheme == std::string_view::npos) return {};
    return url.substr(0, url.find_first_of("/?#", scheme + 3));
}

std::string_view path_in(std::string_view url) { return url.substr(origin_in(url).size()); }

/// Host and port, in lower case, without the port that the scheme has anyway.
std::string authority_in(std::string_view url) {
    const std::string_view origin = origin_in(url);
    if (origin.empty()) return {};
    const bool https = origin.starts_with("https");
    std::string authority = base::lowered(origin.substr(origin.find("://") + 3));
    const std::string_view own_port = https ? ":443" : ":80";
    if (authority.ends_with(own_port)) authority.resize(authority.size() - own_port.size());
    return authority;
}

bool is_queue_name(std::string_view name) {
    std::string_view stem = name;
    if (stem.ends_with(fifo_ending)) stem.remove_suffix(fifo_ending.size());
    return !stem.empty() && name.size() <= longest_queue_name &&
           std::ranges::all_of(stem, [](char c) {
               return base::is_digit(c) || base::is_lower(base::lower(c)) || c == '-' || c == '_';
           });
}

/// eu-west-1, us-gov-east-1.
bool is_region(std::string_view text) {
    return text.size() >= 2 && text.size() <= 32 && base::is_lower(text.front()) &&
           text.back() != '-' && std::ranges::all_of(text, [](char c) {
               return base::is_lower(c) || base::is_digit(c) || c == '-';
           });
}

std::vector<std::string_view> labels_of(std::string_view host) {
    std::vector<std::string_view> labels;
    while (true) {
        const auto dot = host.find('.');
        labels.push_back(host.substr(0, dot));
        if (dot == std::string_view::npos) return labels;
        host.remove_prefix(dot + 1);
    }
}

std::string option_of(const Endpoint& endpoint, const char* name) {
    const auto found = endpoint.options.find(name);
    return found == endpoint.options.end() ? std::string{} : found->second;
}

FieldError wrong_option(std::string_view name, std::string message) {
    return {"/" + std::string{name}, "bad_format", std::move(message)};
}

}  // namespace

std::optional<FieldError> refuse_queue_url(std::string_view url) {
    const std::string_view path = path_in(url);
    const auto slash = path.rfind('/');
    if (!origin_in(url).empty() && slash != std::string_view::npos &&
        is_queue_name(path.substr(slash + 1))) {
        return std::nullopt;
    }
    return FieldError{"/url", "bad_format",
                      "the URL of a queue has a scheme and a host, and ends with its name, such as "
                      "https://sqs.eu-west-1.amazonaws.com/123456789012/birthdays"};
}

std::optional<FieldError> refuse_option(std::string_view name, std::string_view value) {
    if (name == region_option && !is_region(value)) {
        return wrong_option(name, "the name of a region, such as eu-west-1");
    }
    if (name == message_group_option && value != "user" && value != "endpoint") {
        return wrong_option(name, "user or endpoint");
    }
    if (name != endpoint_url_option) return std::nullopt;
    const std::string_view path = path_in(value);
    if (origin_in(value).empty() || (!path.empty() && path != "/")) {
        return wrong_option(name,
                            "scheme and host without a path, such as "
                            "https://vpce-1a2b.sqs.eu-west-1.vpce.amazonaws.com");
    }
    return std::nullopt;
}

std::optional<std::string> region_in(std::string_view url) {
    std::string host = authority_in(url);
    host.resize(std::min(host.size(), host.find(':')));
    const auto labels = labels_of(host);
    const auto service = std::ranges::find_if(
        labels, [](std::string_view label) { return label == "sqs" || label == "sqs-fips"; });
    if (service != labels.end() && service + 1 != labels.end() &&
        (service + 1)->find('-') != std::string_view::npos && is_region(*(service + 1))) {
        return std::string{*(service + 1)};
    }
    if (host == "queue.amazonaws.com") return "us-east-1";
    if (host.ends_with(".queue.amazonaws.com") && is_region(labels.front())) {
        return std::string{labels.front()};
    }
    return std::nullopt;
}

Queue queue_of(const Endpoint& endpoint) {
    const std::string endpoint_url = option_of(endpoint, endpoint_url_option);
    const std::string& requested = endpoint_url.empty() ? endpoint.url : endpoint_url;
    std::string region = option_of(endpoint, region_option);
    if (region.empty()) region = region_in(endpoint.url).value_or("");
    if (region.empty()) region = region_in(requested).value_or("");
    return {.url = endpoint.url,
            .request_url = std::string{origin_in(requested)} + '/',
            .host = authority_in(requested),
            .region = std::move(region),
            .fifo = endpoint.url.ends_with(fifo_ending),
            .grouped_by_endpoint = option_of(endpoint, message_group_option) == "endpoint"};
}

}  // namespace sundial::sqs
