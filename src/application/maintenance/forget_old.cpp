#include "application/maintenance/forget_old.hpp"

#include <array>
#include <utility>

namespace sundial {

bool ForgetOld::batch() {
    const std::array kinds{
        std::pair{Kept::completed, terms_.completed}, std::pair{Kept::failed, terms_.failed},
        std::pair{Kept::attempts, terms_.attempts}, std::pair{Kept::keys, terms_.keys},
        std::pair{Kept::skips, terms_.completed}};
    bool more = false;
    for (const auto& [what, age] : kinds) {
        more = retention_.forget(what, age, rows_of_a_batch) || more;
    }
    return more;
}

}  // namespace sundial
