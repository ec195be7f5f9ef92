#include "adapters/sqs/profiles.hpp"

#include <optional>

#include "base/text.hpp"

namespace sundial::sqs {
namespace {

constexpr std::string_view blanks = " \t\r";

/// "[profile dev]" → "dev"; empty for a section that is not a profile.
std::optional<std::string> profile_name(std::string_view line) {
    const auto end = line.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    std::string_view name = base::trimmed(line.substr(1, end - 1), blanks);
    constexpr std::string_view prefix = "profile";
    if (name.starts_with(prefix) && name.size() > prefix.size() &&
        blanks.find(name[prefix.size()]) != std::string_view::npos) {
        name = base::trimmed(name.substr(prefix.size()), blanks);
    }
    for (const std::string_view other : {"sso-session ", "services "}) {
        if (name.starts_with(other)) return std::nullopt;
    }
    return std::string{name};
}

/// Without a comment, which begins with # or ; after a blank.
std::string_view without_comment(std::string_view value) {
    for (std::size_t at = 1; at < value.size(); ++at) {
        const bool begins = value[at] == '#' || value[at] == ';';
        if (begins && blanks.find(value[at - 1]) != std::string_view::npos) {
            return value.substr(0, at);
        }
    }
    return value;
}

}  // namespace

std::map<std::string, Profile> read_profiles(std::string_view text) {
    std::map<std::string, Profile> profiles;
    Profile* current = nullptr;
    while (!text.empty()) {
        const auto line_end = text.find('\n');
        const std::string_view line = text.substr(0, line_end);
        text.remove_prefix(line_end == std::string_view::npos ? text.size() : line_end + 1);
        const std::string_view content = base::trimmed(line, blanks);
        if (content.empty() || content.front() == '#' || content.front() == ';') continue;
        if (content.front() == '[') {
            const auto name = profile_name(content);
            current = name ? &profiles[*name] : nullptr;
            continue;
        }
        const bool is_nested = blanks.find(line.front()) != std::string_view::npos;
        const auto equals = content.find('=');
        if (current == nullptr || is_nested || equals == std::string_view::npos) continue;
        const std::string name = base::lowered(base::trimmed(content.substr(0, equals), blanks));
        const std::string_view value = base::trimmed(content.substr(equals + 1), blanks);
        current->insert_or_assign(name, std::string{base::trimmed(without_comment(value), blanks)});
    }
    return profiles;
}

}  // namespace sundial::sqs
