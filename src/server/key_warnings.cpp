#include "server/key_warnings.hpp"

#include <chrono>
#include <string>

#include "domain/time/text.hpp"

namespace sundial::server {
namespace {

constexpr std::chrono::hours between_warnings{24};

/// Without the key's name, which may be the name of a person.
base::LogLine line_of(const ExpiringKey& key) {
    return {
        .level = base::LogLevel::warn,
        .event_name = "api_key.expiring",
        .message = "an API key expires soon; create another key and replace it where it is used",
        .correlation_id = "",
        .fields = {{"apiKeyId", to_string(key.id)},
                   {"role", std::string(to_string(key.role))},
                   {"expiresAt", format_instant_millis(key.at)}}};
}

}  // namespace

std::vector<base::LogLine> KeyWarnings::due(const ExpiringKeys& expiring) {
    std::map<ApiKeyId, Instant> warned;  // without keys that are gone
    std::vector<base::LogLine> lines;
    for (const ExpiringKey& key : expiring.keys) {
        if (key.at - expiring.as_of > expiry_warning) break;
        const auto before = warned_.find(key.id);
        const bool warned_today =
            before != warned_.end() && expiring.as_of - before->second < between_warnings;
        warned[key.id] = warned_today ? before->second : expiring.as_of;
        if (!warned_today) lines.push_back(line_of(key));
    }
    warned_ = std::move(warned);
    return lines;
}

}  // namespace sundial::server
