#include "domain/obstacle.hpp"

#include "domain/enum_names.hpp"

namespace sundial {
namespace {

constexpr EnumNames<2> names{"CIRCUIT", "LIMIT"};

}  // namespace

std::string_view to_string(Obstacle obstacle) { return name_in(names, obstacle); }
std::optional<Obstacle> parse_obstacle(std::string_view text) {
    return find_in<Obstacle>(names, text);
}

}  // namespace sundial
