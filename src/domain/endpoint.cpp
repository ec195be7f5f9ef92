#include "domain/endpoint.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "base/text.hpp"
#include "domain/enum_names.hpp"
#include "domain/names.hpp"

namespace sundial {
namespace {

constexpr EnumNames<2> scheme_names{"v1", "v1a"};
constexpr const char* duration_field = "/oldSignsFor";

bool too_many(std::span<const SigningKey> keys, SignatureScheme scheme) {
    return std::ranges::count(keys, scheme, &SigningKey::scheme) >
           static_cast<std::ptrdiff_t>(max_signing_keys);
}

}  // namespace

std::string_view to_string(SignatureScheme scheme) { return name_in(scheme_names, scheme); }
std::optional<SignatureScheme> parse_signature_scheme(std::string_view text) {
    return find_in<SignatureScheme>(scheme_names, text);
}

std::vector<SigningKey> signing_at(std::span<const SigningKey> keys, Instant now) {
    std::vector<SigningKey> signing;
    std::ranges::copy_if(keys, std::back_inserter(signing),
                         [now](const SigningKey& key) { return now < key.signs_until; });
    return signing;
}

Result<std::vector<SigningKey>, ValidationFailed> rotated(std::span<const SigningKey> keys,
                                                          std::vector<SigningKey> fresh,
                                                          Instant now,
                                                          std::chrono::seconds old_signs_for) {
    using namespace std::chrono_literals;
    if (old_signs_for < 0s || old_signs_for > longest_co_signing) {
        return invalid(duration_field, "out_of_range",
                       "must be PT0S to PT168H, which is seven days");
    }
    for (SigningKey key : keys) {
        key.signs_until = std::min(key.signs_until, now + old_signs_for);
        if (now < key.signs_until) fresh.push_back(std::move(key));
    }
    if (too_many(fresh, SignatureScheme::v1) || too_many(fresh, SignatureScheme::v1a)) {
        return invalid(duration_field, "not_allowed",
                       "three secrets are signing, the maximum; wait until one of them ends, or "
                       "end all old ones with PT0S");
    }
    return fresh;
}

namespace {

using namespace std::chrono_literals;

constexpr EnumNames<3> format_names{"RAW", "ENVELOPE", "CLOUDEVENTS"};

constexpr std::size_t max_headers = 20;
constexpr std::size_t max_header_bytes = 4096;  // names and values together
constexpr std::chrono::seconds shortest_timeout = 1s;
constexpr std::chrono::seconds longest_timeout = 30s;
/// Between the end of a request and the end of its lease: time to abort it and to report that.
constexpr std::chrono::seconds lease_margin = 10s;
constexpr std::size_t max_delays = 50;
constexpr std::chrono::seconds shortest_delay = 1s;
constexpr std::chrono::seconds longest_delay = 24h;
constexpr std::uint32_t max_client_error_retries = 50;  // no policy has more retries

constexpr std::uint32_t highest_limit = 10'000;

/// Replaces the hidden part in a hint.
constexpr std::string_view hint_mark = "…";

/// Those that a webhook sets itself, does without, or that are the connection's own.
constexpr std::array<std::string_view, 17> reserved_headers{"accept-encoding",
                                                            "connection",
                                                            "content-length",
                                                            "content-type",
                                                            "cookie",
                                                            "expect",
                                                            "host",
                                                            "idempotency-key",
                                                            "keep-alive",
                                                            "te",
                                                            "traceparent",
                                                            "trailer",
                                                            "transfer-encoding",
                                                            "tracestate",
                                                            "upgrade",
                                                            "user-agent",
                                                            "x-idempotency-key"};
constexpr std::array<std::string_view, 4> reserved_prefixes{"ce-", "proxy-", "sundial-",
                                                            "webhook-"};

/// RFC 9110, 5.6.2.
bool is_token(std::string_view text) {
    constexpr std::string_view others = "!#$%&'*+-.^_`|~";
    return !text.empty() && std::ranges::all_of(text, [&](char c) {
        return base::is_lower(base::lower(c)) || base::is_digit(c) ||
               others.find(c) != std::string_view::npos;
    });
}

bool is_reserved(std::string_view lower_name) {
    return std::ranges::find(reserved_headers, lower_name) != reserved_headers.end() ||
           std::ranges::any_of(reserved_prefixes, [&](std::string_view prefix) {
               return lower_name.starts_with(prefix);
           });
}

/// A tab is legal in a value; a line break would let an attacker start a header.
bool is_control(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7f;
}

std::string seconds_text(std::chrono::seconds duration) {
    return "PT" + std::to_string(duration.count()) + "S";
}

void judge_timeout(const Endpoint& endpoint, std::chrono::seconds lease,
                   std::vector<FieldError>& defects) {
    const auto longest = std::min(longest_timeout, lease - lease_margin);
    if (shortest_timeout <= endpoint.timeout && endpoint.timeout <= longest) return;
    std::string message =
        "must be " + seconds_text(shortest_timeout) + " to " + seconds_text(longest);
    if (longest < longest_timeout) {
        message += ", the lease of " + seconds_text(lease) + " less " + seconds_text(lease_margin);
    }
    defects.push_back({"/timeout", "out_of_range", std::move(message)});
}

void judge_retries(const Endpoint& endpoint, std::vector<FieldError>& defects) {
    if (endpoint.retry_client_errors > max_client_error_retries) {
        defects.push_back({"/retryClientErrors", "out_of_range", "must be 0 to 50"});
    }
    if (endpoint.retry_policy.kind != RetryPolicy::Kind::custom) return;
    const auto& delays = endpoint.retry_policy.custom;
    if (delays.empty() || delays.size() > max_delays) {
        defects.push_back({"/retryPolicy/delays", "out_of_range",
                           "has " + std::to_string(delays.size()) + " delays; must have 1 to 50"});
    }
    for (std::size_t i = 0; i < std::min(delays.size(), max_delays); ++i) {
        if (delays[i] < shortest_delay || delays[i] > longest_delay) {
            defects.push_back({"/retryPolicy/delays/" + std::to_string(i), "out_of_range",
                               "must be PT1S to PT24H"});
        }
    }
}

void judge_limit(const char* pointer, std::uint32_t limit, std::vector<FieldError>& defects) {
    if (1 <= limit && limit <= highest_limit) return;
    defects.push_back({pointer, "out_of_range", "must be 1 to 10000"});
}

void judge_limits(const Endpoint& endpoint, std::vector<FieldError>& defects) {
    if (endpoint.rate_limit) {
        judge_limit("/rateLimit/perSecond", endpoint.rate_limit->per_second, defects);
        judge_limit("/rateLimit/burst", endpoint.rate_limit->burst, defects);
    }
    if (endpoint.max_in_flight) judge_limit("/maxInFlight", *endpoint.max_in_flight, defects);
}

}  // namespace

std::string_view to_string(BodyFormat format) { return name_in(format_names, format); }
std::optional<BodyFormat> parse_body_format(std::string_view text) {
    return find_in<BodyFormat>(format_names, text);
}

std::vector<FieldError> defects(const Endpoint& endpoint, std::chrono::seconds lease) {
    std::vector<FieldError> defects;
    if (endpoint.external_id) {
        if (auto defect = refuse_external_id("/externalId", *endpoint.external_id)) {
            defects.push_back(*std::move(defect));
        }
    }
    if (auto defect = refuse_text("/name", endpoint.name, max_name_length)) {
        defects.push_back(*std::move(defect));
    }
    judge_timeout(endpoint, lease, defects);
    judge_retries(endpoint, defects);
    judge_limits(endpoint, defects);
    return defects;
}

std::string header_hint(std::string_view value) {
    constexpr std::size_t shown = 3;
    // Thirteen characters stay hidden: too many to guess.
    constexpr std::size_t least = 16;
    const bool long_enough = value.size() >= least;
    const auto tail = long_enough ? value.substr(value.size() - shown) : std::string_view{};
    const bool plain = std::ranges::all_of(tail, [](char c) { return c > ' ' && c <= '~'; });
    return std::string{hint_mark}.append(plain ? tail : std::string_view{});
}

std::vector<FieldError> header_defects(std::span<const HeaderText> headers) {
    std::vector<FieldError> defects;
    std::size_t bytes = 0;
    std::set<std::string> seen;
    for (const auto& [name, value] : headers) {
        bytes += name.size() + value.size();
        const std::string pointer = json_pointer("/headers", name);
        if (!is_token(name)) {
            defects.push_back({pointer, "bad_format",
                               "a header's name is made of letters, digits and !#$%&'*+-.^_`|~"});
        } else if (is_reserved(base::lowered(name))) {
            defects.push_back({pointer, "not_allowed", "this header is set by Sundial itself"});
        } else if (!seen.insert(base::lowered(name)).second) {
            defects.push_back({pointer, "not_allowed",
                               "the header is given twice; upper and lower case are the same"});
        }
        if (std::ranges::any_of(value, is_control)) {
            defects.push_back({pointer, "bad_format",
                               "a header's value must not contain line breaks, NUL or other "
                               "control characters"});
        } else if (value.starts_with(hint_mark)) {
            defects.push_back({pointer, "bad_format",
                               "this is the hint that responses show instead of the value; give "
                               "the value itself, or omit the header to keep it"});
        }
    }
    if (headers.size() > max_headers) {
        defects.push_back(
            {"/headers", "out_of_range",
             "has " + std::to_string(headers.size()) + " headers; at most 20 are allowed"});
    }
    if (bytes > max_header_bytes) {
        defects.push_back({"/headers", "too_long",
                           "has " + std::to_string(bytes) +
                               " bytes of names and values; at most 4096 are allowed"});
    }
    return defects;
}

}  // namespace sundial
