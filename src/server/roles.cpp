#include "server/roles.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace sundial::server {
namespace {

struct NamedRole {
    std::string_view name;
    bool Roles::* member;
};
constexpr std::array<NamedRole, 4> all_roles{{{"api", &Roles::api},
                                              {"scheduler", &Roles::scheduler},
                                              {"worker", &Roles::worker},
                                              {"ui", &Roles::ui}}};

}  // namespace

std::vector<std::string> names_of(const Roles& roles) {
    std::vector<std::string> names;
    for (const NamedRole& role : all_roles) {
        if (roles.*role.member) names.emplace_back(role.name);
    }
    return names;
}

std::string to_text(const Roles& roles) {
    std::string text;
    for (const std::string& name : names_of(roles)) text += (text.empty() ? "" : ",") + name;
    return text;
}

std::optional<Roles> roles_in(const std::vector<std::string>& names) {
    Roles roles{.api = false, .scheduler = false, .worker = false, .ui = false};
    for (const std::string& name : names) {
        const auto known = std::ranges::find(all_roles, name, &NamedRole::name);
        if (known == all_roles.end()) return std::nullopt;
        roles.*known->member = true;
    }
    if (names.empty()) return std::nullopt;
    return roles;
}

std::string missing_roles(const std::vector<std::vector<std::string>>& found) {
    std::string missing;
    for (const NamedRole& role : all_roles) {
        if (role.member == &Roles::ui) continue;
        const bool is_there = std::ranges::any_of(found, [&](const auto& names) {
            return std::ranges::find(names, role.name) != names.end();
        });
        if (!is_there) missing.append(missing.empty() ? "" : ", ").append(role.name);
    }
    return missing;
}

}  // namespace sundial::server
