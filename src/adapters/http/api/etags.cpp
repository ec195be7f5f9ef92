#include "adapters/http/api/etags.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "base/text.hpp"

namespace sundial::http {
namespace {

Version version_in(std::string_view tag) {
    std::uint64_t number = 0;
    if (tag.size() < 3 || tag.front() != '"' || tag.back() != '"') return version_of_nothing;
    const auto [end, error] = std::from_chars(tag.data() + 1, tag.data() + tag.size() - 1, number);
    if (error != std::errc{} || end != tag.data() + tag.size() - 1) return version_of_nothing;
    return std::min(Version{number}, version_of_nothing);
}

std::vector<Version> versions_in(std::string_view field, bool weak_counts) {
    std::vector<Version> versions;
    while (true) {
        const auto comma = field.find(',');
        std::string_view tag = base::trimmed(field.substr(0, comma));
        if (weak_counts && tag.starts_with("W/")) tag.remove_prefix(2);
        versions.push_back(version_in(tag));
        if (comma == std::string_view::npos) return versions;
        field.remove_prefix(comma + 1);
    }
}

}  // namespace

std::string etag(Version version) { return '"' + std::to_string(version.value) + '"'; }

std::optional<Version> expected_version(const Request& request,
                                        const std::function<std::optional<Version>()>& current) {
    const auto field = request.headers.find("If-Match");
    if (!field || base::trimmed(*field) == "*") return std::nullopt;
    const std::vector<Version> versions = versions_in(*field, false);
    if (versions.size() > 1) {
        const std::optional<Version> now = current();
        if (now && std::ranges::find(versions, *now) != versions.end()) return now;
    }
    return versions.front();
}

bool not_modified(const Request& request, Version version) {
    const auto field = request.headers.find("If-None-Match");
    if (!field) return false;
    return base::trimmed(*field) == "*" ||
           std::ranges::count(versions_in(*field, true), version) > 0;
}

}  // namespace sundial::http
